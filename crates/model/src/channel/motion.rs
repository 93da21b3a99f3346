//! How fast users move, and the Doppler shift that follows: f_d = v f_c / c.
//!
//! Left out: directions, speeds that change, a speed of its own for each user.

use crate::types::declare::{Field, Form, Reader, Rule, Section, Value};

/// Speed of light in vacuum, m/s (SI).
const LIGHT_MPS: f64 = 299_792_458.0;

/// How fast users move; it sets Doppler and how fast shadowing changes, not the mean SNR.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
pub struct Motion {
    /// Speed of every user.
    #[field(unit = "km/h", at_least = 0, at_most = 1_000, default = 3.0, source = "airlink default; paper 001: 30")]
    pub speed_kmh: f64,
    /// Carrier frequency.
    #[field(unit = "Hz", at_least = 1e6, at_most = 1e12, default = 2e9, source = "paper 001, given: 2 GHz")]
    pub carrier_hz: f64,
}

impl Motion {
    /// The speed in m/s.
    pub fn speed_mps(&self) -> f64 {
        self.speed_kmh / 3.6
    }

    /// The largest Doppler shift, Hz.
    pub fn doppler_hz(&self) -> f64 {
        self.speed_mps() * self.carrier_hz / LIGHT_MPS
    }
}

/// A Doppler shift: a number in Hz, or "from_motion".
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Doppler {
    /// As given, Hz.
    Given(f64),
    /// From speed and carrier.
    FromMotion,
}

impl Doppler {
    const FROM_MOTION: &str = "from_motion";

    /// The shift of users who move like this, Hz.
    pub fn hz(self, motion: &Motion) -> f64 {
        match self {
            Self::Given(hz) => hz,
            Self::FromMotion => motion.doppler_hz(),
        }
    }
}

impl Field for Doppler {
    fn form(rule: &Rule) -> Form {
        f64::form(rule)
    }

    fn read(value: &Value, rule: &Rule, reader: &mut Reader) -> Option<Self> {
        match value {
            Value::Text(word) if word == Self::FROM_MOTION => Some(Self::FromMotion),
            value => match rule.range.number(value, false) {
                Some(hz) => Some(Self::Given(hz)),
                None => {
                    let allowed = format!("{} or {:?}", rule.range.allowed(false), Self::FROM_MOTION);
                    reader.not_allowed(value, &allowed)
                }
            },
        }
    }

    fn write(&self, rule: &Rule) -> Value {
        match self {
            Self::Given(hz) => hz.write(rule),
            Self::FromMotion => Value::Text(Self::FROM_MOTION.to_owned()),
        }
    }
}
