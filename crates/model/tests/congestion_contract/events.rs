//! Events as a sender makes them, with what a test doesn't care for filled in.

use airlink_model::transport::congestion::{AckEvent, CongestionControl, Controller, LossEvent};
use airlink_model::transport::{InitialWindow, Tcp};
use airlink_model::types::{Bytes, Duration, Time};

pub const MSS: f64 = 1000.0;

pub fn milliseconds(count: u64) -> Duration {
    Duration::from_millis(count)
}

pub fn at(millis: f64) -> Time {
    Time::ZERO + Duration::from_secs(millis / 1000.0)
}

/// Segments of 1000 bytes, from `initial` of them.
pub fn config(initial: u32) -> Tcp {
    Tcp {
        mss: Bytes::new(1000),
        initial_window: InitialWindow::Segments,
        initial_window_segments: initial,
        receiver_window: Bytes::new(1 << 40),
        ..Tcp::default()
    }
}

pub fn bytes(segments: f64) -> Bytes {
    Bytes::new((segments * MSS) as u64)
}

/// One segment acknowledged.
pub fn ack() -> AckEvent {
    AckEvent {
        now: Time::ZERO,
        number: 0,
        sent_end: 0,
        acked: bytes(1.0),
        delivered: bytes(1.0),
        marked: Bytes::ZERO,
        acked_segments: 1,
        flight: Bytes::ZERO,
        rtt: None,
        newest_rtt: None,
        srtt: None,
        is_window_limited: true,
        rate: None,
    }
}

/// A loss with `flight` segments out.
pub fn loss(flight: f64) -> LossEvent {
    LossEvent {
        now: Time::ZERO,
        flight: bytes(flight),
        in_flight: bytes(flight),
        receiver_window: Bytes::new(1 << 40),
        sent_end: 0,
        is_repeated: false,
        may_raise: true,
        is_validated: true,
    }
}

/// cwnd in segments.
pub fn window(control: &Controller) -> f64 {
    control.window() / MSS
}

/// ssthresh in segments.
pub fn threshold(control: &Controller) -> f64 {
    control.slow_start_threshold() / MSS
}

/// The sender and the network of an ideal flow: windows of segments, each acknowledged one round trip after it was sent,
/// evenly over the round trip.
pub struct IdealFlow {
    pub control: Controller,
    pub round_trip: Duration,
    pub now: Time,
    pub acked: u64,
}

impl IdealFlow {
    pub fn new(config: &Tcp, round_trip: Duration) -> Self {
        Self { control: Controller::new(config), round_trip, now: Time::ZERO, acked: 0 }
    }

    /// The next ACK, of one segment: a window of them takes a round trip.
    pub fn step(&mut self) {
        let gap = self.round_trip.as_secs() / window(&self.control);
        self.now = self.now + Duration::from_secs(gap);
        self.acked += 1;
        let sample = Some(self.round_trip);
        let number = self.acked * 1000;
        let sent_end = number + self.control.window() as u64;
        let times = AckEvent { now: self.now, rtt: sample, newest_rtt: sample, srtt: sample, ..ack() };
        self.control.on_ack(&AckEvent { number, sent_end, ..times });
    }

    /// Everything in flight is known and one segment of it is lost.
    pub fn lose(&mut self) {
        let flight = Bytes::new(self.control.window() as u64);
        let sent_end = self.acked * 1000 + flight.count();
        self.control.on_loss(&LossEvent { now: self.now, flight, sent_end, ..loss(0.0) });
    }
}
