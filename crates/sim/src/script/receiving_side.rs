//! The receiver as a script's end of a connection.

use std::collections::VecDeque;

use airlink_model::transport::{Flags, Receiver, Segment, Tcp};
use airlink_model::types::{Bytes, Ecn, Marks, Time};

use super::ecn_words::EcnWords;
use super::endpoint::Endpoint;
use super::milliseconds;
use super::words::{Input, Output};

/// What `=` can look at.
pub(super) const QUANTITIES: &[&str] = &["goodput", "refused", "timer"];

pub(super) struct ReceivingSide {
    receiver: Receiver,
    transmissions: u64,
    /// ACKs that went before the segment that came last.
    earlier: VecDeque<Segment>,
}

impl ReceivingSide {
    pub(super) fn new(tcp: &Tcp) -> Self {
        Self { receiver: Receiver::new(tcp), transmissions: 0, earlier: VecDeque::new() }
    }
}

impl Endpoint for ReceivingSide {
    fn mss(&self) -> u64 {
        1
    }

    fn put_in(&mut self, now: Time, input: &Input) {
        let (range, timestamp, echo, flags, ecn) = match input {
            Input::Data { range, time, echo, ecn } => (range.clone(), *time, *echo, ecn.flags, ecn.field),
            Input::Syn { time, ecn } => (0..0, *time, None, Flags::SYN | ecn.flags, ecn.field),
            _ => unreachable!("a line of a receiver's script holds segments only"),
        };
        let length = u32::try_from(range.end - range.start).expect("a range is shorter than 2^31");
        let (sequence, transmission) = (range.start, self.transmissions);
        self.transmissions += 1;
        let (timestamp, echo) = (timestamp.into(), echo.into());
        let segment = Segment { sequence, length, transmission, timestamp, echo, flags, ..Segment::default() };
        if self.receiver.acknowledges_first(now, &segment.piece()) {
            self.receiver.end_burst();
            self.earlier.extend(self.receiver.poll_packet(now));
        }
        self.receiver.handle_packet(now, &segment);
        if length > 0 && ecn != Ecn::NotEct {
            self.receiver.follow_marks(now, Bytes::new(length.into()), Marks { ecn, ..Marks::default() });
        }
    }

    fn end_line(&mut self) {
        self.receiver.end_burst();
    }

    fn output(&mut self, now: Time) -> Option<Output> {
        let ack = self.earlier.pop_front().or_else(|| self.receiver.poll_packet(now));
        ack.map(|ack| Output::Ack {
            number: ack.number,
            window: Some(ack.window.count()),
            sack: ack.sack().collect(),
            echo: ack.echo.get(),
            ecn: EcnWords::of(ack.flags, Ecn::NotEct),
        })
    }

    fn show(&self, name: &str) -> String {
        match name {
            "goodput" => self.receiver.goodput().count().to_string(),
            "refused" => self.receiver.refused().count().to_string(),
            "timer" => self.receiver.poll_timeout().map_or("off".into(), |due| milliseconds(due.as_nanos())),
            _ => unreachable!("a line names quantities of the list only"),
        }
    }

    fn timer(&self) -> Option<Time> {
        self.receiver.poll_timeout()
    }

    fn expire(&mut self, now: Time) {
        self.receiver.handle_timeout(now);
    }
}
