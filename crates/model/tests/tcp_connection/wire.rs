//! A sender and a receiver joined by wires: the event loop of the end-to-end tests.
//!
//! The data wire has a rate (or none), a delay and a fate for every segment; the ACK wire has a delay and, for
//! the hostile tests, fates too. At the same nanosecond: data arrivals, ACK arrivals, timers.

use std::collections::VecDeque;

use airlink_model::transport::{
    Algorithm, DelayedAck, InitialWindow, Receiver, RtoConfig, Rules, Segment, Sender, Tcp,
};
use airlink_model::types::{Bytes, Duration, Rate, Time};

pub const MSS: u64 = 1024;

pub fn milliseconds(count: u64) -> Duration {
    Duration::from_millis(count)
}

pub fn at(millis: u64) -> Time {
    Time::ZERO + milliseconds(millis)
}

/// What a wire does to one packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Deliver,
    Drop,
    /// Delivered, and once more after this span.
    Duplicate(Duration),
    /// Late by this span, so that others overtake it.
    Delay(Duration),
}

/// A wire with a rate and a delay; packets wait for the rate in order, without limit.
#[derive(Clone, Debug)]
pub struct Wire<P> {
    pub rate: Rate,
    pub delay: Duration,
    free_at: Time,
    flying: VecDeque<(Time, P)>,
}

impl<P: Clone> Wire<P> {
    pub fn new(rate: Rate, delay: Duration) -> Self {
        Self { rate, delay, free_at: Time::ZERO, flying: VecDeque::new() }
    }

    fn put(&mut self, now: Time, bytes: Bytes, packet: P, fate: Fate) {
        self.free_at = self.free_at.max(now) + self.rate.time_to_send(bytes);
        let arrival = self.free_at + self.delay;
        match fate {
            Fate::Drop => {}
            Fate::Deliver => self.schedule(arrival, packet),
            Fate::Delay(by) => self.schedule(arrival + by, packet),
            Fate::Duplicate(after) => {
                self.schedule(arrival, packet.clone());
                self.schedule(arrival + after, packet);
            }
        }
    }

    fn schedule(&mut self, arrival: Time, packet: P) {
        let behind = self.flying.iter().rev().take_while(|(time, _)| *time > arrival).count();
        self.flying.insert(self.flying.len() - behind, (arrival, packet));
    }

    fn next_arrival(&self) -> Time {
        self.flying.front().map_or(Time::NEVER, |(time, _)| *time)
    }

    /// Stands still for `span`: all that is on the wire, and what follows, arrives that much later.
    pub fn stand_still(&mut self, now: Time, span: Duration) {
        self.free_at = self.free_at.max(now) + span;
        self.flying.iter_mut().for_each(|(arrival, _)| *arrival = *arrival + span);
    }
}

/// Both ends and the wires between them.
#[derive(Clone)]
pub struct Connection {
    pub sender: Sender,
    pub receiver: Receiver,
    pub data: Wire<Segment>,
    pub acks: Wire<Segment>,
    pub now: Time,
}

/// Decides the fates and sees all that happens.
pub trait Observer {
    fn fate_of_data(&mut self, _segment: &Segment) -> Fate {
        Fate::Deliver
    }
    fn fate_of_ack(&mut self, _ack: &Segment) -> Fate {
        Fate::Deliver
    }
    /// Before the application, an ACK or a timer reaches the sender.
    fn before_sender(&mut self, _now: Time, _sender: &Sender) {}
    /// After each segment the sender sent.
    fn on_sent(&mut self, _now: Time, _segment: &Segment, _sender: &Sender) {}
    /// After the receiver took in a segment.
    fn on_received(&mut self, _now: Time, _segment: &Segment, _receiver: &Receiver) {}
    /// After the sender took in an ACK, before it sends.
    fn on_ack(&mut self, _now: Time, _ack: &Segment, _sender: &mut Sender) {}
}

/// Nothing is lost and nobody looks.
pub struct Lossless;
impl Observer for Lossless {}

impl Connection {
    pub fn new(sender: Tcp, receiver: Tcp, rate: Rate, round_trip: Duration) -> Self {
        Self::of(Sender::new(sender), receiver, rate, round_trip)
    }

    /// With a sender that was made elsewhere.
    pub fn of(sender: Sender, receiver: Tcp, rate: Rate, round_trip: Duration) -> Self {
        let half = Duration::from_nanos(round_trip.as_nanos() / 2);
        Self {
            sender,
            receiver: Receiver::new(&receiver),
            data: Wire::new(rate, half),
            acks: Wire::new(Rate::UNLIMITED, half),
            now: Time::ZERO,
        }
    }

    /// Opens the connection with `bytes` to send.
    pub fn start(&mut self, bytes: Bytes, observer: &mut impl Observer) {
        self.sender.open(self.now);
        self.supply(bytes, observer);
    }

    /// Gives the sender `bytes` more.
    pub fn supply(&mut self, bytes: Bytes, observer: &mut impl Observer) {
        observer.before_sender(self.now, &self.sender);
        self.sender.supply(bytes);
        self.send(observer);
    }

    /// Runs until nothing happens any more before `end`, or the stream is complete.
    pub fn run_until(&mut self, end: Time, observer: &mut impl Observer) {
        while let Some(next) = self.next_event().filter(|next| *next <= end) {
            self.now = next;
            self.step(observer);
        }
        self.now = end;
    }

    fn next_event(&self) -> Option<Time> {
        let timers = [self.sender.poll_timeout(), self.receiver.poll_timeout()].into_iter().flatten();
        let arrivals = [self.data.next_arrival(), self.acks.next_arrival()];
        timers.chain(arrivals).min().filter(|time| *time != Time::NEVER)
    }

    fn step(&mut self, observer: &mut impl Observer) {
        let now = self.now;
        if self.data.next_arrival() == now {
            let (_, segment) = self.data.flying.pop_front().unwrap();
            self.receiver.handle_packet(now, &segment);
            observer.on_received(now, &segment, &self.receiver);
            self.acknowledge(observer);
        } else if self.acks.next_arrival() == now {
            let (_, ack) = self.acks.flying.pop_front().unwrap();
            observer.before_sender(now, &self.sender);
            self.sender.handle_packet(now, &ack);
            observer.on_ack(now, &ack, &mut self.sender);
            self.send(observer);
        } else {
            self.receiver.handle_timeout(now);
            self.acknowledge(observer);
            if self.sender.poll_timeout().is_some_and(|due| due <= now) {
                observer.before_sender(now, &self.sender);
            }
            self.sender.handle_timeout(now);
            self.send(observer);
        }
    }

    fn acknowledge(&mut self, observer: &mut impl Observer) {
        while let Some(ack) = self.receiver.poll_packet(self.now) {
            let fate = observer.fate_of_ack(&ack);
            self.acks.put(self.now, Bytes::ZERO, ack, fate);
        }
    }

    fn send(&mut self, observer: &mut impl Observer) {
        while let Some(segment) = self.sender.poll_packet(self.now) {
            observer.on_sent(self.now, &segment, &self.sender);
            let fate = observer.fate_of_data(&segment);
            self.data.put(self.now, Bytes::new(u64::from(segment.length)), segment, fate);
        }
    }
}

/// One segment to start with, no limits, RFC timers.
pub fn sending(congestion_control: Algorithm) -> Tcp {
    Tcp {
        mss: Bytes::new(MSS),
        congestion_control,
        initial_window: InitialWindow::Segments,
        initial_window_segments: 1,
        initial_ssthresh_segments: f64::INFINITY,
        receiver_window: Bytes::new(1 << 30),
        duplicate_ack_threshold: 3,
        rto: RtoConfig::default(),
        rules: Rules { careful_fast_retransmit: true, ..Rules::default() },
        ..Tcp::default()
    }
}

/// One ACK for every segment, with the window of `sender`.
pub fn receiving(sender: &Tcp) -> Tcp {
    let delayed_ack = DelayedAck { every: 1, ..DelayedAck::default() };
    Tcp { mss: sender.mss, receiver_window: sender.receiver_window, delayed_ack, ..Tcp::default() }
}
