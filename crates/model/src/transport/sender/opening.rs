//! Opening a connection: at once, or by a SYN and its answer (RFC 9293 §3.5).
//!
//! The SYN is a segment without bytes, and the answer an ACK of nothing: it shows the first round trip. Left out: the SYN
//! takes no sequence number, options are agreed on beforehand, and the receiver's SYN is not repeated (its ACK of data
//! opens the connection as well).

use crate::types::{Duration, Time};

use super::Sender;
use super::acks::possible_echo;
use super::sending::Next;
use crate::transport::congestion::CongestionControl;
use crate::transport::rtt::Estimator;
use crate::transport::timer::Alarm;
use crate::transport::{Ack, InitialWindow, LostSynWindow, ReductionOf, Segment};

/// Linux repeats a SYN so often before it waits longer ("tcp_syn_linear_timeouts").
const LINUX_STEADY_REPETITIONS: u32 = 4;

/// How far the opening is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opening {
    /// The first SYN was sent.
    started: bool,
    first_sent_at: Time,
    sent_at: Time,
    /// SYNs repeated.
    repeated: u32,
}

impl Opening {
    const START: Self = Self { started: false, first_sent_at: Time::NEVER, sent_at: Time::NEVER, repeated: 0 };
}

impl Sender {
    /// Opens the connection: from now on data is sent or, with a handshake, from the answer to the SYN on.
    pub fn open(&mut self, _now: Time) {
        if self.is_open || self.opening.is_some() {
            return;
        }
        if self.config.handshake {
            self.opening = Some(Opening::START);
            self.syn_is_due = true;
        } else {
            self.is_open = true;
        }
    }

    pub(super) fn next_syn(&mut self) -> Next {
        self.syn_is_due = false;
        Next::Syn
    }

    /// Notes the SYN that goes out, and sets the timer (RFC 6298 §5.1).
    pub(super) fn send_syn(&mut self, now: Time) -> Segment {
        let opening = self.opening.as_mut().expect("a SYN opens");
        let is_repeated = std::mem::replace(&mut opening.started, true);
        opening.first_sent_at = opening.first_sent_at.min(now);
        opening.sent_at = now;
        opening.repeated += u32::from(is_repeated);
        self.statistics.segments_sent += 1;
        self.statistics.retransmissions += u64::from(is_repeated);
        let timestamp = self.config.timestamps.then_some(now);
        self.timer.arm(Alarm::Retransmission, now, self.rto.rto());
        Segment { syn: true, retransmission: is_repeated, ..self.scoreboard.empty_segment(timestamp) }
    }

    /// RFC 6298 §5.4-5.6 for a SYN.
    pub(super) fn on_syn_timeout(&mut self, now: Time) {
        self.statistics.timeouts += 1;
        let repeated = self.opening.map_or(0, |opening| opening.repeated);
        let is_steady = self.config.rto.estimator == Estimator::Linux && repeated < LINUX_STEADY_REPETITIONS;
        if !is_steady {
            self.rto.back_off();
        }
        // ns-2.35, `TcpAgent::timeout`: a SYN is packet 0, and its loss one like any other.
        if self.config.rules.reduction_of == ReductionOf::Window {
            self.control.set_window(f64::from(self.mss));
            self.control.on_timeout(&self.loss_event(now, false));
        }
        self.syn_is_due = true;
        self.timer.arm(Alarm::Retransmission, now, self.rto.rto());
    }

    /// The answer to the SYN.
    #[inline(never)]
    pub(super) fn on_opened(&mut self, now: Time, ack: &Ack) {
        let Some(opening) = self.opening.take_if(|opening| opening.started) else {
            return;
        };
        self.is_open = true;
        self.syn_is_due = false;
        self.burst_left = self.whole_burst();
        self.receiver_window = ack.window;
        self.timer.stop();
        let echo = possible_echo(now, ack).filter(|_| self.config.timestamps);
        if let Some(sent_at) = echo.or((opening.repeated == 0).then_some(opening.sent_at)) {
            self.latest_rtt = Some(now.since(sent_at));
            self.rack.on_handshake(now.since(sent_at));
            self.rto.on_sample(sent_at, now);
            self.on_handshake_sample();
        } else if self.config.rto.estimator != Estimator::Ns2 {
            // RFC 6298 §5.7: after a lost SYN the first data gets at least 3 s. ns-2 keeps the back-off.
            self.rto.start_again(Duration::from_millis(3000));
        }
        if opening.repeated > 0 {
            self.set_window_after_lost_syn(&opening, echo);
        }
    }

    fn set_window_after_lost_syn(&mut self, opening: &Opening, echo: Option<Time>) {
        let (usual, is_first) = (self.config.initial_window, opening.repeated == 1);
        let window = match self.config.rules.initial_window_after_lost_syn {
            // Linux, `tcp_try_undo_spurious_syn`: the first SYN was answered, so none was lost.
            LostSynWindow::ForgivesFirst if is_first || echo == Some(opening.first_sent_at) => {
                self.config.window_by(usual)
            }
            LostSynWindow::FallsBack if is_first && usual != InitialWindow::Segments => {
                self.config.window_by(InitialWindow::Segments)
            }
            _ => f64::from(self.mss),
        };
        self.control.set_window(window);
    }
}
