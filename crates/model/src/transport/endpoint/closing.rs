//! How a connection ends: the FINs of both ends (RFC 9293 §3.6) and the quiet time after them.
//!
//! A FIN takes the number after the last byte. It rides on the last segment if the end has closed before that leaves, else it
//! goes by itself, whatever the congestion window. Data that is outstanding is recovered first; then the FIN is sent again
//! with each timeout, which backs off as that of data does (RFC 6298 §5.5).

use crate::types::{Duration, Time};

use crate::transport::RtoConfig;

/// The ends of both directions. Only a connection that closes has one.
#[derive(Clone, Debug)]
pub(super) struct Closing {
    /// The application has closed: a FIN follows the data.
    pub(super) is_wanted: bool,
    /// The number of this end's FIN, once it has left.
    pub(super) own: Option<u64>,
    pub(super) is_acknowledged: bool,
    /// The FIN is to be sent again.
    pub(super) is_due: bool,
    /// The number of the other end's FIN, once one has arrived.
    pub(super) peer: Option<u64>,
    /// All before it has arrived, too.
    pub(super) has_all: bool,
    timer: Time,
    wait: Duration,
}

impl Closing {
    pub(super) const fn new() -> Self {
        Self {
            is_wanted: false,
            own: None,
            is_acknowledged: false,
            is_due: false,
            peer: None,
            has_all: false,
            timer: Time::NEVER,
            wait: Duration::ZERO,
        }
    }

    /// When its timer rings; never, when it is off.
    pub(super) const fn timer(&self) -> Time {
        self.timer
    }

    /// This end's FIN, with this number, leaves, for the first time or again.
    pub(super) fn on_sent(&mut self, now: Time, number: u64, rto: Duration) {
        if self.own.is_none() {
            self.own = Some(number);
            self.wait = rto;
        }
        self.is_due = false;
        self.timer = now + self.wait;
    }

    /// Data before the FIN was acknowledged: the FIN has a whole timeout from now on.
    pub(super) fn on_progress(&mut self, now: Time, rto: Duration) {
        self.wait = rto;
        self.timer = now + rto;
    }

    /// The timer rang while data is outstanding, which has a timer of its own: the FIN waits for it.
    pub(super) fn wait_again(&mut self, now: Time) {
        self.timer = now + self.wait;
    }

    /// The timer of the FIN rang.
    pub(super) fn on_timeout(&mut self, config: &RtoConfig) {
        self.is_due = true;
        self.timer = Time::NEVER;
        let longer = Duration::from_secs(self.wait.as_secs() * config.backoff_factor);
        self.wait = longer.min(config.max);
    }

    /// This end's FIN is acknowledged.
    pub(super) const fn on_acknowledged(&mut self) {
        self.is_acknowledged = true;
        self.is_due = false;
        self.timer = Time::NEVER;
    }

    /// The quiet time begins, or begins again.
    pub(super) fn stay_quiet(&mut self, now: Time, span: Duration) {
        self.timer = now + span;
    }

    /// Nothing is awaited any more.
    pub(super) const fn stop(&mut self) {
        self.timer = Time::NEVER;
        self.is_due = false;
    }
}
