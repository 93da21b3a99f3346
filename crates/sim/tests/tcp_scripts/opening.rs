//! Opening by a SYN (RFC 9293 §3.5).

use airlink_model::transport::Algorithm::Reno;
use airlink_model::transport::{InitialWindow, LostSynWindow, Rules, Tcp};

use super::sending_side::{script, steady};

fn by_handshake() -> Tcp {
    Tcp { handshake: true, ..steady(Reno, 2) }
}

#[test]
fn the_answer_to_the_syn_is_the_first_sample_and_lets_data_go() {
    // RFC 6298 §2.2.
    script(
        by_handshake(),
        "
        0    < open, endless
        0    > syn
        0    = timer 1000
        80   < ack 0 window 1500
        80   > 0..1000
        80   = srtt 80, rto 1000, timer 1080, rtt 80, segments_sent 2
        ",
    );
}

#[test]
fn a_lost_syn_is_repeated_and_leaves_one_segment_and_three_seconds() {
    // RFC 5681 §3.1: an initial window of one segment; RFC 6298 §5.7: an RTO of 3 s; §3: no sample.
    script(
        by_handshake(),
        "
        0    < open, endless
        0    > syn
        1000 > syn again
        1000 = timer 3000, timeouts 1
        3000 > syn again
        3100 < ack 0
        3100 > 0..1000
        3100 = cwnd 1000, srtt none, rto 3000, timer 6100, retransmissions 2
        ",
    );
}

/// Two SYNs go again at 1 and 3 s; the answer echoes the time `echo`.
fn opens_with_after_two(rule: LostSynWindow, echo: u32, answer: &str) {
    let initial_window = InitialWindow::Rfc3390;
    let config = Tcp {
        timestamps: true,
        initial_window,
        rules: Rules { initial_window_after_lost_syn: rule, ..by_handshake().rules },
        ..by_handshake()
    };
    let opening = "
        0    < open, endless
        0    > syn
        1000 > syn again
        3000 > syn again
        ";
    script(config, &format!("{opening}3100 < ack 0 echo {echo}\n        3100 > {answer}\n"));
}

#[test]
fn two_syns_sent_again_leave_one_segment_unless_linux_sees_that_none_was_lost() {
    for rule in [LostSynWindow::OneSegment, LostSynWindow::ForgivesFirst, LostSynWindow::FallsBack] {
        opens_with_after_two(rule, 3000, "0..1000");
    }
    opens_with_after_two(LostSynWindow::OneSegment, 0, "0..1000");
    opens_with_after_two(LostSynWindow::ForgivesFirst, 0, "0..4000");
}

#[test]
fn the_echo_of_a_repeated_syn_is_a_sample() {
    // RFC 7323 §4.1.
    script(
        Tcp { timestamps: true, ..by_handshake() },
        "
        0    < open, endless
        0    > syn
        1000 > syn again
        1100 < ack 0 echo 1000
        1100 > 0..1000
        1100 = srtt 100, rto 1000
        ",
    );
}

#[test]
fn without_it_the_connection_is_open_at_once() {
    script(
        steady(Reno, 2),
        "
        0    < open, endless
        0    > 0..2000
        0    = srtt none
        ",
    );
}
