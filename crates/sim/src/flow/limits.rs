//! What keeps a flow's sender, as far as one who knows its source can tell.

use airlink_model::transport::{Limit, Sender};
use airlink_model::types::{Direction, Time};

use super::RunningFlow;
use crate::record::{Cause, Standing};

impl RunningFlow {
    /// What keeps the sender; none if nothing more will be sent and all that was is acknowledged.
    pub(super) fn limit(&self, now: Time) -> Option<Standing> {
        let is_stopped = self.started && self.config.stop <= now;
        if is_stopped && self.ends.sender().is_none_or(Sender::is_complete) {
            return None;
        }
        if let Some(dialogue) = &self.dialogue {
            let asks = dialogue.is_requesting();
            let sender = if asks { self.ends.user_sender() } else { self.ends.sender() };
            let cause = if dialogue.is_idle() { Cause::Application } else { cause(sender, false) };
            return Some(Standing { cause, direction: if asks { Direction::Up } else { Direction::Down } });
        }
        let direction = self.ends.data();
        if self.application.is_thinking() {
            return Some(Standing { cause: Cause::Application, direction });
        }
        Some(Standing { cause: cause(self.ends.sender(), self.application.may_supply_more()), direction })
    }
}

/// What keeps this sender, to whom its application may give more or not; without one there is nothing but the way to go.
fn cause(sender: Option<&Sender>, may_supply_more: bool) -> Cause {
    match sender.map_or(Limit::Opening, Sender::limit) {
        Limit::Application if may_supply_more => Cause::Application,
        Limit::Opening | Limit::Application => Cause::Wire,
        Limit::ReceiverWindow => Cause::ReceiverWindow,
        Limit::CongestionWindow => Cause::CongestionWindow,
    }
}
