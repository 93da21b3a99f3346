//! Any packets over any grants, losses, limits and delays: against the plain implementation, and one subchannel against one block.

use std::collections::VecDeque;

use airlink_model::rlc::{ArqConfig, CodedUnit, Entity, HarqConfig, RlcConfig, Segmentation};
use airlink_model::types::{BlockFates, Bytes, Combining, Slot, SoftInformation, SubchannelGrant};
use proptest::prelude::*;

use super::bench::{Bench, Shot, left_of, packet};
use super::plain::Plain;

fn harq() -> impl Strategy<Value = HarqConfig> {
    let unit = prop::sample::select(vec![CodedUnit::Pdu, CodedUnit::Block]);
    let limit = prop::sample::select(vec![0, 1, 2, 10, u32::MAX]);
    let processes = prop::sample::select(vec![1, 2, 8, u32::MAX]);
    (unit, limit, 1..10_u64, processes).prop_map(|(unit, max_retransmissions, round_trip_slots, processes)| {
        HarqConfig {
            combining: Combining::Chase,
            unit,
            max_retransmissions,
            round_trip_slots,
            processes,
            ..HarqConfig::default()
        }
    })
}

fn config() -> impl Strategy<Value = RlcConfig> {
    let sizes = (1..60_u64, 0..4_u64, 0..6_u64);
    let arq = (prop::sample::select(vec![0, 0, 1, 3]), 0..5_u64);
    (sizes, any::<bool>(), any::<bool>(), arq, harq()).prop_map(
        |((segment, header, block), carry_fraction, in_order, (max_retransmissions, feedback_delay_slots), harq)| {
            let segmentation = Segmentation {
                segment: Bytes::new(segment),
                segment_header: Bytes::new(header),
                block_header: Bytes::new(block),
                carry_fraction,
                in_order,
                ..Segmentation::default()
            };
            let arq = ArqConfig { max_retransmissions, feedback_delay_slots, ..ArqConfig::default() };
            RlcConfig { segmentation, arq, harq }
        },
    )
}

/// New blocks on even subchannels alone are lost less often, which is told beforehand or not.
struct Fates<'a> {
    slot: u64,
    tells: bool,
    shots: &'a mut Vec<Shot>,
}

impl BlockFates for Fates<'_> {
    fn transmit(
        &mut self,
        grants: &[SubchannelGrant],
        SoftInformation(earlier): SoftInformation,
        ordinal: u32,
    ) -> (SoftInformation, bool) {
        let (slot, draw) = (self.slot, chance(self.slot, ordinal));
        self.shots.push(Shot { slot, ordinal, earlier, grants: grants.to_vec() });
        let has_margin = grants.iter().all(|grant| self.has_margin(grant)) && earlier == 0.0;
        let lost = draw < if has_margin { 0.3 } else { 0.6 };
        (SoftInformation(earlier + grants.iter().map(|grant| grant.bits).sum::<f32>()), lost)
    }

    fn arrives_with_margin(&self, ordinal: u32) -> bool {
        self.tells && chance(self.slot, ordinal) >= 0.3
    }

    fn has_margin(&self, grant: &SubchannelGrant) -> bool {
        grant.true_db % 2.0 == 0.0
    }
}

/// A number in 0..1 that is a function of slot and block.
fn chance(slot: u64, ordinal: u32) -> f64 {
    let mut mixed = (slot << 32 | u64::from(ordinal)).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// The subchannels of a slot; the SINR of each is its place.
fn grants(slot: u64, bits: &[f32]) -> Vec<SubchannelGrant> {
    let first = slot * 100;
    (first..).zip(bits).map(|(number, &bits)| SubchannelGrant { bits, true_db: number as f32, mcs: 3 }).collect()
}

/// Blocks lie one after the other on the subchannels of their slot, none on bits of another.
fn lie_side_by_side(shots: &[Shot], granted: &[SubchannelGrant], carried: f64) -> Result<(), TestCaseError> {
    let mut used = vec![0.0; granted.len()];
    let mut last = 0;
    for grant in shots.iter().flat_map(|shot| &shot.grants).filter(|s| s.true_db >= granted[0].true_db) {
        let place = (grant.true_db - granted[0].true_db) as usize;
        prop_assert!(grant.bits > 0.0 && place >= last);
        (used[place], last) = (used[place] + f64::from(grant.bits), place);
    }
    for (place, (used, granted)) in used.iter().zip(granted).enumerate() {
        let extra = if place == 0 { carried } else { 0.0 };
        prop_assert!(*used <= f64::from(granted.bits) + extra + 0.01, "{used} of {granted:?}");
    }
    Ok(())
}

fn compare(bench: &mut Bench, plain: &mut Plain, bits: &[f32], loss: f64) -> Result<(), TestCaseError> {
    let slot = bench.slot;
    let granted = grants(slot, bits);
    let fate = |earlier: f32, ordinal: u32| chance(slot, ordinal) < loss / f64::from(1.0 + earlier * 0.5);
    let shots = bench.shots.len();
    let filled = bench.slot(&granted, fate);
    let sums = plain.slot(slot, granted.iter().map(|grant| f64::from(grant.bits)).sum(), &mut { fate });
    prop_assert_eq!((filled.sent.count(), filled.padded, filled.blocks), (sums.sent, sums.padded, sums.blocks));
    if !granted.is_empty() {
        lie_side_by_side(&bench.shots[shots..], &granted, 600.0)?;
    }
    prop_assert_eq!(&bench.left, &plain.left);
    let (next, entity) = (slot + 1, &mut bench.entity);
    prop_assert_eq!(entity.held(), plain.held());
    prop_assert_eq!(entity.bytes_to_send().count(), plain.bytes_to_send());
    prop_assert_eq!(entity.fresh_bytes().count(), plain.fresh_bytes());
    prop_assert_eq!(entity.fresh_packets(), u64::from(plain.fresh_bytes() > 0));
    prop_assert_eq!(entity.is_ready(Slot::new(next)), plain.is_ready(next));
    prop_assert_eq!(entity.may_begin(Slot::new(next)), plain.may_begin(next));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn packets_come_out_as_a_byte_by_byte_account_says(
        config in config(),
        sizes in prop::collection::vec(1..300_u64, 1..25),
        slots in prop::collection::vec(prop::collection::vec(0.5..900.0_f32, 0..8), 1..40),
        loss in 0.0..0.9_f64,
    ) {
        let mut bench = Bench::new(config, &sizes);
        let mut plain = Plain::new(config, &sizes);
        for bits in &slots {
            compare(&mut bench, &mut plain, bits, loss)?;
            let queued = bench.waiting.iter().map(|packet| config.bytes_on_air(packet.bytes).count()).sum();
            let slot = bench.slot;
            let on_air = bench.entity.bytes_on_air_to_send(Slot::new(slot), Bytes::new(queued));
            prop_assert_eq!(on_air.count(), plain.bytes_on_air_to_send(slot));
        }
        // A quiet link carries the rest.
        while bench.left.len() < sizes.len() {
            compare(&mut bench, &mut plain, &[4000.0], 0.0)?;
            prop_assert!(bench.slot < 5000, "something is stuck");
        }
        prop_assert_eq!(bench.entity.held(), (0, Bytes::ZERO));
        prop_assert_eq!(bench.entity.bytes_to_send(), Bytes::ZERO);
        let mut ids: Vec<u64> = bench.left.iter().map(|(id, ..)| *id).collect();
        ids.sort_unstable();
        prop_assert_eq!(ids, (0..sizes.len() as u64).collect::<Vec<_>>());
        if config.segmentation.in_order {
            prop_assert!(bench.delivered().is_sorted());
        }
    }

    #[test]
    fn a_block_that_surely_arrives_need_not_be_cut(
        config in config(),
        sizes in prop::collection::vec(1..300_u64, 1..25),
        slots in prop::collection::vec(prop::collection::vec(0.5..900.0_f32, 0..8), 1..40),
    ) {
        let mut benches = [false, true].map(|_| Bench::new(config, &sizes));
        for bits in &slots {
            let [plain, telling] = [false, true].map(|tells| {
                let Bench { entity, waiting, slot, shots, left } = &mut benches[usize::from(tells)];
                let fates = Fates { slot: *slot, tells, shots };
                let filled =
                    entity.fill_code_blocks(Slot::new(*slot), &grants(*slot, bits), || waiting.pop_front(), fates);
                entity.finish_blocks(Slot::new(*slot), |outcome, how| left.push(left_of(outcome, how)));
                *slot += 1;
                filled
            });
            prop_assert_eq!(plain, telling);
            let [plain, telling] = &benches;
            prop_assert_eq!(&plain.left, &telling.left);
            prop_assert_eq!(plain.entity.bytes_to_send(), telling.entity.bytes_to_send());
        }
        let [plain, telling] = benches;
        prop_assert!(telling.shots.len() <= plain.shots.len());
        prop_assert!(telling.shots.iter().all(|shot| plain.shots.contains(shot)));
    }

    #[test]
    fn one_subchannel_without_harq_is_the_block_of_one_carrier(
        config in config(),
        sizes in prop::collection::vec(1..3000_u64, 1..30),
        slots in prop::collection::vec((1..20_000_u32, prop::bool::weighted(0.3)), 1..40),
    ) {
        // Where ARQ repeats, each part is a block of its own, with a header of its own.
        let cut = config.segmentation;
        let block_header = if config.arq.max_retransmissions > 0 { Bytes::ZERO } else { cut.block_header };
        let config =
            RlcConfig { segmentation: Segmentation { block_header, ..cut }, harq: HarqConfig::NONE, ..config };
        let mut bench = Bench::new(config, &sizes);
        let mut narrow = Entity::new(config);
        let mut waiting: VecDeque<_> = (0..).zip(&sizes).map(|(id, &bytes)| packet(id, bytes)).collect();
        let mut left = Vec::new();
        for (bits, lost) in slots {
            let slot = Slot::new(bench.slot);
            let wide = bench.slot(&[SubchannelGrant { bits: bits as f32, true_db: 0.0, mcs: 0 }], |_, _| lost);
            let filled = narrow.fill(slot, f64::from(bits), || waiting.pop_front());
            prop_assert_eq!((wide.sent, wide.payload, wide.padded), (filled.sent, filled.payload, filled.padded));
            narrow.finish_slot(slot, lost, |outcome, how| left.push(left_of(outcome, how)));
            prop_assert_eq!(&bench.left, &left);
            prop_assert_eq!(narrow.bytes_to_send(), bench.entity.bytes_to_send());
            prop_assert_eq!(narrow.is_ready(slot.next()), bench.entity.is_ready(slot.next()));
        }
    }
}

#[test]
fn soft_information_is_the_sum_over_the_transmissions_of_a_block() {
    // Every number that the receiver is given is unlike any other, and comes back with the same block alone.
    let mut entity = Entity::new(super::bench::pdus());
    let mut waiting: Vec<_> = (0..50).map(|id| packet(id, 1500)).rev().collect();
    let mut given: Vec<f32> = Vec::new();
    let mut count = 0.0;
    for slot in (0..1000).map(Slot::new) {
        let mut lost = Vec::new();
        entity.fill_code_blocks(
            slot,
            &grants(slot.number(), &[685.0, 300.0, 100.0, 800.0]),
            || waiting.pop(),
            |_: &[SubchannelGrant], SoftInformation(earlier): SoftInformation, ordinal: u32| {
                if earlier > 0.0 {
                    assert_eq!(given.remove(0), earlier);
                }
                count += 1.0;
                let is_lost = chance(slot.number(), ordinal) < 0.4;
                lost.extend(is_lost.then_some(count));
                (SoftInformation(count), is_lost)
            },
        );
        given.extend(lost);
        entity.finish_blocks(slot, |_, _| ());
    }
    assert_eq!((given, entity.held()), (Vec::new(), (0, Bytes::ZERO)));
}
