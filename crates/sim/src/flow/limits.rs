//! What keeps a flow's sender, as far as one who knows its source can tell.

use airlink_model::transport::{Limit, Sender};
use airlink_model::types::Time;

use super::RunningFlow;
use crate::record::Cause;

impl RunningFlow {
    /// What keeps the sender; none if nothing more will be sent and all that was is acknowledged.
    pub(super) fn limit(&self, now: Time) -> Option<Cause> {
        let is_stopped = self.started && self.config.stop <= now;
        if is_stopped && self.sender().is_complete() {
            return None;
        }
        if let Some(dialogue) = &self.dialogue {
            return Some(match self.ends.user_sender() {
                _ if dialogue.is_idle() => Cause::Application,
                Some(user) if dialogue.is_requesting() => cause(user, false),
                _ => cause(self.sender(), false),
            });
        }
        if self.application.is_thinking() {
            return Some(Cause::Application);
        }
        Some(cause(self.sender(), self.application.may_supply_more()))
    }
}

/// What keeps this sender, to whom its application may give more or not.
fn cause(sender: &Sender, may_supply_more: bool) -> Cause {
    match sender.limit() {
        Limit::Application if may_supply_more => Cause::Application,
        Limit::Opening | Limit::Application => Cause::Wire,
        Limit::ReceiverWindow => Cause::ReceiverWindow,
        Limit::CongestionWindow => Cause::CongestionWindow,
    }
}
