//! Packets of one size at a constant rate: evenly spaced, or as a Poisson process.
//!
//! Evenly, packet n leaves floor(n x 8 L / R) after the flow's start: an exact ratio that never drifts. As a Poisson process
//! the gaps, the first one included, are exponential with mean 8 L / R: with packets of one size on a wire this is M/D/1.
//! It leaves out: jitter of a real sender's clock, sizes that differ.

use super::burst::Burst;
use super::{PoissonArrivals, Stream};
use crate::types::declare::Words;
use crate::types::{Bytes, Purpose, RandomStream, Rate, Time};

/// How packets follow one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum Spacing {
    /// Evenly.
    Constant,
    /// As a Poisson process: with independent exponential gaps.
    Exponential,
}

/// Packets on their way.
#[derive(Clone, Debug)]
pub struct ConstantRate {
    bytes: Bytes,
    times: Times,
}

#[derive(Clone, Debug)]
enum Times {
    Even { stream: Stream, sent: u64 },
    Poisson(PoissonArrivals),
}

impl ConstantRate {
    /// Packets of `bytes` at `rate` in the mean; `seed` and `index` name the draws.
    pub fn new(bytes: Bytes, rate: Rate, spacing: Spacing, seed: u64, index: u64) -> Self {
        let times = match spacing {
            Spacing::Constant => Times::Even { stream: Stream::new(bytes, rate), sent: 0 },
            Spacing::Exponential => {
                let gaps = RandomStream::new(seed, Purpose::PacketGap, index);
                Times::Poisson(PoissonArrivals::new(gaps, rate.bps() / bytes.bits() as f64, Time::ZERO))
            }
        };
        Self { bytes, times }
    }

    pub(super) fn next_burst(&mut self) -> Burst {
        let after = match &mut self.times {
            Times::Even { stream, sent } => {
                *sent += 1;
                stream.time_of(*sent - 1)
            }
            Times::Poisson(arrivals) => arrivals.next().expect("there is always another").since(Time::ZERO),
        };
        Burst::single(after, self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Duration;

    fn times(spacing: Spacing, index: u64, count: usize) -> Vec<Duration> {
        let mut packets = ConstantRate::new(Bytes::new(1000), Rate::from_bps(3e6), spacing, 5, index);
        (0..count).map(|_| packets.next_burst().after).collect()
    }

    #[test]
    fn evenly_spaced_packets_never_drift() {
        let nanoseconds = |times: Vec<Duration>| times.into_iter().map(Duration::as_nanos).collect::<Vec<_>>();
        assert_eq!(nanoseconds(times(Spacing::Constant, 0, 4)), [0, 2_666_666, 5_333_333, 8_000_000]);
    }

    #[test]
    fn poisson_gaps_are_exponential_with_the_same_mean() {
        let times = times(Spacing::Exponential, 1, 20_000);
        let (count, mean_s) = (times.len() as f64, 8000.0 / 3e6);
        let starts = [Duration::ZERO].into_iter().chain(times.iter().copied());
        let mut gaps: Vec<f64> = starts.zip(&times).map(|(from, to)| to.as_secs() - from.as_secs()).collect();
        gaps.sort_by(f64::total_cmp);
        let distance = |(rank, gap): (usize, &f64)| {
            (1.0 - libm::exp(-gap / mean_s) - (rank as f64 + 0.5) / count).abs() + 0.5 / count
        };
        let furthest = gaps.iter().enumerate().map(distance).fold(0.0, f64::max);
        // Kolmogorov and Smirnov: one in 10^6 is further away.
        assert!(furthest < 2.69 / count.sqrt(), "{furthest}");
    }

    #[test]
    fn flows_draw_gaps_of_their_own() {
        assert_ne!(times(Spacing::Exponential, 1, 5), times(Spacing::Exponential, 2, 5));
        assert_eq!(times(Spacing::Constant, 1, 5), times(Spacing::Constant, 2, 5));
    }
}
