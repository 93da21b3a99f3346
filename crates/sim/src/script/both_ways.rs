//! An endpoint as a script's end of a connection: data and ACKs, both ways.

use airlink_model::transport::{self, Flags, Segment, Statistics, Tcp};
use airlink_model::types::{Bytes, Duration, Ecn, Marks, Time};

use super::ecn_words::EcnWords;
use super::endpoint::Endpoint;
use super::milliseconds;
use super::segment_words::SegmentWords;
use super::words::{Input, Output};

/// What `=` can look at.
pub(super) const QUANTITIES: &[&str] = &[
    "state",
    "goodput",
    "refused",
    "timer",
    "cwnd",
    "flight",
    "srtt",
    "rto",
    "acknowledged",
    "complete",
    "reset",
    "retransmissions",
    "duplicate_acks",
    "timeouts",
    "segments_sent",
    "ecn_reductions",
];

pub(super) struct BothWays {
    endpoint: transport::Endpoint,
    mss: u64,
    /// Offered by segments that say nothing else.
    window: Bytes,
    /// Where the other end's stream has come to: segments that name no bytes stand there.
    next: u64,
    transmissions: u64,
}

impl BothWays {
    pub(super) fn new(tcp: Tcp) -> Self {
        let (mss, window) = (tcp.mss.count(), tcp.first_window());
        Self { endpoint: transport::Endpoint::new(tcp), mss, window, next: 0, transmissions: 0 }
    }

    fn segment(&mut self, words: &SegmentWords) -> Segment {
        self.window = words.window.map_or(self.window, Bytes::new);
        let bytes = words.range.clone().unwrap_or(self.next..self.next);
        let flags = [(words.syn, Flags::SYN), (words.fin, Flags::FIN), (words.rst, Flags::RST)];
        let flags = flags.iter().filter(|(is_set, _)| *is_set).fold(Flags::NONE, |all, (_, flag)| all | *flag);
        let length = u32::try_from(bytes.end - bytes.start).expect("a range is shorter than 2^31");
        let mut segment = Segment { window: self.window, ..Segment::data(bytes.start, length) };
        segment.flags = flags | words.ecn.flags;
        if let Some(number) = words.ack {
            segment.number = number;
            segment.flags |= Flags::ACK;
        }
        words.sack.iter().for_each(|block| segment.push_sack(block.clone()));
        (segment.timestamp, segment.echo) = (words.time.into(), words.echo.into());
        segment.transmission = self.transmissions;
        self.transmissions += 1;
        self.next = self.next.max(segment.next_number());
        segment
    }

    /// The endpoint takes in the segment of a packet with this field.
    fn take_in(&mut self, now: Time, segment: &Segment, ecn: Ecn) {
        self.endpoint.handle_packet(now, segment);
        if segment.length > 0
            && let Some(receiver) = self.endpoint.receiver_mut()
        {
            receiver.follow_marks(now, Bytes::new(segment.length.into()), Marks { ecn, ..Marks::default() });
        }
    }

    fn field(&self, segment: &Segment) -> Ecn {
        self.endpoint.sender().map_or(Ecn::NotEct, |sender| sender.ecn_field(segment))
    }

    fn statistics(&self) -> Statistics {
        self.endpoint.sender().map(|sender| sender.statistics()).unwrap_or_default()
    }
}

impl Endpoint for BothWays {
    fn mss(&self) -> u64 {
        self.mss
    }

    fn put_in(&mut self, now: Time, input: &Input) {
        match input {
            Input::Open => self.endpoint.open(now),
            Input::Listen => self.endpoint.listen(),
            Input::Close => self.endpoint.close(now),
            Input::Abort => self.endpoint.abort(now),
            Input::Supply(bytes) => self.endpoint.supply(*bytes),
            Input::Segment(words, times) => {
                let segment = self.segment(words);
                (0..*times).for_each(|_| self.take_in(now, &segment, words.ecn.field));
            }
            _ => unreachable!("a line of an endpoint's script holds segments and its commands only"),
        }
    }

    fn output(&mut self, now: Time) -> Option<Output> {
        self.endpoint.poll_packet(now).map(|segment| {
            Output::Segment(SegmentWords {
                syn: segment.flags.syn(),
                fin: segment.flags.fin(),
                rst: segment.flags.rst(),
                range: Some(segment.sequence..segment.end()),
                again: segment.retransmission,
                ack: segment.flags.ack().then_some(segment.number),
                window: segment.flags.ack().then_some(segment.window.count()),
                sack: segment.sack().collect(),
                time: segment.timestamp.get(),
                echo: segment.echo.get(),
                ecn: EcnWords::of(segment.flags, self.field(&segment)),
            })
        })
    }

    fn show(&self, name: &str) -> String {
        let (sender, receiver) = (self.endpoint.sender(), self.endpoint.receiver());
        let span = |span: Duration| milliseconds(span.as_nanos());
        match name {
            "state" => self.endpoint.state().word().into(),
            "goodput" => self.endpoint.goodput().count().to_string(),
            "refused" => receiver.map_or(0, |it| it.refused().count()).to_string(),
            "timer" => self.endpoint.poll_timeout().map_or("off".into(), |due| milliseconds(due.as_nanos())),
            "cwnd" => sender.map_or("none".into(), |it| format!("{:.0}", it.cwnd())),
            "flight" => sender.map_or(0, |it| it.flight().count()).to_string(),
            "srtt" => sender.and_then(|it| it.srtt()).map_or("none".into(), span),
            "rto" => sender.map_or("none".into(), |it| span(it.rto())),
            "acknowledged" => sender.map_or(0, |it| it.acknowledged().count()).to_string(),
            "complete" => sender.is_none_or(|it| it.is_complete()).to_string(),
            "reset" => self.endpoint.was_reset().to_string(),
            "retransmissions" => self.statistics().retransmissions.to_string(),
            "duplicate_acks" => self.statistics().duplicate_acks.to_string(),
            "timeouts" => self.statistics().timeouts.to_string(),
            "segments_sent" => self.endpoint.segments_sent().to_string(),
            "ecn_reductions" => self.statistics().ecn_reductions.to_string(),
            _ => unreachable!("a line names quantities of the list only"),
        }
    }

    fn timer(&self) -> Option<Time> {
        self.endpoint.poll_timeout()
    }

    fn expire(&mut self, now: Time) {
        self.endpoint.handle_timeout(now);
    }
}
