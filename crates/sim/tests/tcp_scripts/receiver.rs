//! The receiver's scripts; every ACK says its window.

use airlink_model::transport::{DelayedAck, Reader, Rules, StallingReader, Tcp};
use airlink_model::types::{Bytes, Duration, Rate};
use airlink_sim::script::play_receiver;

/// Segments of 1000 bytes, an ACK for every `ack_every` of them.
fn config(ack_every: u32) -> Tcp {
    Tcp {
        mss: Bytes::new(1000),
        delayed_ack: DelayedAck { every: ack_every, ..DelayedAck::default() },
        ..Tcp::default()
    }
}

fn script(ack_every: u32, text: &str) {
    script_of(config(ack_every), text);
}

fn script_of(config: Tcp, text: &str) {
    assert_eq!(play_receiver(config, text), Ok(None));
}

#[test]
fn every_segment_is_acknowledged_cumulatively() {
    script(
        1,
        "
        0   < 0..1000
        0   > ack 1000 window 65535
        10  < 1000..1400
        10  > ack 1400 window 65535
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
        0   > ack 1000 window 65535
        1   < 2000..3000
        1   > ack 1000 window 65535
        2   < 4000..5000
        2   > ack 1000 window 65535
        2   = goodput 1000
        3   < 1000..2000
        3   > ack 3000 window 65535
        4   < 3000..4000
        4   > ack 5000 window 65535
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
        0   > ack 2000 window 65535
        5   < 0..1000
        5   > ack 2000 window 65535
        6   < 1500..2500               # partly old
        6   = goodput 2500
        206 > ack 2500 window 65535
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
        50  > ack 2000 window 65535
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
        200 > ack 2000 window 65535
        200 = timer off
        300 < 2000..3000
        500 > ack 3000 window 65535
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
        10  > ack 1000 window 65535
        10  = timer off
        20  < 3000..4000
        20  > ack 1000 window 65535
        30  < 1000..1500                # fills a part
        30  > ack 1500 window 65535
        40  < 1500..2000
        40  > ack 4000 window 65535
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
        0   > ack 0 window 65535
        0   < 1000..2000
        0   > ack 0 window 65535
        0   < 0..1000
        0   > ack 2000 window 65535
        0   = goodput 2000
        ",
    );
}

#[test]
fn sack_blocks_stand_newest_first() {
    // RFC 2018 §4, and §7 case 3: of eight segments the second, fourth, sixth and eighth are lost.
    script_of(
        Tcp { sack: true, ..config(1) },
        "
        0   < 0..500
        0   > ack 500 window 65535
        0   < 1000..1500
        0   > ack 500 window 65535 sack 1000..1500
        0   < 2000..2500
        0   > ack 500 window 65535 sack 2000..2500 1000..1500
        0   < 3000..3500
        0   > ack 500 window 65535 sack 3000..3500 2000..2500 1000..1500
        1   < 1500..2000                # the fourth: two blocks become one
        1   > ack 500 window 65535 sack 1000..2500 3000..3500
        2   < 500..1000                 # the second
        2   > ack 2500 window 65535 sack 3000..3500
        ",
    );
}

#[test]
fn a_duplicate_below_the_ack_is_reported() {
    // RFC 2883 §4.1.1 and, with a gap beyond, §4.1.2.
    script_of(
        Tcp { sack: true, rules: Rules { dsack: true, ..config(1).rules }, ..config(1) },
        "
        0   < 0..500
        0   > ack 500 window 65535
        1   < 0..500
        1   > ack 500 window 65535 sack 0..500
        2   < 1000..1500
        2   > ack 500 window 65535 sack 1000..1500
        3   < 0..500
        3   > ack 500 window 65535 sack 0..500 1000..1500
        4   < 2000..2500
        4   > ack 500 window 65535 sack 2000..2500 1000..1500
        ",
    );
}

#[test]
fn a_duplicate_within_a_block_is_reported_before_the_block() {
    // RFC 2883 §4.1.3 and §4.2.2: the second block is the larger one that holds the duplicate.
    script_of(
        Tcp { sack: true, rules: Rules { dsack: true, ..config(1).rules }, ..config(1) },
        "
        0   < 0..500
        0   > ack 500 window 65535
        1   < 1000..1500
        1   > ack 500 window 65535 sack 1000..1500
        2   < 1500..2000
        2   > ack 500 window 65535 sack 1000..2000
        3   < 3000..3500
        3   > ack 500 window 65535 sack 3000..3500 1000..2000
        4   < 1500..2000
        4   > ack 500 window 65535 sack 1500..2000 1000..2000 3000..3500
        ",
    );
}

#[test]
fn of_a_segment_partly_old_the_old_part_is_reported() {
    // RFC 2883 §4.2.1 and §4.2.3: the first of two parts.
    script_of(
        Tcp { sack: true, rules: Rules { sack_blocks: 4, dsack: true, ..config(1).rules }, ..config(1) },
        "
        0   < 0..1000
        0   > ack 1000 window 65535
        1   < 500..1500
        1   > ack 1500 window 65535 sack 500..1000
        2   < 2000..2500
        2   > ack 1500 window 65535 sack 2000..2500
        3   < 3000..3500
        3   > ack 1500 window 65535 sack 3000..3500 2000..2500
        4   < 1500..3500
        4   > ack 3500 window 65535 sack 2000..2500
        ",
    );
}

#[test]
fn a_delayed_ack_echoes_the_oldest_time_and_a_duplicate_ack_the_last_in_order() {
    // RFC 7323 §4.3, rules (A), (B) and (C).
    script_of(
        Tcp { timestamps: true, ..config(2) },
        "
        100 < 0..1000 at 50
        110 < 1000..2000 at 60
        110 > ack 2000 window 65535 echo 50
        120 < 3000..4000 at 80          # a gap: the time of the last segment in order
        120 > ack 2000 window 65535 echo 50
        130 < 4000..5000 at 90
        130 > ack 2000 window 65535 echo 50
        140 < 2000..3000 at 70          # it fills: the time of the one that fills
        140 > ack 5000 window 65535 echo 70
        150 < 2000..3000 at 100         # wholly old: outside the window
        150 > ack 5000 window 65535 echo 70
        ",
    );
}

#[test]
fn data_beyond_the_window_is_refused_and_a_probe_is_answered() {
    // RFC 9293 §3.8.6.1, §3.8.6.2.2 and §3.10.7.4.
    script_of(
        Tcp {
            receiver_window: Bytes::new(3000),
            reader: Reader::Stalling(StallingReader {
                rate: Rate::UNLIMITED,
                stall_after: Duration::ZERO,
                stall_for: Duration::from_millis(5000),
                ..StallingReader::default()
            }),
            ..config(1)
        },
        "
        0    < 0..1000
        0    > ack 1000 window 2000
        1    < 2000..3500               # 500 bytes too many
        1    > ack 1000 window 2000
        1    = refused 500
        2    < 1000..2000
        2    > ack 3000 window 0
        3    < 3000..4000
        3    > ack 3000 window 0
        3    = refused 1500, goodput 3000
        1000 < 3000..3000
        1000 > ack 3000 window 0
        5000 > ack 3000 window 3000     # what is there is read at once
        5001 < 3000..4000
        5001 > ack 4000 window 3000
        ",
    );
}

#[test]
fn the_window_opens_by_a_segment_at_least() {
    // RFC 9293 §3.8.6.2.2; 100 bytes in a millisecond.
    script_of(
        Tcp {
            receiver_window: Bytes::new(4000),
            reader: Reader::Stalling(StallingReader {
                rate: Rate::from_bps(800_000.0),
                stall_after: Duration::ZERO,
                stall_for: Duration::ZERO,
                ..StallingReader::default()
            }),
            ..config(1)
        },
        "
        0    < 0..4000
        0    > ack 4000 window 0
        5    < 4000..4000
        5    > ack 4000 window 0        # 500 bytes are free: not worth telling
        10   > ack 4000 window 1000
        20   > ack 4000 window 2000
        40   > ack 4000 window 4000
        40   = timer off
        ",
    );
}
