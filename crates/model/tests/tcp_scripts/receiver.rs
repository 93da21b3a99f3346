//! The receiver's scripts. Input: `A..B`, a segment. Output: `ack N`.

use airlink_model::transport::{DelayedAck, Receiver, ReceiverConfig, Segment};
use airlink_model::types::{Bytes, Time};

use super::script::{Endpoint, play};

struct ReceivingSide(Receiver);

fn script(ack_every: u32, text: &str) {
    let config = ReceiverConfig {
        delayed_ack: DelayedAck { every: ack_every, ..DelayedAck::default() },
        ..ReceiverConfig::default()
    };
    play(ReceivingSide(Receiver::new(config)), text);
}

impl Endpoint for ReceivingSide {
    fn input(&mut self, now: Time, words: &[&str]) {
        let (start, end) = words[0].split_once("..").expect("a range of bytes");
        let (sequence, end): (u64, u64) = (start.parse().unwrap(), end.parse().unwrap());
        let length = u32::try_from(end - sequence).unwrap();
        self.0.handle_packet(
            now,
            &Segment { sequence, length, transmission: 0, retransmission: false, timestamp: None, syn: false },
        );
    }

    fn output(&mut self, now: Time) -> Option<String> {
        let ack = self.0.poll_packet(now)?;
        assert_eq!(ack.window, Bytes::new(65_535));
        Some(format!("ack {}", ack.number))
    }

    fn expand(&self, expected: &str) -> Vec<String> {
        vec![expected.to_owned()]
    }

    fn show(&self, name: &str) -> String {
        match name {
            "goodput" => self.0.goodput().count().to_string(),
            "timer" => self.0.poll_timeout().map_or("off".into(), |due| format!("{}", due.as_secs() * 1000.0)),
            _ => panic!("unknown quantity {name}"),
        }
    }

    fn timer(&self) -> Option<Time> {
        self.0.poll_timeout()
    }

    fn expire(&mut self, now: Time) {
        self.0.handle_timeout(now);
    }
}

#[test]
fn every_segment_is_acknowledged_cumulatively() {
    script(
        1,
        "
        0   < 0..1000
        0   > ack 1000
        10  < 1000..1400
        10  > ack 1400
        10  = goodput 1400, timer off
        ",
    );
}

#[test]
fn data_ahead_of_a_gap_is_kept_and_answered_by_a_duplicate_ack() {
    // RFC 5681 §4.2.
    script(
        1,
        "
        0   < 0..1000
        0   > ack 1000
        1   < 2000..3000
        1   > ack 1000
        2   < 4000..5000
        2   > ack 1000
        2   = goodput 1000
        3   < 1000..2000
        3   > ack 3000
        4   < 3000..4000
        4   > ack 5000
        4   = goodput 5000
        ",
    );
}

#[test]
fn old_data_is_answered_at_once_and_delivered_once() {
    // RFC 9293 §3.10.7.4.
    script(
        2,
        "
        0   < 0..1000, 1000..2000
        0   > ack 2000
        5   < 0..1000
        5   > ack 2000
        6   < 1500..2500               # partly old
        6   = goodput 2500
        206 > ack 2500
        ",
    );
}

#[test]
fn a_delayed_ack_covers_every_second_segment() {
    // RFC 5681 §4.2.
    script(
        2,
        "
        0   < 0..1000
        0   = silent, timer 200
        50  < 1000..2000
        50  > ack 2000
        50  = timer off
        60  < 2000..3000
        60  = timer 260
        ",
    );
}

#[test]
fn a_delayed_ack_leaves_when_the_timer_of_the_first_segment_expires() {
    script(
        3,
        "
        0   < 0..1000
        150 < 1000..2000
        200 > ack 2000
        200 = timer off
        300 < 2000..3000
        500 > ack 3000
        ",
    );
}

#[test]
fn delayed_acks_do_not_wait_at_a_gap_nor_when_it_fills() {
    // RFC 5681 §4.2: both at once.
    script(
        2,
        "
        0   < 0..1000
        0   = timer 200
        10  < 2000..3000
        10  > ack 1000
        10  = timer off
        20  < 3000..4000
        20  > ack 1000
        30  < 1000..1500                # fills a part
        30  > ack 1500
        40  < 1500..2000
        40  > ack 4000
        50  < 4000..5000                # no gap any more: delayed again
        50  = timer 250
        ",
    );
}

#[test]
fn data_that_arrives_twice_ahead_of_a_gap_counts_once() {
    script(
        1,
        "
        0   < 1000..2000
        0   > ack 0
        0   < 1000..2000
        0   > ack 0
        0   < 0..1000
        0   > ack 2000
        0   = goodput 2000
        ",
    );
}
