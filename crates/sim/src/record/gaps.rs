//! Gaps between the slots that a user wins, by length: short ones are counted, long ones are kept, of which there can't be many
//! in any number of slots.

/// Lengths from here on are kept one by one: at most a hundred of them in a hundred thousand slots.
const LONG: u64 = 1 << 10;

/// Lengths from here on are taken as equal; their sum and maximum stay exact.
const LONGEST: u64 = 1 << 20;

/// How often each gap length occurred.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gaps {
    /// How often each length below `LONG` occurred.
    by_length: Vec<u32>,
    /// Every length above.
    long: Vec<u32>,
    count: u64,
    sum: u64,
    sum_square: f64,
    max: u64,
}

impl Gaps {
    #[inline]
    pub(crate) fn add(&mut self, slots: u64) {
        match self.by_length.get_mut(slots as usize) {
            Some(count) => *count += 1,
            None => self.add_longer(slots),
        }
        self.count += 1;
        self.sum += slots;
        self.sum_square += slots as i64 as f64 * slots as i64 as f64; // signed numbers are converted faster
    }

    /// A gap longer than all short ones so far.
    #[cold]
    #[inline(never)]
    fn add_longer(&mut self, slots: u64) {
        self.max = self.max.max(slots);
        if slots < LONG {
            self.by_length.resize(slots as usize, 0); // below LONG
            self.by_length.push(1);
        } else {
            self.long.push(slots.min(LONGEST) as u32); // at most LONGEST
        }
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
        let by_length = self.by_length.iter().enumerate().filter(|(length, _)| *length as f64 > limit);
        let short: u64 = by_length.map(|(_, &count)| u64::from(count)).sum();
        let long = self.long.iter().filter(|&&length| f64::from(length) > limit).count();
        (short + long as u64) as f64 / self.count as f64
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

    #[test]
    fn long_gaps_count_as_short_ones_do() {
        let mut gaps = Gaps::default();
        [1, LONG - 1, LONG, 5 * LONG, 2 * LONGEST].into_iter().for_each(|slots| gaps.add(slots));
        let mean = (1 + 7 * LONG - 1 + 2 * LONGEST) as f64 / 5.0;
        assert_eq!((gaps.count(), gaps.max(), gaps.mean()), (5, 2.0 * LONGEST as f64, mean));
        let shares = [0.0, 1.5, 1023.5, 1024.5, 5120.5, 1_048_576.5].map(|length| gaps.share_over(length / mean));
        assert_eq!(shares, [1.0, 0.8, 0.6, 0.4, 0.2, 0.0]);
    }
}
