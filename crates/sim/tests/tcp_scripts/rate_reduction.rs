//! Proportional rate reduction (RFC 9937), and as Linux does it.

use airlink_model::transport::Algorithm::NewReno;
use airlink_model::transport::{RateReduction, Rules, Tcp};

use super::sending_side::{script, steady};

fn reducing(rate_reduction: RateReduction, segments: u32) -> Tcp {
    Tcp {
        sack: true,
        rules: Rules { prr: rate_reduction, ..steady(NewReno, segments).rules },
        ..steady(NewReno, segments)
    }
}

#[test]
fn the_window_comes_down_in_proportion_to_what_arrives() {
    // RFC 9937 §6.2; segment 0..1000 of twenty is lost. RecoverFS = 20000 - 2000 SACKed before, ssthresh 10000.
    script(
        reducing(RateReduction::Proportional, 20),
        "
        0    < open, endless
        0    > 0..20000
        100  < ack 0 sack 1000..2000
        101  < ack 0 sack 1000..3000
        101  = silent
        102  < ack 0 sack 1000..4000
        102  > 0..1000 again            # forced: 16000 in flight + 1000
        102  = ssthresh 10000, cwnd 17000
        103  < ack 0 sack 1000..5000
        103  = silent, cwnd 16112       # ceil(2000 * 10000 / 18000) - 1000 = 112
        104  < ack 0 sack 1000..6000
        104  = silent, cwnd 15667       # 1667 - 1000
        105  < ack 0 sack 1000..7000
        105  > 20000..21000             # 2223 - 1000 is more than a segment
        105  = cwnd 15223
        106  < ack 0 sack 1000..8000
        106  = silent                   # 2778 - 2000
        107  < ack 0 sack 1000..9000
        107  > 21000..22000             # 3334 - 2000
        200  < ack 20000
        200  = recovering false, cwnd 10000
        200  > 22000..30000
        ",
    );
}

#[test]
fn linux_counts_whole_segments_and_a_share_of_the_window() {
    // Linux 6.12, net/ipv4/tcp_input.c, tcp_cwnd_reduction: ceil(10 n / 20) segments after the n-th.
    script(
        reducing(RateReduction::Linux, 20),
        "
        0    < open, endless
        0    > 0..20000
        100  < ack 0 sack 1000..2000
        101  < ack 0 sack 1000..3000
        102  < ack 0 sack 1000..4000
        102  > 0..1000 again
        102  = ssthresh 10000, cwnd 17000
        103  < ack 0 sack 1000..5000
        103  = silent, cwnd 16000       # 1 - 1
        104  < ack 0 sack 1000..6000
        104  > 20000..21000             # 2 - 1
        105  < ack 0 sack 1000..7000
        105  = silent
        106  < ack 0 sack 1000..8000
        106  > 21000..22000
        ",
    );
}

#[test]
fn below_ssthresh_prr_sends_what_arrives_and_one_segment_more_when_safe() {
    // RFC 9937 §6.2, PRR-CRB and PRR-SSRB; 0..1000 and 4000..9000 of ten are lost, ssthresh 5000.
    script(
        reducing(RateReduction::Proportional, 10),
        "
        0    < open, endless
        0    > 0..10000
        100  < ack 0 sack 1000..2000
        101  < ack 0 sack 1000..3000
        102  < ack 0 sack 1000..4000
        102  > 0..1000 again
        102  = ssthresh 5000, cwnd 7000
        103  < ack 0 sack 9000..10000 1000..4000
        103  = flight 6000, silent      # 0..1000 and 4000..9000
        200  < ack 4000 sack 9000..10000
        200  = flight 5000, cwnd 5000, silent
        201  < ack 4000 sack 7000..10000
        201  > 4000..7000 again         # lost now: nothing in flight; 5000 delivered - 1000 sent, no more than 5000
        201  = cwnd 4000
        201  > 10000..11000
        202  < ack 5000 sack 7000..10000
        202  > 11000..13000             # safe: 6000 - 5000 and a segment more
        202  = cwnd 5000
        ",
    );
}

#[test]
fn without_sack_each_duplicate_ack_is_a_segment_that_arrived() {
    // RFC 9937 §6.2 with Linux's counting; 0..1000 and 4000..5000 of ten are lost.
    script(
        Tcp {
            sack: false,
            rules: Rules { limited_transmit: true, ..reducing(RateReduction::Linux, 10).rules },
            ..reducing(RateReduction::Linux, 10)
        },
        "
        0    < open, endless
        0    > 0..10000
        100  < ack 0
        100  > 10000..11000
        101  < ack 0
        101  > 11000..12000
        102  < ack 0
        102  > 0..1000 again            # 8 in flight, ceil(5 * 1 / 10) = 1
        102  = ssthresh 5000, cwnd 9000
        103  < ack 0
        103  = silent, cwnd 8000        # 1 - 1
        104  < ack 0
        104  > 12000..13000             # 2 - 1
        105  < ack 0
        106  < ack 0
        106  > 13000..14000             # 3 - 2
        107  < ack 0
        108  < ack 0
        108  = silent, cwnd 5000, flight 5000
        109  < ack 0
        109  > 14000..15000
        200  < ack 4000                 # partial: the next hole, and 2 of ssthresh are free
        200  > 4000..5000 again
        200  > 15000..16000
        200  = cwnd 5000, flight 5000, recovering true
        300  < ack 12000                # all that was sent before: Linux waits for more
        300  = recovering true
        300  > 16000..17000
        301  < ack 13000
        301  = recovering false, timeouts 0
        301  > 17000..18000
        ",
    );
}
