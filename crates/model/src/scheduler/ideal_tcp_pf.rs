//! Ideal TCP-PF, a control: M\[n\] = R\[n\] / Gamma\[n-1\], [Klein04] eq. (3), Gamma being the smoothed true TCP
//! throughput of the user.
//!
//! No base station could run it: Gamma is what TCP receivers accepted in order, once each. It is smoothed like A of
//! eq. (2), every slot for every user. What this leaves out: the time that news from a receiver would take to reach the base
//! station.

use super::{AverageConfig, AverageCounts, AverageUpdates, AverageWindow, AveragedRate, Contest, Metric};
use crate::types::Slot;
use crate::types::declare::Section;

/// Control: metric R / smoothed true TCP goodput ([Klein04], eq. (3)); no base station could run it.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
#[section(
    about = "Largest R / true goodput",
    facts("serves the largest R over its TCP goodput", "divides_by_service", "fair_in_slots")
)]
pub struct IdealTcpPfConfig {
    /// Memory of the smoothed goodput.
    #[field(unit = "slots", at_least = 1, at_most = 1e12, default = 1000.0, source = "[Klein04], given: w = 1/1000")]
    pub time_constant_slots: f64,
    /// Goodput before the first slot.
    #[field(
        unit = "b/s",
        above = 0,
        at_most = 1e12,
        default = 16_000.0,
        source = "profile K3 of [Klein04]: 10 bytes a slot of 5 ms"
    )]
    pub initial_average_bps: f64,
}

/// The metric of the ideal control.
#[derive(Clone, Debug)]
pub struct IdealTcpPf {
    goodput: AveragedRate,
    seen_bytes: Vec<u64>,
}

impl IdealTcpPf {
    /// The metric of `users` users before the first slot.
    pub fn new(config: IdealTcpPfConfig, users: usize) -> Self {
        let average = AverageConfig {
            time_constant_slots: config.time_constant_slots,
            counts: AverageCounts::Sent,
            initial_bps: config.initial_average_bps,
            window: AverageWindow::Fixed,
            updates: AverageUpdates::Slot,
            ..AverageConfig::default()
        };
        Self { goodput: AveragedRate::new(average, users), seen_bytes: vec![0; users] }
    }
}

impl Metric for IdealTcpPf {
    fn observe(&mut self, contest: &Contest<'_>) {
        let view = contest.view;
        self.goodput.on_growth(view, view.controls.goodput_bytes, &mut self.seen_bytes);
        self.goodput.observe(contest);
    }

    fn evaluate(&self, _contest: &Contest<'_>, _subchannel: usize, rates: &[f64], out: &mut [f64]) {
        for ((value, &rate), &goodput) in out.iter_mut().zip(rates).zip(self.goodput.bps()) {
            *value = rate / goodput;
        }
    }

    fn on_user_added(&mut self, user: usize, _slot: Slot) {
        self.goodput.on_user_added(user);
        self.seen_bytes.resize(self.seen_bytes.len().max(user + 1), 0);
        self.seen_bytes[user] = 0;
    }

    fn weigh(&self, _contest: &Contest<'_>, weights: &mut [f64]) -> bool {
        for (weight, &goodput) in weights.iter_mut().zip(self.goodput.bps()) {
            *weight = 1.0 / goodput;
        }
        true
    }
}
