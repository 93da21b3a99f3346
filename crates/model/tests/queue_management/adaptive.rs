//! The limit that sizes itself: what it converges to, what it forgets, and what it does not count.

use airlink_model::queue::{AdaptiveConfig, InService, Occupancy, Queue, QueueConfig, QueueKind};
use airlink_model::types::{Bytes, DropReason, Duration, Time};
use proptest::prelude::*;

use super::bench::{MS, cases, packet, unlimited};

const TARGET_MS: u64 = 100;

fn queue(memory_ms: u64) -> Queue<()> {
    let (target, memory) = (Duration::from_millis(TARGET_MS), Duration::from_millis(memory_ms));
    let adaptive = AdaptiveConfig { target, memory, floor: Bytes::new(5000), ..AdaptiveConfig::default() };
    unlimited(&QueueConfig { kind: QueueKind::Adaptive, adaptive, ..QueueConfig::default() })
}

fn push(queue: &mut Queue<()>, at: u64, bytes: u64) -> bool {
    let taken = queue.push(Time::from_nanos(at), packet(0, bytes), InService::default());
    taken.inspect_err(|dropped| assert_eq!(dropped.reason, DropReason::QueueFull)).is_ok()
}

fn pop(queue: &mut Queue<()>, at: u64) {
    assert!(queue.pop(Time::from_nanos(at), &mut Vec::new()).is_some());
}

/// The limit, found by what has room.
fn limit(queue: &Queue<()>) -> u64 {
    let (mut has, mut has_not) = (0, 1 << 40);
    if queue.has_room(Bytes::new(has_not), InService::default()) {
        return u64::MAX;
    }
    while has_not - has > 1 {
        let middle = (has + has_not) / 2;
        let room = queue.has_room(Bytes::new(middle), InService::default());
        (has, has_not) = if room { (middle, has_not) } else { (has, middle) };
    }
    has + queue.occupancy().bytes.count()
}

/// Serves `count` packets, one every `every_ns` after `from`, of a queue that is kept full.
fn serve(queue: &mut Queue<()>, from: u64, every_ns: u64, count: u64, bytes: u64) -> u64 {
    for n in 1..=count {
        while queue.occupancy().packets < 2 {
            assert!(push(queue, from + (n - 1) * every_ns, bytes));
        }
        pop(queue, from + n * every_ns);
    }
    from + count * every_ns
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn on_a_constant_rate_it_is_rate_times_target_to_the_byte(every_us in 50..5_000_u64, bytes in 40..1500_u64) {
        let mut queue = queue(1000);
        serve(&mut queue, 0, every_us * 1000, TARGET_MS * 1000 / every_us + 50, bytes);
        let expected = (bytes * TARGET_MS * 1000) as f64 / every_us as f64;
        prop_assert!((limit(&queue) as f64 - expected.max(5000.0)).abs() <= 1.0, "{} for {expected}", limit(&queue));
    }

    #[test]
    fn several_packets_in_a_slot_are_as_many_one_after_another(each in 1..8_u64) {
        let mut queue = queue(1000);
        for slot in 0..300 {
            (0..each).for_each(|_| assert!(push(&mut queue, slot * MS, 1000)));
            (0..each).for_each(|_| pop(&mut queue, (slot + 1) * MS));
        }
        // Bytes of the last slot are counted whole, its time as well: equal weights in every slot.
        prop_assert!(limit(&queue).abs_diff(each * 1000 * TARGET_MS) <= 1);
    }
}

#[test]
fn without_a_targets_time_of_service_there_is_no_limit_of_its_own() {
    let mut queue = queue(1000);
    serve(&mut queue, 0, MS, TARGET_MS - 1, 1000);
    assert_eq!(limit(&queue), u64::MAX);
    serve(&mut queue, (TARGET_MS - 1) * MS, MS, 1, 1000);
    assert_eq!(limit(&queue), 1000 * TARGET_MS);
}

#[test]
fn a_new_rate_is_taken_over_with_the_memorys_time_constant() {
    let mut queue = queue(200);
    let now = serve(&mut queue, 0, MS, 3000, 1000);
    // From 1 packet a ms to 1 in 4: after 400 ms of service e^-2 of the weight of time is that of the old rate.
    serve(&mut queue, now, 4 * MS, 100, 1000);
    let old = libm::exp(-2.0);
    let expected = TARGET_MS as f64 * 1000.0 * (old + (1.0 - old) / 4.0);
    // Departures sample the integrals of the two kernels: to e^(4/200) - 1 of them.
    assert!((limit(&queue) as f64 / expected - 1.0).abs() < 0.02, "{} for {expected}", limit(&queue));
}

#[test]
fn idle_time_counts_for_nothing() {
    let mut queue = queue(1000);
    let mut now = 0;
    for _ in 0..40 {
        // Five packets a ms apart come to an empty queue and leave it empty; a second of rest.
        (0..5).for_each(|_| assert!(push(&mut queue, now, 1000)));
        (1..=5).for_each(|n| pop(&mut queue, now + n * MS));
        now += 1_005 * MS;
    }
    assert_eq!(limit(&queue), 1000 * TARGET_MS);
}

#[test]
fn what_the_rlc_holds_keeps_the_link_busy_and_counts_against_the_limit() {
    let mut queue = queue(1000);
    let held = InService { held: Occupancy { packets: 1, bytes: Bytes::new(1000) }, ..InService::default() };
    for n in 0..400 {
        // The packet comes in the middle of the service of the one before: 1 ms a packet all the same.
        let came = Time::from_nanos(if n == 0 { 0 } else { n * MS + MS / 2 });
        assert!(queue.push(came, packet(n, 1000), if n > 0 { held } else { InService::default() }).is_ok());
        pop(&mut queue, (n + 1) * MS);
    }
    assert!(limit(&queue).abs_diff(1000 * TARGET_MS) <= 1, "{}", limit(&queue));
    assert!(queue.has_room(Bytes::new(99_000), held) != queue.has_room(Bytes::new(99_600), held));
}

#[test]
fn a_slow_link_keeps_the_floor() {
    let mut queue = queue(1000);
    serve(&mut queue, 0, 100 * MS, 20, 1000);
    assert_eq!(limit(&queue), 5000);
}

#[test]
fn the_time_on_air_of_a_packet_that_leaves_nothing_behind_is_service() {
    // Each takes 10 ms, and comes 40 ms after the one before.
    let mut queue = queue(1000);
    for n in 0..100 {
        let at = n * 40 * MS;
        assert!(push(&mut queue, at, 1500));
        pop(&mut queue, at);
        queue.on_idle(Time::from_nanos(at + 10 * MS));
    }
    // The bytes of a packet are there from its first moment on, its time as it passes: half a percent of 10 ms in a second.
    let expected = 1500.0 * TARGET_MS as f64 / 10.0;
    assert!((limit(&queue) as f64 / expected - 1.0).abs() < 0.01, "{}", limit(&queue));
}
