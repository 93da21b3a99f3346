//! What a flow does next. The timers of either end are remembered: an ACK moves those of the server, a delivery those of the user, and
//! a packet that enters the network none.

use airlink_model::types::{Direction, Time};

use super::RunningFlow;
use super::ends::End;
use crate::events::Next;

impl RunningFlow {
    /// The next event: a packet at the base station, a packet at the server, or a timer.
    pub(crate) fn next_event(&mut self) -> Next {
        self.look_at_server();
        self.next_after_delivery()
    }

    /// The same where the server's timers are as they were when it was last asked.
    #[inline]
    pub(crate) fn next_after_delivery(&mut self) -> Next {
        if let End::Receives(receiver) = self.ends.at_start_of(Direction::Up) {
            let timer = receiver.poll_timeout().unwrap_or(Time::NEVER);
            self.timers[1] = timer.min(self.application.poll_timeout());
        }
        self.next_after_arrival()
    }

    /// The same where the user's timers are as they were.
    #[inline]
    pub(crate) fn next_after_acks(&mut self) -> Next {
        self.look_at_server();
        self.next_after_arrival()
    }

    #[inline]
    pub(super) fn look_at_server(&mut self) {
        if let End::Sends(sender) = self.ends.at_start_of(Direction::Down) {
            self.timers[0] = sender.poll_timeout().unwrap_or(Time::NEVER).min(self.switch_at);
        }
    }

    /// The same where all timers are as they were.
    #[inline]
    pub(crate) fn next_after_arrival(&self) -> Next {
        if !self.is_download {
            return self.next_of_others();
        }
        let timers = self.timers[0].min(self.timers[1]);
        debug_assert_eq!(
            timers,
            self.ends.poll_timeout().min(self.switch_at).min(self.application.poll_timeout()),
            "a timer has moved unseen"
        );
        let arrival = self.downlink.poll_timeout().unwrap_or(Time::NEVER);
        let ack = if self.is_ahead { Time::NEVER } else { self.next_ack() };
        Next::of(if self.reaches_at_once { [Time::NEVER, ack.min(arrival), timers] } else { [arrival, ack, timers] })
    }

    /// When the next packet reaches the server.
    #[inline]
    pub(super) fn next_ack(&self) -> Time {
        self.uplink.poll_timeout().unwrap_or(Time::NEVER)
    }

    /// The same where there is more than a download over wires.
    #[inline(never)]
    fn next_of_others(&self) -> Next {
        if let Some(sending) = &self.datagrams {
            return self.next_of_datagrams(sending);
        }
        let or_never = |time: Option<Time>| time.unwrap_or(Time::NEVER);
        let timers = self.ends.poll_timeout().min(self.switch_at).min(self.application.poll_timeout());
        let timers = match &self.dialogue {
            None => timers,
            Some(dialogue) => timers.min(dialogue.poll_timeout()),
        };
        let arrival = or_never(self.downlink.poll_timeout());
        let arrival = self.leaving.front().map_or(arrival, |packet| arrival.min(packet.sent_at));
        Next::of([arrival, or_never(self.uplink.poll_timeout()), timers])
    }
}
