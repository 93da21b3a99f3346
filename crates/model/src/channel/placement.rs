//! The places of users, or their mean SNR if places do not matter.
//!
//! Uniform in a ring between r0 and R by area: r^2 = r0^2 + (R^2 - r0^2) U with U uniform in (0, 1]. In order of distance,
//! user i of n is uniform in the i-th of n rings of equal area, from the antenna out: U is (i + U) / n then. Each user
//! has a random stream of its own, so adding a user moves no other (in order of distance it moves the rings).
//!
//! Left out: angles (one omnidirectional cell needs none), motion, sectors.

use super::{ChannelConfig, TracePlacement};
use crate::types::declare::{PerUser, Section, Words};
use crate::types::{Decibel, Purpose, RandomStream, UserId};

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

/// Where one user is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Its distance in metres, when it has one.
    pub distance_m: Option<f64>,
    /// Its mean SNR under the ceiling.
    pub mean_snr: Decibel,
}

/// The place of `user`, one of `users`, in the run of `seed`. Users with traces have no place.
pub fn place(channel: &ChannelConfig, user: UserId, users: usize, seed: u64) -> Place {
    let index = user.index();
    let mut stream = RandomStream::new(seed, Purpose::Placement, index as u64);
    let at = |distance_m: f64| (Some(distance_m), channel.mean_snr(distance_m));
    let (distance_m, snr) = match &channel.placement {
        Placement::Disc { radius_m, inner_radius_m, order } => {
            // 1 - U lies in (0, 1]: no user is at distance 0.
            let share = 1.0 - stream.uniform();
            let share = match order {
                Order::Random => share,
                Order::ByDistance => (index as f64 + share) / users as f64,
            };
            at(ring_distance(*inner_radius_m, *radius_m, share))
        }
        Placement::Distances { distances_m } => at(distances_m[index]),
        Placement::MeanSnr { mean_snr_db } => (None, Decibel::new(mean_snr_db.of(index))),
        Placement::MeanSnrRange { low, high, spacing } => {
            let share = match spacing {
                Spacing::Equal => equal_share(index, users),
                Spacing::Random => stream.uniform(),
            };
            (None, Decibel::new(low.db() + (high.db() - low.db()) * share))
        }
        Placement::Trace(_) => panic!("a user who replays a trace has no place"),
    };
    Place { distance_m, mean_snr: channel.ceiling.on_mean().apply(snr) }
}

/// The radius inside which `share` of the ring's area lies.
fn ring_distance(inner_m: f64, outer_m: f64, share: f64) -> f64 {
    libm::sqrt(inner_m * inner_m + (outer_m * outer_m - inner_m * inner_m) * share)
}

fn equal_share(index: usize, users: usize) -> f64 {
    if users < 2 { 0.0 } else { index as f64 / (users - 1) as f64 }
}
