//! Both ends as one, with a copy made on the way that must do the same, and a digest of all they send.

use airlink_model::transport::{Receiver, Segment, Sender};
use airlink_model::types::{Bytes, Time};

pub struct Ends {
    pub sender: Sender,
    pub receiver: Receiver,
    copy: Option<Box<(Sender, Receiver)>>,
    /// Packets until the copy is made.
    until_copy: u64,
    pub digest: u64,
    /// FUZZ_TRACE is set: every packet is printed.
    is_told: bool,
}

impl Ends {
    pub fn new(sender: Sender, receiver: Receiver, until_copy: u64) -> Self {
        Self { sender, receiver, copy: None, until_copy, digest: 0, is_told: std::env::var_os("FUZZ_TRACE").is_some() }
    }

    fn both(&mut self, act: impl Fn(&mut Sender, &mut Receiver)) {
        act(&mut self.sender, &mut self.receiver);
        if let Some(copy) = &mut self.copy {
            act(&mut copy.0, &mut copy.1);
        }
    }

    pub fn supply(&mut self, bytes: Bytes) {
        self.both(|sender, _| sender.supply(bytes));
    }

    pub fn open(&mut self, now: Time) {
        self.both(|sender, _| sender.open(now));
    }

    pub fn stop(&mut self, now: Time) {
        self.both(|sender, _| sender.stop(now));
    }

    pub fn take_segment(&mut self, now: Time, segment: &Segment) {
        self.tell(now, "arrives", segment);
        self.both(|_, receiver| {
            receiver.handle_packet(now, segment);
            receiver.end_burst();
        });
    }

    pub fn take_ack(&mut self, now: Time, ack: &Segment) {
        self.both(|sender, _| sender.handle_packet(now, ack));
        self.tell(now, "hears", ack);
    }

    pub fn ring(&mut self, now: Time) {
        self.both(|sender, receiver| {
            sender.handle_timeout(now);
            receiver.handle_timeout(now);
        });
    }

    pub fn next_bell(&self) -> Option<Time> {
        let bells = |sender: &Sender, receiver: &Receiver| (sender.poll_timeout(), receiver.poll_timeout());
        let (of_sender, of_receiver) = bells(&self.sender, &self.receiver);
        if let Some(copy) = &self.copy {
            assert_eq!((of_sender, of_receiver), bells(&copy.0, &copy.1), "a copy goes on as the original");
        }
        of_sender.into_iter().chain(of_receiver).min()
    }

    pub fn send(&mut self, now: Time) -> Option<Segment> {
        let segment = self.sender.poll_packet(now);
        if let Some(copy) = &mut self.copy {
            assert_eq!(segment, copy.0.poll_packet(now), "a copy goes on as the original");
            assert_eq!(self.sender.cwnd(), copy.0.cwnd());
        }
        if let Some(segment) = &segment {
            self.tell(now, "sends", segment);
            self.note(&[now.as_nanos(), segment.sequence, segment.length.into(), segment.transmission]);
        }
        segment
    }

    pub fn acknowledge(&mut self, now: Time) -> Option<Segment> {
        let ack = self.receiver.poll_packet(now);
        if let Some(copy) = &mut self.copy {
            assert_eq!(ack, copy.1.poll_packet(now), "a copy goes on as the original");
        }
        if let Some(ack) = &ack {
            let blocks = ack.sack().fold(0, |sum: u64, block| sum.wrapping_mul(31) + block.start + 7 * block.end);
            self.note(&[now.as_nanos(), ack.number, ack.window.count(), blocks]);
        }
        ack
    }

    fn tell(&self, now: Time, what: &str, packet: &impl std::fmt::Debug) {
        if self.is_told {
            let (sender, at) = (&self.sender, now.as_secs());
            let (cwnd, ssthresh, flight) = (sender.cwnd(), sender.ssthresh(), sender.flight());
            println!(
                "{at:.9} {what} {packet:?} cwnd {cwnd} ssthresh {ssthresh} flight {flight:?} timer {:?}",
                sender.poll_timeout()
            );
        }
    }

    fn note(&mut self, values: &[u64]) {
        for value in values {
            self.digest = (self.digest ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
        }
        self.until_copy = self.until_copy.saturating_sub(1);
        if self.until_copy == 0 && self.copy.is_none() {
            self.copy = Some(Box::new((self.sender.clone(), self.receiver.clone())));
        }
    }
}
