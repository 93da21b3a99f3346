//! Records of a run: summaries always, series when asked for.
//!
//! Counters run from the start; what was counted before the warm-up's end is subtracted. Distributions are
//! emptied there. It leaves out: statistics over replicas and everything that needs a formula of more than a line.

mod about;
mod asked_for;
mod counts;
mod datagrams;
mod declarations;
mod distribution;
mod downloads;
mod flow_event;
mod gaps;
mod grants;
mod hops;
mod limits;
mod on_use;
mod outer_loop;
mod passed;
mod recorder;
mod sender_delta;
mod series;
mod summary;

pub use declarations::declarations;
pub use series::{RecordKind, Recorded};

pub(crate) use counts::{FlowCounts, MarkCounts, UserCounts};
pub(crate) use datagrams::{DatagramCounts, DatagramDelays};
pub(crate) use distribution::Distribution;
pub(crate) use downloads::Downloads;
pub(crate) use flow_event::FlowEvent;
pub(crate) use gaps::Gaps;
use grants::{CarrierCounts, Occupied};
pub(crate) use hops::HopRecord;
pub(crate) use limits::{Cause, Limits, Span, Standing};
pub(crate) use on_use::Records;
pub(crate) use recorder::{Duplicated, FlowRecorder, Recorder};
pub(crate) use sender_delta::{SenderDelta, SenderSnapshot};
pub(crate) use series::{AckHeard, HopRow, take_out_of_memory};
pub(crate) use summary::{FlowEnd, FlowTraits, RunEnd, TableLayout, UserEnd, add_download_columns, tables};

use airlink_model::types::Time;

/// Slots of the cell.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CellRecord {
    pub(crate) slots: u64,
    pub(crate) idle: u64,
    /// Of these, those without downlink.
    pub(crate) passed: u64,
    carrier: CarrierCounts,
}

/// The record of a user.
#[derive(Clone, Debug, Default)]
pub(crate) struct UserRecord {
    pub(crate) counts: UserCounts,
    occupied: Occupied,
    pub(crate) queueing: Distribution,
    pub(crate) head_of_line: Distribution,
    pub(crate) gaps: Gaps,
    pub(crate) before_warmup: UserCounts,
}

/// The record of a flow.
#[derive(Clone, Debug, Default)]
pub(crate) struct FlowRecord {
    pub(crate) counts: FlowCounts,
    pub(crate) before_warmup: FlowCounts,
    pub(crate) rtt: Distribution,
    pub(crate) completed_at: Option<Time>,
    /// Only without TCP.
    pub(crate) delays: Option<Box<DatagramDelays>>,
}
