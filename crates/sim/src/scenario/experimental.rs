//! Controls that no network could run, apart from everything that one could.
//!
//! Left out: made-up rules of an end or a queue that a network could run; they stand where they act.

use airlink_model::scheduler::ExperimentalScheduler;
use airlink_model::types::declare::Section;

use crate::flow::Hold;

/// Controls that no network could run: they know what no node of it knows. Without this table there are none.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
pub struct Experimental {
    /// What no sender could know, of all flows over TCP: the retransmission timer, when it expires although the oldest
    /// unacknowledged segment or its ACK is still to come, is armed again and nothing else happens. "spurious": always;
    /// "initial": in the initial slow start (cwnd below ssthresh at its initial value); "off": never.
    #[field(name = "hold_timeouts", default = Hold::Off, source = "airlink default; [Choi05], Fig. 3(b): held")]
    pub hold: Hold,
    /// What no base station could know: a scheduler in the place of `[scheduler]`.
    #[field(default = ExperimentalScheduler::None, source = "airlink default: none")]
    pub scheduler: ExperimentalScheduler,
}
