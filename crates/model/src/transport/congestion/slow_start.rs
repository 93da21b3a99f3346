//! Slow start, the same for every algorithm: how far an ACK opens the window, and what may end it before a loss.
//!
//! RFC 5681 §3.1 by ACKs, RFC 3465 §2.2 by bytes, or Linux's way by segments; ended by HyStart++ (RFC 9406), HyStart, or
//! only at ssthresh. Left out: limited slow start (RFC 3742).

use super::hystart::HyStart;
use super::hystart_plus_plus::HyStartPlusPlus;
use super::{AckEvent, LossEvent, Windows, fractional};
use crate::transport::{Growth, SlowStartExit, Tcp};

/// Slow start of one connection.
#[derive(Clone, Debug)]
pub(super) struct SlowStart {
    mss: f64,
    growth: Growth,
    /// RFC 3465 §2.2: L in bytes; `mss` after a timeout.
    limit: f64,
    exit: Exit,
    /// Whole segments only: segments acknowledged in conservative slow start and not yet turned into growth.
    pending: u32,
}

#[derive(Clone, Debug)]
enum Exit {
    AtLoss,
    HyStartPlusPlus(HyStartPlusPlus),
    HyStart(HyStart),
}

impl SlowStart {
    pub(super) fn new(config: &Tcp) -> Self {
        let mss = fractional(config.mss);
        let exit = match config.rules.slow_start_exit {
            SlowStartExit::Loss => Exit::AtLoss,
            SlowStartExit::HyStartPlusPlus => Exit::HyStartPlusPlus(HyStartPlusPlus::new()),
            SlowStartExit::HyStart => Exit::HyStart(HyStart::new(config)),
        };
        let limit = match (&exit, config.rules.growth) {
            (Exit::HyStartPlusPlus(_), _) => HyStartPlusPlus::limit_segments(config.pacing),
            (_, Growth::ByteCounting) => f64::from(config.rules.byte_counting_limit_segments),
            _ => f64::INFINITY,
        };
        Self { mss, growth: config.rules.growth, limit: limit * mss, exit, pending: 0 }
    }

    /// True if round trips may end it.
    pub(super) const fn has_delay_exit(&self) -> bool {
        !matches!(self.exit, Exit::AtLoss)
    }

    /// HyStart looks at every ACK before the window moves, also when the window isn't the limit.
    pub(super) fn on_ack_before_growth(&mut self, windows: &mut Windows, ack: &AckEvent) {
        if let Exit::HyStart(hystart) = &mut self.exit
            && hystart.on_ack(ack, windows)
        {
            windows.slow_start_threshold = windows.window;
        }
    }

    /// Opens the window by what `ack` acknowledges. Answers how many segments are left for congestion avoidance, where
    /// growth is by whole segments; else none is.
    #[inline]
    pub(super) fn grow(&mut self, windows: &mut Windows, ack: &AckEvent) -> u32 {
        let left = match self.growth {
            Growth::PerAck => {
                self.add(windows, self.per_ack(ack));
                0
            }
            Growth::ByteCounting => {
                self.add(windows, self.by_bytes(ack));
                0
            }
            Growth::WholeSegments => self.by_segments(windows, ack.acked_segments),
        };
        if let Exit::HyStartPlusPlus(hystart) = &mut self.exit
            && hystart.on_ack(ack)
        {
            // RFC 9406 §4.2: congestion avoidance begins at the window that conservative slow start has reached.
            windows.slow_start_threshold = windows.window;
        }
        left
    }

    /// RFC 9406 §4.3: HyStart++ is for the first slow start only.
    pub(super) fn on_loss(&mut self) {
        if let Exit::HyStartPlusPlus(_) = self.exit {
            self.exit = Exit::AtLoss;
        }
        self.pending = 0;
    }

    /// RFC 3465 §2.3: in the slow start after a timeout L is 1, because an ACK may then cover much that had arrived
    /// before.
    pub(super) fn on_timeout(&mut self, loss: &LossEvent) {
        self.on_loss();
        self.limit = self.mss;
        if let Exit::HyStart(hystart) = &mut self.exit {
            hystart.restart(loss.now, loss.sent_end);
        }
    }

    /// RFC 5681 §3.1 eq. (2): min(N, SMSS).
    fn per_ack(&self, ack: &AckEvent) -> f64 {
        fractional(ack.acked).min(self.mss)
    }

    /// RFC 3465 §2.2, RFC 9406 §4.2: min(N, L * SMSS).
    fn by_bytes(&self, ack: &AckEvent) -> f64 {
        fractional(ack.acked).min(self.limit)
    }

    /// cwnd += growth, divided in conservative slow start (RFC 9406 §4.2).
    fn add(&self, windows: &mut Windows, growth: f64) {
        windows.window += match &self.exit {
            Exit::HyStartPlusPlus(hystart) => growth / f64::from(hystart.growth_divisor()),
            _ => growth,
        };
    }

    /// Linux, `tcp_slow_start`: a segment for each acknowledged, up to ssthresh.
    fn by_segments(&mut self, windows: &mut Windows, acked: u32) -> u32 {
        let divisor = if let Exit::HyStartPlusPlus(hystart) = &self.exit { hystart.growth_divisor() } else { 1 };
        self.pending += acked;
        let (opened, rest) = (self.pending / divisor, self.pending % divisor);
        self.pending = rest;
        let wanted = windows.window + f64::from(opened) * self.mss;
        windows.window = wanted.min(windows.slow_start_threshold);
        // What is above ssthresh is a whole number of segments when both windows are; the cast rounds it down.
        ((wanted - windows.window) / self.mss) as u32
    }
}
