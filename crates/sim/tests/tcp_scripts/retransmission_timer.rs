//! RFC 6298: samples, Karn's rule, back-off, and when the timer runs.

use airlink_model::transport::Algorithm::{NewReno, Reno};
use airlink_model::transport::{RtoConfig, Tcp};
use airlink_model::types::Duration;

use super::sending_side::{script, steady};

/// Two segments at a time; the timer as `rto`, but without a lower bound.
fn two_segments(rto: RtoConfig) -> Tcp {
    Tcp { rto: RtoConfig { min: Duration::ZERO, ..rto }, ..steady(Reno, 2) }
}

#[test]
fn timeouts_double_up_to_the_maximum() {
    // RFC 6298 §5.5 and §2.5.
    script(
        steady(Reno, 2),
        "
        0      < open, endless
        0      > 0..2000
        1000   > 0..1000 again
        3000   > 0..1000 again
        7000   > 0..1000 again
        15000  > 0..1000 again
        31000  > 0..1000 again
        63000  > 0..1000 again
        123000 > 0..1000 again          # 60 s, not 64
        183000 > 0..1000 again
        183000 = timeouts 8, rto 60000
        ",
    );
}

#[test]
fn the_back_off_factor_and_the_initial_timeout_are_parameters() {
    let rto = RtoConfig { initial: Duration::from_millis(3000), backoff_factor: 1.5, ..RtoConfig::default() };
    script(
        two_segments(rto),
        "
        0     < open, endless
        0     > 0..2000
        3000  > 0..1000 again
        7500  > 0..1000 again
        14250 > 0..1000 again
        ",
    );
}

#[test]
fn the_timer_starts_with_the_first_segment_restarts_on_new_data_and_stops_when_all_is_acknowledged() {
    // RFC 6298 §5.1, §5.3 and §5.2.
    script(
        steady(Reno, 2),
        "
        0    < open
        0    = timer off
        5    < supply 3000
        5    > 0..2000
        5    = timer 1005
        105  < ack 1000
        105  > 2000..3000
        105  = timer 1105
        155  < ack 1000                 # a duplicate does not move it
        155  = timer 1105
        205  < ack 3000
        205  = timer off
        ",
    );
}

#[test]
fn a_fast_retransmit_does_not_move_the_timer() {
    // RFC 6298 §5.1: sending starts the timer only if it is off.
    script(
        steady(Reno, 4),
        "
        0    < open, endless
        0    > 0..4000
        100  < ack 0 times 3
        100  > 0..1000 again
        100  > 4000..5000
        100  = timer 1000
        ",
    );
}

#[test]
fn in_recovery_only_the_first_partial_ack_restarts_the_timer() {
    // RFC 6582 §3.2 step 3; segments 0, 1 and 2 of eight are lost.
    script(
        steady(NewReno, 8),
        "
        0    < open, supply 8000
        0    > 0..8000
        100  < ack 0 times 5
        100  > 0..1000 again
        200  < ack 1000
        200  > 1000..2000 again
        200  = timer 1200
        300  < ack 2000
        300  > 2000..3000 again
        300  = timer 1200
        400  < ack 8000
        400  = timer off
        ",
    );
}

#[test]
fn one_segment_is_timed_at_a_time() {
    script(
        two_segments(RtoConfig::default()),
        "
        0    < open, endless
        0    > 0..2000
        100  < ack 1000
        100  > 2000..3000
        100  = srtt 100, rto 300
        160  < ack 2000                 # its 160 ms are not taken: another segment was being timed
        160  > 3000..4000
        160  = srtt 100, rto 300, rtt 160
        220  < ack 3000                 # timed since 100: RTTVAR 50 + (20 - 50) / 4, SRTT 100 + 20 / 8
        220  > 4000..6000
        220  = srtt 102.5, rto 272.5
        ",
    );
}

#[test]
fn every_ack_can_be_a_sample() {
    script(
        two_segments(RtoConfig { sample_every_ack: true, ..RtoConfig::default() }),
        "
        0    < open, endless
        0    > 0..2000
        100  < ack 1000
        100  > 2000..3000
        160  < ack 2000                 # RTTVAR 50 + (60 - 50) / 4, SRTT 100 + 60 / 8
        160  > 3000..4000
        160  = srtt 107.5, rto 317.5
        ",
    );
}

#[test]
fn an_ack_of_two_segments_is_measured_from_the_older() {
    script(
        two_segments(RtoConfig { sample_every_ack: true, ..RtoConfig::default() }),
        "
        0    < open, supply 1000
        0    > 0..1000
        40   < supply 1000
        40   > 1000..2000
        100  < ack 2000
        100  = rtt 100, srtt 100
        ",
    );
}

#[test]
fn a_coarse_clock_counts_ticks_while_the_recorded_round_trip_is_exact() {
    // 190 ms cross no boundary of 200 ms: one tick all the same; RTO = SRTT + max(G, 4 RTTVAR).
    script(
        two_segments(RtoConfig { tick: Duration::from_millis(200), ..RtoConfig::default() }),
        "
        0    < open, endless
        0    > 0..2000
        190  < ack 1000
        190  > 2000..3000
        190  = srtt 200, rtt 190, rto 600
        601  < ack 3000                 # sent at 190: 200, 400 and 600 were crossed
        601  > 3000..5000
        601  = srtt 250, rtt 601, rto 950
        ",
    );
}

#[test]
fn with_karns_rule_a_backed_off_timeout_stays_until_a_segment_sent_once_is_acknowledged() {
    // RFC 6298 §3 and §5.
    script(
        two_segments(RtoConfig::default()),
        "
        0    < open, endless
        0    > 0..2000
        1000 > 0..1000 again
        1100 < ack 1000                 # of the first or the second transmission? no sample
        1100 > 1000..2000 again
        1100 > 2000..3000
        1100 = srtt none, rtt none, rto 2000
        ",
    );
    script(
        two_segments(RtoConfig::default()),
        "
        0    < open, supply 1000
        0    > 0..1000
        1000 > 0..1000 again
        1100 < ack 1000
        1100 = srtt none, rtt none, rto 2000
        1100 < supply 1000
        1100 > 1000..2000
        1180 < ack 2000
        1180 = srtt 80, rtt 80, rto 240
        ",
    );
}

#[test]
fn karns_rule_holds_when_every_ack_is_sampled_too() {
    script(
        two_segments(RtoConfig { sample_every_ack: true, ..RtoConfig::default() }),
        "
        0    < open, supply 2000
        0    > 0..2000
        1000 > 0..1000 again
        1100 < ack 2000                 # covers one segment that was sent twice and one that was not
        1100 = srtt none, rtt none, rto 2000
        ",
    );
}

#[test]
fn without_karns_rule_an_ack_of_new_data_ends_the_back_off_and_is_a_sample() {
    script(
        two_segments(RtoConfig { karn: false, sample_every_ack: true, ..RtoConfig::default() }),
        "
        0    < open, supply 2000
        0    > 0..2000
        1000 > 0..1000 again
        1000 = rto 2000
        1100 < ack 1000                 # from the latest transmission; the recorded sample stays exact
        1100 > 1000..2000 again
        1100 = srtt 100, rtt none, rto 300
        ",
    );
}

#[test]
fn without_karns_rule_the_back_off_ends_even_without_a_sample() {
    script(
        two_segments(RtoConfig { karn: false, ..RtoConfig::default() }),
        "
        0    < open, endless
        0    > 0..2000
        100  < ack 500
        100  > 2000..3000
        100  = rto 1000, srtt none      # half of the segment being timed
        1100 > 500..1000 again
        1100 = rto 2000
        1150 < ack 700
        1150 = rto 1000, srtt none
        1200 < ack 1000
        1200 = srtt 1200
        1200 > 1000..2000 again
        ",
    );
}

#[test]
fn with_karns_rule_a_loss_ends_the_measurement_in_progress() {
    // The segment being timed waits behind the hole: its round trip would not be the path's.
    script(
        Tcp { rto: RtoConfig { min: Duration::ZERO, ..RtoConfig::default() }, ..steady(Reno, 6) },
        "
        0    < open, endless
        0    > 0..6000
        100  < ack 1000                 # a sample of 100; segment 6000..7000 is timed from now on
        100  > 6000..7000
        110  < ack 1000 times 3
        110  > 1000..2000 again
        210  < ack 2000
        210  = silent
        215  < ack 7000
        215  > 7000..10000
        215  = srtt 100, rto 300        # not the 115 of segment 6000..7000
        ",
    );
}
