//! The parts of a simulation: assembly makes them, and a run starts from them.

use airlink_model::types::Time;

use crate::browsing::UserBrowser;
use crate::flow::FlowConfig;
use crate::network::{Network, Origin};
use crate::path_hop::PathHop;
use crate::record::FlowTraits;
use crate::uplink::{GrantedUplink, UplinkOrigin};

/// Everything a simulation starts from.
pub(crate) struct Parts {
    pub(crate) network: Network,
    pub(crate) hops: Hops,
    pub(crate) uplink: Option<Box<GrantedUplink>>,
    pub(crate) flows: Vec<FlowConfig>,
    /// Of users who load pages over several flows.
    pub(crate) browsers: Vec<UserBrowser>,
    pub(crate) flow_traits: FlowTraits,
    pub(crate) places: Vec<UserPlace>,
    pub(crate) warmup: Time,
    pub(crate) end: Time,
    /// When it ends at the latest, if downloads are waited for.
    pub(crate) drain_end: Time,
    /// Flows of a run that does not go on beyond `end`.
    pub(crate) window_flows: usize,
    /// What downloads run in alone; only if there are any.
    pub(crate) alone: Option<Box<AloneParts>>,
}

/// The hops between flows' wires and the network.
#[derive(Clone, Default)]
pub(crate) struct Hops {
    /// By number: those of `[[hops]]`, then that of `[upstream]`.
    pub(crate) nodes: Vec<PathHop>,
    /// The number of `[upstream]`.
    pub(crate) upstream: Option<usize>,
}

/// A user's place, for the result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UserPlace {
    pub(crate) distance_m: f64,
    pub(crate) mean_snr_db: f64,
    /// With the mean of its shadowing over the measured time; none without shadowing.
    pub(crate) shadowed_snr_db: Option<f64>,
}

impl UserPlace {
    /// No place.
    pub(crate) const NOWHERE: Self = Self { distance_m: f64::NAN, mean_snr_db: f64::NAN, shadowed_snr_db: None };
}

/// What runs of one user alone start from.
#[derive(Clone)]
pub(crate) struct AloneParts {
    pub(crate) network: Origin,
    pub(crate) hops: Hops,
    pub(crate) uplink: Option<UplinkOrigin>,
    /// By number, those of other users too.
    pub(crate) flows: Vec<FlowConfig>,
    /// Before their first pages.
    pub(crate) browsers: Vec<UserBrowser>,
    /// When it ends at the latest: twice the run's time, for what is asked for shortly before the run's end.
    pub(crate) end: Time,
}
