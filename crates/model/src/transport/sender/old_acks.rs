//! What an ACK below SND.UNA does: one that others have overtaken may report what they do not (RFC 6675 §5: the blocks of
//! any ACK count; Linux, `tcp_ack`: `old_ack`).
//!
//! Its window, its echo and its number are outdated, so window, handshake, timers and round trips stay as they are. Linux
//! also leaves cwnd to the next ACK, though a recovery may begin; RFC 9937 counts what the ACK shows to have arrived.

use super::Sender;
use crate::transport::Ack;
use crate::transport::ack_summary::AckSummary;
use crate::transport::congestion::CongestionControl;
use crate::transport::recovery::Phase;
use crate::transport::words::RateReduction;
use crate::types::Time;

impl Sender {
    #[cold]
    pub(super) fn on_old_ack(&mut self, now: Time, ack: &Ack) {
        if self.config.rules.max_burst_segments > 0 {
            self.renew_burst(false, true); // ns-2, `aggressive_maxburst_`
        }
        if !(self.config.sack && self.config.rules.sack_of_old_acks && ack.has_sack()) {
            return;
        }
        if self.counter.is_on() {
            self.on_old_ack_by_counter(ack);
        } else if ack.number.saturating_add(self.window.largest()) >= self.scoreboard.start() {
            // RFC 5961 §5.2: one that is older than the largest window was not sent by this receiver.
            self.on_old_ack_by_pipe(now, ack);
        }
    }

    /// ns-2, `Sack1TcpAgent::recv`: outside a recovery it says nothing.
    fn on_old_ack_by_counter(&mut self, ack: &Ack) {
        if self.recovery.is_active() {
            self.counter.on_old_ack(ack.number);
            self.counter.on_sack(self.scoreboard.range(), ack.sack());
        }
    }

    fn on_old_ack_by_pipe(&mut self, now: Time, ack: &Ack) {
        let start = self.scoreboard.start();
        let mut summary = AckSummary::new(now, start, start, None);
        if self.config.rules.rack {
            summary.least_rtt = self.rack.least_rtt();
        }
        summary.duplicate_block = ack.duplicate_block().unwrap_or(0..0);
        self.scoreboard.on_sack(ack.sack(), &mut summary);
        summary.is_duplicate = summary.sacked.segments > 0;
        self.check_spurious(&summary);
        // A DSACK widens RACK's window by an ACK in order alone.
        summary.duplicate_block = 0..0;
        self.detect_losses(&summary);
        let window = self.control.window();
        if self.scoreboard.lost().segments > 0 && self.recovery.phase() == Phase::Open {
            self.begin_recovery(&summary);
        }
        if self.config.rules.prr == RateReduction::Linux {
            self.control.set_window(window);
        } else {
            self.move_window(&summary, summary.delivered, false, false);
        }
    }
}
