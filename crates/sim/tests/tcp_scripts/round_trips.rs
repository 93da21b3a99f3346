//! Which ACK is a sample: timestamps (RFC 7323 §4), and Linux's order of preference.

use airlink_model::transport::Algorithm::{NewReno, Reno};
use airlink_model::transport::{Estimator, RtoConfig, Tcp};
use airlink_model::types::Duration;

use super::sending_side::{config, script, steady};

fn at_least_200_ms() -> RtoConfig {
    RtoConfig { min: Duration::from_millis(200), ..RtoConfig::default() }
}

fn linux() -> RtoConfig {
    RtoConfig { estimator: Estimator::Linux, min_bounds_variance: true, ..at_least_200_ms() }
}

#[test]
fn an_echo_makes_the_ack_of_a_retransmission_a_sample() {
    // RFC 7323 §4.1, RFC 6298 §3: Karn's rule is for what cannot be told apart.
    script(
        Tcp { timestamps: true, rto: at_least_200_ms(), ..config(Reno) },
        "
        0    < open, endless
        0    > 0..1000
        1000 > 0..1000 again
        1000 = rto 2000
        1100 < ack 1000 echo 1000
        1100 > 1000..3000
        1100 = srtt 100, rto 300        # 100 + 4 * 50: the back-off is over
        ",
    );
}

#[test]
fn without_timestamps_the_same_ack_is_none() {
    script(
        Tcp { rto: at_least_200_ms(), ..config(Reno) },
        "
        0    < open, endless
        0    > 0..1000
        1000 > 0..1000 again
        1100 < ack 1000
        1100 > 1000..3000
        1100 = srtt none, rto 2000
        ",
    );
}

#[test]
fn every_ack_of_new_data_is_a_sample_with_timestamps_and_others_are_not() {
    // RFC 7323 §4.1: only an ACK that moves the left edge of the window.
    script(
        Tcp { timestamps: true, rto: at_least_200_ms(), ..steady(Reno, 3) },
        "
        0    < open, endless
        0    > 0..3000
        100  < ack 1000 echo 0
        100  > 3000..4000
        180  < ack 2000 echo 0          # 7/8 of 100 + 1/8 of 180
        180  > 4000..5000
        180  = srtt 110
        300  < ack 2000 echo 0
        300  = srtt 110
        ",
    );
}

#[test]
fn linux_measures_from_the_first_segment_that_an_ack_covers() {
    // Linux 6.12, tcp_clean_rtx_queue: "first_ackt"; the timed segment would have given none before 140.
    script(
        Tcp { rto: linux(), ..steady(Reno, 2) },
        "
        0    < open, supply 1500
        0    > 0..1500
        40   < supply 1000
        40   = silent                   # 500 of 2000 are free: no full segment, no rest
        100  < ack 1000
        100  > 1500..2500
        100  = srtt 100, rto 300
        260  < ack 2500                 # 1000..1500 was sent at 0, 1500..2500 at 100: 7/8 of 100 + 1/8 of 260
        260  = srtt 120
        ",
    );
}

#[test]
fn linux_takes_a_sample_from_a_sack_and_restarts_the_timer_once_the_oldest_went_again() {
    // Linux 6.12, tcp_ack_update_rtt and the end of tcp_clean_rtx_queue.
    script(
        Tcp { sack: true, rto: linux(), ..steady(NewReno, 8) },
        "
        0    < open, endless
        0    > 0..8000
        100  < ack 0 sack 1000..2000
        100  = srtt 100, rto 300, timer 1000
        101  < ack 0 sack 1000..3000
        102  < ack 0 sack 1000..4000
        102  > 0..1000 again
        102  = timer 1000
        103  < ack 0 sack 1000..5000    # 8 SRTT in us: 800000, 801000, 802875, 805516; SRTT 100689
        103  = rto 300.689, timer 403.689
        ",
    );
}

#[test]
fn linux_trusts_the_echo_last_and_in_whole_milliseconds() {
    // Linux 6.12, tcp_ack_update_rtt: Karn's rule, then tcp_rtt_tsopt_us.
    script(
        Tcp { timestamps: true, rto: linux(), ..config(Reno) },
        "
        0      < open, endless
        0      > 0..1000
        1000   > 0..1000 again
        1100.7 < ack 1000 echo 1000
        1100.7 > 1000..3000
        1100.7 = srtt 100, rto 300
        1200.9 < ack 2000 echo 900      # from the send time: 100.2 ms, whatever is echoed
        1200.9 > 3000..4000
        1200.9 = srtt 100.025
        ",
    );
}
