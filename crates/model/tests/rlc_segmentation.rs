//! The segmenter splits and rejoins packets of any size under any grants, losses and retransmission rule.

use airlink_model::rlc::{
    ArqConfig, ArqRepeats, ArqUnit, Entity, HarqConfig, Outcome, PacketHistory, RlcConfig, Segmentation,
};
use airlink_model::types::{Bytes, Direction, DropReason, FlowId, Marks, Packet, PacketFields, Slot, Time, UserId};
use proptest::prelude::*;

fn plain() -> RlcConfig {
    RlcConfig {
        segmentation: Segmentation {
            segment: Bytes::new(1),
            segment_header: Bytes::ZERO,
            block_header: Bytes::ZERO,
            carry_fraction: false,
            in_order: true,
            ..Segmentation::default()
        },
        arq: ArqConfig {
            max_retransmissions: 0,
            feedback_delay_slots: 0,
            unit: ArqUnit::Part,
            repeats: ArqRepeats::Rescheduled,
            ..ArqConfig::default()
        },
        harq: HarqConfig::NONE,
    }
}

/// The same, and how often a part is repeated, how many slots later.
fn repeating(max_retransmissions: u32, feedback_delay_slots: u64) -> RlcConfig {
    RlcConfig { arq: ArqConfig { max_retransmissions, feedback_delay_slots, ..plain().arq }, ..plain() }
}

fn packet(id: u64, bytes: u64) -> Packet<()> {
    let (flow, user) = (FlowId::default(), UserId::default());
    let (sent_at, queued_at, bytes) = (Time::ZERO, Time::ZERO, Bytes::new(bytes));
    Box::new(PacketFields {
        id,
        flow,
        user,
        bytes,
        sent_at,
        queued_at,
        direction: Direction::Down,
        hop: 0,
        marks: Marks::default(),
        payload: (),
    })
}

/// An entity with the packets that wait for it, and what became of those that left.
struct Bench {
    config: RlcConfig,
    entity: Entity<()>,
    waiting: Vec<Packet<()>>,
    slot: u64,
    granted_bits: f64,
    sent_bytes: u64,
    payload_bytes: u64,
    delivered: Vec<u64>,
    dropped: Vec<(u64, DropReason)>,
    left_bytes: u64,
    histories: Vec<PacketHistory>,
    /// A slot that arrives in order ends by [`Entity::arrive`].
    takes_short_way: bool,
}

impl Bench {
    fn new(config: RlcConfig, sizes: &[u64]) -> Self {
        let mut waiting: Vec<Packet<()>> = (0..).zip(sizes).map(|(id, &bytes)| packet(id, bytes)).collect();
        waiting.reverse();
        let (delivered, dropped) = (Vec::new(), Vec::new());
        let entity = Entity::new(config);
        Self {
            config,
            entity,
            waiting,
            slot: 0,
            granted_bits: 0.0,
            sent_bytes: 0,
            payload_bytes: 0,
            delivered,
            dropped,
            left_bytes: 0,
            histories: Vec::new(),
            takes_short_way: false,
        }
    }

    /// One slot; returns the bytes put on air.
    fn slot(&mut self, bits: f64, lost: bool) -> u64 {
        let slot = Slot::new(self.slot);
        self.slot += 1;
        let waiting = &mut self.waiting;
        let filled = self.entity.fill(slot, bits, || waiting.pop());
        self.granted_bits += bits;
        self.sent_bytes += filled.sent.count();
        self.payload_bytes += filled.payload.count();
        if self.takes_short_way && self.entity.arrives_in_order(lost) {
            for _ in 0..self.entity.arrive(slot) {
                let (packet, how) = self.entity.pop_complete(slot).expect("it is complete");
                self.histories.push(how);
                self.left_bytes += packet.bytes.count();
                self.delivered.push(packet.id);
            }
            return filled.sent.count();
        }
        let (delivered, dropped, left) = (&mut self.delivered, &mut self.dropped, &mut self.left_bytes);
        let histories = &mut self.histories;
        self.entity.finish_slot(slot, lost, |outcome, how| {
            histories.push(how);
            match outcome {
                Outcome::Delivered(packet) => {
                    *left += packet.bytes.count();
                    delivered.push(packet.id);
                }
                Outcome::Dropped(dropped_one) => {
                    *left += dropped_one.packet.bytes.count();
                    dropped.push((dropped_one.packet.id, dropped_one.reason));
                }
            }
        });
        filled.sent.count()
    }

    /// Checks what must hold after every slot, of `sizes` put in.
    fn balances(&self, sizes: &[u64]) -> Result<(), TestCaseError> {
        let (held_packets, held_bytes) = self.entity.held();
        let reported = (self.delivered.len() + self.dropped.len()) as u64;
        prop_assert_eq!(held_packets + reported + self.waiting.len() as u64, sizes.len() as u64);
        let waiting: u64 = self.waiting.iter().map(|packet| packet.bytes.count()).sum();
        prop_assert_eq!(held_bytes.count() + self.left_bytes + waiting, sizes.iter().sum::<u64>());
        prop_assert!(self.entity.bytes_to_send() <= held_bytes);
        prop_assert!(self.entity.fresh_bytes() <= self.entity.bytes_to_send());
        prop_assert!(self.sent_bytes as f64 * 8.0 <= self.granted_bits * (1.0 + 1e-9));
        prop_assert!(self.payload_bytes <= self.sent_bytes);
        Ok(())
    }
}

fn config() -> impl Strategy<Value = RlcConfig> {
    let sizes = (1..200_u64, 0..4_u64, 0..20_u64);
    let limit = prop::sample::select(vec![0, 1, 3, u32::MAX]);
    (sizes, any::<bool>(), any::<bool>(), limit, 0..5_u64).prop_map(
        |((segment, header, block), carry_fraction, in_order, max_retransmissions, feedback_delay_slots)| {
            let segmentation = Segmentation {
                segment: Bytes::new(segment),
                segment_header: Bytes::new(header),
                block_header: Bytes::new(block),
                carry_fraction,
                in_order,
                ..Segmentation::default()
            };
            RlcConfig { segmentation, ..repeating(max_retransmissions, feedback_delay_slots) }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_packets_come_out_once_and_in_order_under_any_grants_and_losses(
        config in config(),
        sizes in prop::collection::vec(1..3000_u64, 1..30),
        slots in prop::collection::vec((0..20_000_u32, prop::bool::weighted(0.3)), 1..40),
    ) {
        let mut bench = Bench::new(config, &sizes);
        for (bits, lost) in slots {
            bench.slot(f64::from(bits), lost);
            bench.balances(&sizes)?;
        }
        // A quiet link carries the rest, at most a segment and its packet's header in each slot.
        while bench.delivered.len() + bench.dropped.len() < sizes.len() {
            bench.slot(8.0 * 30_000.0, false);
            bench.balances(&sizes)?;
            prop_assert!(bench.slot < 10_000, "something is stuck");
        }
        prop_assert_eq!(bench.entity.held(), (0, Bytes::new(0)));
        prop_assert_eq!(bench.entity.bytes_to_send(), Bytes::new(0));
        let mut reported: Vec<u64> = bench.delivered.clone();
        reported.extend(bench.dropped.iter().map(|(id, _)| *id));
        reported.sort_unstable();
        prop_assert_eq!(reported, (0..sizes.len() as u64).collect::<Vec<_>>());
        if bench.config.segmentation.in_order {
            prop_assert!(bench.delivered.is_sorted());
        }
        let expected = match bench.config.arq.max_retransmissions { 0 => DropReason::AirError, _ => DropReason::RetryLimit };
        prop_assert!(bench.dropped.iter().all(|(_, reason)| *reason == expected));
        prop_assert!(bench.config.arq.max_retransmissions != u32::MAX || bench.dropped.is_empty());
    }

    #[test]
    fn without_losses_packets_take_exactly_the_bytes_that_they_have(
        sizes in prop::collection::vec(1..3000_u64, 1..30),
        bytes_per_slot in 1..5000_u64,
    ) {
        // Byte by byte, packet k ends in the slot of its last byte.
        let mut bench = Bench::new(plain(), &sizes);
        let mut ends = vec![0; sizes.len()];
        while bench.delivered.len() < sizes.len() {
            let before = bench.delivered.len();
            bench.slot(bytes_per_slot as f64 * 8.0, false);
            ends[before..bench.delivered.len()].fill(bench.slot);
        }
        let mut total = 0;
        for (size, end) in sizes.iter().zip(ends) {
            total += size;
            prop_assert_eq!(end, total.div_ceil(bytes_per_slot));
        }
        prop_assert_eq!(bench.sent_bytes, total);
    }
}

#[test]
fn segments_of_eight_bytes_waste_what_a_packet_leaves_of_its_last() {
    // 20 bytes are three segments, the last half empty; 9 bytes two. Headers of 1 on each, 2 on the block.
    let (segment_header, block_header) = (Bytes::new(1), Bytes::new(2));
    let segmentation = Segmentation { segment: Bytes::new(8), segment_header, block_header, ..plain().segmentation };
    let config = RlcConfig { segmentation, ..plain() };
    let mut bench = Bench::new(config, &[20, 9]);
    assert_eq!(bench.slot(8.0 * 46.9, false), 2 + 4 * 9);
    assert_eq!(bench.delivered, [0]);
    assert_eq!(bench.slot(8.0 * 47.0, false), 2 + 9);
    assert_eq!(bench.delivered, [0, 1]);
    assert_eq!(bench.payload_bytes, 29);
}

#[test]
fn a_fraction_is_carried_to_the_next_grant_unless_the_slot_was_padded() {
    // 42 2/3 bytes a slot: after five segments 2 2/3 bytes are left. The second slot has room for five and uses one, so
    // nothing is carried from it: the sixth segment comes in the third slot from there, not before.
    let segmentation = Segmentation { segment: Bytes::new(8), carry_fraction: true, ..plain().segmentation };
    let config = RlcConfig { segmentation, ..plain() };
    let mut bench = Bench::new(config, &[48]);
    let slots =
        |bench: &mut Bench, count: usize| -> Vec<u64> { (0..count).map(|_| bench.slot(1024.0 / 3.0, false)).collect() };
    assert_eq!(slots(&mut bench, 2), [40, 8]);
    bench.waiting.push(packet(1, 1000));
    assert_eq!(slots(&mut bench, 4), [40, 40, 48, 40]);
}

#[test]
fn a_part_that_is_repeated_in_pieces_is_complete_with_the_last() {
    let config = repeating(1, 0);
    let mut bench = Bench::new(config, &[100]);
    assert_eq!(bench.slot(800.0, true), 100);
    assert_eq!(bench.entity.bytes_to_send(), Bytes::new(100));
    assert_eq!((bench.slot(320.0, false), bench.slot(320.0, false)), (40, 40));
    assert!(bench.delivered.is_empty());
    assert_eq!(bench.slot(320.0, false), 20);
    assert_eq!(bench.delivered, [0]);
}

#[test]
fn pieces_of_a_part_share_its_count_of_repetitions() {
    // The second piece fails once more and is given up, although the first came through.
    let mut bench = Bench::new(repeating(1, 0), &[100, 10]);
    bench.slot(800.0, true);
    bench.slot(400.0, false);
    bench.slot(400.0, true);
    assert_eq!(bench.dropped, [(0, DropReason::RetryLimit)]);
    assert_eq!(bench.entity.bytes_to_send(), Bytes::new(0));
    bench.slot(400.0, false);
    assert_eq!(bench.delivered, [1]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_slot_that_arrives_in_order_ends_as_one_that_is_ended_part_by_part(
        config in config(),
        sizes in prop::collection::vec(1..3000_u64, 1..30),
        slots in prop::collection::vec((0..20_000_u32, prop::bool::weighted(0.2)), 1..60),
    ) {
        let mut benches = [Bench::new(config, &sizes), Bench::new(config, &sizes)];
        benches[1].takes_short_way = true;
        for (bits, lost) in slots {
            let [long, short] = &mut benches;
            prop_assert_eq!(long.slot(f64::from(bits), lost), short.slot(f64::from(bits), lost));
            short.balances(&sizes)?;
            prop_assert_eq!(long.entity.held(), short.entity.held());
            prop_assert_eq!(long.entity.bytes_to_send(), short.entity.bytes_to_send());
            prop_assert_eq!(&long.histories, &short.histories);
            prop_assert_eq!(&long.delivered, &short.delivered);
            prop_assert_eq!(&long.dropped, &short.dropped);
        }
    }
}

#[test]
fn attempts_are_those_of_the_part_that_took_most() {
    let config = repeating(u32::MAX, 0);
    let mut bench = Bench::new(config, &[100, 10]);
    // The first half goes in the third attempt, the second half and the packet behind it in the first.
    for (bits, lost) in [(400.0, true), (400.0, true), (400.0, false), (480.0, false)] {
        bench.slot(bits, lost);
    }
    let history = |attempts, slot| PacketHistory { attempts, last_slot: Slot::new(slot) };
    assert_eq!(bench.histories, [history(3, 3), history(1, 3)]);
}

#[test]
fn two_packets_lost_in_one_block_are_repeated_in_their_order() {
    let mut bench = Bench::new(repeating(u32::MAX, 0), &[30, 30, 30]);
    bench.slot(480.0, true);
    bench.slot(480.0, false);
    assert_eq!(bench.delivered, [0, 1]);
    bench.slot(480.0, false);
    assert_eq!(bench.delivered, [0, 1, 2]);
}

#[test]
fn a_repetition_is_ready_when_its_feedback_is_there_and_not_before() {
    let mut bench = Bench::new(repeating(1, 2), &[10]);
    bench.slot(80.0, true);
    assert!(!bench.entity.is_ready(Slot::new(1)) && !bench.entity.is_ready(Slot::new(2)));
    assert!(bench.entity.is_ready(Slot::new(3)));
    assert_eq!((bench.slot(80.0, false), bench.slot(80.0, false), bench.slot(80.0, false)), (0, 0, 10));
}
