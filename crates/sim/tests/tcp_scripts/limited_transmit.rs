//! Limited transmit (RFC 3042; RFC 6675 §5 step 3).

use airlink_model::transport::Algorithm::{NewReno, Reno};
use airlink_model::transport::{Rules, Tcp};

use super::sending_side::{script, steady};

#[test]
fn the_first_two_duplicate_acks_each_release_a_new_segment() {
    // RFC 3042 §2; RFC 5681 §3.2 step 2: what it sent does not count in the flight that is halved.
    script(
        Tcp { rules: Rules { limited_transmit: true, ..steady(Reno, 8).rules }, ..steady(Reno, 8) },
        "
        0    < open, endless
        0    > 0..8000
        100  < ack 0
        100  > 8000..9000
        101  < ack 0
        101  > 9000..10000
        101  = cwnd 8000, flight 10000, limited_transmits 2
        102  < ack 0
        102  > 0..1000 again
        102  = ssthresh 4000, cwnd 7000
        ",
    );
}

#[test]
fn without_it_two_duplicate_acks_release_nothing() {
    script(
        steady(Reno, 8),
        "
        0    < open, endless
        0    > 0..8000
        100  < ack 0 times 2
        100  = silent, limited_transmits 0
        ",
    );
}

#[test]
fn it_sends_no_more_than_the_receiver_has_room_for() {
    // RFC 3042 §2: the receiver's advertised window allows it.
    script(
        Tcp { rules: Rules { limited_transmit: true, ..steady(Reno, 8).rules }, ..steady(Reno, 8) },
        "
        0    < open, endless
        0    > 0..8000
        100  < ack 0 window 9000        # it moves the window: no duplicate
        101  < ack 0
        101  > 8000..9000
        102  < ack 0
        102  = silent, flight 9000
        ",
    );
}

#[test]
fn an_ack_of_new_data_ends_what_duplicates_allowed() {
    script(
        Tcp { rules: Rules { limited_transmit: true, ..steady(NewReno, 8).rules }, ..steady(NewReno, 8) },
        "
        0    < open, endless
        0    > 0..8000
        100  < ack 0 times 2
        100  > 8000..10000
        101  < ack 1000                 # it was only reordered; 9000 in flight, cwnd 8125
        101  = silent, flight 9000, cwnd 8125
        102  < ack 2000
        102  = flight 8000, silent
        ",
    );
}

#[test]
fn with_sack_a_new_segment_replaces_each_that_arrived() {
    // RFC 6675 §5 step 3.3.
    script(
        Tcp { sack: true, rules: Rules { limited_transmit: true, ..steady(NewReno, 8).rules }, ..steady(NewReno, 8) },
        "
        0    < open, endless
        0    > 0..8000
        100  < ack 0 sack 1000..2000
        100  > 8000..9000
        101  < ack 0 sack 1000..3000
        101  > 9000..10000
        101  = flight 8000, cwnd 8000, limited_transmits 2
        102  < ack 0 sack 1000..4000
        102  > 0..1000 again
        102  = ssthresh 4000
        ",
    );
}
