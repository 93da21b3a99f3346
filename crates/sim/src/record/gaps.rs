//! Gaps between the slots that a user wins, counted exactly by length.

/// Lengths from here on share the last count; their sum and maximum stay exact.
const LONGEST: usize = 1 << 20;

/// How often each gap length occurred.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gaps {
    by_length: Vec<u32>,
    count: u64,
    sum: u64,
    sum_square: f64,
    max: u64,
}

impl Gaps {
    pub(crate) fn add(&mut self, slots: u64) {
        let length = usize::try_from(slots).map_or(LONGEST, |length| length.min(LONGEST));
        if length >= self.by_length.len() {
            self.by_length.resize(length + 1, 0);
        }
        self.by_length[length] += 1;
        self.count += 1;
        self.sum += slots;
        self.sum_square += slots as f64 * slots as f64;
        self.max = self.max.max(slots);
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// The longest gap; not a number without any.
    pub(crate) fn max(&self) -> f64 {
        if self.count == 0 { f64::NAN } else { self.max as f64 }
    }

    pub(crate) fn mean(&self) -> f64 {
        self.sum as f64 / self.count as f64
    }

    pub(crate) fn square_mean(&self) -> f64 {
        self.sum_square / self.count as f64
    }

    /// The sample standard deviation (n - 1).
    pub(crate) fn sd(&self) -> f64 {
        let count = self.count as f64;
        if self.count < 2 {
            return f64::NAN;
        }
        ((self.square_mean() - self.mean() * self.mean()).max(0.0) * count / (count - 1.0)).sqrt()
    }

    /// The share of gaps longer than `factor` times their mean.
    pub(crate) fn share_over(&self, factor: f64) -> f64 {
        let limit = factor * self.mean();
        let over: u64 = self
            .by_length
            .iter()
            .enumerate()
            .filter(|(length, _)| *length as f64 > limit)
            .map(|(_, &count)| u64::from(count))
            .sum();
        over as f64 / self.count as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_have_the_moments_computed_by_hand() {
        let mut gaps = Gaps::default();
        [1, 1, 2, 16].into_iter().for_each(|slots| gaps.add(slots));
        assert_eq!((gaps.count(), gaps.max(), gaps.mean(), gaps.square_mean()), (4, 16.0, 5.0, 65.5));
        assert!((gaps.sd() - 54.0_f64.sqrt()).abs() < 1e-12);
        assert_eq!((gaps.share_over(2.0), gaps.share_over(4.0)), (0.25, 0.0));
    }
}
