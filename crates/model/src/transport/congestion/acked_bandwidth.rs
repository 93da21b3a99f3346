//! How fast a connection's data arrives, as its ACKs tell (Westwood+, [Grieco04]): one sample for each round trip,
//! what was acknowledged in it over its length, through a low-pass filter.
//!
//! Each ACK is counted when it comes, duplicates too, because each shows that a segment has arrived ([Mascolo01], procedure
//! AckedCount). The first window begins with the first ACK; the first sample fills the filter (Linux, `westwood_filter`).
//!
//! Left out: Linux's jiffies and its whole bytes per jiffy (times and rates are exact here), and what SACK could tell about
//! which segment arrived.

use super::config::WestwoodConfig;
use super::{Arrival, fractional};
use crate::types::{Duration, Time};

/// The estimate, and the sample that is being taken.
#[derive(Clone, Debug)]
pub(super) struct AckedBandwidth {
    config: WestwoodConfig,
    window: Option<Window>,
    counted: AckedCount,
    latest_rtt: Option<Duration>,
    /// Bytes per second after each stage of the filter.
    stages: Option<[f64; 2]>,
}

/// One round trip of ACKs.
#[derive(Clone, Copy, Debug)]
struct Window {
    started: Time,
    bytes: f64,
}

impl AckedBandwidth {
    pub(super) fn new(config: WestwoodConfig, mss: f64) -> Self {
        assert!((1..=2).contains(&config.filter_stages), "the filter has one stage or two");
        assert!((0.0..1.0).contains(&config.filter_memory), "what a filter keeps of its past is a part of it");
        Self { config, window: None, counted: AckedCount { mss, accounted: 0.0 }, latest_rtt: None, stages: None }
    }

    /// Bytes per second; 0 before the first sample.
    pub(super) fn bytes_per_second(&self) -> f64 {
        self.stages.map_or(0.0, |stages| if self.config.filter_stages == 1 { stages[0] } else { stages[1] })
    }

    /// An ACK. It ends the window when a round trip, and the least length, is over, and counts for the next one: a window
    /// has what came from its beginning on and before its end.
    pub(super) fn on_arrival(&mut self, arrival: &Arrival) {
        if !arrival.is_news() {
            return;
        }
        self.latest_rtt = arrival.rtt.or(self.latest_rtt);
        let mut window = self.window.unwrap_or(Window { started: arrival.now, bytes: 0.0 });
        let length = arrival.now.since(window.started);
        if self.latest_rtt.is_some_and(|rtt| length > rtt.max(self.config.least_window)) {
            self.filter(window.bytes / length.as_secs());
            window = Window { started: arrival.now, bytes: 0.0 };
        }
        window.bytes += self.counted.count(arrival);
        self.window = Some(window);
    }

    /// BWE = alpha BWE + (1 - alpha) sample, in Linux twice in a row.
    fn filter(&mut self, sample: f64) {
        let alpha = self.config.filter_memory;
        let through = |before: f64, next: f64| alpha * before + (1.0 - alpha) * next;
        self.stages = Some(self.stages.map_or([sample; 2], |[first, second]| {
            let first = through(first, sample);
            [first, through(second, first)]
        }));
    }
}

/// [Mascolo01], AckedCount: a duplicate ACK counts for a segment, and the ACK of new data that follows for what it covers less
/// what its duplicates have counted already, a segment at least.
#[derive(Clone, Copy, Debug)]
struct AckedCount {
    mss: f64,
    /// What duplicates counted and no number has covered yet.
    accounted: f64,
}

impl AckedCount {
    fn count(&mut self, arrival: &Arrival) -> f64 {
        let acked = fractional(arrival.acked);
        if acked == 0.0 {
            self.accounted += self.mss;
            self.mss
        } else if acked <= self.mss {
            acked
        } else if self.accounted >= acked {
            self.accounted -= acked;
            self.mss
        } else {
            let rest = acked - self.accounted;
            self.accounted = 0.0;
            rest
        }
    }
}
