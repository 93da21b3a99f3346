//! The sender's part: which segments can be marked, and what their echo does (RFC 3168 §6.1.2).
//!
//! | what | where in RFC 3168 |
//! | --- | --- |
//! | new data can be marked (ECT(0)); SYN, pure ACKs, retransmissions and window probes cannot | §6.1.1, §6.1.4, §6.1.5, §6.1.6 |
//! | an echo (ECE) reduces the window as a loss does, once for what was sent before the reduction | §6.1.2 |
//! | the first new data after any reduction carries CWR; until it is acknowledged an echo belongs to that reduction | §6.1.2 |
//! | an ACK with an echo does not open the window | §6.1.2 |
//! | a window of two segments becomes one; with one, new data waits for an RTO | §6.1.2 |
//!
//! Left out: a loss of the segment with CWR as a reason of its own to reduce again, which is a loss like any other here.

use super::EcnMode;
use crate::transport::{Flags, Segment};
use crate::types::{Ecn, Time};

/// What a sender knows of marks.
#[derive(Clone, Copy, Debug)]
pub(in crate::transport) struct Response {
    /// Both ends take part.
    is_agreed: bool,
    /// The other end's SYN has settled that: no answer to this end's does.
    is_settled: bool,
    /// Reductions of the window that a CWR has announced.
    announced: u64,
    /// The first byte after the one sent when the latest announcement left: an echo up to there is answered.
    answered_to: Option<u64>,
    /// No new data before this.
    held_until: Time,
}

impl Response {
    /// None without ECN. With a handshake it begins with the answer to the SYN.
    pub(in crate::transport) fn new(mode: EcnMode, by_handshake: bool) -> Option<Box<Self>> {
        (mode == EcnMode::Rfc3168).then(|| {
            Box::new(Self {
                is_agreed: !by_handshake,
                is_settled: false,
                announced: 0,
                answered_to: None,
                held_until: Time::ZERO,
            })
        })
    }

    /// An answer to the SYN with these flags came, after so many reductions.
    pub(in crate::transport) fn on_answer_to_syn(&mut self, flags: Flags, reductions: u64) {
        if !self.is_settled {
            self.is_agreed = flags.has(Flags::ECE) && !flags.has(Flags::CWR);
        }
        self.announced = reductions;
    }

    /// The other end's SYN asks for ECN or not, before this end's leaves.
    pub(in crate::transport) const fn settle(&mut self, is_agreed: bool) {
        self.is_agreed = is_agreed;
        self.is_settled = true;
    }

    /// The flags of this end's SYN: a request or, once that is settled, the answer.
    pub(in crate::transport) fn syn_flags(&self) -> Flags {
        match (self.is_settled, self.is_agreed) {
            (false, _) => Flags::ECE | Flags::CWR,
            (true, true) => Flags::ECE,
            (true, false) => Flags::NONE,
        }
    }

    /// Whether both ends take part.
    pub(in crate::transport) const fn is_agreed(&self) -> bool {
        self.is_agreed
    }

    /// The ECN field of the packet that carries `segment`.
    pub(in crate::transport) fn field(&self, segment: &Segment) -> Ecn {
        let is_new_data = segment.length > 0 && !segment.retransmission && !segment.flags.has(Flags::SYN);
        if self.is_agreed && is_new_data { Ecn::Ect0 } else { Ecn::NotEct }
    }

    /// New data from `sequence` on leaves after so many reductions. Returns the flags that it carries.
    pub(in crate::transport) const fn on_new_data(&mut self, sequence: u64, reductions: u64) -> Flags {
        if !self.is_agreed || self.announced == reductions {
            return Flags::NONE;
        }
        self.announced = reductions;
        self.answered_to = Some(sequence);
        Flags::CWR
    }

    /// Whether an echo on an ACK up to `number`, after so many reductions, asks for another one.
    pub(in crate::transport) fn asks_for_reduction(&self, number: u64, reductions: u64) -> bool {
        self.is_agreed && self.announced == reductions && self.answered_to.is_none_or(|end| number > end)
    }

    /// New data waits until `time`.
    pub(in crate::transport) const fn hold_until(&mut self, time: Time) {
        self.held_until = time;
    }

    /// When new data may leave that waits at `now`; never if none does.
    pub(in crate::transport) fn wake(&self) -> Time {
        if self.held_until == Time::ZERO { Time::NEVER } else { self.held_until }
    }

    /// Whether new data waits at `now`; the wait ends with its time.
    pub(in crate::transport) fn holds(&mut self, now: Time) -> bool {
        if now >= self.held_until {
            self.held_until = Time::ZERO;
        }
        now < self.held_until
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agreed() -> Response {
        *Response::new(EcnMode::Rfc3168, false).expect("ECN is on")
    }

    #[test]
    fn only_new_data_of_a_connection_that_has_agreed_can_be_marked() {
        let data = Segment::data(1000, 500);
        for (segment, expected) in [
            (data, Ecn::Ect0),
            (Segment { retransmission: true, ..data }, Ecn::NotEct),
            (Segment { length: 0, ..data }, Ecn::NotEct),
            (Segment { flags: Flags::SYN, ..data }, Ecn::NotEct),
        ] {
            assert_eq!(agreed().field(&segment), expected, "{segment:?}");
        }
        for (flags, expected) in
            [(Flags::ECE, Ecn::Ect0), (Flags::ECE | Flags::CWR, Ecn::NotEct), (Flags::NONE, Ecn::NotEct)]
        {
            let mut response = *Response::new(EcnMode::Rfc3168, true).expect("ECN is on");
            assert_eq!(response.field(&data), Ecn::NotEct);
            response.on_answer_to_syn(Flags::ACK | flags, 0);
            assert_eq!(response.field(&data), expected, "{flags:?}");
        }
    }

    #[test]
    fn an_echo_asks_once_until_the_announcement_is_acknowledged() {
        let mut response = agreed();
        assert!(response.asks_for_reduction(1000, 0));
        // Reduced, and not announced yet; then announced with the data from 8000 on.
        assert!(!response.asks_for_reduction(2000, 1));
        assert_eq!(response.on_new_data(8000, 1), Flags::CWR);
        assert_eq!(response.on_new_data(9000, 1), Flags::NONE);
        assert!(!response.asks_for_reduction(8000, 1) && response.asks_for_reduction(8001, 1));
    }

    #[test]
    fn a_hold_ends_with_its_time() {
        let mut response = agreed();
        let at = Time::from_nanos(5);
        assert_eq!(response.wake(), Time::NEVER);
        response.hold_until(at);
        assert!(response.holds(Time::from_nanos(4)) && response.wake() == at);
        assert!(!response.holds(at) && response.wake() == Time::NEVER);
    }
}
