//! What keeps a flow's sender, as far as one who knows its source can tell.

use airlink_model::traffic::Source;
use airlink_model::transport::Limit;
use airlink_model::types::Time;

use super::{FlowConfig, RunningFlow};
use crate::record::{Cause, Span};

impl RunningFlow {
    /// What keeps the sender; none if nothing more will be sent and all that was is acknowledged.
    pub(super) fn limit(&self, now: Time) -> Option<Cause> {
        let is_stopped = self.started && self.config.stop <= now;
        if is_stopped && self.sender.is_complete() {
            return None;
        }
        if self.application.is_thinking() {
            return Some(Cause::Application);
        }
        Some(match self.sender.limit() {
            Limit::Application if self.application.may_supply_more() => Cause::Application,
            Limit::Opening | Limit::Application => Cause::Wire,
            Limit::ReceiverWindow => Cause::ReceiverWindow,
            Limit::CongestionWindow => Cause::CongestionWindow,
        })
    }
}

impl FlowConfig {
    /// Whose it is, and when it may send.
    pub(crate) fn span(&self) -> Span {
        let has_sender = !matches!(self.source, Source::Backlogged(_));
        let thinks = self.source.has_pauses();
        Span { user: self.user, start: self.start, stop: self.stop, has_sender, thinks }
    }
}
