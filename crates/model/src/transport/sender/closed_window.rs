//! A window too small for what waits: when a part of a segment goes, and how the window is probed.
//!
//! Left out: a limit to the probes; a receiver that answers is never given up (RFC 1122 §4.2.2.17).

use crate::types::Time;

use super::Sender;
use super::sending::Next;
use crate::transport::Segment;
use crate::transport::rtt::Estimator;
use crate::transport::timer::Alarm;

impl Sender {
    /// The length of a new segment, if there is one and the receiver has room for it.
    pub(super) fn next_new_length(&self) -> Option<u32> {
        let length = self.new_segment_length()?;
        let end = self.scoreboard.end();
        if self.receiver_has_room(end, length) { Some(length) } else { self.part_for_small_window() }
    }

    /// RFC 9293 §3.8.6.2.1 rule 3: less than a segment goes if it is half of the largest window there ever was.
    fn part_for_small_window(&self) -> Option<u32> {
        let room = self.usable_window();
        let is_much = room > 0 && room >= self.largest_window.count() / 2;
        is_much.then(|| u32::try_from(room).unwrap_or(u32::MAX).min(self.mss))
    }

    /// SND.UNA + SND.WND - SND.NXT.
    fn usable_window(&self) -> u64 {
        let edge = self.scoreboard.start().saturating_add(self.receiver_window.count());
        edge.saturating_sub(self.scoreboard.end())
    }

    /// With nothing to send although data waits: if nothing is outstanding, no ACK will come unless it is asked for.
    pub(super) fn await_window(&mut self, now: Time) {
        if self.timer.at() == Time::NEVER && self.scoreboard.is_empty() && self.new_segment_length().is_some() {
            self.arm_persist_timer(now);
        }
    }

    #[cold]
    fn arm_persist_timer(&mut self, now: Time) {
        let wait = self.persist.wait(self.rto.rto(), self.config.rto.max);
        self.timer.arm(Alarm::Persist, now, wait);
    }

    /// An ACK arrived while the window is probed.
    #[inline(never)]
    pub(super) fn on_ack_of_probe(&mut self, now: Time) {
        if self.next_new_length().is_some() {
            self.persist.on_open();
            self.timer.stop();
            self.window_probe_is_due = false;
        } else if self.config.rto.estimator == Estimator::Linux {
            self.arm_persist_timer(now); // Linux, tcp_ack_probe: the wait starts again.
        }
    }

    /// The wait is over.
    pub(super) fn on_persist_timeout(&mut self, now: Time) {
        self.timer.stop();
        if self.new_segment_length().is_some() {
            self.persist.on_probe();
            self.window_probe_is_due = true;
            self.arm_persist_timer(now);
        }
    }

    pub(super) fn send_window_probe(&mut self, timestamp: Option<Time>) -> Segment {
        self.statistics.segments_sent += 1;
        self.scoreboard.empty_segment(timestamp)
    }

    /// RFC 9293 §3.8.6.2.1 rule 4: what fits goes now, however little; nothing at all is Linux's probe, which the receiver
    /// must answer as it must any segment out of place.
    pub(super) fn next_window_probe(&mut self) -> Next {
        self.window_probe_is_due = false;
        self.statistics.window_probes += 1;
        let waiting = self.new_segment_length().unwrap_or(0);
        match self.usable_window() {
            0 => Next::Empty,
            room => {
                self.persist.on_open();
                self.timer.stop(); // What goes out is data, and data has a timer of its own.
                Next::New(u32::try_from(room).unwrap_or(u32::MAX).min(waiting))
            }
        }
    }
}
