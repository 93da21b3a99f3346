//! The receiver's part: a mark (CE) on data sets ECE on every ACK, until a segment with CWR shows that the sender has heard of it
//! (RFC 3168 §6.1.3).
//!
//! A mark counts only on data within the window (§6.1.5). A segment that brings CWR and CE ends one echo and begins the next.

use super::EcnMode;
use crate::transport::{Flags, Segment};
use crate::types::Ecn;

/// The echo of marks.
#[derive(Clone, Copy, Debug)]
pub(in crate::transport) struct Echo {
    /// Both ends take part.
    is_agreed: bool,
    /// A SYN has asked for ECN and is not answered yet.
    answers_syn: bool,
    /// ACKs carry ECE.
    is_latched: bool,
    /// The segment that came last has data within the window.
    may_mark: bool,
    /// The first mark and CWR are acknowledged at once (Linux).
    acks_at_once: bool,
}

impl Echo {
    /// None without ECN. With a handshake it begins with the SYN.
    pub(in crate::transport) fn new(mode: EcnMode, by_handshake: bool, acks_at_once: bool) -> Option<Self> {
        (mode == EcnMode::Rfc3168).then_some(Self {
            is_agreed: !by_handshake,
            answers_syn: false,
            is_latched: false,
            may_mark: false,
            acks_at_once,
        })
    }

    /// Whether both ends take part.
    pub(in crate::transport) const fn is_agreed(&self) -> bool {
        self.is_agreed
    }

    /// Both ends take part, or not.
    pub(in crate::transport) const fn settle(&mut self, is_agreed: bool) {
        self.is_agreed = is_agreed;
    }

    /// A segment came; `is_within` the window are some of its bytes. Returns whether an ACK is due at once.
    pub(in crate::transport) fn on_segment(&mut self, segment: &Segment, is_within: bool) -> bool {
        self.may_mark = is_within;
        let (asks, ends) = (Flags::ECE | Flags::CWR, segment.flags.has(Flags::CWR));
        if segment.flags.has(Flags::SYN) {
            self.answers_syn = segment.flags.has(asks);
            self.is_agreed |= self.answers_syn;
            return false;
        }
        self.is_latched &= !ends;
        ends && segment.length > 0 && self.acks_at_once
    }

    /// The packet of that segment had this ECN field. Returns whether an ACK is due at once.
    pub(in crate::transport) const fn on_field(&mut self, ecn: Ecn) -> bool {
        if !(self.is_agreed && self.may_mark && matches!(ecn, Ecn::Ce)) {
            return false;
        }
        let is_first = !self.is_latched;
        self.is_latched = true;
        is_first && self.acks_at_once
    }

    /// The flags that the next ACK carries.
    pub(in crate::transport) fn flags(&mut self) -> Flags {
        let answers_syn = std::mem::take(&mut self.answers_syn);
        if answers_syn || self.is_latched { Flags::ECE } else { Flags::NONE }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(flags: Flags) -> Segment {
        Segment { flags, ..Segment::data(0, 1000) }
    }

    fn agreed() -> Echo {
        Echo::new(EcnMode::Rfc3168, false, false).expect("ECN is on")
    }

    #[test]
    fn a_mark_is_echoed_until_cwr_and_one_on_the_same_segment_begins_anew() {
        let mut echo = agreed();
        for (flags, field, expected) in [
            (Flags::NONE, Ecn::Ect0, Flags::NONE),
            (Flags::NONE, Ecn::Ce, Flags::ECE),
            (Flags::NONE, Ecn::Ect0, Flags::ECE),
            (Flags::CWR, Ecn::Ect0, Flags::NONE),
            (Flags::NONE, Ecn::Ce, Flags::ECE),
            (Flags::CWR, Ecn::Ce, Flags::ECE),
            (Flags::CWR, Ecn::NotEct, Flags::NONE),
        ] {
            echo.on_segment(&data(flags), true);
            echo.on_field(field);
            assert_eq!(echo.flags(), expected, "{flags:?} {field:?}");
        }
    }

    #[test]
    fn a_mark_outside_the_window_or_before_agreement_is_not_echoed() {
        let mut echo = agreed();
        echo.on_segment(&data(Flags::NONE), false);
        echo.on_field(Ecn::Ce);
        assert_eq!(echo.flags(), Flags::NONE);
        let mut early = Echo::new(EcnMode::Rfc3168, true, false).expect("ECN is on");
        early.on_segment(&data(Flags::NONE), true);
        early.on_field(Ecn::Ce);
        assert_eq!(early.flags(), Flags::NONE);
        assert!(Echo::new(EcnMode::Off, false, false).is_none());
    }

    #[test]
    fn a_syn_that_asks_is_answered_once() {
        for (asks, expected) in
            [(Flags::ECE | Flags::CWR, Flags::ECE), (Flags::ECE, Flags::NONE), (Flags::NONE, Flags::NONE)]
        {
            let mut echo = Echo::new(EcnMode::Rfc3168, true, false).expect("ECN is on");
            echo.on_segment(&Segment { flags: Flags::SYN | asks, ..Segment::default() }, false);
            assert_eq!([echo.flags(), echo.flags()], [expected, Flags::NONE], "{asks:?}");
        }
    }
}
