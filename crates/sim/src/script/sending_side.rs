//! The sender as a script's end of a connection.

use airlink_model::transport::{Segment, Sender, Tcp};
use airlink_model::types::{Bytes, Duration, Time};

use super::ecn_words::EcnWords;
use super::endpoint::Endpoint;
use super::milliseconds;
use super::words::{Input, Output};

/// What `=` can look at.
pub(super) const QUANTITIES: &[&str] = &[
    "cwnd",
    "ssthresh",
    "flight",
    "rto",
    "srtt",
    "rtt",
    "timer",
    "recovering",
    "complete",
    "transmission",
    "oldest",
    "segments_sent",
    "retransmissions",
    "timeouts",
    "fast_retransmits",
    "duplicate_acks",
    "acks_received",
    "sack_retransmissions",
    "limited_transmits",
    "tail_loss_probes",
    "window_probes",
    "undone",
    "ecn_reductions",
];

pub(super) struct SendingSide {
    sender: Sender,
    mss: u64,
    /// Offered by ACKs that say nothing else.
    window: Bytes,
    latest: Option<Segment>,
}

impl SendingSide {
    pub(super) fn new(tcp: Tcp) -> Self {
        Self { sender: Sender::new(tcp), mss: tcp.mss.count(), window: tcp.first_window(), latest: None }
    }

    fn count(&self, name: &str) -> Option<u64> {
        let statistics = self.sender.statistics();
        Some(match name {
            "segments_sent" => statistics.segments_sent,
            "retransmissions" => statistics.retransmissions,
            "timeouts" => statistics.timeouts,
            "fast_retransmits" => statistics.fast_retransmits,
            "duplicate_acks" => statistics.duplicate_acks,
            "acks_received" => statistics.acks_received,
            "sack_retransmissions" => statistics.sack_retransmissions,
            "limited_transmits" => statistics.limited_transmits,
            "tail_loss_probes" => statistics.tail_loss_probes,
            "window_probes" => statistics.window_probes,
            "undone" => statistics.undone,
            "ecn_reductions" => statistics.ecn_reductions,
            _ => return None,
        })
    }
}

impl Endpoint for SendingSide {
    fn mss(&self) -> u64 {
        self.mss
    }

    fn put_in(&mut self, now: Time, input: &Input) {
        match input {
            Input::Open => self.sender.open(now),
            Input::Supply(bytes) => self.sender.supply(*bytes),
            Input::Stop => self.sender.stop(now),
            Input::Ack { number, times, window, sack, echo, ecn } => {
                self.window = window.map_or(self.window, Bytes::new);
                let mut ack = Segment::ack(*number, self.window);
                sack.iter().for_each(|block| ack.push_sack(block.clone()));
                ack.echo = (*echo).into();
                ack.flags |= ecn.flags;
                (0..*times).for_each(|_| self.sender.handle_packet(now, &ack));
            }
            _ => unreachable!("a line of a sender's script holds ACKs and commands only"),
        }
    }

    fn output(&mut self, now: Time) -> Option<Output> {
        self.latest = self.sender.poll_packet(now);
        let sender = &self.sender;
        self.latest.map(|segment| match segment.flags.syn() {
            true => Output::Syn {
                again: segment.retransmission,
                ecn: EcnWords::of(segment.flags, sender.ecn_field(&segment)),
            },
            false => Output::Data {
                range: segment.sequence..segment.end(),
                again: segment.retransmission,
                time: segment.timestamp.get(),
                ecn: EcnWords::of(segment.flags, sender.ecn_field(&segment)),
            },
        })
    }

    fn show(&self, name: &str) -> String {
        if let Some(count) = self.count(name) {
            return count.to_string();
        }
        let span = |span: Duration| milliseconds(span.as_nanos());
        match name {
            "cwnd" => format!("{:.0}", self.sender.cwnd()),
            "ssthresh" => format!("{:.0}", self.sender.ssthresh()),
            "flight" => self.sender.flight().count().to_string(),
            "rto" => span(self.sender.rto()),
            "srtt" => self.sender.srtt().map_or("none".into(), span),
            "rtt" => self.sender.clone().take_rtt_sample().map_or("none".into(), span),
            "timer" => self.sender.poll_timeout().map_or("off".into(), |due| milliseconds(due.as_nanos())),
            "recovering" => self.sender.in_recovery().to_string(),
            "complete" => self.sender.is_complete().to_string(),
            "transmission" => self.latest.map_or("none".into(), |segment| segment.transmission.to_string()),
            "oldest" => self.sender.oldest_outstanding().map_or("none".into(), |s| s.transmission.to_string()),
            _ => unreachable!("a line names quantities of the list only"),
        }
    }

    fn timer(&self) -> Option<Time> {
        self.sender.poll_timeout()
    }

    fn expire(&mut self, now: Time) {
        self.sender.handle_timeout(now);
    }
}
