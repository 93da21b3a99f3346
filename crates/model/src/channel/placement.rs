//! Where users are, or how strong their mean SNR is when places do not matter.
//!
//! Uniform in a ring between r0 and R by area: r^2 = r0^2 + (R^2 - r0^2) U with U uniform in (0, 1]. In order of distance,
//! user i of n is uniform in the i-th of n rings of equal area, from the antenna out: U is (i + U) / n then. Each user's
//! draw is its own stream, so adding a user moves nobody (in order of distance it moves the rings).
//!
//! Left out: angles (one omnidirectional cell needs none), motion, sectors.

use super::{Ceiling, PathLoss};
use crate::types::{Decibel, Purpose, RandomStream, UserId};

/// How users get their mean SNR.
#[derive(Clone, Debug, PartialEq)]
pub enum Placement {
    /// Uniform by area in the ring from `inner_radius_m` to `radius_m`.
    Disc {
        /// The outer radius in metres.
        radius_m: f64,
        /// The inner radius in metres, at most the outer.
        inner_radius_m: f64,
        /// Whether users are in order of distance.
        order: Order,
    },
    /// At these distances in metres, one per user.
    Distances(Vec<f64>),
    /// With these mean SNRs, one per user.
    MeanSnr(Vec<Decibel>),
    /// With mean SNRs from `low` to `high`.
    MeanSnrRange {
        /// The lowest mean SNR.
        low: Decibel,
        /// The highest mean SNR.
        high: Decibel,
        /// How the users divide the range.
        spacing: Spacing,
    },
}

/// Which part of a disc a user is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Anywhere.
    Random,
    /// Each in a ring of its own, user 0 in the innermost, all rings of equal area.
    ByDistance,
}

/// How users divide a range of mean SNRs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing {
    /// Equal steps in dB, user 0 at the low end and the last user at the high end; a single user at the low end.
    Equal,
    /// Uniform in dB.
    Random,
}

/// What turns a distance into a mean SINR.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Propagation {
    /// Mean SNR against distance.
    pub path_loss: PathLoss,
    /// The ceiling on the mean; it holds for every kind of placement.
    pub ceiling: Ceiling,
}

/// Where one user is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Its distance in metres, when it has one.
    pub distance_m: Option<f64>,
    /// Its mean SNR under the ceiling.
    pub mean_snr: Decibel,
}

/// Places `user`, one of `users`, in the run of `seed`.
pub fn place(rule: &Placement, propagation: &Propagation, user: UserId, users: usize, seed: u64) -> Place {
    let index = user.index();
    let mut stream = RandomStream::new(seed, Purpose::Placement, index as u64);
    let at = |distance_m: f64| (Some(distance_m), propagation.path_loss.mean_snr(distance_m));
    let (distance_m, snr) = match rule {
        Placement::Disc { radius_m, inner_radius_m, order } => {
            // 1 - U lies in (0, 1]: nobody stands on the antenna.
            let share = 1.0 - stream.uniform();
            let share = match order {
                Order::Random => share,
                Order::ByDistance => (index as f64 + share) / users as f64,
            };
            at(ring_distance(*inner_radius_m, *radius_m, share))
        }
        Placement::Distances(distances_m) => at(distances_m[index]),
        Placement::MeanSnr(mean_snr) => (None, mean_snr[index]),
        Placement::MeanSnrRange { low, high, spacing } => {
            let share = match spacing {
                Spacing::Equal => equal_share(index, users),
                Spacing::Random => stream.uniform(),
            };
            (None, Decibel::new(low.db() + (high.db() - low.db()) * share))
        }
    };
    Place { distance_m, mean_snr: propagation.ceiling.apply(snr) }
}

/// The radius inside which `share` of the ring's area lies.
fn ring_distance(inner_m: f64, outer_m: f64, share: f64) -> f64 {
    libm::sqrt(inner_m * inner_m + (outer_m * outer_m - inner_m * inner_m) * share)
}

fn equal_share(index: usize, users: usize) -> f64 {
    if users < 2 { 0.0 } else { index as f64 / (users - 1) as f64 }
}
