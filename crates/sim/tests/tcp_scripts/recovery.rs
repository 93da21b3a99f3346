//! Losses noticed by duplicate ACKs, and what a timeout does to the window.

use airlink_model::transport::Algorithm::{NewReno, Reno};
use airlink_model::transport::{Rules, Tcp};

use super::sending_side::{script, steady};

#[test]
fn the_third_duplicate_ack_retransmits_halves_and_inflates() {
    // RFC 5681 §3.2 steps 1-6; segment 1000..2000 is lost.
    script(
        steady(Reno, 8),
        "
        0    < open, endless
        0    > 0..8000
        100  < ack 1000
        100  > 8000..9000
        101  < ack 1000 times 2
        101  = silent, duplicate_acks 2
        102  < ack 1000
        102  > 1000..2000 again
        102  = ssthresh 4000, cwnd 7000, recovering true, fast_retransmits 1
        103  < ack 1000                 # each further one inflates
        103  = cwnd 8000, silent
        104  < ack 1000
        104  > 9000..10000
        105  < ack 1000 times 2
        105  > 10000..12000
        105  = cwnd 11000, flight 11000
        200  < ack 9000
        200  > 12000..13000
        200  = cwnd 4000, recovering false, timeouts 0
        ",
    );
}

#[test]
fn reno_leaves_recovery_at_the_first_new_ack_although_a_hole_remains() {
    // RFC 5681 §3.2 step 6; segments 1000..2000 and 3000..4000 are lost.
    script(
        steady(Reno, 8),
        "
        0    < open, endless
        0    > 0..8000
        100  < ack 1000
        100  > 8000..9000
        101  < ack 1000 times 6
        101  > 1000..2000 again
        101  > 9000..11000
        200  < ack 3000
        200  = silent, cwnd 4000, recovering false
        201  < ack 3000 times 2         # for 9000..11000: one too few
        201  = silent
        202  < ack 3000                 # had there been a third, Reno would start over and halve once more
        202  > 3000..4000 again
        202  = fast_retransmits 2, ssthresh 4000, cwnd 7000
        ",
    );
}

#[test]
fn new_reno_repairs_a_hole_at_each_partial_ack() {
    // RFC 6582 §3.2 step 3; the same losses.
    script(
        steady(NewReno, 8),
        "
        0    < open, endless
        0    > 0..8000
        100  < ack 1000
        100  > 8000..9000
        101  < ack 1000 times 6
        101  > 1000..2000 again
        101  > 9000..11000
        101  = cwnd 10000
        200  < ack 3000                 # partial: minus 2000, plus one segment
        200  > 3000..4000 again
        200  > 11000..12000
        200  = cwnd 9000, recovering true, fast_retransmits 1
        201  < ack 3000 times 2
        201  > 12000..14000
        300  < ack 11000                # full: everything sent before the loss was noticed
        300  > 14000..15000
        300  = cwnd 4000, recovering false, timeouts 0
        ",
    );
}

#[test]
fn new_reno_ends_recovery_without_a_burst() {
    // RFC 6582 §3.2 step 3, full ACK, option 1: min(ssthresh, max(FlightSize, SMSS) + SMSS).
    script(
        steady(NewReno, 8),
        "
        0    < open, endless
        0    > 0..8000
        100  < ack 0 times 3            # the other duplicate ACKs are lost
        100  > 0..1000 again
        200  < ack 8000
        200  = cwnd 2000, ssthresh 4000
        200  > 8000..10000
        ",
    );
}

#[test]
fn a_partial_ack_that_covers_much_leaves_at_least_a_segment() {
    script(
        steady(NewReno, 8),
        "
        0    < open, endless
        0    > 0..8000
        100  < ack 0 times 3
        100  > 0..1000 again
        100  = cwnd 7000
        200  < ack 7500
        200  > 7500..8000 again
        200  = cwnd 1000, recovering true
        ",
    );
}

#[test]
fn a_partial_ack_of_less_than_a_segment_only_deflates() {
    script(
        steady(NewReno, 8),
        "
        0    < open, endless
        0    > 0..8000
        100  < ack 0 times 3
        100  > 0..1000 again
        200  < ack 400
        200  > 400..1000 again
        200  = cwnd 6600, recovering true
        ",
    );
}

#[test]
fn new_reno_recovers_anew_only_beyond_the_last_recovery() {
    // RFC 6582 §3.2 step 2: an ACK must cover more than `recover`, here 8000.
    script(
        steady(NewReno, 8),
        "
        0    < open, endless
        0    > 0..8000
        100  < ack 0 times 7
        100  > 0..1000 again
        100  > 8000..11000
        200  < ack 8000
        200  > 11000..12000
        201  < ack 8000 times 3
        201  = silent, fast_retransmits 1
        300  < ack 9000
        300  > 12000..13000
        301  < ack 9000 times 3
        301  > 9000..10000 again
        301  > 13000..14000
        301  = fast_retransmits 2
        ",
    );
}

#[test]
fn the_threshold_of_duplicate_acks_is_a_parameter() {
    script(
        Tcp { duplicate_ack_threshold: 5, ..steady(Reno, 8) },
        "
        0    < open, endless
        0    > 0..8000
        100  < ack 0 times 4
        100  = silent
        101  < ack 0
        101  > 0..1000 again
        101  > 8000..9000
        101  = ssthresh 4000, cwnd 9000 # five segments have left the network
        ",
    );
}

#[test]
fn an_ack_that_moves_the_window_is_not_a_duplicate() {
    // RFC 5681 §2 (e).
    script(
        steady(Reno, 4),
        "
        0    < open, endless
        0    > 0..4000
        100  < ack 0 times 2
        101  < ack 0 window 900000
        102  < ack 0 window 800000
        102  = silent, duplicate_acks 2
        103  < ack 0
        103  > 0..1000 again
        103  > 4000..5000
        ",
    );
}

#[test]
fn an_ack_without_data_outstanding_is_not_a_duplicate() {
    // RFC 5681 §2 (a).
    script(
        steady(Reno, 4),
        "
        0    < open, supply 1000
        0    > 0..1000
        100  < ack 1000
        101  < ack 1000 times 3
        101  = silent, duplicate_acks 0, fast_retransmits 0
        ",
    );
}

#[test]
fn a_timeout_goes_back_to_the_oldest_segment_in_slow_start() {
    // RFC 5681 §3.1: ssthresh = max(FlightSize / 2, 2 SMSS), cwnd = 1 segment.
    script(
        steady(Reno, 6),
        "
        0    < open, endless
        0    > 0..6000
        1000 > 0..1000 again
        1000 = cwnd 1000, ssthresh 3000, timeouts 1, flight 1000
        1100 < ack 1000
        1100 > 1000..3000 again
        1200 < ack 2000                 # the last of slow start
        1200 > 3000..5000 again
        1300 < ack 6000                 # the rest had arrived: nothing of it is sent again
        1300 > 6000..9000
        1300 = cwnd 3333, retransmissions 5
        ",
    );
}

#[test]
fn ssthresh_is_two_segments_at_least() {
    // RFC 5681 §3.1 eq. (4).
    script(
        steady(Reno, 2),
        "
        0    < open, endless
        0    > 0..2000
        1000 > 0..1000 again
        1000 = ssthresh 2000
        ",
    );
}

#[test]
fn a_second_timeout_of_the_same_segment_holds_ssthresh() {
    // RFC 5681 §3.1, last sentence on eq. (4); a timeout of a later segment counts afresh.
    script(
        steady(Reno, 12),
        "
        0    < open, endless
        0    > 0..12000
        1000 > 0..1000 again
        3000 > 0..1000 again
        3000 = ssthresh 6000, cwnd 1000
        3100 < ack 1000
        3100 > 1000..3000 again
        7100 > 1000..2000 again
        7100 = ssthresh 2000
        ",
    );
}

#[test]
fn a_window_too_small_for_a_segment_does_not_hold_back_the_timer() {
    // RFC 9293 §3.8.6.1: a sender goes on to retransmit when the window has closed, so that the receiver can open it.
    script(
        Tcp { rules: Rules { careful_fast_retransmit: false, ..steady(Reno, 4).rules }, ..steady(Reno, 4) },
        "
        0    < open, endless
        0    > 0..4000
        100  < ack 0 window 500
        1000 > 0..1000 again
        1000 = timeouts 1, flight 1000
        1100 < ack 0 times 3
        1100 > 0..1000 again
        1100 = flight 1000
        1200 < ack 1000 window 4000     # it opens: the rest follows
        1200 > 1000..3000 again
        1200 = cwnd 2000
        ",
    );
}

#[test]
fn a_timeout_ends_recovery() {
    // RFC 6582 §3.2 step 4.
    script(
        steady(NewReno, 8),
        "
        0    < open, endless
        0    > 0..8000
        100  < ack 0 times 3
        100  > 0..1000 again
        1000 > 0..1000 again
        1000 = recovering false, cwnd 1000, ssthresh 4000
        1100 < ack 1000
        1100 > 1000..3000 again
        1100 = cwnd 2000
        ",
    );
}

/// A timeout although nothing was lost; then the ACKs of the originals, then those of the resent segments.
const SPURIOUS_TIMEOUT: &str = "
        0    < open, endless
        0    > 0..4000
        1000 > 0..1000 again
        1000 = ssthresh 2000
        1500 < ack 1000                 # of the original: everything else is sent again, too
        1500 > 1000..3000 again
        1510 < ack 2000
        1510 > 3000..4000 again
        1520 < ack 3000
        1520 > 4000..5000
        1530 < ack 4000
        1530 > 5000..7000
        ";

#[test]
fn with_the_guard_duplicate_acks_of_resent_data_start_nothing() {
    // RFC 6582 §3.2 steps 2 and 4, and §4: the ACKs cover no more than what was sent before the timeout.
    let rest = "
        1600 < ack 4000 times 4
        1600 = silent, duplicate_acks 4, fast_retransmits 0
        1700 < ack 5000                 # beyond it, losses show again
        1700 > 7000..8000
        1710 < ack 5000 times 3
        1710 > 5000..6000 again
        1710 > 8000..10000
        1710 = fast_retransmits 1
        ";
    for algorithm in [Reno, NewReno] {
        script(steady(algorithm, 4), &format!("{SPURIOUS_TIMEOUT}{rest}"));
    }
}

#[test]
fn without_the_guard_duplicate_acks_of_resent_data_start_fast_retransmit_again_and_again() {
    // [Klein04], section II: the duplicates are taken for losses, and their repair makes more of them.
    let rest = "
        1600 < ack 4000 times 3
        1600 > 4000..5000 again         # it was never lost
        1600 > 7000..9000
        1600 = fast_retransmits 1, ssthresh 2000
        1700 < ack 5000
        1700 = silent, recovering false
        1710 < ack 5000 times 3
        1710 > 5000..6000 again
        1710 = fast_retransmits 2, timeouts 1
        ";
    let unguarded = Tcp { rules: Rules { careful_fast_retransmit: false, ..steady(Reno, 4).rules }, ..steady(Reno, 4) };
    script(unguarded, &format!("{SPURIOUS_TIMEOUT}{rest}\n1710 > 9000..10000"));
}
