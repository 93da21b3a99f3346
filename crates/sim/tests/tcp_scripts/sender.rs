//! What may be sent and how the window grows, without losses.

use airlink_model::transport::Algorithm::Reno;
use airlink_model::transport::Tcp;
use airlink_model::types::Bytes;

use super::sending_side::{config, script, steady};

#[test]
fn slow_start_adds_a_segment_for_every_ack() {
    // RFC 5681 §3.1 eq. (2).
    script(
        config(Reno),
        "
        0    < endless                  # nothing is sent before the connection is open
        0    = silent
        0    < open
        0    > 0..1000
        100  < ack 1000
        100  > 1000..3000
        100  = cwnd 2000, flight 2000
        200  < ack 2000
        200  > 3000..5000
        200  < ack 3000
        200  > 5000..7000
        200  = cwnd 4000
        ",
    );
}

#[test]
fn slow_start_counts_at_most_a_segment_for_an_ack_of_two() {
    // RFC 5681 §3.1 eq. (2): min(N, SMSS).
    script(
        Tcp { initial_window_segments: 2, ..config(Reno) },
        "
        0    < open, endless
        0    > 0..2000
        100  < ack 2000
        100  > 2000..5000
        100  = cwnd 3000
        150  < ack 2400                 # less than a segment: cwnd grows by as much
        150  = cwnd 3400
        150  = silent                   # flight 2600: a full segment does not fit
        ",
    );
}

#[test]
fn congestion_avoidance_adds_a_segment_in_a_round_trip() {
    // RFC 5681 §3.1 eq. (3): cwnd += SMSS * SMSS / cwnd on every ACK.
    script(
        steady(Reno, 4),
        "
        0    < open, endless
        0    > 0..4000
        100  < ack 1000
        100  > 4000..5000
        100  = cwnd 4250
        100  < ack 2000
        100  > 5000..6000
        100  = cwnd 4485                # 4250 + 1000 * 1000 / 4250
        100  < ack 3000
        100  > 6000..7000
        100  = cwnd 4708
        100  < ack 4000
        100  > 7000..8000
        100  = cwnd 4921, ssthresh 4000
        200  < ack 5000                 # the fifth ACK makes room for a segment more
        200  > 8000..10000
        200  = cwnd 5124
        ",
    );
}

#[test]
fn slow_start_ends_at_ssthresh() {
    // RFC 5681 §3.1: slow start below ssthresh, congestion avoidance from there on.
    script(
        Tcp { initial_ssthresh_segments: 2.0, ..config(Reno) },
        "
        0    < open, endless
        0    > 0..1000
        100  < ack 1000
        100  > 1000..3000
        100  = cwnd 2000
        200  < ack 2000
        200  > 3000..4000
        200  = cwnd 2500
        ",
    );
}

#[test]
fn the_receivers_window_limits_the_flight() {
    script(
        Tcp { initial_window_segments: 8, receiver_window: Bytes::new(2500), ..config(Reno) },
        "
        0    < open, endless
        0    > 0..2000                  # the third segment does not fit: no small one instead
        100  < ack 1000
        100  > 2000..3000
        200  < ack 2000 window 4000
        200  > 3000..6000
        300  < ack 3000 window 1000     # the window shrank: what is out stays out
        300  = silent, flight 3000
        ",
    );
}

#[test]
fn the_end_of_the_stream_is_sent_without_waiting() {
    // Nagle's algorithm is off.
    script(
        Tcp { initial_window_segments: 4, ..config(Reno) },
        "
        0    < open, supply 2300
        0    > 0..2300
        0    = complete false
        10   < supply 500
        10   > 2300..2800
        100  < ack 2300
        100  = complete false
        110  < ack 2800
        110  = complete true, timer off, flight 0
        ",
    );
}

#[test]
fn after_stop_no_new_data_leaves_but_losses_are_repaired() {
    script(
        steady(Reno, 3),
        "
        0    < open, endless
        0    > 0..3000
        50   < stop
        100  < ack 1000
        100  = silent, complete false
        1100 > 1000..2000 again
        1200 < ack 2000
        1200 > 2000..3000 again
        1300 < ack 3000
        1300 = complete true, timer off
        1300 < supply 5000
        1300 = silent, complete true
        ",
    );
}

#[test]
fn acks_that_make_no_sense_change_nothing() {
    // RFC 9293 §3.10.7.4.
    script(
        steady(Reno, 2),
        "
        0    < open, endless
        0    > 0..2000
        50   < ack 2001                 # data never sent
        100  < ack 1000
        100  > 2000..3000
        110  < ack 0                    # older than the last
        110  = silent, duplicate_acks 0, acks_received 3, cwnd 2500
        ",
    );
}

#[test]
fn transmissions_are_numbered_and_told_apart() {
    script(
        steady(Reno, 2),
        "
        0    < open, supply 2000
        0    > 0..2000
        0    = oldest 0
        1000 > 0..1000 again
        1000 = oldest 2, segments_sent 3, retransmissions 1
        1100 < ack 2000
        1100 = oldest none, complete true
        ",
    );
}
