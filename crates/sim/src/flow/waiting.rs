//! A flow that may not have started: until then it is a configuration and the time of its start.
//!
//! Its two TCP ends, its wires and what it remembers are made when it starts, so that a cell may have many users of whom few
//! are ever active.

use airlink_model::traffic::Source;
use airlink_model::transport::Statistics;
use airlink_model::types::{FlowId, Time};

use super::{FlowConfig, RunningFlow};
use crate::events::Next;
use crate::record::{DatagramCounts, FlowRecord, MarkCounts};

/// A flow.
#[derive(Clone, Debug)]
pub(crate) enum Flow {
    /// Before its start.
    Waiting(FlowId, Box<FlowConfig>),
    /// From its start on.
    Running(Box<RunningFlow>),
}

impl Flow {
    pub(crate) fn new(id: FlowId, config: FlowConfig) -> Self {
        Self::Waiting(id, Box::new(config))
    }

    #[inline]
    pub(crate) fn config(&self) -> &FlowConfig {
        match self {
            Self::Waiting(_, config) => config,
            Self::Running(flow) => &flow.config,
        }
    }

    pub(crate) fn config_mut(&mut self) -> &mut FlowConfig {
        match self {
            Self::Waiting(_, config) => config,
            Self::Running(flow) => &mut flow.config,
        }
    }

    /// The flow in motion, if it has started.
    pub(crate) fn started(&mut self) -> Option<&mut RunningFlow> {
        match self {
            Self::Waiting(..) => None,
            Self::Running(flow) => Some(flow),
        }
    }

    /// The flow in motion, which it is from now on.
    #[inline(always)]
    pub(crate) fn running(&mut self) -> &mut RunningFlow {
        match self {
            Self::Running(flow) => flow,
            Self::Waiting(..) => self.start(),
        }
    }

    #[cold]
    #[inline(never)]
    fn start(&mut self) -> &mut RunningFlow {
        if let Self::Waiting(id, config) = self {
            *self = Self::Running(Box::new(RunningFlow::new(*id, config.clone())));
        }
        self.started().expect("it runs")
    }

    /// True while a flow without a transport keeps its user's queue filled.
    pub(crate) fn fills_queue(&self, now: Time) -> bool {
        let config = self.config();
        matches!(config.source, Source::Backlogged(_)) && config.start <= now && now < config.stop
    }

    /// The next event: a packet at the base station, an ACK at the server, or a timer.
    #[inline]
    pub(crate) fn next_event(&mut self) -> Next {
        match self {
            Self::Waiting(_, config) => Next::of([Time::NEVER, Time::NEVER, config.starts_at()]),
            Self::Running(flow) => flow.next_event(),
        }
    }

    /// The sender's counts so far.
    pub(crate) fn statistics(&self) -> Statistics {
        match self {
            Self::Waiting(..) => Statistics::default(),
            Self::Running(flow) => flow.statistics(),
        }
    }

    /// The counts of its marks so far; those set and duplicated are in `recorded`.
    pub(crate) fn mark_counts(&self, recorded: &MarkCounts) -> MarkCounts {
        match self {
            Self::Waiting(..) => *recorded,
            Self::Running(flow) => flow.mark_counts(recorded),
        }
    }

    /// Its marked packets on its own wires.
    pub(crate) fn marked_on_wires(&self) -> u64 {
        match self {
            Self::Waiting(..) => 0,
            Self::Running(flow) => flow.marked_on_wires(),
        }
    }

    /// What became of its packets without TCP so far.
    pub(crate) fn datagram_counts(&self) -> DatagramCounts {
        match self {
            Self::Waiting(..) => DatagramCounts::default(),
            Self::Running(flow) => flow.datagram_counts(),
        }
    }

    /// The counts so far of the sender at the user.
    pub(crate) fn user_statistics(&self) -> Statistics {
        match self {
            Self::Waiting(..) => Statistics::default(),
            Self::Running(flow) => flow.user_statistics(),
        }
    }

    /// Packets of this flow that have reached the network, by what was sent, duplicated and lost on the way, and what is
    /// upstream of it.
    pub(crate) fn arrived(&self, record: &FlowRecord, upstream: u64) -> u64 {
        match self {
            Self::Waiting(..) => 0,
            Self::Running(flow) => flow.arrived(record, upstream),
        }
    }

    /// Packets sent by the user + duplicated = arrived + lost + still on the wire or, so many, in hops.
    pub(crate) fn check_acks(&self, record: &FlowRecord, in_hops: u64) {
        if let Self::Running(flow) = self {
            flow.check_acks(record, in_hops);
        }
    }
}
