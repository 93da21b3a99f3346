//! What keeps a sender from sending: asked when it has sent all that it may, it is a function of its state.
//!
//! Of two full windows the smaller one keeps it, of two equal ones the receiver's. Whatever else holds a segment back that
//! both windows have room for (pacing, the rules of a recovery, a sender's own window that follows prices) is congestion control as well. It leaves out: which of its
//! rules that is, and the silence before a timeout, which is only known afterwards.

use super::Sender;

/// What keeps a sender from sending more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The connection is not open yet.
    Opening,
    /// Everything supplied was sent, and nothing waits to be sent again.
    Supply,
    /// The receiver's window (RFC 9293 §3.8.6).
    ReceiverWindow,
    /// cwnd, or another rule of congestion control.
    CongestionWindow,
}

impl Sender {
    /// What keeps it from sending, now that [`Sender::poll_packet`] has answered `None`.
    pub fn limit(&self) -> Limit {
        if !self.handshake.is_open() {
            return Limit::Opening;
        }
        if self.scoreboard.has_waiting() {
            return Limit::CongestionWindow;
        }
        let Some(length) = self.new_segment_length() else {
            return Limit::Supply;
        };
        let is_smaller = self.window.bytes().count() <= self.whole_window();
        let may_be_receiver = is_smaller || self.cwnd_has_room(length);
        if may_be_receiver && !self.window.has_room(self.scoreboard.start(), self.scoreboard.end(), length) {
            Limit::ReceiverWindow
        } else {
            Limit::CongestionWindow
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::{Ack, Tcp};
    use crate::types::{Bytes, Time};

    /// A sender of segments of 1000 bytes that has sent what it may of `supplied` bytes.
    fn sender(congestion_segments: u32, receiver_bytes: u64, supplied: u64) -> Sender {
        let mut sender = Sender::new(Tcp {
            mss: Bytes::new(1000),
            initial_window_segments: congestion_segments,
            receiver_window: Bytes::new(receiver_bytes),
            ..Tcp::default()
        });
        sender.open(Time::ZERO);
        sender.supply(Bytes::new(supplied));
        while sender.poll_packet(Time::ZERO).is_some() {}
        sender
    }

    #[test]
    fn of_two_windows_the_smaller_one_keeps_it_and_of_equal_ones_the_receivers() {
        for (congestion, receiver, limit) in [
            (4, 2000, Limit::ReceiverWindow),
            (4, 4000, Limit::ReceiverWindow),
            (4, 4001, Limit::CongestionWindow),
            (4, 9000, Limit::CongestionWindow),
        ] {
            assert_eq!(sender(congestion, receiver, u64::MAX).limit(), limit, "{congestion} and {receiver}");
        }
    }

    #[test]
    fn a_window_with_room_for_less_than_a_segment_is_full() {
        // 3 segments are out; the receiver has room for 999 bytes, cwnd for 1000.
        assert_eq!(sender(4, 3999, u64::MAX).limit(), Limit::ReceiverWindow);
    }

    #[test]
    fn with_nothing_unsent_it_waits_for_the_application_and_before_it_is_open_for_that() {
        assert_eq!(sender(4, 9000, 2500).limit(), Limit::Supply);
        assert_eq!(sender(4, 9000, 4000).limit(), Limit::Supply);
        assert_eq!(Sender::new(Tcp::default()).limit(), Limit::Opening);
    }

    #[test]
    fn what_a_timeout_gave_up_waits_for_the_congestion_window() {
        let mut sender = sender(4, 4000, 4000);
        let timeout = sender.poll_timeout().expect("data is outstanding");
        sender.handle_timeout(timeout);
        while sender.poll_packet(timeout).is_some() {}
        assert_eq!(sender.limit(), Limit::CongestionWindow);
    }

    #[test]
    fn a_window_that_closes_keeps_it_however_large_it_was() {
        let mut sender = sender(4, 9000, u64::MAX);
        sender.handle_packet(Time::from_nanos(1), &Ack::new(4000, Bytes::ZERO));
        while sender.poll_packet(Time::from_nanos(1)).is_some() {}
        assert_eq!(sender.limit(), Limit::ReceiverWindow);
    }
}
