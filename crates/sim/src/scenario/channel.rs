//! Where users are and how their signal varies.

use serde::Deserialize;

use super::{Extended, PerUser};

/// The signal of each user over time.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Channel {
    /// Each user's mean.
    pub placement: Placement,
    /// Mean SNR against distance.
    pub path_loss: PathLoss,
    /// The receiver's ceiling.
    pub ceiling: Ceiling,
    /// Slow variation about the mean.
    pub shadowing: Shadowing,
    /// How users move.
    pub motion: Motion,
    /// Fast variation.
    pub fading: Fading,
    /// What the base station's antennas do.
    pub beamforming: Beamforming,
}

/// Each user's mean SNR, or a trace in its place. One exists per scenario, so its size does not matter.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Placement {
    /// Uniform by area in a ring.
    Disc {
        /// Outer radius, m.
        radius_m: f64,
        /// Inner radius, m.
        inner_radius_m: f64,
        /// Anywhere, or from the antenna out.
        order: Order,
    },
    /// At given distances.
    Distances {
        /// Of each user, m.
        distances_m: Vec<f64>,
    },
    /// With given mean SNR.
    MeanSnr {
        /// Of all or each, dB.
        mean_snr_db: PerUser,
    },
    /// With mean SNR over a range.
    MeanSnrRange {
        /// Lowest, dB.
        low_db: f64,
        /// Highest, dB.
        high_db: f64,
        /// Equally spaced or random.
        spacing: Spacing,
    },
    /// Along recorded traces; the arrays come beside the scenario.
    Trace {
        /// The files' names, for the record.
        files: Vec<String>,
        /// The files' format, for the record.
        format: String,
        /// What the values are.
        quantity: Quantity,
        /// Provenance of the arrays; the reader has used them.
        value_column: String,
        /// See `value_column`.
        time_column: String,
        /// See `value_column`.
        time_unit: String,
        /// See `value_column`; a loop's period ends this long after the last row.
        row_interval_s: f64,
        /// See `value_column`.
        value_scale: f64,
        /// See `value_column`.
        missing: String,
        /// See `value_column`.
        averaging_ms: f64,
        /// What follows the last row.
        at_end: AtEnd,
        /// What lies between two rows.
        between: Between,
        /// Where in the trace each user starts, s.
        offset_s: PerUser,
        /// Draw the start of each user uniformly instead.
        random_offset: bool,
        /// Turns rates into SNR; 0 rides the rate itself. Hz.
        equivalent_bandwidth_hz: f64,
        /// Hashes of the files, for the record.
        sha256: Vec<String>,
    },
}

impl Placement {
    /// How long a trace's last row lasts, s: a row interval, or of a Mahimahi file the window of its averages.
    pub fn last_row_s(&self) -> f64 {
        match self {
            Self::Trace { format, averaging_ms, .. } if format == "mahimahi" => averaging_ms / 1e3,
            Self::Trace { row_interval_s, .. } => *row_interval_s,
            _ => f64::NAN,
        }
    }
}

/// Which part of a disc a user is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Any.
    Random,
    /// A ring of its own, user 0 innermost.
    ByDistance,
}

/// How a range of mean SNR is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Spacing {
    /// First user lowest, last highest.
    Equal,
    /// Uniform draws.
    Random,
}

/// What a trace's values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// SNR in dB.
    SnrDb,
    /// A rate in b/s.
    RateBps,
}

/// What follows a trace's last row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AtEnd {
    /// The trace from its start.
    Loop,
    /// No signal.
    Stop,
}

/// What lies between two rows of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Between {
    /// The earlier value.
    Hold,
    /// A straight line.
    Linear,
}

/// Mean SNR(d) = reference - 10 exponent log10(d / reference distance).
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathLoss {
    /// Path-loss exponent.
    pub exponent: f64,
    /// Reference distance, m.
    pub reference_distance_m: f64,
    /// Mean SNR there, dB.
    pub reference_snr_db: f64,
}

/// 1/SINR = 1/SNR + 1/ceiling.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ceiling {
    /// The ceiling, dB.
    pub sinr_db: Extended,
    /// On the mean or on every sample.
    pub applies_to: CeilingTarget,
}

/// Where the ceiling acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CeilingTarget {
    /// On the mean SNR.
    Mean,
    /// On every sample.
    Instantaneous,
}

/// Log-normal shadowing.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shadowing {
    /// Standard deviation, dB.
    pub sd_db: f64,
    /// Decorrelation distance, m.
    pub decorrelation_m: f64,
}

/// How users move.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Motion {
    /// Speed, km/h.
    pub speed_kmh: f64,
    /// Carrier frequency, Hz.
    pub carrier_hz: f64,
}

/// Fast variation of the signal.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Fading {
    /// A constant gain of 1.
    None {},
    /// Flat Rayleigh by a sum of sinusoids.
    Rayleigh {
        /// Number of sinusoids.
        terms: usize,
        /// Maximum Doppler shift.
        doppler_hz: Doppler,
    },
    /// Flat, by weighted cosines, as in paper 004.
    Jakes {
        /// Number of cosines.
        terms: usize,
        /// Maximum Doppler shift.
        doppler_hz: Doppler,
    },
    /// Frequency-selective Rayleigh: paths of a power-delay profile.
    TappedDelayLine {
        /// The profile's name, for the record.
        profile: String,
        /// To which delays were scaled, for the record, ns.
        delay_spread_ns: f64,
        /// Of each path, ns.
        delays_ns: Vec<f64>,
        /// Of each path, relative, dB.
        powers_db: Vec<f64>,
        /// Number of sinusoids of each path.
        terms: usize,
        /// Maximum Doppler shift.
        doppler_hz: Doppler,
    },
}

/// What the base station's antennas do.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Beamforming {
    /// There is one.
    None {},
    /// Weights that turn at random.
    Opportunistic {
        /// How many there are.
        antennas: usize,
        /// The largest frequency of a weight, Hz.
        turn_hz: f64,
        /// Number of sinusoids of a weight.
        terms: usize,
    },
}

/// A Doppler shift, given or from speed and carrier.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Doppler {
    /// Hz.
    Given(f64),
    /// "from_motion".
    Named(String),
}

/// Speed of light in vacuum, m/s (SI).
const LIGHT_MPS: f64 = 299_792_458.0;

impl Channel {
    /// Speed in m/s.
    pub fn speed_mps(&self) -> f64 {
        self.motion.speed_kmh / 3.6
    }

    /// Maximum Doppler shift f_d = v f_c / c, Hz, or the one given.
    pub fn doppler_hz(&self, doppler: &Doppler) -> f64 {
        match doppler {
            Doppler::Given(hz) => *hz,
            Doppler::Named(_) => self.speed_mps() * self.motion.carrier_hz / LIGHT_MPS,
        }
    }
}
