//! The averaged rate A of eq. (2): A\[n\] = w R\[n\] + (1 - w) A\[n-1\], with w = 1 / time constant and R the bits of
//! slot n over its length, summed over the subchannels won, 0 for users not served.
//!
//! With a growing window it is eq. (3) of [Kakuda]: w = 1/L, L = min(n, time constant), n = 1 in the first slot. The first
//! slot then wipes the start out, and users not served since have an average of exactly 0 and rank before all others. With
//! a fixed window an average never falls below a floor, so nobody's metric is infinite.
//!
//! Between the subchannels of a slot an average may take in what was granted so far, w x bits / slot length, whatever it
//! counts; the decay by 1 - w comes at the slot's end, when the average is formed anew from the slot before.
//!
//! Averages are settled where they are read: of the users among whom a slot is decided, and of those it served
//! ([`settled`](super::settled)). What this leaves out: averages of other rates than those of won slots and of goodput.

use super::contest::Contest;
use super::gap_moments::slot_number;
use super::settled::{Lanes, Settled};
use super::{SlotOutcome, SlotView};
use crate::types::Slot;
use crate::types::declare::{Section, Words};

/// The least average, b/s: it keeps a user that is never served out of subnormal numbers and division by zero.
pub(super) const LEAST_BPS: f64 = 1e-100;

/// Which bits of a won slot count in an average.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum AverageCounts {
    /// Bits put on air.
    Sent,
    /// Nominal bits of the slots won, the letter of eq. (2).
    Granted,
}

/// How far an average looks back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum AverageWindow {
    /// w = 1 / time constant from the first slot on, [Klein04] eq. (2).
    Fixed,
    /// w = 1 / min(n, time constant), [Kakuda] eq. (3): the mean of all slots until there are enough of them.
    Growing,
}

/// When decisions see what was granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum AverageUpdates {
    /// From the next slot on.
    Slot,
    /// From the next subchannel on.
    Subchannel,
}

/// What schedulers with a smoothed rate have: `A[n] = w x + (1 - w) A[n-1]`, w = 1 / time_constant_slots.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
#[section(class = "Averaged")]
pub struct AverageConfig {
    /// 1/w, the memory of the averages.
    #[field(
        unit = "slots",
        at_least = 1,
        at_most = 1e12,
        default = 1000.0,
        source = "[Jalali00]: 1000 slots in CDMA-HDR"
    )]
    pub time_constant_slots: f64,
    /// x of a slot: "granted" = the rate R of the slot won; "sent" = bits put on air / slot. 0 for the others.
    #[field(
        name = "average_counts",
        default = AverageCounts::Sent,
        source = "airlink default: bits on air; [Jalali00], eq. (2) of [Klein04]: granted"
    )]
    pub counts: AverageCounts,
    /// A before the first slot; 0 with average_window = "growing" only, where users without service rank first.
    #[field(
        name = "initial_average_bps",
        unit = "b/s",
        at_least = 0,
        at_most = 1e12,
        default = 8.0,
        source = "ns-3: 1 byte/s; Sionna starts at 1 as well"
    )]
    pub initial_bps: f64,
    /// w in the n-th slot: "fixed" = 1/time_constant_slots; "growing" = 1/min(n, time_constant_slots), so the first
    /// slot replaces A(0).
    #[field(
        name = "average_window",
        default = AverageWindow::Fixed,
        source = "[Jalali00]: fixed; [Kakuda], eq. (3), given: growing"
    )]
    pub window: AverageWindow,
    /// What a decision knows: "slot" = the slots before; "subchannel" = also what was granted on the subchannels
    /// before, as A + w x; with one subchannel no difference.
    #[field(name = "average_updates", default = AverageUpdates::Slot, source = "[Jalali00]: once a slot")]
    pub updates: AverageUpdates,
}

/// One averaged rate per user, b/s, positive unless the window grows.
#[derive(Clone, Debug)]
pub struct AveragedRate {
    rule: Rule,
    counts: AverageCounts,
    initial_bps: f64,
    /// As after the slots that each block of users has taken in.
    settled: Settled,
    /// Slots that have ended.
    ended: u64,
    moves_within_slot: bool,
    /// A by place in the contest, with what was granted in this slot so far; unused while decisions read what is settled.
    shown: Vec<f64>,
    shows_all: bool,
}

/// How an average moves in a slot.
#[derive(Clone, Copy, Debug)]
struct Rule {
    time_constant_slots: f64,
    weight: f64,
    window: AverageWindow,
    /// The number of the first slot that ended.
    first_slot: u64,
}

impl AveragedRate {
    /// The averages of `users` users before the first slot.
    pub fn new(config: AverageConfig, users: usize) -> Self {
        assert!(config.time_constant_slots >= 1.0, "a time constant is at least one slot");
        assert!(config.initial_bps >= 0.0, "an average rate is not negative");
        let initial_bps = match config.window {
            AverageWindow::Fixed => config.initial_bps.max(LEAST_BPS),
            AverageWindow::Growing => config.initial_bps,
        };
        let (time_constant_slots, window) = (config.time_constant_slots, config.window);
        Self {
            rule: Rule { time_constant_slots, weight: 1.0 / time_constant_slots, window, first_slot: 0 },
            counts: config.counts,
            initial_bps,
            settled: Settled::new(users, initial_bps),
            ended: 0,
            moves_within_slot: config.updates == AverageUpdates::Subchannel,
            shown: Vec::new(),
            shows_all: true,
        }
    }

    /// A as the next decision sees it, b/s, by place in the contest observed last.
    #[inline]
    pub fn bps(&self) -> &[f64] {
        if self.shows_all { self.settled.as_slice() } else { &self.shown }
    }

    /// Writes A of each user as it is between two slots, b/s.
    pub fn fill(&self, bps: &mut [f64]) {
        let rule = self.rule;
        match rule.window {
            AverageWindow::Fixed => self.settled.write(self.ended, |_, bps| rule.decay(bps), bps),
            AverageWindow::Growing => self.settled.write(self.ended, |passed, bps| rule.decay_in(passed, bps), bps),
        }
    }

    /// Whether decisions see what was granted on the subchannels before.
    #[inline]
    pub fn moves_within_slot(&self) -> bool {
        self.moves_within_slot
    }

    /// Whether users without any service yet have an average of 0.
    #[inline]
    pub fn may_be_zero(&self) -> bool {
        self.rule.window == AverageWindow::Growing
    }

    /// A user has come to this row: its average starts as before the first slot.
    pub(super) fn on_user_added(&mut self, user: usize) {
        if self.settled.has_block_of(user) {
            self.settle(user);
        }
        self.settled.start(user, self.ended, self.initial_bps);
    }

    /// Starts a slot, in which nothing is granted yet.
    #[inline(always)]
    pub fn observe(&mut self, contest: &Contest<'_>) {
        let Some(listed) = contest.listed() else {
            self.settle_all();
            self.shows_all = !self.moves_within_slot;
            if self.moves_within_slot {
                self.shown.clear();
                self.shown.extend_from_slice(self.settled.as_slice());
            }
            return;
        };
        self.shows_all = false;
        let Self { rule, settled, ended, shown, .. } = self;
        match rule.window {
            AverageWindow::Fixed => settled.settle_listed(listed, *ended, |_, bps| rule.decay(bps), shown),
            AverageWindow::Growing => {
                settled.settle_listed(listed, *ended, |passed, bps| rule.decay_in(passed, bps), shown);
            }
        }
    }

    /// Starts a slot whose decision reads the averages of all users, by their numbers ([`bps`](Self::bps)).
    #[inline]
    pub(super) fn observe_all(&mut self) {
        self.settle_all();
        self.shows_all = true;
    }

    /// Takes in what the user at `place` was granted on one subchannel, if decisions are to see it.
    #[inline]
    pub fn on_grant(&mut self, view: &SlotView<'_>, place: usize, bits: f64) {
        if self.moves_within_slot {
            self.shown[place] += self.rule.weight_in(slot_number(view.slot)) * (bits / view.slot_s);
        }
    }

    /// The bits of a served user that count.
    pub fn counted_bits(&self, served: &super::Served) -> f64 {
        match self.counts {
            AverageCounts::Sent => served.sent_bits,
            AverageCounts::Granted => served.granted_bits,
        }
    }

    /// Eq. (2), from the slot's outcome; slots come one after the other.
    pub fn on_slot_end(&mut self, outcome: &SlotOutcome<'_>) {
        let weight = self.end(outcome.slot);
        for served in outcome.served {
            let user = served.user.index();
            self.settle(user);
            *self.settled.of(user) += weight * (self.counted_bits(served) / outcome.slot_s);
        }
    }

    /// Eq. (2) with the bytes by which a cumulative count of each user grew in the last slot.
    pub(super) fn on_growth(&mut self, view: &SlotView<'_>, now_bytes: &[u64], before_bytes: &mut [u64]) {
        let weight = self.end(view.slot);
        self.settle_all();
        for (user, (&now, before)) in now_bytes.iter().zip(before_bytes).enumerate() {
            let grown_bytes = now - *before;
            *before = now;
            // Growth per slot is far below 2^53 bytes, so the conversion is exact.
            *self.settled.of(user) += weight * (8.0 * grown_bytes as f64 / view.slot_s);
        }
    }

    /// A slot has ended, for all; returns its w.
    fn end(&mut self, slot: Slot) -> f64 {
        if self.ended == 0 {
            self.rule.first_slot = slot.number();
        }
        debug_assert!(slot.number() == self.rule.first_slot + self.ended, "slots come one after the other");
        self.ended += 1;
        self.rule.weight_in(slot_number(slot))
    }

    #[inline(always)]
    fn settle(&mut self, user: usize) {
        let rule = self.rule;
        match rule.window {
            AverageWindow::Fixed => self.settled.settle(user, self.ended, |_, bps| rule.decay(bps)),
            AverageWindow::Growing => self.settle_growing(user),
        }
    }

    #[inline(never)]
    fn settle_growing(&mut self, user: usize) {
        let rule = self.rule;
        self.settled.settle(user, self.ended, |passed, bps| rule.decay_in(passed, bps));
    }

    #[inline]
    fn settle_all(&mut self) {
        let rule = self.rule;
        match rule.window {
            AverageWindow::Fixed => self.settled.settle_all(self.ended, |_, bps| rule.decay(bps)),
            AverageWindow::Growing => self.settled.settle_all(self.ended, |passed, bps| rule.decay_in(passed, bps)),
        }
    }
}

impl Rule {
    /// w of eq. (2), or 1/L of [Kakuda].
    #[inline]
    fn weight_in(&self, slot: f64) -> f64 {
        match self.window {
            AverageWindow::Fixed => self.weight,
            AverageWindow::Growing => 1.0 / (slot + 1.0).min(self.time_constant_slots),
        }
    }

    /// A slot without service, of a fixed window.
    #[inline(always)]
    fn decay(&self, bps: &mut Lanes) {
        let keep = 1.0 - self.weight;
        for average in bps {
            let decayed = keep * *average;
            *average = if decayed > LEAST_BPS { decayed } else { LEAST_BPS };
        }
    }

    /// The slot of this rank without service, of a growing window.
    #[inline(always)]
    fn decay_in(&self, passed: u64, bps: &mut Lanes) {
        // Exact below 2^53.
        let keep = 1.0 - self.weight_in((self.first_slot + passed) as f64);
        for average in bps {
            let decayed = keep * *average;
            *average = if decayed > 0.0 { decayed.max(LEAST_BPS) } else { 0.0 };
        }
    }
}
