//! A wired bottleneck against paper and pencil: 1500 bytes take 1.2 ms at 10 Mb/s, and 20 ms on the wire.

use airlink_model::path::{Bottleneck, BottleneckConfig, Freeze, Impairments, ImpairmentsConfig, WhenFrozen};
use airlink_model::types::{
    Bytes, Direction, DropReason, Duration, FlowId, Marks, Packet, PacketFields, Rate, Time, UserId,
};

fn microseconds(count: u64) -> Time {
    Time::from_nanos(count * 1000)
}

fn ten_megabits() -> BottleneckConfig {
    let (rate, delay) = (Rate::from_bps(10e6), Duration::from_millis(20));
    BottleneckConfig { rate, delay, ..BottleneckConfig::default() }
}

fn packet(id: u64, bytes: u64) -> Packet<()> {
    let (flow, user, bytes) = (FlowId::new(0), UserId::new(0), Bytes::new(bytes));
    Box::new(PacketFields {
        id,
        flow,
        user,
        bytes,
        sent_at: Time::ZERO,
        queued_at: Time::ZERO,
        direction: Direction::Down,
        hop: 0,
        marks: Marks::default(),
        payload: (),
    })
}

/// Gives a packet to the bottleneck; false if it was refused.
fn enters(bottleneck: &mut Bottleneck<()>, now: Time, packet: Packet<()>) -> bool {
    while bottleneck.pop_sent(now).is_some() {}
    bottleneck.push(now, packet).inspect_err(|dropped| assert_eq!(dropped.reason, DropReason::QueueFull)).is_ok()
}

/// Everything that arrives, with the time in nanoseconds.
fn arrivals(bottleneck: &mut Bottleneck<()>) -> Vec<(u64, u64)> {
    let mut found = Vec::new();
    while let Some(now) = bottleneck.poll_timeout() {
        while bottleneck.poll_lost(now).is_some() {}
        while let Some(packet) = bottleneck.poll_packet(now) {
            found.push((packet.id, now.as_nanos()));
        }
    }
    found
}

#[test]
fn packets_wait_for_one_another_and_then_take_the_delay() {
    let mut bottleneck = Bottleneck::new(&ten_megabits(), None);
    for (id, at_us, bytes) in [(0, 0, 1500), (1, 0, 1500), (2, 500, 40), (3, 2432, 1500), (4, 10_000, 1500)] {
        assert!(enters(&mut bottleneck, microseconds(at_us), packet(id, bytes)));
    }
    // Sent at 1.2, 2.4, 2.432 (40 bytes: 32 us), 3.632 (it comes just when the wire is free) and 11.2 ms.
    let expected = [(0, 21_200), (1, 22_400), (2, 22_432), (3, 23_632), (4, 31_200)];
    assert_eq!(arrivals(&mut bottleneck), expected.map(|(id, at_us)| (id, at_us * 1000)));
}

#[test]
fn the_time_to_send_is_rounded_to_the_nearest_nanosecond_of_each_packet() {
    let (rate, delay) = (Rate::from_bps(7e6), Duration::ZERO);
    let mut bottleneck = Bottleneck::new(&BottleneckConfig { rate, delay, ..BottleneckConfig::default() }, None);
    for id in 0..3 {
        assert!(enters(&mut bottleneck, Time::ZERO, packet(id, 1500)));
    }
    // 12000 bits at 7 Mb/s are 1714285.71 ns.
    assert_eq!(arrivals(&mut bottleneck), [(0, 1_714_286), (1, 3_428_572), (2, 5_142_858)]);
}

#[test]
fn the_packet_that_is_being_sent_makes_a_difference_of_exactly_one() {
    for (in_service_counts, taken) in [(true, 5), (false, 6)] {
        let config = BottleneckConfig { limit_packets: 5, in_service_counts, ..ten_megabits() };
        let mut bottleneck = Bottleneck::new(&config, None);
        let entered = (0..10).filter(|&id| enters(&mut bottleneck, Time::ZERO, packet(id, 1500))).count();
        assert_eq!(entered, taken);
        assert_eq!(bottleneck.waiting(), (taken as u64, Bytes::new(1500 * taken as u64)));
    }
}

#[test]
fn a_packet_that_comes_when_another_has_just_been_sent_finds_its_place_empty() {
    let config = BottleneckConfig { limit_packets: 2, ..ten_megabits() };
    let mut bottleneck = Bottleneck::new(&config, None);
    assert!(enters(&mut bottleneck, Time::ZERO, packet(0, 1500)));
    assert!(enters(&mut bottleneck, Time::ZERO, packet(1, 1500)));
    assert!(!enters(&mut bottleneck, Time::from_nanos(1_199_999), packet(2, 1500)));
    assert!(enters(&mut bottleneck, Time::from_nanos(1_200_000), packet(3, 1500)));
}

#[test]
fn bytes_are_limited_to_the_byte_and_one_in_service_may_be_left_out() {
    for (in_service_counts, sizes) in [(true, [1000, 500, 501]), (false, [9000, 1500, 1])] {
        let config = BottleneckConfig { limit_bytes: Bytes::new(1500), in_service_counts, ..ten_megabits() };
        let mut bottleneck = Bottleneck::new(&config, None);
        assert!(enters(&mut bottleneck, Time::ZERO, packet(0, sizes[0])));
        assert!(!enters(&mut bottleneck, Time::ZERO, packet(1, sizes[1] + 1)));
        assert!(enters(&mut bottleneck, Time::ZERO, packet(2, sizes[1])));
        assert!(!enters(&mut bottleneck, Time::ZERO, packet(3, sizes[2])));
    }
}

#[test]
fn sent_packets_are_reported_in_order_with_their_arrival_times() {
    let mut bottleneck = Bottleneck::new(&ten_megabits(), None);
    assert!(enters(&mut bottleneck, Time::ZERO, packet(0, 1500)));
    assert!(enters(&mut bottleneck, microseconds(100), packet(1, 1500)));
    assert_eq!(bottleneck.pop_sent(microseconds(1199)), None);
    let sent = bottleneck.pop_sent(microseconds(2400)).expect("the first");
    assert_eq!((sent.at, sent.queued_at), (microseconds(1200), Time::ZERO));
    let sent = bottleneck.pop_sent(microseconds(2400)).expect("the second");
    assert_eq!((sent.at, sent.queued_at), (microseconds(2400), microseconds(100)));
    assert_eq!(bottleneck.pop_sent(Time::NEVER), None);
}

#[test]
fn packets_that_the_wire_loses_or_duplicates_were_in_the_queue() {
    let config = ImpairmentsConfig { drop_numbers: vec![1], duplicate_numbers: vec![2], ..Default::default() };
    let mut bottleneck = Bottleneck::new(&ten_megabits(), Some(Impairments::new(&config, 1, 0)));
    for id in 0..4 {
        assert!(enters(&mut bottleneck, Time::ZERO, packet(id, 1500)));
    }
    assert_eq!(bottleneck.waiting().0, 4);
    assert_eq!(bottleneck.held(), (5, Bytes::new(7500)));
    let expected = [(0, 21_200), (2, 23_600), (2, 23_600), (3, 24_800)];
    assert_eq!(arrivals(&mut bottleneck), expected.map(|(id, at_us)| (id, at_us * 1000)));
    assert_eq!(bottleneck.held(), (0, Bytes::ZERO));
}

/// Frozen from 2 to 12 ms and from 12 to 13 ms.
fn freezes(in_service: WhenFrozen) -> Vec<Freeze> {
    let freeze = |at_ms: u64, for_ms| Freeze {
        at: microseconds(1000 * at_ms),
        length: Duration::from_millis(for_ms),
        in_service,
    };
    vec![freeze(12, 1), freeze(2, 10)]
}

#[test]
fn a_frozen_bottleneck_sends_nothing_and_keeps_its_queue() {
    // The second packet is being sent from 1.2 to 2.4 ms; 400 us of it are left at 2 ms.
    for (in_service, expected) in
        [(WhenFrozen::Pauses, [21_200, 33_400, 34_600]), (WhenFrozen::Ends, [21_200, 22_400, 34_200])]
    {
        let mut bottleneck =
            Bottleneck::new(&BottleneckConfig { freezes: freezes(in_service), ..ten_megabits() }, None);
        for id in 0..3 {
            assert!(enters(&mut bottleneck, Time::ZERO, packet(id, 1500)));
        }
        while bottleneck.pop_sent(microseconds(12_999)).is_some() {}
        assert_eq!(bottleneck.waiting().0, if in_service == WhenFrozen::Pauses { 2 } else { 1 });
        let found = arrivals(&mut bottleneck);
        assert_eq!(found, [0, 1, 2].map(|id| (id, expected[id as usize] * 1000)), "{in_service:?}");
    }
}

#[test]
fn packets_at_the_very_begin_and_end_of_a_freeze_are_sent() {
    let freeze = Freeze { at: microseconds(1200), length: Duration::from_millis(2), in_service: WhenFrozen::Pauses };
    let mut bottleneck = Bottleneck::new(&BottleneckConfig { freezes: vec![freeze], ..ten_megabits() }, None);
    assert!(enters(&mut bottleneck, Time::ZERO, packet(0, 1500)));
    assert!(enters(&mut bottleneck, microseconds(3200), packet(1, 1500)));
    assert_eq!(arrivals(&mut bottleneck), [(0, 21_200_000), (1, 24_400_000)]);
}

#[test]
fn packets_held_by_a_freeze_count_as_waiting() {
    let freezes = freezes(WhenFrozen::Pauses);
    let config = BottleneckConfig { limit_packets: 2, in_service_counts: false, freezes, ..ten_megabits() };
    let mut bottleneck = Bottleneck::new(&config, None);
    let mut taken = |at_us| (0..4).filter(|&id| enters(&mut bottleneck, microseconds(at_us), packet(id, 1500))).count();
    assert_eq!(taken(3000), 2);
    // The first is being sent, so one more fits.
    assert_eq!(taken(13_000), 1);
}
