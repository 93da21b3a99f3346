//! What lies between the servers and the users: a cell, or a wired bottleneck instead of it.

use airlink_model::types::SlotClock;
use serde::Deserialize;

use super::{Bottleneck, Channel, Flows, Link, Queue, Rlc, Scenario, Scheduler, SlotLength, Upstream};

/// One of the two.
#[derive(Clone, Debug)]
pub enum Network {
    /// A cell.
    Radio(Box<Radio>),
    /// A queue and a wire.
    Bottleneck(Box<Bottleneck>),
}

/// A cell.
#[derive(Clone, Debug)]
pub struct Radio {
    /// The slot.
    pub slot: Slot,
    /// The band.
    pub carrier: Carrier,
    /// Signal of each user over time.
    pub channel: Channel,
    /// What the base station knows and does with it.
    pub link: Link,
    /// Segmentation.
    pub rlc: Rlc,
    /// Each user's queue.
    pub queue: Queue,
    /// Who gets the slot.
    pub scheduler: Scheduler,
}

/// The slot.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slot {
    /// Its length in ms, as a number or an exact fraction like "5/3".
    pub duration_ms: SlotLength,
}

/// The band, in subchannels of equal width.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Carrier {
    /// How many there are.
    pub subchannels: usize,
    /// From the centre of one to that of the next, Hz.
    pub subchannel_hz: f64,
}

impl Radio {
    /// The exact slot clock.
    pub fn clock(&self) -> SlotClock {
        let (numerator_ns, denominator) = self.slot.duration_ms.as_ns_ratio().unwrap_or((1, 1));
        SlotClock::new(numerator_ns, denominator)
    }
}

/// A scenario as it is written: the sections of both networks, of which those of one must be there.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Written {
    scenario_version: u32,
    name: String,
    description: String,
    duration_s: f64,
    warmup_s: f64,
    drain_s: f64,
    users: usize,
    slot: Option<Slot>,
    carrier: Option<Carrier>,
    channel: Option<Channel>,
    link: Option<Link>,
    rlc: Option<Rlc>,
    queue: Option<Queue>,
    scheduler: Option<Scheduler>,
    bottleneck: Option<Bottleneck>,
    upstream: Option<Upstream>,
    flows: Vec<Flows>,
}

impl TryFrom<Written> for Scenario {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let air = (written.slot, written.carrier, written.channel, written.link);
        let station = (written.rlc, written.queue, written.scheduler);
        let network = match (written.bottleneck, air, station) {
            (Some(bottleneck), (None, None, None, None), (None, None, None)) => {
                Network::Bottleneck(Box::new(bottleneck))
            }
            (
                None,
                (Some(slot), Some(carrier), Some(channel), Some(link)),
                (Some(rlc), Some(queue), Some(scheduler)),
            ) => Network::Radio(Box::new(Radio { slot, carrier, channel, link, rlc, queue, scheduler })),
            _ => {
                let sections = "slot, carrier, channel, link, rlc, queue, scheduler";
                return Err(format!("either bottleneck alone, or all of {sections}"));
            }
        };
        Ok(Self {
            scenario_version: written.scenario_version,
            name: written.name,
            description: written.description,
            duration_s: written.duration_s,
            warmup_s: written.warmup_s,
            drain_s: written.drain_s,
            users: written.users,
            network,
            upstream: written.upstream,
            flows: written.flows,
        })
    }
}
