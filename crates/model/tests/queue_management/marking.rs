//! Congestion marks (CE) against counts by hand, a second account of CoDel's clock, and the fates of packets without ECN.

use std::collections::BTreeSet;

use airlink_model::queue::{CodelConfig, InService, LimitCounts, Occupancy, PieConfig, Queue, QueueConfig, QueueKind};
use airlink_model::types::{Bytes, Ecn, FlowId, Marks, PacketFields, Time, UserId};
use proptest::prelude::*;

use super::bench::{MS, Step, any_script, cases, packet, play, play_with, steady, unlimited};

fn managed(kind: QueueKind, ecn: bool) -> QueueConfig {
    QueueConfig { kind, ecn, ..QueueConfig::default() }
}

/// The numbers of the packets that are marked if `count` packets of 100 bytes come at once.
fn marked_of(config: &QueueConfig, count: u64, in_service: InService) -> Vec<u64> {
    let mut queue: Queue<()> = Queue::new(config, 1, UserId::default());
    for id in 0..count {
        let marks = Marks { ecn: Ecn::Ect0, ..Marks::default() };
        queue
            .push(Time::ZERO, Box::new(PacketFields { marks, ..*packet(id, 100) }), in_service)
            .expect("there is no limit");
    }
    let reported = queue.take_marked().len();
    let marked =
        queue.waiting().filter(|packet| packet.marks.ecn == Ecn::Ce).map(|packet| packet.id).collect::<Vec<_>>();
    assert_eq!(reported, marked.len(), "each mark is reported once");
    marked
}

#[test]
fn a_threshold_marks_what_finds_more_than_it() {
    let nothing = InService::default();
    for (packets, bytes, expected) in [
        (u64::MAX, u64::MAX, vec![]),
        (0, u64::MAX, vec![1, 2, 3, 4]),
        (3, u64::MAX, vec![4]),
        (4, u64::MAX, vec![]),
        (u64::MAX, 199, vec![2, 3, 4]),
        (u64::MAX, 200, vec![3, 4]),
        (2, 399, vec![3, 4]),
    ] {
        let (mark_above_packets, mark_above_bytes) = (packets, Bytes::new(bytes));
        let config = QueueConfig { mark_above_packets, mark_above_bytes, ..QueueConfig::default() };
        assert_eq!(marked_of(&config, 5, nothing), expected, "{packets} packets, {bytes} bytes");
    }
}

#[test]
fn a_threshold_counts_what_limits_count() {
    let of = |packets, bytes| Occupancy { packets, bytes: Bytes::new(bytes) };
    let in_service = InService { held: of(2, 200), unsent: of(1, 30) };
    for (limit_counts, expected) in [(LimitCounts::Held, vec![2, 3]), (LimitCounts::Unsent, vec![3])] {
        let config = QueueConfig { mark_above_packets: 3, limit_counts, ..QueueConfig::default() };
        assert_eq!(marked_of(&config, 4, in_service), expected, "{limit_counts:?}");
    }
}

#[test]
fn a_mark_that_a_packet_brings_stays_and_is_not_counted_again() {
    let config = QueueConfig { mark_above_packets: 0, ..QueueConfig::default() };
    let mut queue: Queue<()> = Queue::new(&config, 1, UserId::default());
    for (id, ecn) in [(0, Ecn::Ce), (1, Ecn::Ce), (2, Ecn::Ect1), (3, Ecn::NotEct)] {
        let marks = Marks { ecn, ..Marks::default() };
        let flow = FlowId::new(id as usize);
        queue
            .push(Time::ZERO, Box::new(PacketFields { flow, marks, ..*packet(id, 100) }), InService::default())
            .expect("no limit");
    }
    assert_eq!(queue.take_marked().into_iter().map(|(_, flow)| flow).collect::<Vec<_>>(), [FlowId::new(2)]);
    let fields: Vec<Ecn> = queue.waiting().map(|packet| packet.marks.ecn).collect();
    assert_eq!(fields, [Ecn::Ce, Ecn::Ce, Ecn::Ce, Ecn::NotEct]);
}

#[test]
fn codel_marks_at_the_moments_of_its_clock_and_drops_nothing() {
    // 1500 bytes come every millisecond, and one packet is pulled every 2 ms: the queue grows without end.
    let script = steady(1500, MS, 2 * MS, 1500 * MS);
    let fates = play_with(&mut unlimited(&managed(QueueKind::Codel, true)), &script, |_| Ecn::Ect0);
    assert!(fates.dropped.is_empty(), "{:?}", fates.dropped);
    // The first wait of 5 ms is that of the packet that comes at 5 ms and is pulled at 12 ms, behind five others; so the spell
    // begins 100 ms later, and goes on at sums of 100 ms / sqrt(n). A packet is pulled at the next even millisecond.
    let waits_first = script.iter().filter(|(_, step)| matches!(step, Step::Pulled(_))).map(|&(at, _)| at);
    let first_above = waits_first.enumerate().find(|&(n, at)| at - n as u64 * MS >= 5 * MS).expect("the queue grows").1;
    let mut due = (first_above + 100 * MS) as f64;
    let mut expected = Vec::new();
    for count in 1.. {
        let pulled = (due / (2 * MS) as f64).ceil() as u64 * 2 * MS;
        if pulled >= 1500 * MS {
            break;
        }
        expected.push(pulled);
        due += 100e6 / f64::from(count).sqrt();
    }
    let moments: Vec<u64> = fates.marked.iter().map(|&(_, at)| at).collect();
    assert!(expected.len() > 30);
    assert_eq!(moments, expected);
}

#[test]
fn codel_drops_what_cannot_be_marked_and_marks_the_rest() {
    let script = steady(1500, MS, 2 * MS, 3000 * MS);
    let of_odd = |number: u64| if number % 2 == 1 { Ecn::Ect0 } else { Ecn::NotEct };
    let fates = play_with(&mut unlimited(&managed(QueueKind::Codel, true)), &script, of_odd);
    assert!(fates.marked.len() > 20 && fates.dropped.len() > 20, "{} and {}", fates.marked.len(), fates.dropped.len());
    assert!(fates.marked.iter().all(|&(number, _)| number % 2 == 1));
    assert!(fates.dropped.iter().all(|&(number, _)| number % 2 == 0));
}

#[test]
fn pie_marks_below_its_threshold_and_refuses_from_it_on() {
    let script = steady(1500, MS, 6 * MS / 5, 1000 * MS);
    let config = |ecn, mark_below_probability| QueueConfig {
        pie: PieConfig { mark_below_probability, ..PieConfig::default() },
        ..managed(QueueKind::Pie, ecn)
    };
    let without = play(&mut unlimited(&config(false, 0.1)), &script);
    let capable = |config| play_with(&mut unlimited(&config), &script, |_| Ecn::Ect0);
    // At 0 nothing is marked, at 1 nothing is refused. The first that is refused without ECN is the first to be marked.
    assert_eq!(capable(config(true, 0.0)), without);
    let all = capable(config(true, 1.0));
    assert!(all.dropped.is_empty() && !all.marked.is_empty());
    assert_eq!(all.marked[0].0, without.dropped[0].0);
    // The probability rises through 0.1 once: all marks are on packets that came before the first that is refused.
    let both = capable(config(true, 0.1));
    let (last_marked, first_dropped) = (both.marked[both.marked.len() - 1].0, both.dropped[0].0);
    assert!(last_marked < first_dropped, "{last_marked} and {first_dropped}");
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn packets_without_ecn_fare_as_where_nothing_is_marked(script in any_script(400), which in 0..2_usize) {
        let kind = [QueueKind::Codel, QueueKind::Pie][which];
        prop_assert_eq!(play(&mut unlimited(&managed(kind, true)), &script), play(&mut unlimited(&managed(kind, false)), &script));
    }

    #[test]
    fn only_packets_that_can_be_marked_are_and_each_mark_is_reported(script in any_script(400), modulus in 1..4_u64) {
        for kind in [QueueKind::DropTail, QueueKind::Codel, QueueKind::Pie, QueueKind::Adaptive] {
            let config = QueueConfig { codel: CodelConfig::default(), mark_above_packets: 6, ..managed(kind, true) };
            let mut queue = unlimited(&config);
            let capable = |number: u64| number.is_multiple_of(modulus);
            let fates = play_with(&mut queue, &script, |number| if capable(number) { Ecn::Ect0 } else { Ecn::NotEct });
            let numbers: BTreeSet<u64> = fates.marked.iter().map(|&(number, _)| number).collect();
            prop_assert!(numbers.iter().all(|&number| capable(number)));
            // Marks set = marks sent + marks still waiting + marks of packets that were dropped afterwards.
            let waiting = queue.waiting().filter(|packet| packet.marks.ecn == Ecn::Ce).count();
            let set = queue.take_marked().len();
            let gone = numbers.len() + waiting;
            prop_assert!(gone <= set && set <= gone + fates.dropped.len(), "{} set, {} found", set, gone);
        }
    }
}
