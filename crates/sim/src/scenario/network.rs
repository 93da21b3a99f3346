//! What lies between the servers and the users: a cell, or a wired bottleneck instead of it.

use airlink_model::channel::ChannelConfig;
use airlink_model::path::UplinkConfig;
use airlink_model::queue::QueueConfig;
use airlink_model::rlc::Segmentation;
use airlink_model::scheduler::SchedulerConfig;
use airlink_model::types::SlotClock;
use airlink_model::types::declare::Section;

use super::{Bottleneck, Experimental, Flows, Hop, Link, Scenario, Slot, Upstream};

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
    pub channel: ChannelConfig,
    /// What the base station knows and does with it.
    pub link: Link,
    /// Segmentation.
    pub rlc: Segmentation,
    /// Each user's queue.
    pub queue: QueueConfig,
    /// Who gets the slot.
    pub scheduler: SchedulerConfig,
}

/// The band of the cell: one channel, or subchannels of equal width that are given out one by one in every slot.
///
/// The rates of `link.rate` are those of the whole carrier: a subchannel carries rate / `subchannels`.
#[derive(Clone, Copy, Debug, Section)]
pub struct Carrier {
    /// Subchannels, each with a report, a rate and an owner of its own in every slot.
    #[field(at_least = 1, at_most = 10_000, default = 1, source = "airlink default: one; [Kakuda], given: 400")]
    pub subchannels: usize,
    /// Spacing of subchannel centres; used only by frequency-selective fading.
    #[field(
        unit = "Hz",
        above = 0,
        at_most = 1e9,
        default = 180e3,
        source = "LTE, a resource block (TS 36.211 section 6.2.3); [Kakuda], given: 200e3"
    )]
    pub subchannel_hz: f64,
}

impl Radio {
    /// The exact slot clock.
    pub fn clock(&self) -> SlotClock {
        self.slot.clock()
    }
}

/// A cell or a wired bottleneck, its users and their traffic, as written.
///
/// Of the sections of both networks those of one must be
/// there.
#[derive(Section)]
#[section(class = "ScenarioFields")]
pub(super) struct Written {
    /// Version of this format; results hold it so that later versions can read them.
    #[field(at_least = 2, at_most = 2, default = 2, source = "airlink default")]
    scenario_version: u32,
    /// A short name, for tables and figures.
    #[field(at_least = 0, at_most = 200, default = String::new(), source = "airlink default")]
    name: String,
    /// What it is about.
    #[field(at_least = 0, at_most = 10_000, default = String::new(), source = "airlink default")]
    description: String,
    /// Simulated time, at least one slot; only whole slots are run.
    #[field(unit = "s", above = 0, at_most = 1e6, source = "[Klein04], given: 25")]
    duration_s: f64,
    /// Statistics leave out what happens before; must leave at least one whole slot.
    #[field(unit = "s", at_least = 0, at_most = 1e6, default = 0.0, source = "airlink default")]
    warmup_s: f64,
    /// After `duration_s` the run goes on for at most so long, traffic and all, until the files and pages requested in
    /// the measured time have ended; nothing else is measured then.
    #[field(unit = "s", at_least = 0, at_most = 1e6, default = 0.0, source = "airlink default")]
    drain_s: f64,
    /// Number of users (terminals), numbered from 0.
    #[field(at_least = 1, at_most = 100_000, source = "[EvdoTcp], given: 16; [Klein04]: 21")]
    users: usize,
    /// The clock of the air interface; required unless there is a bottleneck.
    slot: Option<Slot>,
    /// The band and its subchannels.
    #[field(default = Some(Carrier::default()))]
    carrier: Option<Carrier>,
    /// The radio channel.
    #[field(default = Some(ChannelConfig::default()))]
    channel: Option<ChannelConfig>,
    /// From the channel to bits.
    #[field(default = Some(Link::default()))]
    link: Option<Link>,
    /// How packets fill slots.
    #[field(default = Some(Segmentation::default()))]
    rlc: Option<Segmentation>,
    /// What waits at the base station.
    #[field(default = Some(QueueConfig::default()))]
    queue: Option<QueueConfig>,
    /// Who gets a slot.
    #[field(default = Some(SchedulerConfig::default()), source = "airlink default: proportional fair")]
    scheduler: Option<SchedulerConfig>,
    /// A wired queue instead of the cell.
    #[field(default = None, source = "airlink default: a cell")]
    bottleneck: Option<Bottleneck>,
    /// A queue that some flows pass first.
    #[field(default = None, source = "airlink default: none")]
    upstream: Option<Upstream>,
    /// Requests and grants for what users send.
    #[field(default = None, source = "airlink default: none, what users send leaves at once")]
    uplink: Option<UplinkConfig>,
    /// Queues that flows pass before the network or on the way back, as `path.hops` and `path.uplink_hops` say.
    #[field(default, source = "airlink default: none")]
    hops: Vec<Hop>,
    /// What is sent; numbered in the order of `[[flows]]`, then of users.
    #[field(items = 1)]
    flows: Vec<Flows>,
    /// Controls that no network could run.
    #[field(default = None, source = "airlink default: none")]
    experimental: Option<Experimental>,
}

impl Written {
    /// The scenario, with the sections of one network.
    pub(super) fn scenario(self) -> Result<Scenario, String> {
        let air = (self.slot, self.carrier, self.channel, self.link);
        let station = (self.rlc, self.queue, self.scheduler);
        let network = match (self.bottleneck, air, station) {
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
        Ok(Scenario {
            name: self.name,
            duration_s: self.duration_s,
            warmup_s: self.warmup_s,
            drain_s: self.drain_s,
            users: self.users,
            network,
            upstream: self.upstream,
            uplink: self.uplink,
            hops: self.hops,
            flows: self.flows,
            experimental: self.experimental.unwrap_or_default(),
        })
    }
}
