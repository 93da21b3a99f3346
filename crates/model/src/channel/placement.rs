//! How users get their places, or their mean SNR if places do not matter.

use super::TracePlacement;
use crate::types::Decibel;
use crate::types::declare::{PerUser, Section, Words};

/// How users get their mean SNR.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug, PartialEq, Section)]
pub enum Placement {
    /// Users are placed uniformly over a ring.
    ///
    /// Their mean SNR follows from `[channel.path_loss]` or `[channel.link_budget]`.
    #[section(about = "Uniform over the area of a ring, redrawn for every seed")]
    Disc {
        /// Outer radius of the ring.
        #[field(unit = "m", above = 0, at_most = 1e6, source = "[Klein04], given: 2000")]
        radius_m: f64,
        /// Inner radius of the ring, below `radius_m`.
        #[field(
            unit = "m",
            at_least = 0,
            at_most = 1e6,
            default = 0.0,
            source = "airlink default: a full disc; profile K3 of [Klein04]: 70"
        )]
        inner_radius_m: f64,
        /// "random": every user anywhere in the ring; "by_distance": user i of n in the i-th of n rings of equal area,
        /// user 0 nearest.
        #[field(default = Order::Random, source = "airlink default; [Kakuda], given: ten groups by distance")]
        order: Order,
    },
    /// Users at given distances; their mean SNR follows from `[channel.path_loss]` or `[channel.link_budget]`.
    #[section(about = "One given distance per user")]
    Distances {
        /// Distance of each user, one number per user.
        #[field(unit = "m", above = 0, at_most = 1e6, items = 1)]
        distances_m: Vec<f64>,
    },
    /// Users with given mean SNR; distances and path loss have no effect.
    #[section(about = "One given mean SNR per user")]
    MeanSnr {
        /// Mean SNR, before the ceiling: one for all, or a list of one per user.
        #[field(unit = "dB", at_least = -200, at_most = 200, items = 1)]
        mean_snr_db: PerUser,
    },
    /// Users whose mean SNRs fill a range of decibels; distances and path loss have no effect.
    #[section(about = "Mean SNRs that fill a range")]
    MeanSnrRange {
        /// Lowest mean SNR.
        #[field(name = "low_db", unit = "dB", at_least = -200, at_most = 200, source = "[EvdoTcp]: -10.8 (inferred)")]
        low: Decibel,
        /// Highest mean SNR, at least `low_db`.
        #[field(name = "high_db", unit = "dB", at_least = -200, at_most = 200, source = "[EvdoTcp]: 12.24 (given)")]
        high: Decibel,
        /// "equal": equal steps in dB, user 0 at `low_db`, the last at `high_db` (one user: at `low_db`); "random":
        /// drawn uniformly in dB, redrawn for every seed.
        #[field(default = Spacing::Equal, source = "airlink default")]
        spacing: Spacing,
    },
    /// Users replay measured traces of SNR or rate; user i replays `files[i % number of files]`.
    #[section(class = "Trace", about = "Replay of recorded traces")]
    Trace(TracePlacement),
}

impl Placement {
    /// Users at a mean SNR that is given, all else as declared.
    pub const fn at_mean_snr(mean_snr_db: PerUser) -> Self {
        Self::MeanSnr { mean_snr_db }
    }
}

/// Which part of a disc a user is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum Order {
    /// Anywhere in the ring.
    Random,
    /// Each in a ring of its own, user 0 in the innermost, all rings of equal area.
    ByDistance,
}

/// How users divide a range of mean SNRs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum Spacing {
    /// Equal steps in dB, user 0 at the low end and the last user at the high end; a single user at the low end.
    Equal,
    /// Uniform in dB.
    Random,
}
