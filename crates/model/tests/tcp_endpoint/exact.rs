//! Exchanges of two ends, segment by segment.

use airlink_model::transport::{DelayedAck, Endpoint, Flags, InitialWindow, Segment, State, Tcp};
use airlink_model::types::{Bytes, Duration, Time};

use super::pair::Pair;

const DELAY: Duration = Duration::from_millis(10);

fn tcp() -> Tcp {
    Tcp {
        mss: Bytes::new(1000),
        handshake: true,
        delayed_ack: DelayedAck { every: 2, timer: Duration::from_millis(200), ..DelayedAck::default() },
        ..Tcp::default()
    }
}

fn at(milliseconds: u64) -> Time {
    Time::ZERO + Duration::from_millis(milliseconds)
}

fn pair(tcp: Tcp) -> Pair {
    let mut pair = Pair::new(Endpoint::new(tcp), Endpoint::new(tcp));
    pair.ends[1].listen();
    pair.ends[0].open(Time::ZERO);
    pair
}

#[test]
fn a_request_rides_on_the_third_segment_of_the_handshake_and_its_answer_carries_the_ack() {
    let mut pair = pair(tcp());
    pair.ends[0].supply(Bytes::new(300));
    pair.run(at(29), DELAY);
    pair.ends[1].supply(Bytes::new(1500));
    pair.now = at(30);
    pair.run(at(500), DELAY);
    let expected = [
        "0 A syn 0..0",
        "10 B syn 0..0 ack 0",
        "20 A 0..300 ack 0",
        "30 B 0..1000 ack 300",
        "30 B 1000..1500 ack 300",
        "40 A 300..300 ack 1500",
    ];
    assert_eq!(pair.words(), expected);
}

#[test]
fn data_that_leaves_cancels_a_delayed_ack() {
    let mut pair = pair(tcp());
    pair.ends[0].supply(Bytes::new(300));
    pair.run(at(99), DELAY);
    pair.ends[1].supply(Bytes::new(100));
    pair.now = at(100);
    pair.run(at(1000), DELAY);
    let tail = pair.words()[3..].to_vec();
    assert_eq!(tail, ["100 B 0..100 ack 300", "310 A 300..300 ack 100"]);
}

#[test]
fn an_end_that_was_given_nothing_has_no_sender_and_one_that_got_nothing_no_receiver() {
    let tcp = Tcp { handshake: false, ..tcp() };
    let mut pair = pair(tcp);
    pair.ends[0].supply(Bytes::new(20_000));
    pair.run(at(2000), DELAY);
    assert_eq!(pair.ends[1].goodput(), Bytes::new(20_000));
    assert!(pair.ends[1].sender().is_none() && pair.ends[0].receiver().is_none());
    assert!(pair.ends[0].sender().is_some_and(|sender| sender.is_complete()));
}

#[test]
fn both_ends_may_open_at_the_same_time() {
    let mut pair = Pair::new(Endpoint::new(tcp()), Endpoint::new(tcp()));
    for end in 0..2 {
        pair.ends[end].open(Time::ZERO);
        pair.ends[end].supply(Bytes::new(500));
    }
    pair.run(at(500), DELAY);
    let opening = ["0 A syn 0..0", "0 B syn 0..0", "10 B syn 0..0 ack 0", "10 A syn 0..0 ack 0"];
    assert_eq!(pair.words()[..4], opening);
    for end in &pair.ends {
        assert_eq!((end.state(), end.goodput()), (State::Established, Bytes::new(500)));
        assert_eq!(end.sender().unwrap().statistics().retransmissions, 0);
    }
}

#[test]
fn an_end_that_has_closed_still_receives_and_acknowledges() {
    let mut pair = pair(tcp());
    pair.ends[0].supply(Bytes::new(300));
    pair.ends[0].close(Time::ZERO); // before it is open: there is nothing to close
    assert_eq!(pair.ends[0].state(), State::Closed);

    let mut pair = self::pair(tcp());
    pair.ends[0].supply(Bytes::new(300));
    pair.run(at(15), DELAY);
    pair.run(at(25), DELAY);
    pair.ends[0].close(at(25));
    pair.run(at(60), DELAY);
    assert_eq!([pair.ends[0].state(), pair.ends[1].state()], [State::FinWait2, State::CloseWait]);
    assert!(pair.ends[1].has_received_all());
    pair.ends[1].supply(Bytes::new(50_000));
    pair.run(at(3000), DELAY);
    assert_eq!(pair.ends[0].goodput(), Bytes::new(50_000));
    pair.ends[1].close(at(3000));
    pair.run(at(4000), DELAY);
    assert_eq!([pair.ends[0].state(), pair.ends[1].state()], [State::TimeWait, State::Closed]);
    pair.check_conservation();
}

#[test]
fn a_fin_rides_on_the_last_segment_and_takes_a_number() {
    let mut pair = pair(tcp());
    pair.run(at(100), DELAY);
    pair.ends[0].supply(Bytes::new(1500));
    pair.ends[0].close(at(100));
    pair.run(at(200), DELAY);
    let tail = pair.words()[3..].to_vec();
    assert_eq!(tail, ["100 A 0..1000 ack 0", "100 A fin 1000..1500 ack 0", "110 B 0..0 ack 1501"]);
}

#[test]
fn both_ends_may_close_at_the_same_time() {
    let mut pair = pair(tcp());
    pair.run(at(100), DELAY);
    (0..2).for_each(|end| pair.ends[end].close(at(100)));
    pair.run(at(300), DELAY);
    let tail = pair.words()[3..].to_vec();
    let expected = ["100 A fin 0..0 ack 0", "100 B fin 0..0 ack 0", "110 B 1..1 ack 1", "110 A 1..1 ack 1"];
    assert_eq!(tail, expected);
    assert_eq!([pair.ends[0].state(), pair.ends[1].state()], [State::TimeWait; 2]);
    pair.run(at(400_000), DELAY);
    assert_eq!([pair.ends[0].state(), pair.ends[1].state()], [State::Closed; 2]);
}

#[test]
fn a_lost_fin_is_sent_again_and_backs_off() {
    let mut pair = pair(tcp());
    pair.run(at(100), DELAY);
    pair.ends[0].close(at(100));
    pair.send(0, &mut |_, _| Vec::new());
    while pair.step(at(8000), &mut |_, _| Vec::new()) {}
    // RTO: a round trip of 20 ms is far below the least, one second.
    let tail = pair.words()[3..].to_vec();
    let fin = |at: u64| format!("{at} A fin 0..0 ack 0");
    assert_eq!(tail, [fin(100), fin(1100), fin(3100), fin(7100)]);
}

#[test]
fn an_abort_resets_the_other_end() {
    let mut pair = pair(tcp());
    pair.ends[0].supply(Bytes::new(300));
    pair.run(at(100), DELAY);
    pair.ends[1].abort(at(100));
    pair.run(at(200), DELAY);
    assert_eq!(pair.words().last().unwrap(), "100 B rst 0..0");
    assert!(pair.ends[0].was_reset() && !pair.ends[1].was_reset());
    assert_eq!([pair.ends[0].state(), pair.ends[1].state()], [State::Closed; 2]);
    assert_eq!(pair.ends[0].poll_timeout(), None);
}

#[test]
fn a_segment_for_no_connection_is_answered_by_a_reset() {
    let mut pair = Pair::new(Endpoint::new(tcp()), Endpoint::new(tcp()));
    pair.ends[0].open(Time::ZERO);
    pair.run(at(100), DELAY);
    assert_eq!(pair.words(), ["0 A syn 0..0", "10 B rst 0..0 ack 0"]);
    assert!(pair.ends[0].was_reset());
}

/// A segment with data and an ACK up to 10 000.
fn with_window(sequence: u64, window: u64) -> Segment {
    let (number, window) = (10_000, Bytes::new(window));
    Segment { number, window, flags: Flags::ACK, ..Segment::data(sequence, 500) }
}

/// RFC 9293 section 3.10.7.4, fifth: SND.WL1 and SND.WL2.
#[test]
fn a_segment_that_was_overtaken_does_not_set_the_window_back() {
    let (first, second) = (with_window(0, 10_000), with_window(500, 14_000));
    for order in [[first, second], [second, first]] {
        let (initial_window, initial_window_segments) = (InitialWindow::Segments, 20);
        let mut end = Endpoint::new(Tcp { handshake: false, initial_window, initial_window_segments, ..tcp() });
        end.open(Time::ZERO);
        end.supply(Bytes::new(20_000));
        let left =
            |end: &mut Endpoint, now| std::iter::from_fn(|| end.poll_packet(now)).filter(|it| it.length > 0).count();
        assert_eq!(left(&mut end, Time::ZERO), 20);
        order.iter().for_each(|segment| end.handle_packet(at(20), segment));
        end.supply(Bytes::new(10_000));
        assert_eq!(left(&mut end, at(20)), 4, "the second segment's window ends at 24 000");
        assert_eq!(end.goodput(), Bytes::new(1000));
    }
}
