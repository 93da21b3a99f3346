//! SRTT and its spread as Linux keeps them: the spread in force is the largest mean deviation of a round trip, and falls by
//! a quarter of the difference once a round trip.
//!
//! Linux 6.12, net/ipv4/tcp_input.c, `tcp_rtt_estimator`: whole microseconds; 8 SRTT, and four times the deviations. A round
//! trip that falls below SRTT counts only an eighth towards the deviation, so that a shrinking queue does not raise the timeout.

/// 8 SRTT and the deviations, microseconds; all 0 before the first sample.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LargestDeviation {
    /// "srtt_us".
    eight_srtt: u64,
    /// "mdev_us": of the latest samples.
    mean: u64,
    /// "mdev_max_us": the largest of this round trip.
    largest: u64,
    /// "rttvar_us": what the timeout adds to SRTT.
    spread: u64,
    /// "rtt_seq": the round trip is over when more than this is acknowledged.
    round_end: u64,
}

/// How far the connection is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extent {
    /// SND.UNA.
    pub(super) start: u64,
    /// The end of what was sent.
    pub(super) end: u64,
}

impl LargestDeviation {
    /// SRTT, microseconds, once there is a sample.
    pub(super) fn srtt(self) -> Option<u64> {
        (self.eight_srtt > 0).then_some(self.eight_srtt / 8)
    }

    /// SRTT and what the timeout adds to it, microseconds.
    pub(super) fn timeout(self) -> Option<u64> {
        self.srtt().map(|srtt| srtt + self.spread)
    }

    /// What the timeout adds to SRTT, microseconds.
    pub(super) const fn spread(self) -> u64 {
        self.spread
    }

    /// Takes a sample of so many microseconds; the spread is at least `floor`.
    pub(super) fn on_sample(&mut self, sample: u64, floor: u64, extent: Extent) {
        if self.eight_srtt == 0 {
            self.eight_srtt = (8 * sample).max(1);
            self.mean = 2 * sample;
            self.spread = self.mean.max(floor);
            self.largest = self.spread;
            self.round_end = extent.end;
            return;
        }
        let srtt = self.eight_srtt / 8;
        self.eight_srtt = (self.eight_srtt + sample - srtt).max(1);
        self.deviate(sample, srtt);
        if self.mean > self.largest {
            self.largest = self.mean;
            self.spread = self.spread.max(self.largest);
        }
        if extent.start > self.round_end {
            self.spread -= self.spread.saturating_sub(self.largest) / 4;
            self.round_end = extent.end;
            self.largest = floor;
        }
    }

    fn deviate(&mut self, sample: u64, srtt: u64) {
        let (deviation, quarter) = (sample.abs_diff(srtt), self.mean / 4);
        if deviation > quarter {
            let gain = if sample < srtt { 8 } else { 1 };
            self.mean += (deviation - quarter) / gain;
        } else {
            self.mean -= quarter - deviation;
        }
    }

    /// Both replaced, microseconds.
    pub(super) fn set(&mut self, srtt: u64, spread: u64) {
        self.eight_srtt = (8 * srtt).max(1);
        (self.mean, self.largest, self.spread) = (spread, spread, spread);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOOR: u64 = 200_000;

    fn within(start: u64, end: u64) -> Extent {
        Extent { start, end }
    }

    #[test]
    fn a_steady_round_trip_leaves_the_floor() {
        let mut deviation = LargestDeviation::default();
        (0..100).for_each(|n| deviation.on_sample(100_000, FLOOR, within(10 * n + 1, 10 * n + 10)));
        assert_eq!((deviation.srtt(), deviation.timeout()), (Some(100_000), Some(300_000)));
    }

    #[test]
    fn a_rise_counts_fully_and_a_fall_an_eighth() {
        // First 400 ms: 8 SRTT 3200, mean 800 = spread = largest. Then 800 ms: error 400, 400 - 800/4 = 200 more.
        let mut deviation = LargestDeviation::default();
        deviation.on_sample(400_000, FLOOR, within(1, 10));
        assert_eq!(deviation.timeout(), Some(1_200_000));
        deviation.on_sample(800_000, FLOOR, within(2, 12));
        assert_eq!((deviation.srtt(), deviation.mean, deviation.spread), (Some(450_000), 1_000_000, 1_000_000));
        // 50 ms: error 400, 400 - 250 = 150, an eighth of it.
        deviation.on_sample(50_000, FLOOR, within(3, 13));
        assert_eq!((deviation.srtt(), deviation.mean), (Some(400_000), 1_018_750));
        assert_eq!(deviation.spread, 1_018_750);
    }

    #[test]
    fn the_spread_falls_once_a_round_trip_towards_its_largest_deviation() {
        let mut deviation = LargestDeviation::default();
        deviation.on_sample(400_000, FLOOR, within(1, 10));
        // mean 800 - 200 = 600 of no deviation; the round ends only above 10.
        deviation.on_sample(400_000, FLOOR, within(10, 15));
        assert_eq!((deviation.mean, deviation.spread, deviation.largest), (600_000, 800_000, 800_000));
        // It ends, but its largest was that of the first sample.
        deviation.on_sample(400_000, FLOOR, within(11, 20));
        assert_eq!((deviation.mean, deviation.spread, deviation.largest), (450_000, 800_000, 200_000));
        // mean 337500 is the largest of the next round: 800000 - (800000 - 337500) / 4.
        deviation.on_sample(400_000, FLOOR, within(21, 30));
        assert_eq!((deviation.mean, deviation.spread), (337_500, 684_375));
    }
}
