//! The place of a user, or its mean SNR if places do not matter.
//!
//! Uniform in a ring between r0 and R by area: r^2 = r0^2 + (R^2 - r0^2) U with U uniform in (0, 1]. In order of distance,
//! user i of n is uniform in the i-th of n rings of equal area, from the antenna out: U is (i + U) / n then. Each user
//! has a random stream of its own, so adding a user moves no other (in order of distance it moves the rings).
//!
//! Left out: angles (one omnidirectional cell needs none), motion, sectors.

use super::{ChannelConfig, Order, Placement, Spacing};
use crate::types::{Decibel, Purpose, RandomStream, UserId};

/// One user's place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Its distance in metres, when it has one.
    pub distance_m: Option<f64>,
    /// Its mean SNR under the ceiling.
    pub mean_snr: Decibel,
}

/// The place of `user`, one of `users`, in the run of `seed`, which may have a seed of its own for places. Users with traces have no place.
pub fn place(channel: &ChannelConfig, user: UserId, users: usize, seed: u64) -> Place {
    let index = user.index();
    let mut stream = RandomStream::new(channel.placement_seed.in_run(seed), Purpose::Placement, index as u64);
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
