//! Windows too small for a segment, and probes (RFC 9293 §3.8.6, RFC 1122 §4.2.2.17).

use airlink_model::transport::Algorithm::Reno;
use airlink_model::transport::Tcp;
use airlink_model::types::Bytes;

use super::sending_side::{script, steady};

#[test]
fn a_closed_window_is_probed_after_a_timeout_and_then_ever_more_rarely() {
    // RFC 9293 §3.8.6.1.
    for sack in [false, true] {
        script(
            Tcp { sack, ..steady(Reno, 4) },
            "
            0    < open, endless
            0    > 0..4000
            100  < ack 4000 window 0
            100  = silent, timer 1100
            1100 > 4000..4000
            1200 < ack 4000
            3100 > 4000..4000           # twice the RTO after the first
            3100 = timer 7100
            3200 < ack 4000 window 9000
            3200 > 4000..8000
            3200 = window_probes 2, timeouts 0, segments_sent 10, timer 4200
            3300 < ack 8000 window 0    # the next time it starts over
            4300 > 8000..8000
            ",
        );
    }
}

#[test]
fn a_window_update_needs_no_probe() {
    script(
        steady(Reno, 4),
        "
        0    < open, endless
        0    > 0..4000
        100  < ack 4000 window 0
        150  < ack 4000 window 8000
        150  > 4000..8000
        150  = window_probes 0, timer 1150
        ",
    );
}

#[test]
fn less_than_a_segment_goes_when_it_is_half_of_the_largest_window() {
    // RFC 9293 §3.8.6.2.1 rule 3.
    script(
        Tcp { receiver_window: Bytes::new(1500), ..steady(Reno, 4) },
        "
        0    < open, endless
        0    > 0..1000                  # 500 are left, not 750
        100  < ack 1000 window 749
        100  = silent
        200  < ack 1000 window 750
        200  > 1000..1750
        300  < ack 1750 window 1500
        300  > 1750..2750
        ",
    );
}

#[test]
fn what_fits_a_small_window_goes_when_nothing_else_happens() {
    // RFC 9293 §3.8.6.2.1 rule 4.
    script(
        steady(Reno, 4),
        "
        0    < open, endless
        0    > 0..4000
        100  < ack 4000 window 500
        100  = silent
        1100 > 4000..4500
        1200 < ack 4500
        2200 > 4500..5000
        2200 = window_probes 2, timeouts 0
        ",
    );
}

#[test]
fn nothing_is_probed_when_nothing_waits() {
    script(
        steady(Reno, 4),
        "
        0    < open, supply 4000
        0    > 0..4000
        100  < ack 4000 window 0
        100  = timer off, complete true
        200  < supply 1000
        200  = timer 1200
        300  < stop
        9000 = silent, timer off
        ",
    );
}
