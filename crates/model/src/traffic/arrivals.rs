//! When files arrive: a Poisson process.
//!
//! The gaps between arrivals, and the one before the first, are independent and exponential with mean 1 / rate. Gaps of two
//! rates are drawn alike, so a higher rate on one seed brings the same files closer together. It leaves out: batches and
//! rates that change.

use crate::types::{Duration, RandomStream, Time};

/// The arrivals from a start on, in order.
#[derive(Clone, Debug)]
pub struct PoissonArrivals {
    gaps: RandomStream,
    mean_gap_s: f64,
    start: Time,
    /// Seconds since the start: nothing is rounded before it is added.
    elapsed_s: f64,
}

impl PoissonArrivals {
    /// `rate_per_s` arrivals a second from `start` on.
    pub fn new(gaps: RandomStream, rate_per_s: f64, start: Time) -> Self {
        assert!(rate_per_s > 0.0, "something arrives");
        Self { gaps, mean_gap_s: 1.0 / rate_per_s, start, elapsed_s: 0.0 }
    }
}

impl Iterator for PoissonArrivals {
    type Item = Time;

    /// There is always another.
    fn next(&mut self) -> Option<Time> {
        self.elapsed_s += self.gaps.exponential(self.mean_gap_s);
        Some(self.start + Duration::from_secs(self.elapsed_s))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Purpose;

    fn arrivals(rate_per_s: f64, index: u64) -> impl Iterator<Item = f64> {
        let gaps = RandomStream::new(3, Purpose::FileArrival, index);
        PoissonArrivals::new(gaps, rate_per_s, Time::ZERO).map(Time::as_secs)
    }

    #[test]
    fn counts_in_a_window_have_the_mean_and_the_variance_of_a_poisson_law() {
        let (windows, expected) = (4000_u32, 20.0);
        let count = |index| arrivals(4.0, index).take_while(|&at| at < 5.0).count() as f64;
        let counts: Vec<f64> = (0..u64::from(windows)).map(count).collect();
        let mean = counts.iter().sum::<f64>() / f64::from(windows);
        let variance = counts.iter().map(|count| (count - mean) * (count - mean)).sum::<f64>() / f64::from(windows);
        // Var of the mean: m / n; of the variance: (m + 2 m^2) / n.
        assert!((mean - expected).abs() < 4.5 * (expected / f64::from(windows)).sqrt(), "{mean}");
        let sd = ((expected + 2.0 * expected * expected) / f64::from(windows)).sqrt();
        assert!((variance - expected).abs() < 4.5 * sd, "{variance}");
    }

    #[test]
    fn gaps_are_exponential() {
        let times: Vec<f64> = arrivals(2.0, 0).take(20_000).collect();
        let mut gaps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        gaps.sort_by(f64::total_cmp);
        let count = gaps.len() as f64;
        let distance = |(rank, gap): (usize, &f64)| {
            (1.0 - libm::exp(-2.0 * gap) - (rank as f64 + 0.5) / count).abs() + 0.5 / count
        };
        let furthest = gaps.iter().enumerate().map(distance).fold(0.0, f64::max);
        // Kolmogorov and Smirnov: one in 10^6 is further away.
        assert!(furthest < 2.69 / count.sqrt(), "{furthest}");
    }

    #[test]
    fn another_rate_brings_the_same_arrivals_closer() {
        for (slow, fast) in arrivals(1.0, 7).zip(arrivals(4.0, 7)).take(1000) {
            assert!((slow - 4.0 * fast).abs() <= 4e-9, "{slow} and {fast}");
        }
    }
}
