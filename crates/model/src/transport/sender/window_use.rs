//! The use that a sender makes of its window. An idle period and a window that is not filled may change it (see
//! [`Idle`] and [`Usage`]). Each rule is a switch, and costs a branch when it is off.

use crate::transport::Tcp;
use crate::transport::congestion::{IdleEvent, Windows};
use crate::transport::idle::Idle;
use crate::transport::window_validation::{Burst, Usage};
use crate::types::{Bytes, Duration, Time};

/// The state of the rules about unused windows.
#[derive(Clone, Debug)]
pub(super) struct WindowUse {
    idle: Idle,
    usage: Usage,
    /// New data was sent since the latest moment at which nothing more could be sent.
    has_sent_new: bool,
}

impl WindowUse {
    pub(super) fn new(config: &Tcp) -> Self {
        Self { idle: Idle::new(config), usage: Usage::new(config), has_sent_new: false }
    }

    /// True if a rule asks how much of the window is used.
    #[inline]
    pub(super) const fn is_observed(&self) -> bool {
        !matches!(self.usage, Usage::Ignored)
    }

    /// True if that rule asks with each ACK.
    #[inline]
    pub(super) const fn is_measured(&self) -> bool {
        matches!(self.usage, Usage::PipeAck(_))
    }

    /// True if new data was sent since nothing more could be.
    #[inline]
    pub(super) const fn has_sent_new(&self) -> bool {
        self.has_sent_new
    }

    /// A segment with data leaves.
    #[inline]
    pub(super) const fn on_sent(&mut self, now: Time, is_new: bool) {
        self.idle.on_sent(now);
        self.has_sent_new |= is_new;
    }

    /// Data is about to be sent after an idle period.
    pub(super) fn on_resume(&self, now: Time, rto: Duration, windows: Windows) -> IdleEvent {
        self.idle.on_resume(now, rto, windows)
    }

    /// An ACK moved SND.UNA, with the stream sent up to `sent_end`; returns the windows if they must shrink.
    pub(super) fn on_ack(
        &mut self,
        now: Time,
        number: u64,
        sent_end: u64,
        srtt: Option<Duration>,
        windows: Windows,
    ) -> Option<IdleEvent> {
        let windows = self.usage.on_ack(now, number, sent_end, srtt, windows)?;
        Some(IdleEvent { now, idle: Duration::ZERO, windows })
    }

    /// An ACK moved SND.UNA in a recovery or after a timeout: earlier measurements do not apply to the window after it.
    pub(super) fn restart(&mut self, now: Time, number: u64, sent_end: u64) {
        self.usage.restart(now, number, sent_end);
    }

    /// Nothing more may be sent for now, perhaps because the window is full, which counts where nothing new was sent; returns the
    /// windows if they must shrink.
    #[inline]
    pub(super) fn on_burst_end(&mut self, burst: &Burst, is_full: bool, windows: Windows) -> Option<IdleEvent> {
        let has_sent_new = std::mem::take(&mut self.has_sent_new);
        if !has_sent_new && (burst.is_drained || !is_full) {
            return None;
        }
        let windows = self.usage.on_burst_end(burst, windows)?;
        Some(IdleEvent { now: burst.now, idle: Duration::ZERO, windows })
    }

    /// Returns whether an ACK may open the window, with `flight` in flight before it.
    #[inline]
    pub(super) fn may_grow(&self, windows: Windows, flight: impl FnOnce() -> Bytes) -> bool {
        !self.is_observed() || self.usage.may_grow(windows, flight())
    }

    /// The flight that a loss reduces in place of `flight`, if the window is not validated (RFC 7661 §4.4.1).
    pub(super) fn unvalidated_flight(&self, window: f64, flight: Bytes) -> Option<Bytes> {
        self.usage.unvalidated_flight(window, flight)
    }
}
