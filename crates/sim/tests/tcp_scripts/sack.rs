//! Recovery by the scoreboard (RFC 6675), with and without its rescue.

use airlink_model::transport::Algorithm::NewReno;
use airlink_model::transport::{Rules, Tcp};

use super::sending_side::{script, steady};

fn with_sack(segments: u32) -> Tcp {
    Tcp { sack: true, ..steady(NewReno, segments) }
}

#[test]
fn holes_are_filled_as_they_show_and_pipe_lets_new_data_follow() {
    // RFC 6675 §5; segments 1000..2000 and 3000..4000 are lost.
    script(
        with_sack(8),
        "
        0    < open, endless
        0    > 0..8000
        100  < ack 1000
        100  > 8000..9000
        101  < ack 1000 sack 2000..3000
        102  < ack 1000 sack 4000..5000 2000..3000
        102  = silent, duplicate_acks 2
        103  < ack 1000 sack 4000..6000 2000..3000
        103  > 1000..2000 again         # pipe: the repair, 3000, 6000, 7000 and 8000
        103  = recovering true, ssthresh 4000, cwnd 4000, flight 5000
        104  < ack 1000 sack 4000..7000 2000..3000
        104  > 3000..4000 again         # more than two segments SACKed above it: lost, so pipe was 3000
        104  = flight 4000
        105  < ack 1000 sack 4000..8000 2000..3000
        105  > 9000..10000              # nothing lost waits: new data
        106  < ack 1000 sack 4000..9000 2000..3000
        106  > 10000..11000
        200  < ack 3000 sack 4000..9000
        200  > 11000..12000
        201  < ack 9000                 # everything sent before the loss showed
        201  > 12000..13000
        201  = recovering false, cwnd 4000, retransmissions 2, fast_retransmits 1, timeouts 0
        ",
    );
}

#[test]
fn a_block_far_above_shows_the_loss_although_acks_were_lost() {
    // RFC 6675 §5 step 2: IsLost(HighACK + 1) is enough, one duplicate ACK or three.
    script(
        with_sack(8),
        "
        0    < open, endless
        0    > 0..8000
        100  < ack 0 sack 1000..3000
        100  = silent                   # 2000 bytes are not more than (3 - 1) SMSS
        101  < ack 0 sack 1000..4000
        101  > 0..1000 again
        101  = recovering true, fast_retransmits 1, duplicate_acks 2
        ",
    );
}

#[test]
fn three_separate_blocks_show_a_loss_however_small() {
    // RFC 6675 §4 IsLost: DupThresh discontiguous sequences; 0..1000, 2000..3000 and 4000..5000 are lost.
    script(
        with_sack(8),
        "
        0    < open, endless
        0    > 0..8000
        100  < ack 0 sack 5000..6000 3000..4000
        100  = silent
        101  < ack 0 sack 7000..8000 5000..6000 3000..4000 1000..2000
        101  > 0..1000 again            # above 2000 and 4000 there are three and two
        101  > 2000..3000 again
        101  = ssthresh 4000, flight 4000
        ",
    );
}

#[test]
fn a_duplicate_ack_without_news_shows_nothing() {
    // RFC 6675 §2: a duplicate ACK reports data not SACKed before.
    script(
        with_sack(8),
        "
        0    < open, endless
        0    > 0..8000
        100  < ack 0 sack 1000..2000
        101  < ack 0 times 5 sack 1000..2000
        102  < ack 0 times 5
        102  = silent, recovering false
        ",
    );
}

#[test]
fn what_may_be_lost_goes_again_when_nothing_else_is_left() {
    // RFC 6675 §4 NextSeg rule 3; segments 0..1000 and 4000..5000 are lost, and there is no new data.
    script(
        with_sack(8),
        "
        0    < open, supply 7000
        0    > 0..7000
        100  < ack 0 sack 1000..2000
        101  < ack 0 sack 1000..3000
        102  < ack 0 sack 1000..4000
        102  > 0..1000 again
        102  = cwnd 3500, flight 4000   # the repair and 4000..7000
        103  < ack 0 sack 5000..6000 1000..4000
        103  = silent, flight 3000      # no room for a full segment
        104  < ack 0 sack 5000..7000 1000..4000
        104  > 4000..5000 again         # only 2000 bytes SACKed above it: not lost, but below the highest
        104  = retransmissions 2, flight 3000
        ",
    );
}

#[test]
fn one_rescue_repairs_a_lost_tail() {
    // RFC 6675 §4 NextSeg rule 4; segments 0..1000 and 6000..7000 are lost.
    let text = "
        0    < open, supply 7000
        0    > 0..7000
        100  < ack 0 sack 1000..2000
        101  < ack 0 sack 1000..3000
        102  < ack 0 sack 1000..4000
        102  > 0..1000 again
        103  < ack 0 sack 1000..5000
        104  < ack 0 sack 1000..6000
        104  = silent, flight 2000      # not before more than the first repair is acknowledged
        200  < ack 6000
        ";
    let rescue =
        format!("{text}200 > 6000..7000 again\n 201 < ack 6000\n 201 = silent, flight 1000, retransmissions 2");
    script(Tcp { rules: Rules { sack_rescue: true, ..with_sack(8).rules }, ..with_sack(8) }, &rescue);
    script(with_sack(8), &format!("{text}1199 = silent\n 1200 > 6000..7000 again\n 1200 = timeouts 1"));
}

#[test]
fn after_a_timeout_only_what_is_not_sacked_goes_again() {
    // RFC 6675 §5.1; segments 1000..2000 and 3000..4000 are lost, and the repairs too.
    script(
        with_sack(4),
        "
        0    < open, endless
        0    > 0..4000
        100  < ack 1000
        100  > 4000..5000
        200  < ack 1000 sack 2000..3000
        1100 > 1000..2000 again
        1100 = timeouts 1, cwnd 1000, ssthresh 2000, flight 1000
        1200 < ack 3000                 # slow start: 3000..4000 is next, and 4000..5000 may be lost too
        1200 > 3000..5000 again
        1200 = cwnd 2000
        1300 < ack 5000
        1300 > 5000..7000
        ",
    );
}

#[test]
fn no_recovery_starts_before_what_a_timeout_gave_up_is_acknowledged() {
    // RFC 6675 §5.1.
    let text = "
        0    < open, endless
        0    > 0..8000
        1000 > 0..1000 again            # it was only late
        1100 < ack 1000
        1100 > 1000..3000 again
        1101 < ack 1000 sack 2000..3000
        1101 > 3000..4000 again
        1102 < ack 1000 sack 2000..4000
        1102 > 4000..5000 again
        1103 < ack 1000 sack 2000..5000
        1103 > 5000..6000 again
        1103 = fast_retransmits 0, recovering false
        ";
    script(with_sack(8), text);
}
