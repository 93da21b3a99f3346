//! What a wire does to packets beside carrying them.

use serde::Deserialize;

use super::check::Checks;

/// What is to happen to the packets of one wire, counted from 0 as they pass.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Impairments {
    /// Packets that are lost.
    pub drop_numbers: Vec<u64>,
    /// Packets that come twice.
    pub duplicate_numbers: Vec<u64>,
    /// Packets that are late and overtaken.
    pub reorder_numbers: Vec<u64>,
    /// By so much, ms.
    pub reorder_extra_ms: f64,
    /// The next packet at or after each is lost, s.
    pub drop_at_s: Vec<f64>,
    /// Random loss.
    pub loss: Loss,
    /// Probability to be late and overtaken.
    pub reorder_probability: f64,
    /// Probability to come twice.
    pub duplicate_probability: f64,
    /// Times of longer delay.
    pub delay_spikes: Vec<DelaySpike>,
    /// Times in which nothing passes.
    pub outages: Vec<Outage>,
}

/// Random loss.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Loss {
    /// None.
    None {},
    /// Each packet by itself.
    Random {
        /// Probability.
        p: f64,
    },
    /// In bursts.
    GilbertElliott {
        /// Probability of good to bad.
        p: f64,
        /// Probability of bad to good.
        r: f64,
        /// Probability of a loss in the good state.
        loss_good: f64,
        /// Probability of a loss in the bad state.
        loss_bad: f64,
    },
}

/// A time of longer delay.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DelaySpike {
    /// When, s.
    pub at_s: f64,
    /// How long, s.
    pub for_s: f64,
    /// How much longer, ms.
    pub extra_ms: f64,
    /// Whether later packets stay behind.
    pub keep_order: bool,
    /// Which moment of a packet lies in it.
    pub moment: Moment,
}

/// A moment of a packet at its wire's sender.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Moment {
    /// Its last bit has left.
    Sent,
    /// Its first bit leaves.
    Begun,
}

/// A time in which nothing passes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outage {
    /// When, s.
    pub at_s: f64,
    /// How long, s.
    pub for_s: f64,
    /// Whether packets wait for its end.
    pub hold: bool,
}

impl Impairments {
    pub(super) fn check(&self, checks: &mut Checks, path: &str) {
        checks.not_negative(&format!("{path}.reorder_extra_ms"), self.reorder_extra_ms);
        self.drop_at_s.iter().for_each(|at| checks.not_negative(&format!("{path}.drop_at_s"), *at));
        let probability = |checks: &mut Checks, name: &str, value: f64| {
            checks.require(&format!("{path}.{name}"), value, (0.0..=1.0).contains(&value), "0 to 1");
        };
        probability(checks, "reorder_probability", self.reorder_probability);
        probability(checks, "duplicate_probability", self.duplicate_probability);
        match self.loss {
            Loss::None {} => {}
            Loss::Random { p } => probability(checks, "loss.p", p),
            Loss::GilbertElliott { p, r, loss_good, loss_bad } => {
                let named = [("loss.p", p), ("loss.r", r), ("loss.loss_good", loss_good), ("loss.loss_bad", loss_bad)];
                named.into_iter().for_each(|(name, value)| probability(checks, name, value));
            }
        }
        for spike in &self.delay_spikes {
            checks.not_negative(&format!("{path}.delay_spikes.extra_ms"), spike.extra_ms);
        }
        let spikes = self.delay_spikes.iter().map(|spike| (spike.at_s, spike.for_s)).collect();
        check_stretches(checks, &format!("{path}.delay_spikes"), spikes);
        let outages = self.outages.iter().map(|outage| (outage.at_s, outage.for_s)).collect();
        check_stretches(checks, &format!("{path}.outages"), outages);
    }
}

/// Each begins at 0 or later, lasts, and ends before the next.
pub(super) fn check_stretches(checks: &mut Checks, path: &str, mut stretches: Vec<(f64, f64)>) {
    for (at_s, for_s) in &stretches {
        checks.not_negative(&format!("{path}.at_s"), *at_s);
        checks.positive(&format!("{path}.for_s"), *for_s);
    }
    stretches.sort_by(|one, other| one.0.total_cmp(&other.0));
    for pair in stretches.windows(2) {
        let apart = pair[0].0 + pair[0].1 <= pair[1].0;
        checks.require(&format!("{path}.at_s"), pair[1].0, apart, "not before the one in front of it ends");
    }
}
