//! What must hold of a sender whatever it hears, checked at each segment it sends, each ACK and each pause.

use airlink_model::transport::{Estimator, SackPipe, Segment, Sender, Statistics, Tcp};
use airlink_model::types::{Bytes, Duration, Time};

/// What a sender was told, and what it has done.
#[derive(Clone, Debug)]
pub struct Watch {
    config: Tcp,
    /// Bytes that the application has supplied or, once it has stopped, those sent by then.
    pub supplied: u64,
    has_stopped: bool,
    is_opened: bool,
    /// SND.UNA.
    pub acknowledged: u64,
    /// The end of what was ever sent.
    pub sent: u64,
    /// The right edge: the furthest that any valid ACK has let the sender go.
    edge: u64,
    /// Max(SND.WND) (RFC 9293 §3.8.6.2.1) is at least this.
    first_window: u64,
    transmissions: u64,
    moment: Time,
    sent_at_moment: u64,
    most_at_once: u64,
}

impl Watch {
    /// `most_segments`: more than this can never be out.
    pub fn new(config: &Tcp, most_segments: u64) -> Self {
        Self {
            config: *config,
            supplied: 0,
            has_stopped: false,
            is_opened: false,
            acknowledged: 0,
            sent: 0,
            edge: config.first_window().count(),
            first_window: config.first_window().count(),
            transmissions: 0,
            moment: Time::ZERO,
            sent_at_moment: 0,
            most_at_once: 8 * most_segments + 200,
        }
    }

    pub fn on_supply(&mut self, bytes: Bytes) {
        if !self.has_stopped {
            self.supplied = self.supplied.saturating_add(bytes.count());
        }
    }

    pub fn on_stop(&mut self) {
        self.has_stopped = true;
        self.supplied = self.sent;
    }

    pub fn on_open(&mut self) {
        self.is_opened = true;
    }

    /// RFC 9293 §3.10.7.4: only an ACK between SND.UNA and what was sent counts.
    pub fn on_ack(&mut self, ack: &Segment) {
        if (self.acknowledged..=self.sent).contains(&ack.number) {
            self.acknowledged = ack.number;
            self.edge = self.edge.max(ack.number.saturating_add(ack.window.count()));
        }
    }

    pub fn after_ack(&self, sender: &Sender) {
        assert_eq!(sender.acknowledged().count(), self.acknowledged, "SND.UNA is what was acknowledged");
        self.check_windows(sender);
    }

    /// `before`: what the sender had counted before this segment.
    pub fn on_sent(&mut self, now: Time, segment: &Segment, sender: &Sender, before: &Statistics) {
        assert_eq!(segment.transmission, self.transmissions, "transmissions are numbered without a gap");
        self.transmissions += 1;
        self.sent_at_moment = if now == self.moment { self.sent_at_moment + 1 } else { 1 };
        self.moment = now;
        assert!(self.sent_at_moment <= self.most_at_once, "a moment comes to its end");
        assert!(self.is_opened, "nothing is sent before the connection is opened");
        assert!(segment.length > 0 || segment.flags.syn() || sender.statistics().window_probes > before.window_probes);
        assert!(u64::from(segment.length) <= self.config.mss.count(), "no segment is longer than the MSS");
        assert!(segment.end() <= self.supplied, "only what was supplied is sent");
        assert!(segment.sequence >= self.acknowledged, "what is acknowledged is never sent again");
        assert!(segment.sequence <= self.sent, "the stream is sent without a gap");
        assert!(segment.end() <= self.edge.max(self.sent), "nothing goes beyond the right edge");
        assert!(segment.flags.syn() || segment.retransmission == (segment.sequence < self.sent));
        assert_eq!(segment.timestamp.get(), self.config.timestamps.then_some(now));
        self.check_for_silly_window(segment, sender, before);
        self.sent = self.sent.max(segment.end());
        self.check_congestion_window(segment, sender, before);
        assert!(sender.poll_timeout().is_some(), "with something out a timer runs");
        self.check_windows(sender);
    }

    /// Nothing more may be sent for now.
    pub fn at_rest(&self, sender: &Sender) {
        let waits = self.acknowledged < self.supplied && self.is_opened;
        assert!(!waits || sender.poll_timeout().is_some(), "what is out or waits has a timer");
        assert_eq!(sender.is_complete(), self.acknowledged == self.supplied);
        self.check_windows(sender);
    }

    /// RFC 9293 §3.8.6.2.1: a part of what waits goes only if it is half of the largest window, or probes a closed one.
    fn check_for_silly_window(&self, segment: &Segment, sender: &Sender, before: &Statistics) {
        let is_whole = u64::from(segment.length) == self.config.mss.count() || segment.end() == self.supplied;
        let is_probe = sender.statistics().window_probes > before.window_probes;
        let is_much = u64::from(segment.length) >= self.first_window / 2;
        assert!(is_whole || is_probe || is_much || segment.retransmission || segment.flags.syn(), "no silly window");
    }

    /// In flight is at most cwnd, but for what a rule sends whatever the window.
    fn check_congestion_window(&self, segment: &Segment, sender: &Sender, before: &Statistics) {
        let now = sender.statistics();
        // RFC 5681 §3.2 step 2, RFC 6582 §3.2 step 3, RFC 6675 §5 step 4.3, RFC 6298 §5.4: the oldest segment.
        let is_oldest = segment.sequence == self.acknowledged;
        // RFC 8985 §7.3.
        let is_probe = now.tail_loss_probes > before.tail_loss_probes;
        // RFC 9293 §3.8.6.2.1 rule 4.
        let is_window_probe = now.window_probes > before.window_probes;
        // [Fall96]: the counter, which is not what is in flight, is below cwnd.
        let is_counted = self.config.sack && self.config.rules.sack_pipe == SackPipe::Ns2Sack1;
        if is_oldest || is_probe || is_window_probe || is_counted {
            return;
        }
        // RFC 3042 §2: two segments; ns-2.35, `TcpAgent::send_one`, one for each duplicate ACK below the threshold.
        let segments =
            match (self.config.rules.limited_transmit_resends, now.limited_transmits > before.limited_transmits) {
                (true, _) => u64::from(self.config.duplicate_ack_threshold - 1).max(2),
                (false, is_limited) => 2 * u64::from(is_limited),
            };
        let beyond = self.config.mss.count() * segments;
        let (mut flight, cwnd) = (sender.flight().count(), sender.cwnd() as u64);
        if segments > 0 {
            flight = flight.min(self.sent - self.acknowledged); // What it limits is what is out, however often.
        }
        assert!(flight <= cwnd.saturating_add(beyond), "{flight} bytes in flight, cwnd {cwnd} and {beyond} beyond it");
    }

    fn check_windows(&self, sender: &Sender) {
        let mss = self.config.mss.count() as f64;
        let (cwnd, ssthresh) = (sender.cwnd(), sender.ssthresh());
        assert!(cwnd.is_finite() && cwnd >= mss, "cwnd {cwnd} is at least a segment, and finite");
        // RFC 5681 §3.1 eq. (4): no rule sets it below two segments.
        let least = mss * self.config.initial_ssthresh_segments.min(2.0);
        assert!(ssthresh >= least, "ssthresh {ssthresh} is at least {least}");
        // RFC 6675 §4 SetPipe: what was sent again although it isn't lost is out twice.
        assert!(sender.flight().count() <= 2 * (self.sent - self.acknowledged), "in flight is at most what is out");
        // ns-2.35, `TcpAgent::rtt_timeout`: at least two ticks, whatever the bound.
        let least = if self.config.rto.estimator == Estimator::Ns2 { self.config.rto.tick * 2 } else { Duration::ZERO };
        assert!(sender.rto() <= self.config.rto.max.max(least), "the timeout is within its bound");
    }
}
