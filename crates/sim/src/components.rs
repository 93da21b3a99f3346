//! Parts of a run that come from outside this crate, in the place of what the scenario names.
//!
//! A scenario is data and never names code. Whoever drives the engine hands the code over beside it: a scheduler, the
//! management of the cell's queues, and per group of flows the congestion control and the source. It leaves out: queues of
//! bottlenecks, channels.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use airlink_model::queue::{QueueManagement, QueueManagementOf};
use airlink_model::scheduler::{Scheduler, SchedulerConfig, SlotMetric, build_own_metric, build_own_scheduler};
use airlink_model::traffic::TrafficSource;
use airlink_model::transport::Tcp;
use airlink_model::transport::congestion::CongestionControl;
use airlink_model::types::{FlowId, UserId};

/// Makes the congestion control of a flow.
type ControlOf = Arc<dyn Fn(&Tcp, FlowId) -> Box<dyn CongestionControl> + Send + Sync>;

/// Makes the source of a flow.
type SourceOf = Arc<dyn Fn(FlowId) -> Box<dyn TrafficSource> + Send + Sync>;

/// Makes who decides the slots of a run.
#[derive(Clone)]
enum OwnScheduler {
    Whole(Arc<dyn Fn() -> Box<dyn Scheduler> + Send + Sync>),
    Metric(Arc<dyn Fn() -> Box<dyn SlotMetric> + Send + Sync>),
}

/// What takes the place of the scenario's own parts; by default nothing does.
///
/// Each part is made for one run and is in the state before its first slot. Draws come from streams named (seed,
/// [`Purpose::Own`](airlink_model::types::Purpose::Own), index).
#[derive(Clone, Default)]
pub struct Components {
    scheduler: Option<OwnScheduler>,
    pub(crate) queues: Option<QueueManagementOf>,
    controls: BTreeMap<usize, ControlOf>,
    sources: BTreeMap<usize, SourceOf>,
}

impl Components {
    /// What `of` makes decides the slots, which only a cell has. Its view shows the averages of `[scheduler]`.
    #[must_use]
    pub fn scheduler(self, of: impl Fn() -> Box<dyn Scheduler> + Send + Sync + 'static) -> Self {
        Self { scheduler: Some(OwnScheduler::Whole(Arc::new(of))), ..self }
    }

    /// Each subchannel of a slot goes to the candidate with the largest metric, by what `of` makes; ties and all else of
    /// `[scheduler]` hold.
    #[must_use]
    pub fn metric(self, of: impl Fn() -> Box<dyn SlotMetric> + Send + Sync + 'static) -> Self {
        Self { scheduler: Some(OwnScheduler::Metric(Arc::new(of))), ..self }
    }

    /// What `of` makes keeps each user's queue at the base station short, within the scenario's limits.
    #[must_use]
    pub fn queues(self, of: impl Fn(UserId) -> Box<dyn QueueManagement> + Send + Sync + 'static) -> Self {
        Self { queues: Some(Arc::new(of)), ..self }
    }

    /// The senders of the scenario's group number `group` have the congestion controls that `of` makes, each from the TCP of its
    /// flow, which says all else: how losses are found and repaired, and the windows at the start.
    #[must_use]
    pub fn congestion_control(
        mut self,
        group: usize,
        of: impl Fn(&Tcp, FlowId) -> Box<dyn CongestionControl> + Send + Sync + 'static,
    ) -> Self {
        self.controls.insert(group, Arc::new(of));
        self
    }

    /// The flows of the scenario's group number `group` send over TCP what the sources that `of` makes have for them; each
    /// user of the group has one.
    #[must_use]
    pub fn traffic(
        mut self,
        group: usize,
        of: impl Fn(FlowId) -> Box<dyn TrafficSource> + Send + Sync + 'static,
    ) -> Self {
        self.sources.insert(group, Arc::new(of));
        self
    }

    /// Whether something here has its place in a cell only.
    pub(crate) fn is_for_cells(&self) -> bool {
        self.scheduler.is_some() || self.queues.is_some()
    }

    /// The scheduler that comes from outside, in the place of that of `config`.
    pub(crate) fn scheduler_of(
        &self,
        config: &SchedulerConfig,
        users: usize,
        subchannels: usize,
        seed: u64,
    ) -> Option<Box<dyn Scheduler>> {
        self.scheduler.as_ref().map(|own| match own {
            OwnScheduler::Whole(of) => build_own_scheduler(of(), config, users),
            OwnScheduler::Metric(of) => build_own_metric(of(), config, users, subchannels, seed),
        })
    }

    /// The congestion control of a flow of `group`, if it comes from outside.
    pub(crate) fn control(&self, group: usize, tcp: &Tcp, flow: FlowId) -> Option<Box<dyn CongestionControl>> {
        self.controls.get(&group).map(|of| of(tcp, flow))
    }

    /// The source of a flow of `group`, if it comes from outside.
    pub(crate) fn source(&self, group: usize, flow: FlowId) -> Option<Box<dyn TrafficSource>> {
        self.sources.get(&group).map(|of| of(flow))
    }
}

impl fmt::Debug for Components {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Components")
            .field("scheduler", &self.scheduler.is_some())
            .field("queues", &self.queues.is_some())
            .field("controls", &self.controls.keys())
            .field("sources", &self.sources.keys())
            .finish()
    }
}
