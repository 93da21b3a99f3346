//! M-LWDF: M = W R / A, W the wait of the user's oldest packet at the base station.
//!
//! What this leaves out: weights for each user's delay target.

use super::{AverageConfig, AveragedRate, Metric, SlotOutcome, SlotView};
use crate::types::declare::Section;

/// Metric W R/A, W the wait of the user's oldest packet.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
#[section(
    class = "MLwdf",
    about = "Largest W R/A",
    facts("serves the largest W R/A", "divides_by_service", "fair_in_slots")
)]
pub struct MLwdfConfig {
    /// How A is formed.
    #[field(group)]
    pub average: AverageConfig,
    /// Added to W, so that a fresh packet is not nothing.
    #[field(unit = "s", above = 0, at_most = 10, default = 1e-3, source = "airlink default: a slot")]
    pub least_wait_s: f64,
}

/// The metric.
#[derive(Clone, Debug)]
pub struct MLwdf {
    least_wait_s: f64,
    average: AveragedRate,
}

impl MLwdf {
    /// The metric of `users` users before the first slot.
    pub fn new(config: MLwdfConfig, users: usize) -> Self {
        Self { least_wait_s: config.least_wait_s, average: AveragedRate::new(config.average, users) }
    }
}

impl Metric for MLwdf {
    fn observe(&mut self, _view: &SlotView<'_>) {
        self.average.on_slot_start();
    }

    fn evaluate(&self, view: &SlotView<'_>, _subchannel: usize, rates: &[f64], out: &mut [f64]) {
        let now_s = view.slot.number() as f64 * view.slot_s;
        let users = rates.iter().zip(self.average.bps()).zip(view.head_of_line_since);
        for (value, ((&rate, &average), since)) in out.iter_mut().zip(users) {
            let wait_s = (now_s - since.as_secs()).max(0.0) + self.least_wait_s;
            *value = wait_s * rate / average;
        }
    }

    fn on_grant(&mut self, view: &SlotView<'_>, user: usize, bits: f64) {
        self.average.on_grant(view, user, bits);
    }

    fn on_slot_end(&mut self, outcome: &SlotOutcome<'_>) {
        self.average.on_slot_end(outcome);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::Controls;
    use crate::types::{Slot, Time};

    #[test]
    fn the_longer_a_packet_waits_the_larger_is_the_metric() {
        let since = [0, 900_000_000].map(Time::from_nanos);
        let metric = MLwdf::new(MLwdfConfig::default(), 2);
        let mut values = [0.0; 2];
        let view = SlotView {
            slot: Slot::new(1000),
            slot_s: 1e-3,
            users: 2,
            subchannels: 1,
            rate_bps: &[1e6; 2],
            reported_db: &[0.0; 2],
            mean_snr_db: &[0.0; 2],
            eligible: &[true; 2],
            backlog_bytes: &[1; 2],
            backlog_on_air_bytes: &[1; 2],
            head_of_line_since: &since,
            controls: Controls { goodput_bytes: &[], arrived_packets: &[], arrived_bytes: &[] },
        };
        metric.evaluate(&view, 0, &[1e6; 2], &mut values);
        assert!((values[0] / values[1] - 1.001 / 0.101).abs() < 1e-9);
    }
}
