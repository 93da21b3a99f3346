//! Impairments of a wire: packets are lost, duplicated, delayed or held, as an experiment asks for it.
//!
//! Packets are counted from 0 in the order in which they pass, and a packet passes when its last bit has left the
//! wire's sender. Outages come first: they hold a packet until they end, or lose it. Then a packet is lost if its number
//! is listed, if it is the first at or after a listed time, or by the loss law: independently with probability p, or by
//! the two states of Gilbert and Elliott [Gilbert60], [Elliott63], where packet n is lost with the probability of its
//! state and then the state changes (good to bad with p, bad to good with r; packet 0 meets the good one), which makes the
//! share of bad packets p / (p + r) and a stay in the bad state 1/r packets long. What is not lost may be late, by a
//! delay spike or by being picked for reordering, and may be duplicated.
//!
//! Every draw is a function of (seed, place, packet's number), so what happens to packet n does not depend on what
//! others sent before it did to the transport.
//!
//! It leaves out: jitter of every packet, damaged packets that arrive, a rate that changes.

use super::marks::{Interval, Intervals, Moments, Numbers};
use crate::types::declare::{Section, Words};
use crate::types::{CounterStream, DropReason, Duration, Purpose, Slot, Time};

/// How packets are lost at random.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
pub enum Loss {
    /// Nothing is lost at random.
    #[section(class = "NoLoss", about = "No random loss")]
    None,
    /// Each packet is lost by itself.
    #[section(class = "RandomLoss", about = "Independent losses")]
    Random {
        /// Probability that a packet is lost.
        #[field(name = "p", at_least = 0, at_most = 1)]
        probability: f64,
    },
    /// Losses in bursts: each packet sees one of two states, then the state may change. Packet 0 sees the good state.
    #[section(class = "GilbertElliottLoss", about = "Losses in bursts")]
    GilbertElliott {
        /// Probability, per packet, to go from the good state to the bad one.
        #[field(name = "p", at_least = 0, at_most = 1)]
        to_bad: f64,
        /// Probability, per packet, to return to the good state; a bad state lasts 1/r packets on average.
        #[field(name = "r", at_least = 0, at_most = 1)]
        to_good: f64,
        /// Probability of a loss in the good state.
        #[field(at_least = 0, at_most = 1, default = 0.0, source = "[Gilbert60]: no loss")]
        loss_good: f64,
        /// Probability of a loss in the bad state.
        #[field(at_least = 0, at_most = 1, default = 1.0, source = "airlink default: all are lost")]
        loss_bad: f64,
    },
}

/// Which moment of a packet must lie in a spike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum Moment {
    /// When it passes: its last bit has left the sender.
    Sent,
    /// When its first bit leaves the sender.
    Begun,
}

/// An interval in which packets take longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Section)]
pub struct DelaySpike {
    /// When it begins.
    #[field(name = "at_s", unit = "s", at_least = 0, at_most = 1e6)]
    pub at: Time,
    /// How long it lasts.
    #[field(name = "for_s", unit = "s", above = 0, at_most = 1e6)]
    pub length: Duration,
    /// How much longer packets take.
    #[field(name = "extra_ms", unit = "ms", at_least = 0, at_most = 1e6)]
    pub extra: Duration,
    /// true: packets after the spike stay behind those in it; false: they overtake them.
    #[field(default = true, source = "airlink default")]
    pub keep_order: bool,
    /// Which packets the spike delays. sent: those whose last bit leaves the sender in it; begun: those whose first bit
    /// leaves in it, as when ns-2 changes the delay of a link.
    #[field(default = Moment::Sent, source = "airlink default")]
    pub moment: Moment,
}

/// An interval in which no packet passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Section)]
pub struct Outage {
    /// When it begins.
    #[field(name = "at_s", unit = "s", at_least = 0, at_most = 1e6)]
    pub at: Time,
    /// How long it lasts.
    #[field(name = "for_s", unit = "s", above = 0, at_most = 1e6)]
    pub length: Duration,
    /// true: packets wait and all continue at its end; false: they are lost. To stop a queue, use bottleneck.freezes.
    #[field(default = false, source = "airlink default: lost")]
    pub hold: bool,
}

impl Interval for DelaySpike {
    fn from(&self) -> Time {
        self.at
    }
    fn until(&self) -> Time {
        self.at + self.length
    }
}

impl Interval for Outage {
    fn from(&self) -> Time {
        self.at
    }
    fn until(&self) -> Time {
        self.at + self.length
    }
}

/// Impairments of one link, whose packets are counted from 0 in the order in which they pass.
///
/// A packet passes when its last bit has left the link's sender, before the delay. ACKs are the packets of
/// the uplink.
#[derive(Clone, Debug, PartialEq, Section)]
pub struct ImpairmentsConfig {
    /// These packets are lost.
    #[field(at_least = 0, at_most = 1e12, default, source = "airlink default: none")]
    pub drop_numbers: Vec<u64>,
    /// These packets are duplicated; the copy follows directly.
    #[field(at_least = 0, at_most = 1e12, default, source = "airlink default")]
    pub duplicate_numbers: Vec<u64>,
    /// These packets take `reorder_extra_ms` longer, and others overtake them.
    #[field(at_least = 0, at_most = 1e12, default, source = "airlink default: none")]
    pub reorder_numbers: Vec<u64>,
    /// How much longer reordered packets take; above 0 when there are any.
    #[field(
        name = "reorder_extra_ms",
        unit = "ms",
        at_least = 0,
        at_most = 1e6,
        default = Duration::ZERO,
        source = "airlink default"
    )]
    pub reorder_extra: Duration,
    /// For each of these times, the first packet that passes then or later is lost.
    #[field(name = "drop_at_s", unit = "s", at_least = 0, at_most = 1e6, default, source = "airlink default")]
    pub drop_at: Vec<Time>,
    /// Random loss.
    #[field(default = Loss::None, source = "airlink default: none")]
    pub loss: Loss,
    /// Probability that a packet is reordered.
    #[field(at_least = 0, at_most = 1, default = 0.0, source = "airlink default: none")]
    pub reorder_probability: f64,
    /// Probability that a packet is duplicated.
    #[field(at_least = 0, at_most = 1, default = 0.0, source = "airlink default: none")]
    pub duplicate_probability: f64,
    /// Times of longer delay, which don't overlap.
    #[field(default, source = "airlink default: none")]
    pub delay_spikes: Vec<DelaySpike>,
    /// Times in which nothing passes, which don't overlap.
    #[field(default, source = "airlink default: none")]
    pub outages: Vec<Outage>,
}

/// A packet's outcome on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It ends here.
    Lost {
        /// When.
        at: Time,
        /// Why.
        reason: DropReason,
    },
    /// It goes on.
    Passes {
        /// When; never before the packet in front of it did.
        at: Time,
        /// How much longer than others it then travels.
        extra: Duration,
        /// Whether those behind it may come first.
        overtaken: bool,
        /// Whether it is duplicated.
        duplicated: bool,
    },
}

/// The impairments of one wire, along its packets.
#[derive(Clone, Debug)]
pub struct Impairments {
    number: u64,
    drop_numbers: Numbers,
    duplicate_numbers: Numbers,
    reorder_numbers: Numbers,
    reorder_extra: Duration,
    drop_at: Moments,
    loss: Loss,
    is_bad: bool,
    reorder_probability: f64,
    duplicate_probability: f64,
    spikes_when_sent: Intervals<DelaySpike>,
    spikes_when_begun: Intervals<DelaySpike>,
    outages: Intervals<Outage>,
    /// When the last packet passed or met an outage.
    passed_at: Time,
    draws: Draws,
}

/// The streams of one place, one for each question.
#[derive(Clone, Debug)]
struct Draws {
    loss: CounterStream,
    state: CounterStream,
    reorder: CounterStream,
    duplicate: CounterStream,
}

impl Impairments {
    /// Those of the wire `place`, a number that no other wire of the run has.
    pub fn new(config: &ImpairmentsConfig, seed: u64, place: u64) -> Self {
        let (sent, begun) = config.delay_spikes.iter().partition(|spike| spike.moment == Moment::Sent);
        let stream = |question| CounterStream::new(seed, Purpose::Impairment, 4 * place + question);
        Self {
            number: 0,
            drop_numbers: Numbers::new(config.drop_numbers.clone()),
            duplicate_numbers: Numbers::new(config.duplicate_numbers.clone()),
            reorder_numbers: Numbers::new(config.reorder_numbers.clone()),
            reorder_extra: config.reorder_extra,
            drop_at: Moments::new(config.drop_at.clone()),
            loss: config.loss,
            is_bad: false,
            reorder_probability: config.reorder_probability,
            duplicate_probability: config.duplicate_probability,
            spikes_when_sent: Intervals::new(sent),
            spikes_when_begun: Intervals::new(begun),
            outages: Intervals::new(config.outages.clone()),
            passed_at: Time::ZERO,
            draws: Draws { loss: stream(0), state: stream(1), reorder: stream(2), duplicate: stream(3) },
        }
    }

    /// What becomes of the next packet, whose first and last bits leave the sender at these times, which never fall.
    pub fn judge(&mut self, begun_at: Time, sent_at: Time) -> Verdict {
        // Each question is asked of each packet, so that no answer shifts a later one.
        let number = self.number;
        self.number += 1;
        let listed = self.drop_numbers.has(number);
        let drawn = self.is_lost_at_random(number);
        let overtaken = self.is_reordered(number);
        let duplicated = self.is_duplicated(number);
        let at = match self.pass_outages(sent_at) {
            Ok(at) => at,
            Err(at) => return Verdict::Lost { at, reason: DropReason::Outage },
        };
        let timed = self.drop_at.has_come(at);
        if listed || timed || drawn {
            return Verdict::Lost { at, reason: DropReason::WireLoss };
        }
        let spikes = [self.spikes_when_sent.at(at), self.spikes_when_begun.at(begun_at)];
        let late = if overtaken { self.reorder_extra } else { Duration::ZERO };
        let extra = spikes.iter().flatten().fold(late, |extra, spike| extra + spike.extra);
        let overtaken = overtaken || spikes.iter().flatten().any(|spike| !spike.keep_order);
        Verdict::Passes { at, extra, overtaken, duplicated }
    }

    /// When a packet sent at `sent_at` gets through, or when an outage ends it.
    fn pass_outages(&mut self, sent_at: Time) -> Result<Time, Time> {
        // Not before those in front of it, which an outage may have held.
        self.passed_at = self.passed_at.max(sent_at);
        while let Some(outage) = self.outages.at(self.passed_at) {
            if !outage.hold {
                return Err(self.passed_at);
            }
            self.passed_at = outage.until();
        }
        Ok(self.passed_at)
    }

    fn is_lost_at_random(&mut self, number: u64) -> bool {
        // The packet's number stands where a slot's would: a counter is all that a counter stream knows.
        let counter = Slot::new(number);
        match self.loss {
            Loss::None => false,
            Loss::Random { probability } => self.draws.loss.uniform(counter) < probability,
            Loss::GilbertElliott { to_bad, to_good, loss_good, loss_bad } => {
                let (loss, change) = if self.is_bad { (loss_bad, to_good) } else { (loss_good, to_bad) };
                self.is_bad ^= self.draws.state.uniform(counter) < change;
                self.draws.loss.uniform(counter) < loss
            }
        }
    }

    fn is_reordered(&mut self, number: u64) -> bool {
        let drawn =
            self.reorder_probability > 0.0 && self.draws.reorder.uniform(Slot::new(number)) < self.reorder_probability;
        self.reorder_numbers.has(number) || drawn
    }

    fn is_duplicated(&mut self, number: u64) -> bool {
        let drawn = self.duplicate_probability > 0.0
            && self.draws.duplicate.uniform(Slot::new(number)) < self.duplicate_probability;
        self.duplicate_numbers.has(number) || drawn
    }
}
