//! The files that arrive at random.

use airlink_model::traffic::{PoissonArrivals, Traffic};
use airlink_model::types::{Bytes, Purpose, RandomStream, Time};

use super::at;
use crate::scenario::Flows;

/// A file that arrives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub(super) at: Time,
    pub(super) size: Bytes,
}

/// The files of the Poisson process of that number up to `end`; none if files do not arrive in this group.
pub(super) fn arrivals(group: &Flows, process: u64, seed: u64, end: Time) -> Vec<Arrival> {
    let Traffic::Poisson { arrivals_per_s, size } = group.traffic else { return Vec::new() };
    let mut gaps = RandomStream::new(seed, Purpose::FileArrival, process);
    let mut sizes = RandomStream::new(seed, Purpose::FileSize, process);
    let start = at(group.start_s + group.start_spread_s * gaps.uniform());
    // A file that arrived with the end could send nothing.
    let until = end.min(at(group.stop_s));
    let times = PoissonArrivals::new(gaps, arrivals_per_s, start).take_while(|&time| time < until);
    times.map(|time| Arrival { at: time, size: size.draw(&mut sizes) }).collect()
}
