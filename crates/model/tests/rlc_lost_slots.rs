//! ARQ by slots against a second implementation that counts for each byte how often it was sent.

use std::collections::VecDeque;

use airlink_model::rlc::{
    ArqConfig, ArqRepeats, ArqUnit, Entity, HarqConfig, Outcome, PacketHistory, RlcConfig, Segmentation,
};
use airlink_model::types::{Bytes, Direction, DropReason, FlowId, Marks, Packet, PacketFields, Slot, Time, UserId};
use proptest::prelude::*;

/// A packet: how often each byte that has not arrived was sent, and the most of any.
#[derive(Clone, Debug)]
struct Left {
    id: u64,
    bytes: VecDeque<u32>,
    attempts: u32,
}

impl Left {
    fn missing(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn unsent(&self) -> u64 {
        self.bytes.iter().filter(|sent| **sent == 0).count() as u64
    }
}

/// What left: number, how often sent, the last slot, and whether it arrived.
type Reported = (u64, u32, u64, bool);

/// A user's packets, the block that goes again, and the losses in a row.
#[derive(Default)]
struct Plain {
    packets: VecDeque<Left>,
    held: Option<Vec<u64>>,
    losses: u32,
}

impl Plain {
    /// What a slot of so many segments carries of each packet from the head on.
    fn carries(&self, segments: u64, segment: u64) -> Vec<u64> {
        let mut free = segments;
        let mut block = Vec::new();
        for packet in &self.packets {
            let bytes = packet.missing().min(free * segment);
            free -= bytes.div_ceil(segment);
            block.extend((bytes > 0).then_some(bytes));
        }
        block
    }

    fn slot(&mut self, config: &RlcConfig, slot: u64, segments: u64, lost: bool) -> (Vec<u64>, Vec<Reported>) {
        let block = self.held.take().unwrap_or_else(|| self.carries(segments, config.segmentation.segment.count()));
        for (packet, &bytes) in self.packets.iter_mut().zip(&block) {
            for sent in packet.bytes.iter_mut().take(bytes as usize) {
                *sent += 1;
                packet.attempts = packet.attempts.max(*sent);
            }
        }
        let mut reported = Vec::new();
        if block.is_empty() {
            return (block, reported);
        }
        let arrives = !lost;
        let given_up = lost && self.losses == config.arq.max_retransmissions;
        self.losses = if arrives || given_up { 0 } else { self.losses + 1 };
        let completes = self.packets.iter().zip(&block).filter(|(packet, bytes)| packet.missing() == **bytes).count();
        if arrives || given_up {
            reported.extend(self.packets.drain(..completes).map(|packet| (packet.id, packet.attempts, slot, arrives)));
        } else if config.arq.repeats == ArqRepeats::AtOnce {
            self.held = Some(block.clone());
        }
        if arrives && completes < block.len() {
            self.packets[0].bytes.drain(..block[completes] as usize);
        }
        (block, reported)
    }
}

fn packet(id: u64, bytes: u64) -> Packet<()> {
    let (flow, user, bytes) = (FlowId::default(), UserId::default(), Bytes::new(bytes));
    let (sent_at, queued_at) = (Time::ZERO, Time::ZERO);
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

fn reported(outcome: Outcome<()>, how: PacketHistory) -> Reported {
    let (packet, arrived) = match outcome {
        Outcome::Delivered(packet) => (packet, true),
        Outcome::Dropped(dropped) => {
            assert_eq!(dropped.reason, DropReason::RetryLimit);
            (dropped.packet, false)
        }
    };
    (packet.id, how.attempts, how.last_slot.number(), arrived)
}

fn config() -> impl Strategy<Value = RlcConfig> {
    let sizes = (1..200_u64, 0..4_u64, 0..20_u64);
    let repeats = prop::sample::select(ArqRepeats::ALL);
    let limit = prop::sample::select(vec![0, 1, 4, u32::MAX]);
    (sizes, repeats, any::<bool>(), limit).prop_map(
        |((segment, header, block), repeats, in_order, max_retransmissions)| {
            let segmentation = Segmentation {
                segment: Bytes::new(segment),
                segment_header: Bytes::new(header),
                block_header: Bytes::new(block),
                carry_fraction: false,
                in_order,
                ..Segmentation::default()
            };
            let arq = ArqConfig {
                max_retransmissions,
                feedback_delay_slots: 0,
                unit: ArqUnit::Slot,
                repeats,
                ..ArqConfig::default()
            };
            RlcConfig { segmentation, arq, harq: HarqConfig::NONE }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arq_by_slots_matches_a_plain_count_of_missing_bytes(
        config in config(),
        slots in prop::collection::vec((0..1600_u64, prop::bool::weighted(0.5), prop::collection::vec(1..800_u64, 0..3)), 1..60),
    ) {
        let (mut entity, mut plain) = (Entity::new(config), Plain::default());
        let mut queue: VecDeque<Packet<()>> = VecDeque::new();
        let mut ids = 0..;
        for (number, (grant, lost, sizes)) in (0..).zip(slots) {
            for bytes in sizes {
                let id = ids.next().expect("numbers do not end");
                queue.push_back(packet(id, bytes));
                plain.packets.push_back(Left { id, bytes: vec![0; bytes as usize].into(), attempts: 0 });
            }
            let slot = Slot::new(number);
            let (per, header) = (config.segmentation.segment.count() + config.segmentation.segment_header.count(), config.segmentation.block_header.count());
            let again = plain.held.is_some();
            prop_assert_eq!(entity.holds_block(), again);
            prop_assert_eq!(entity.is_last_attempt(), plain.losses == config.arq.max_retransmissions);
            let (block, left) = plain.slot(&config, number, grant.saturating_sub(header) / per, lost);
            if !again {
                let filled = entity.fill(slot, grant as f64 * 8.0, || queue.pop_front());
                prop_assert_eq!(filled.payload.count(), block.iter().sum::<u64>());
                let segments: u64 = block.iter().map(|bytes| bytes.div_ceil(config.segmentation.segment.count())).sum();
                prop_assert_eq!(filled.sent.count(), if segments > 0 { segments * per + header } else { 0 });
            }
            let mut outcomes = Vec::new();
            entity.finish_slot(slot, lost, |outcome, how| outcomes.push(reported(outcome, how)));
            // The last slot of a packet that was delivered or dropped is this one: it had its last byte.
            prop_assert_eq!(&outcomes, &left);
            let queued: u64 = queue.iter().map(|packet| packet.bytes.count()).sum();
            let bytes = |of: fn(&Left) -> u64| plain.packets.iter().map(of).sum::<u64>();
            let held: u64 = plain.held.iter().flatten().sum();
            prop_assert_eq!(entity.fresh_bytes().count() + queued, bytes(Left::unsent));
            prop_assert_eq!(entity.bytes_to_send().count() + queued, bytes(Left::missing) - held);
            prop_assert_eq!(entity.held().0 + queue.len() as u64, plain.packets.len() as u64);
            prop_assert_eq!(entity.is_ready(slot.next()) || !queue.is_empty(), !plain.packets.is_empty());
        }
    }
}
