//! How fast users move, and the Doppler shift that follows: f_d = v f_c / c.
//!
//! Left out: directions, speeds that change.

use crate::types::declare::{Field, Form, PerUser, Reader, Rule, Section, Value};

/// Speed of light in vacuum, m/s (SI).
const LIGHT_MPS: f64 = 299_792_458.0;

/// How fast users move; it sets Doppler and how fast shadowing changes, not the mean SNR.
#[derive(Clone, Debug, PartialEq, Section)]
pub struct Motion {
    /// Speed: one for all, or a list of one per user.
    #[field(
        unit = "km/h",
        at_least = 0,
        at_most = 1_000,
        items = 1,
        default = PerUser::All(3.0),
        source = "airlink default; [Klein04]: 30"
    )]
    pub speed_kmh: PerUser,
    /// Carrier frequency.
    #[field(
        unit = "Hz",
        at_least = 1e6,
        at_most = 1e12,
        default = 2e9,
        source = "TR 36.814, table A.2.1.1-1: cases 1 and 3, 2 GHz"
    )]
    pub carrier_hz: f64,
}

impl Motion {
    /// The speed of `user` in m/s.
    pub fn speed_mps(&self, user: usize) -> f64 {
        self.speed_kmh.of(user) / 3.6
    }

    /// The largest Doppler shift of `user`, Hz.
    pub fn doppler_hz(&self, user: usize) -> f64 {
        self.speed_mps(user) * self.carrier_hz / LIGHT_MPS
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

    /// The shift of `user`, one of those who move like this, Hz.
    pub fn hz(self, motion: &Motion, user: usize) -> f64 {
        match self {
            Self::Given(hz) => hz,
            Self::FromMotion => motion.doppler_hz(user),
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

#[cfg(test)]
mod tests {
    use super::super::FadingKind;
    use super::*;
    use crate::types::declare::{Problem, of_every_kind, read};

    /// The Doppler shift of Rayleigh fading that is written so, all else as declared.
    fn read_doppler(doppler_hz: Value) -> Result<Doppler, Vec<Problem>> {
        let declared =
            of_every_kind::<FadingKind>().into_iter().find(|kind| matches!(kind, FadingKind::Rayleigh { .. }));
        let Some(Value::Table(mut fields)) = declared.map(|kind| kind.to_value()) else { panic!("a kind is a table") };
        let written = fields.iter_mut().find(|(name, _)| name == "doppler_hz").expect("a declared field");
        written.1 = doppler_hz;
        read(&Value::Table(fields), "channel.fading").map(|fading| match fading {
            FadingKind::Rayleigh { doppler_hz, .. } => doppler_hz,
            other => panic!("{other:?} was read"),
        })
    }

    #[test]
    fn a_doppler_shift_is_a_number_or_from_motion() {
        assert_eq!(read_doppler(Value::Text("from_motion".to_owned())), Ok(Doppler::FromMotion));
        assert_eq!(read_doppler(Value::Number(0.0)), Ok(Doppler::Given(0.0)));
        let allowed = "a number from 0 to 1000000 or \"from_motion\"";
        for (wrong, shown) in [(Value::Text("motion".to_owned()), "\"motion\""), (Value::Number(-1.0), "-1")] {
            let problems = read_doppler(wrong).expect_err("not allowed");
            assert_eq!(problems.len(), 1);
            let message = format!("channel.fading.doppler_hz: {shown} is not allowed: {allowed}");
            assert_eq!(problems[0].to_string(), message);
        }
    }

    #[test]
    fn every_kind_of_fading_is_read_as_it_is_written() {
        for fading in of_every_kind::<FadingKind>() {
            assert_eq!(read(&fading.to_value(), ""), Ok(fading));
        }
    }

    #[test]
    fn thirty_km_per_hour_shift_two_gigahertz_by_56_hertz() {
        let motion = Motion { speed_kmh: PerUser::All(30.0), carrier_hz: 2e9 };
        assert!((Doppler::FromMotion.hz(&motion, 0) - 55.594).abs() < 1e-3);
        assert_eq!(Doppler::FromMotion.hz(&motion, 3), Doppler::FromMotion.hz(&motion, 0));
        assert_eq!(Doppler::Given(7.0).hz(&motion, 0), 7.0);
    }

    #[test]
    fn each_user_has_the_doppler_shift_of_its_own_speed() {
        let motion = Motion { speed_kmh: PerUser::Each(vec![0.0, 3.0, 30.0]), carrier_hz: 2e9 };
        let alone = |kmh| Motion { speed_kmh: PerUser::All(kmh), carrier_hz: 2e9 }.doppler_hz(0);
        assert_eq!([0, 1, 2].map(|user| motion.doppler_hz(user)), [0.0, 3.0, 30.0].map(alone));
    }
}
