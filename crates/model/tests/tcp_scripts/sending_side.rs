//! The sender as a script's endpoint.
//!
//! Inputs: `open`, `supply N`, `endless`, `stop`, `ack N`, then any of `times K`, `window W`, `sack A..B ..`, `echo T`.
//! Outputs: `A..B` (one or more segments that fill that range), `A..B again` for retransmissions, `syn`.

use airlink_model::transport::{
    Acknowledgment, Algorithm, InitialWindowRule, RtoConfig, Segment, Sender, SenderConfig,
};
use airlink_model::types::{Bytes, Duration, Time};

use super::script::{Endpoint, play};

pub const MSS: u64 = 1000;

/// One segment to start with, no limit by ssthresh or receiver, RFC timers.
pub fn config(congestion_control: Algorithm) -> SenderConfig {
    SenderConfig {
        mss: Bytes::new(MSS),
        congestion_control,
        initial_window: InitialWindowRule::Segments(1),
        initial_ssthresh_segments: f64::INFINITY,
        receiver_window: Bytes::new(1_000_000),
        duplicate_ack_threshold: 3,
        guard_after_timeout: true,
        rto: RtoConfig::default(),
        ..SenderConfig::default()
    }
}

/// Starts with a window of `segments`, in congestion avoidance.
pub fn steady(congestion_control: Algorithm, segments: u32) -> SenderConfig {
    SenderConfig {
        initial_window: InitialWindowRule::Segments(segments),
        initial_ssthresh_segments: f64::from(segments),
        ..config(congestion_control)
    }
}

/// Plays a script to a sender built from `config`.
pub fn script(config: SenderConfig, text: &str) {
    play(SendingSide { sender: Sender::new(config), window: config.receiver_window, sent: None }, text);
}

struct SendingSide {
    sender: Sender,
    window: Bytes,
    sent: Option<Segment>,
}

fn number(word: &str) -> u64 {
    word.parse().expect("a number")
}

fn milliseconds(span: Duration) -> String {
    format!("{}", span.as_nanos() as f64 / 1e6)
}

impl SendingSide {
    /// `ack` and what may follow it.
    fn acknowledge(&mut self, now: Time, up_to: u64, options: &[&str]) {
        let (mut times, mut echo, mut blocks) = (1, None, Vec::new());
        let mut words = options.iter();
        while let Some(word) = words.next() {
            match (*word, word.split_once("..")) {
                ("times", _) => times = number(words.next().expect("how often")),
                ("window", _) => self.window = Bytes::new(number(words.next().expect("a window"))),
                ("echo", _) => echo = Some(Time::ZERO + Duration::from_millis(number(words.next().expect("a time")))),
                ("sack", _) => {}
                (_, Some((start, end))) => blocks.push(number(start)..number(end)),
                _ => panic!("unknown option {word}"),
            }
        }
        let mut ack = Acknowledgment::new(up_to, self.window);
        ack.echo = echo;
        blocks.into_iter().for_each(|block| ack.push_sack(block));
        (0..times).for_each(|_| self.sender.handle_packet(now, &ack));
    }
}

impl Endpoint for SendingSide {
    fn input(&mut self, now: Time, words: &[&str]) {
        match words {
            ["open"] => self.sender.open(now),
            ["endless"] => self.sender.supply(Bytes::UNLIMITED),
            ["supply", bytes] => self.sender.supply(Bytes::new(number(bytes))),
            ["stop"] => self.sender.stop(now),
            ["ack", up_to, options @ ..] => self.acknowledge(now, number(up_to), options),
            _ => panic!("unknown input {words:?}"),
        }
    }

    fn output(&mut self, now: Time) -> Option<String> {
        self.sent = self.sender.poll_packet(now);
        self.sent.map(|segment| {
            let again = if segment.retransmission { " again" } else { "" };
            if segment.syn {
                return format!("syn{again}");
            }
            format!("{}..{}{again}", segment.sequence, segment.end())
        })
    }

    fn expand(&self, expected: &str) -> Vec<String> {
        let (range, again) = expected.split_once(' ').map_or((expected, ""), |(range, _)| (range, " again"));
        if range == "syn" {
            return vec![expected.to_string()];
        }
        let (start, end) = range.split_once("..").expect("a range of bytes");
        if start == end {
            return vec![expected.to_string()];
        }
        let end = number(end);
        let starts = (number(start)..end).step_by(usize::try_from(MSS).unwrap());
        starts.map(|start| format!("{start}..{}{again}", end.min(start + MSS))).collect()
    }

    fn show(&self, name: &str) -> String {
        let statistics = self.sender.statistics();
        match name {
            "cwnd" => format!("{:.0}", self.sender.cwnd()),
            "ssthresh" => format!("{:.0}", self.sender.ssthresh()),
            "flight" => self.sender.flight().count().to_string(),
            "rto" => milliseconds(self.sender.rto()),
            "srtt" => self.sender.srtt().map_or("none".into(), milliseconds),
            "rtt" => self.sender.clone().take_rtt_sample().map_or("none".into(), milliseconds),
            "timer" => self.sender.poll_timeout().map_or("off".into(), |due| milliseconds(due.since(Time::ZERO))),
            "recovering" => self.sender.in_recovery().to_string(),
            "complete" => self.sender.is_complete().to_string(),
            "transmission" => self.sent.map_or("none".into(), |segment| segment.transmission.to_string()),
            "oldest" => self.sender.oldest_outstanding().map_or("none".into(), |s| s.transmission.to_string()),
            "segments_sent" => statistics.segments_sent.to_string(),
            "sack_retransmissions" => statistics.sack_retransmissions.to_string(),
            "window_probes" => statistics.window_probes.to_string(),
            "limited_transmits" => statistics.limited_transmits.to_string(),
            "retransmissions" => statistics.retransmissions.to_string(),
            "timeouts" => statistics.timeouts.to_string(),
            "fast_retransmits" => statistics.fast_retransmits.to_string(),
            "duplicate_acks" => statistics.duplicate_acks.to_string(),
            "acks_received" => statistics.acks_received.to_string(),
            _ => panic!("unknown quantity {name}"),
        }
    }

    fn timer(&self) -> Option<Time> {
        self.sender.poll_timeout()
    }

    fn expire(&mut self, now: Time) {
        self.sender.handle_timeout(now);
    }
}
