//! The moments and quantiles of spans of time, in fixed memory.
//!
//! Mean and standard deviation come from sums about the first value, so they keep their digits. Quantiles come
//! from a histogram of 16 bins an octave above 16 microseconds and 1 microsecond below, linear within a bin: the error is below
//! half a bin, 3 %. The minimum and maximum are exact and bound every quantile.

use airlink_model::types::Duration;

const BINS_PER_OCTAVE: u64 = 16;
const OCTAVE_BITS: u32 = BINS_PER_OCTAVE.trailing_zeros();

/// Bins up to half a minute, so that a histogram mostly grows once.
const USUAL_BINS: usize = 352;

/// A summary of many spans.
#[derive(Clone, Debug, Default)]
pub(crate) struct Distribution {
    count: u64,
    /// In nanoseconds, a whole number.
    first: f64,
    /// Sums in nanoseconds about the first value.
    sum: f64,
    sum_square: f64,
    min: u64,
    max: u64,
    bins: Vec<u32>,
}

impl Distribution {
    pub(crate) fn add(&mut self, span: Duration) {
        let nanoseconds = span.as_nanos();
        let bin = bin_of(nanoseconds / 1000);
        match self.bins.get_mut(bin) {
            Some(count) => *count += 1,
            None => self.count_beyond(bin, nanoseconds),
        }
        self.count += 1;
        // Ever seldomer, so that a branch costs less than two stores.
        if nanoseconds < self.min {
            self.min = nanoseconds;
        }
        if nanoseconds > self.max {
            self.max = nanoseconds;
        }
        // No span is near 2^63 ns, and signed numbers are converted faster.
        let offset = nanoseconds as i64 as f64 - self.first;
        self.sum += offset;
        self.sum_square += offset * offset;
    }

    /// A span in a bin that is not there yet, as is that of the first.
    #[cold]
    fn count_beyond(&mut self, bin: usize, nanoseconds: u64) {
        if self.count == 0 {
            self.first = nanoseconds as i64 as f64;
            self.min = nanoseconds;
            self.bins.reserve(USUAL_BINS);
        }
        self.bins.resize(bin, 0);
        self.bins.push(1);
    }

    /// Adds all spans of another summary, as if they had been added one by one.
    pub(crate) fn add_all(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        if self.count == 0 {
            self.clone_from(other);
            return;
        }
        // Sums about the other first value become sums about this one's.
        let (count, offset) = (other.count as f64, other.first - self.first);
        self.sum_square += other.sum_square + offset * (2.0 * other.sum + count * offset);
        self.sum += other.sum + count * offset;
        self.count += other.count;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.bins.resize(self.bins.len().max(other.bins.len()), 0);
        for (bin, more) in self.bins.iter_mut().zip(&other.bins) {
            *bin = bin.saturating_add(*more);
        }
    }

    pub(crate) fn clear(&mut self) {
        self.bins.clear();
        *self = Self { bins: std::mem::take(&mut self.bins), ..Self::default() };
    }

    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// The mean, s; not a number without values.
    pub(crate) fn mean_s(&self) -> f64 {
        (self.first + self.sum / self.count as f64) / 1e9
    }

    /// The sample standard deviation (n - 1), s; not a number below two values.
    pub(crate) fn sd_s(&self) -> f64 {
        let count = self.count as f64;
        if self.count < 2 {
            return f64::NAN;
        }
        let variance = (self.sum_square - self.sum * self.sum / count) / (count - 1.0);
        variance.max(0.0).sqrt() / 1e9
    }

    pub(crate) fn min_s(&self) -> f64 {
        if self.count == 0 { f64::NAN } else { self.min as f64 / 1e9 }
    }

    pub(crate) fn max_s(&self) -> f64 {
        if self.count == 0 { f64::NAN } else { self.max as f64 / 1e9 }
    }

    /// The values below which the `shares`, rising in (0, 1), of all values lie, s.
    pub(crate) fn quantiles_s<const N: usize>(&self, shares: [f64; N]) -> [f64; N] {
        let mut quantiles = [f64::NAN; N];
        let mut below = 0.0;
        let mut next = 0;
        for (bin, &count) in self.bins.iter().enumerate().filter(|(_, count)| **count > 0) {
            let inside = f64::from(count);
            while next < N && below + inside >= shares[next] * self.count as f64 {
                let (low, high) = bounds_of(bin);
                let within = (shares[next] * self.count as f64 - below) / inside;
                let microseconds = low as f64 + (high - low) as f64 * within;
                quantiles[next] = (microseconds * 1e-6).clamp(self.min_s(), self.max_s());
                next += 1;
            }
            below += inside;
        }
        quantiles
    }
}

/// The bin of a value in microseconds.
fn bin_of(value: u64) -> usize {
    let bin = if value < BINS_PER_OCTAVE {
        value
    } else {
        let octave = value.ilog2() - OCTAVE_BITS;
        u64::from(octave) * BINS_PER_OCTAVE + (value >> octave)
    };
    bin as usize // at most 16 times 60
}

/// The values [low, high) of a bin, in microseconds.
fn bounds_of(bin: usize) -> (u64, u64) {
    let bin = bin as u64;
    if bin < 2 * BINS_PER_OCTAVE {
        return (bin, bin + 1);
    }
    let octave = bin / BINS_PER_OCTAVE - 1;
    let mantissa = bin % BINS_PER_OCTAVE + BINS_PER_OCTAVE;
    (mantissa << octave, (mantissa + 1) << octave)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_lies_in_its_bin() {
        for value in (0..5000).chain([1 << 20, (1 << 20) + 12_345, u64::MAX >> 20]) {
            let (low, high) = bounds_of(bin_of(value));
            assert!(low <= value && value < high, "{value} in {low}..{high}");
        }
    }

    #[test]
    fn moments_and_quantiles_of_a_uniform_sample_are_those_of_the_law() {
        let mut distribution = Distribution::default();
        (0..10_001).for_each(|k| distribution.add(Duration::from_nanos(100_000 * k)));
        assert!((distribution.mean_s() - 0.5).abs() < 1e-12);
        assert!((distribution.sd_s() - (10_001.0_f64 * 10_002.0 / 12.0).sqrt() * 1e-4).abs() < 1e-9);
        assert_eq!((distribution.min_s(), distribution.max_s()), (0.0, 1.0));
        let shares = [0.1, 0.5, 0.9, 0.99];
        for (quantile, share) in distribution.quantiles_s(shares).into_iter().zip(shares) {
            assert!((quantile / share - 1.0).abs() < 0.03, "{quantile} at {share}");
        }
    }

    #[test]
    fn parts_added_up_are_the_whole() {
        // Far apart, so that sums about either part's first value would lose digits if they were not moved.
        let spans: Vec<u64> = (0..3000).map(|k| 7 * k * k + 1_000_000_000 * (k % 3)).collect();
        let of = |spans: &[u64]| {
            let mut distribution = Distribution::default();
            spans.iter().for_each(|&span| distribution.add(Duration::from_nanos(span)));
            distribution
        };
        let whole = of(&spans);
        for cuts in [vec![], vec![0], vec![1], vec![1500, 1501], vec![1000, 2000, 3000]] {
            let mut pooled = Distribution::default();
            let ends = cuts.iter().copied().chain([spans.len()]);
            let starts = [0].into_iter().chain(cuts.iter().copied());
            starts.zip(ends).for_each(|(start, end)| pooled.add_all(&of(&spans[start..end])));
            assert_eq!((pooled.count(), pooled.min_s(), pooled.max_s()), (3000, whole.min_s(), whole.max_s()));
            assert!((pooled.mean_s() / whole.mean_s() - 1.0).abs() < 1e-14, "{cuts:?}");
            assert!((pooled.sd_s() / whole.sd_s() - 1.0).abs() < 1e-13, "{cuts:?}");
            let shares = [0.01, 0.5, 0.95, 0.99];
            assert_eq!(pooled.quantiles_s(shares), whole.quantiles_s(shares), "{cuts:?}");
        }
    }

    #[test]
    fn an_empty_distribution_has_no_values() {
        let distribution = Distribution::default();
        assert!(distribution.mean_s().is_nan() && distribution.quantiles_s([0.5])[0].is_nan());
        assert!(distribution.min_s().is_nan() && distribution.max_s().is_nan());
    }
}
