//! Rules of code blocks and HARQ, each counted by hand.

use airlink_model::rlc::{ArqConfig, CodedUnit, HarqConfig, PacketHistory, RlcConfig, Segmentation};
use airlink_model::types::{Blocks, Bytes, DropReason, Slot, SoftInformation, SubchannelGrant};

use super::bench::{Bench, blocks, cut, grant, pdus};

/// Bits of a subchannel of [Kakuda] in a slot, at its lowest rate.
const LOWEST: f32 = 37.82;

/// A slot with room for everything, so that the entity's own order shows.
const ROOM: u64 = 10_000;

#[test]
fn a_pdu_spans_as_many_subchannels_as_it_needs() {
    // 336 bits are 8.88 subchannels of 37.82 bits: nine carry one PDU, eight none, eighteen two.
    let mut bench = Bench::new(pdus(), &[1500]);
    for (subchannels, pdus) in [(8, 0), (9, 1), (17, 1), (18, 2)] {
        let filled = bench.slot(&vec![grant(LOWEST); subchannels], |_, _| false);
        assert_eq!((filled.sent, filled.blocks.sent), (Bytes::new(u64::from(pdus) * 42), pdus));
        assert!(!filled.padded);
    }
    let (first, second) = (&bench.shots[2], &bench.shots[3]);
    assert_eq!((first.grants.len(), second.grants.len()), (9, 10));
    let at_the_seam = 336.0 - 8.0 * LOWEST;
    assert!((first.grants[8].bits - at_the_seam).abs() < 1e-4);
    assert!((second.grants[0].bits - (LOWEST - at_the_seam)).abs() < 1e-4);
    assert!(bench.shots.iter().all(|shot| (shot.bits() - 336.0).abs() < 1e-3));
}

#[test]
fn bits_for_less_than_a_pdu_are_lost_or_kept_for_the_next_grant() {
    // 300 bits a slot make no PDU of 336. Kept, they make 0, 1, 1, 1, 1, 1, 1, 1, 1 (9 x 300 = 2700 = 8 x 336 + 12).
    let mut lost = Bench::new(pdus(), &[1500]);
    let mut kept = Bench::new(cut(Segmentation { carry_fraction: true, ..pdus().segmentation }), &[1500]);
    let sent = |bench: &mut Bench| bench.slot(&[grant(300.0)], |_, _| false).blocks.sent;
    assert_eq!((0..9).map(|_| sent(&mut lost)).collect::<Vec<_>>(), [0; 9]);
    assert_eq!((0..9).map(|_| sent(&mut kept)).collect::<Vec<_>>(), [0, 1, 1, 1, 1, 1, 1, 1, 1]);
    assert!(kept.shots.iter().all(|shot| (shot.bits() - 336.0).abs() < 1e-3));
}

#[test]
fn a_packet_of_1500_bytes_is_38_pdus_and_the_last_has_20_bytes() {
    let mut bench = Bench::new(pdus(), &[1500]);
    assert_eq!(pdus().bytes_on_air(Bytes::new(1500)), Bytes::new(38 * 42));
    let queued = pdus().bytes_on_air(bench.waiting[0].bytes);
    assert_eq!(bench.entity.bytes_on_air_to_send(Slot::ZERO, queued), Bytes::new(38 * 42));
    let filled = bench.bytes(37 * 42, false);
    assert_eq!((filled.payload, filled.blocks.sent), (Bytes::new(37 * 40), 37));
    assert_eq!((bench.entity.fresh_bytes(), bench.entity.fresh_packets()), (Bytes::new(20), 1));
    assert_eq!(bench.entity.bytes_on_air_to_send(Slot::new(1), Bytes::ZERO), Bytes::new(42));
    let filled = bench.bytes(84, false);
    assert_eq!((filled.payload, filled.sent, filled.padded), (Bytes::new(20), Bytes::new(42), true));
    assert_eq!((bench.delivered(), bench.entity.fresh_packets()), (vec![0], 0));
}

#[test]
fn lost_pdus_go_again_first_in_the_order_in_which_they_were_lost() {
    // Slot 0 loses its PDUs 1 and 3 of four, slot 1 the second of these.
    let mut bench = Bench::new(pdus(), &[1500]);
    bench.slot(&[grant(4.0 * 336.0)], |_, ordinal| ordinal % 2 == 1);
    let filled = bench.slot(&[grant(4.0 * 336.0)], |earlier, ordinal| earlier > 0.0 && ordinal == 1);
    assert_eq!(filled.blocks, Blocks { sent: 4, retransmitted: 2, lost: 1, first_lost: 0, given_up: 0 });
    bench.slot(&[grant(4.0 * 336.0)], |_, _| false);
    let earlier: Vec<f32> = bench.shots.iter().map(|shot| shot.earlier).collect();
    assert_eq!(earlier, [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0]);
    let ordinals: Vec<u32> = bench.shots[4..8].iter().map(|shot| shot.ordinal).collect();
    assert_eq!(ordinals, [0, 1, 2, 3]);
}

#[test]
fn a_repetition_goes_a_round_trip_after_its_transmission_and_not_before() {
    for round_trip_slots in [1, 4, 8] {
        let harq = HarqConfig { round_trip_slots, ..pdus().harq };
        let mut bench = Bench::new(RlcConfig { harq, ..pdus() }, &[40]);
        bench.bytes(42, true);
        for slot in 1..round_trip_slots {
            assert!(!bench.entity.is_ready(Slot::new(slot)));
            assert_eq!(bench.entity.bytes_on_air_to_send(Slot::new(slot), Bytes::ZERO), Bytes::ZERO);
            assert!(bench.bytes(ROOM, false).sent.is_zero());
        }
        assert!(bench.entity.is_ready(Slot::new(round_trip_slots)));
        let due = bench.entity.bytes_on_air_to_send(Slot::new(round_trip_slots), Bytes::ZERO);
        assert_eq!((due, bench.entity.bytes_to_send()), (Bytes::new(42), Bytes::new(40)));
        assert_eq!(bench.bytes(ROOM, false).blocks, Blocks { sent: 1, retransmitted: 1, ..Blocks::default() });
        assert_eq!(bench.delivered(), [0]);
    }
}

#[test]
fn a_block_is_sent_as_often_as_the_limit_says_and_then_dropped() {
    for (unit, limit) in [(CodedUnit::Pdu, 0), (CodedUnit::Pdu, 1), (CodedUnit::Pdu, 10), (CodedUnit::Block, 3)] {
        let harq = HarqConfig { unit, max_retransmissions: limit, ..pdus().harq };
        let mut bench = Bench::new(RlcConfig { harq, ..pdus() }, &[40, 40]);
        let filled: Vec<Blocks> = (0..=limit).map(|_| bench.bytes(42, true).blocks).collect();
        assert_eq!(bench.shots.len() as u32, 1 + limit);
        assert!(bench.shots.iter().zip(0..).all(|(shot, earlier)| shot.earlier == earlier as f32));
        assert_eq!(filled.iter().map(|blocks| blocks.given_up).sum::<u32>(), 1);
        assert_eq!(filled.last().map(|blocks| blocks.given_up), Some(1));
        let reason = if limit == 0 { DropReason::AirError } else { DropReason::RetryLimit };
        assert_eq!(bench.dropped(), [(0, reason)]);
        let history = PacketHistory { attempts: 1 + limit, last_slot: Slot::new(limit.into()) };
        assert_eq!(bench.left[0].2, history);
        assert_eq!((bench.bytes(42, false).blocks.retransmitted, bench.delivered()), (0, vec![1]));
    }
}

#[test]
fn a_packet_that_is_given_up_takes_its_waiting_pdus_and_its_rest_along() {
    // Of five PDUs two are on air and lost; the first goes again alone and is lost for the last time.
    let harq = HarqConfig { max_retransmissions: 1, ..pdus().harq };
    let mut bench = Bench::new(RlcConfig { harq, ..pdus() }, &[200, 40]);
    bench.bytes(84, true);
    assert_eq!((bench.entity.bytes_to_send(), bench.entity.fresh_bytes()), (Bytes::new(200), Bytes::new(120)));
    bench.bytes(42, true);
    assert_eq!(bench.dropped(), [(0, DropReason::RetryLimit)]);
    assert_eq!((bench.entity.bytes_to_send(), bench.entity.held()), (Bytes::ZERO, (0, Bytes::ZERO)));
    assert!(!bench.entity.is_ready(Slot::new(2)));
    assert_eq!(bench.bytes(ROOM, false).blocks, Blocks { sent: 1, ..Blocks::default() });
    assert_eq!(bench.delivered(), [1]);
}

#[test]
fn packets_of_one_block_are_lost_together_and_other_blocks_are_not() {
    // Blocks of 100 bytes: A has packet 0 and 40 of packet 1, B the other 20 of it, packet 2 and 20 of packet 3. A is given up
    // while B waits: B goes again whole, for packets 2 and 3 alone.
    let harq = HarqConfig { max_retransmissions: 1, round_trip_slots: 2, ..blocks().harq };
    let mut bench = Bench::new(RlcConfig { harq, ..blocks() }, &[60, 60, 60, 60]);
    bench.bytes(100, true);
    bench.bytes(100, true);
    assert_eq!(bench.entity.bytes_to_send(), Bytes::new(200 + 40));
    let filled = bench.bytes(100, true);
    assert_eq!(filled.blocks, Blocks { sent: 1, retransmitted: 1, lost: 1, first_lost: 0, given_up: 1 });
    assert_eq!(bench.dropped(), [(0, DropReason::RetryLimit), (1, DropReason::RetryLimit)]);
    assert_eq!((bench.entity.bytes_to_send(), bench.entity.fresh_bytes()), (Bytes::new(120), Bytes::new(40)));
    let filled = bench.bytes(100, false);
    assert_eq!((filled.sent, filled.payload), (Bytes::new(100), Bytes::new(80)));
    assert_eq!(bench.delivered(), [2]);
    bench.bytes(100, false);
    assert_eq!(bench.delivered(), [2, 3]);
}

#[test]
fn a_process_stops_and_waits() {
    // Two processes and a round trip of five slots: new data in slots 0 and 1 of each five, all else stays empty.
    let harq = HarqConfig { processes: 2, round_trip_slots: 5, ..blocks().harq };
    let mut bench = Bench::new(RlcConfig { harq, ..blocks() }, &[10_000]);
    let sent: Vec<u64> = (0..12).map(|_| bench.bytes(100, false).sent.count()).collect();
    assert_eq!(sent, [100, 100, 0, 0, 0, 100, 100, 0, 0, 0, 100, 100]);
    assert!(!bench.entity.may_begin(Slot::new(12)) && !bench.entity.is_ready(Slot::new(14)));
    assert!(bench.entity.may_begin(Slot::new(15)) && bench.entity.is_ready(Slot::new(15)));
}

#[test]
fn a_process_that_repeats_takes_nothing_new() {
    // One process: its block of slot 0 is lost twice, so the next new one goes in slot 6, although there is room in 2 and 4.
    let harq = HarqConfig { processes: 1, round_trip_slots: 2, ..blocks().harq };
    let mut bench = Bench::new(RlcConfig { harq, ..blocks() }, &[100, 100]);
    let sent: Vec<u64> =
        (0..7).map(|slot| bench.bytes(if slot == 0 { 100 } else { 200 }, slot < 4).sent.count()).collect();
    assert_eq!(sent, [100, 0, 100, 0, 100, 0, 100]);
    assert_eq!(bench.delivered(), [0, 1]);
}

#[test]
fn eight_processes_and_a_round_trip_of_eight_fill_every_slot() {
    let mut bench = Bench::new(blocks(), &[100_000]);
    assert!((0..100).all(|_| bench.bytes(100, false).sent == Bytes::new(100)));
}

#[test]
fn a_repetition_that_a_grant_does_not_hold_goes_on_in_the_next_and_is_decoded_whole() {
    // 100 bytes are lost; they go again as 30 + 45 + 25 bytes, and the rest of the third grant takes new data.
    let mut bench =
        Bench::new(RlcConfig { harq: HarqConfig { round_trip_slots: 1, ..blocks().harq }, ..blocks() }, &[100, 60]);
    bench.bytes(100, true);
    let on_air = |bench: &mut Bench| {
        let slot = Slot::new(bench.slot);
        bench
            .entity
            .bytes_on_air_to_send(slot, bench.waiting.iter().map(|packet| packet.bytes).fold(Bytes::ZERO, |a, b| a + b))
    };
    for (bytes, left) in [(30, 130), (45, 85)] {
        let filled = bench.bytes(bytes, false);
        assert_eq!((filled.sent, filled.blocks), (Bytes::new(bytes), Blocks::default()));
        assert_eq!(on_air(&mut bench), Bytes::new(left));
        assert_eq!(bench.entity.bytes_to_send(), Bytes::new(100));
    }
    let filled = bench.bytes(75, false);
    assert_eq!(
        (filled.sent, filled.blocks),
        (Bytes::new(75), Blocks { sent: 2, retransmitted: 1, ..Blocks::default() })
    );
    let bits = |shot: usize| bench.shots[shot].grants.iter().map(|grant| grant.bits).collect::<Vec<_>>();
    assert_eq!((bits(1), bits(2)), (vec![240.0, 360.0, 200.0], vec![400.0]));
    assert_eq!(bench.delivered(), [0]);
}

#[test]
fn arq_cuts_anew_the_blocks_that_harq_gives_up() {
    // Once each by HARQ and once more by ARQ: the block of 100 bytes goes in slots 0 and 1, its bytes as 60 and 40 later.
    let harq = HarqConfig { max_retransmissions: 1, round_trip_slots: 1, ..blocks().harq };
    let config = RlcConfig {
        arq: ArqConfig { max_retransmissions: 1, feedback_delay_slots: 2, ..blocks().arq },
        harq,
        ..blocks()
    };
    let mut bench = Bench::new(config, &[100, 50]);
    bench.bytes(100, true);
    assert_eq!(bench.bytes(100, true).blocks.given_up, 1);
    assert!(bench.left.is_empty());
    assert_eq!(bench.entity.bytes_to_send(), Bytes::new(100));
    let sent: Vec<u64> = (0..4).map(|_| bench.bytes(60, false).sent.count()).collect();
    assert_eq!(sent, [50, 0, 60, 40]);
    assert_eq!(bench.delivered(), [0, 1]);
    assert_eq!(bench.left[0].2.attempts, 3);
    assert!(bench.shots.iter().skip(2).all(|shot| shot.earlier == 0.0));
}

#[test]
fn packets_wait_for_their_turn_only_where_order_is_asked_for() {
    for (in_order, after_one, after_two) in [(true, vec![], vec![0, 1]), (false, vec![1], vec![1, 0])] {
        let mut bench = Bench::new(cut(Segmentation { in_order, ..pdus().segmentation }), &[40, 40]);
        bench.slot(&[grant(672.0)], |_, ordinal| ordinal == 0);
        assert_eq!(bench.delivered(), after_one);
        bench.bytes(42, false);
        assert_eq!(bench.delivered(), after_two);
    }
}

#[test]
fn a_slot_repairs_if_most_of_it_is_a_repetition_or_will_be_repeated() {
    let mut bench = Bench::new(pdus(), &[1500]);
    for (lost, repairs) in
        [([true, true, false], true), ([false, false, true], true), ([false; 3], false), ([true, false, false], false)]
    {
        let three = [grant(3.0 * 336.0)];
        let slot = Slot::new(bench.slot);
        let waiting = &mut bench.waiting;
        bench.entity.fill_code_blocks(
            slot,
            &three,
            || waiting.pop_front(),
            |_: &[SubchannelGrant], earlier: SoftInformation, at: u32| (earlier, lost[at as usize]),
        );
        assert_eq!(bench.entity.is_repair(false), repairs);
        bench.entity.finish_blocks(slot, |_, _| ());
        bench.slot += 1;
    }
}

#[test]
fn headers_go_with_each_code_block() {
    // A block header of 3: each PDU is 40 + 2 + 3 bytes; all in one block, 4 x 42 + 3.
    let header = Bytes::new(3);
    let headed = cut(Segmentation { block_header: header, ..pdus().segmentation });
    let mut pdus = Bench::new(headed, &[150]);
    let harq = HarqConfig { unit: CodedUnit::Block, ..headed.harq };
    let config = RlcConfig { harq, ..headed };
    let mut block = Bench::new(config, &[150]);
    let queued = config.bytes_on_air(Bytes::new(150));
    assert_eq!(block.entity.bytes_on_air_to_send(Slot::ZERO, queued), Bytes::new(4 * 42 + 3));
    let grant = [SubchannelGrant { bits: 3000.0, true_db: 3.0, mcs: 2 }];
    assert_eq!(pdus.slot(&grant, |_, _| false).sent, Bytes::new(4 * 45));
    assert_eq!(block.slot(&grant, |_, _| false).sent, Bytes::new(4 * 42 + 3));
    assert_eq!((pdus.shots.len(), block.shots.len()), (4, 1));
}
