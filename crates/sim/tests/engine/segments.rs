//! How packets fill slots: parts of packets, several packets in a slot, headers, fractions of a segment.

use serde_json::json;

use super::case::Case;

/// Four packets at the base station at 20 ms, and so many bytes in each slot of 5 ms.
fn four_packets(bytes_per_slot: u64) -> Case {
    Case::fixed_link().all_at_once(4).set("/link/rate/rates_bps", json!([bytes_per_slot * 1600]))
}

#[test]
fn a_packet_spans_slots_and_the_next_begins_in_its_last_one() {
    // 250 bytes a slot: the packets end at bytes 576, 1152, 1728, 2304, so in slots 3, 5, 7, 10 from 20 ms on.
    let columns = four_packets(250).run();
    assert_eq!(columns.ended_ms(), [35.0, 45.0, 55.0, 70.0]);
    let mut sent = vec![250; 9];
    sent.push(54);
    let slots: Vec<i64> = columns.series("slots", "sent_bytes").into_iter().filter(|&bytes| bytes > 0).collect();
    assert_eq!(slots, sent);
    assert_eq!((columns.cell("slots_padded"), columns.cell("slots_wasted")), (1, 0));
}

#[test]
fn a_slot_carries_several_packets_and_parts_of_others() {
    // 2000 bytes a slot: three packets and 272 bytes of the fourth, then its rest.
    let columns = four_packets(2000).run();
    assert_eq!(columns.ended_ms(), [25.0, 25.0, 25.0, 30.0]);
    let slots: Vec<i64> = columns.series("slots", "sent_bytes").into_iter().filter(|&bytes| bytes > 0).collect();
    assert_eq!(slots, [2000, 304]);
}

#[test]
fn segments_belong_to_one_packet_each_and_carry_headers() {
    // Segments of 100 + 10 bytes: two in 250 bytes. A packet takes six (5 x 100 + 76), three slots.
    let columns = four_packets(250).set("/rlc/segment_bytes", 100).set("/rlc/segment_header_bytes", 10).run();
    assert_eq!(columns.ended_ms(), [35.0, 50.0, 65.0, 80.0]);
    assert_eq!(columns.wholes("users", "sent_bytes"), [24 * 110]);
    assert_eq!(columns.cell("slots_padded"), 0);
    // A block header of 31 leaves 219: one segment. Of 30 leaves 220: two.
    for (header, slots) in [(31, 24), (30, 12)] {
        let case = four_packets(250).set("/rlc/segment_bytes", 100).set("/rlc/segment_header_bytes", 10);
        let columns = case.set("/rlc/block_header_bytes", header).run();
        assert_eq!(columns.wholes("users", "frames_sent"), [slots], "header {header}");
        assert_eq!(columns.wholes("users", "sent_bytes"), [24 * 110 + slots * header], "header {header}");
    }
}

/// A user who always has packets to get, in 600 slots of 5/3 ms with 8-byte segments at 204.8 kb/s: 42 2/3 bytes a slot.
fn paper_000() -> Case {
    let case = Case::fixed_link().backlogged(1, 128).set("/slot/duration_ms", "5/3").set("/rlc/segment_bytes", 8);
    case.set("/link/rate/rates_bps", json!([204_800]))
}

#[test]
fn a_rate_of_five_and_a_third_segments_carries_five() {
    let columns = paper_000().run();
    assert_eq!(columns.series("slots", "sent_bytes"), [40; 600]);
    assert!((columns.reals("users", "granted_bps")[0] - 204_800.0).abs() < 1e-6);
}

#[test]
fn with_the_fraction_carried_every_third_slot_has_a_sixth_segment() {
    let columns = paper_000().set("/rlc/carry_fraction", true).run();
    let expected: Vec<i64> = (0..600).map(|slot| if slot % 3 == 2 { 48 } else { 40 }).collect();
    assert_eq!(columns.series("slots", "sent_bytes"), expected);
    assert_eq!(columns.wholes("users", "sent_bytes"), [25_600]);
}

#[test]
fn a_grant_below_a_segment_adds_up_to_one_even_under_a_block_header() {
    // 30 bytes a slot; a block is 200 + 100 bytes: one in ten slots.
    let case = Case::fixed_link().backlogged(1, 1000).set("/link/rate/rates_bps", json!([48_000]));
    let case = case.set("/rlc/segment_bytes", 100).set("/rlc/block_header_bytes", 200);
    assert_eq!(case.clone().run().wholes("users", "sent_bytes"), [0]);
    let columns = case.set("/rlc/carry_fraction", true).run();
    let expected: Vec<i64> = (0..200).map(|slot| if slot % 10 == 9 { 300 } else { 0 }).collect();
    assert_eq!(columns.series("slots", "sent_bytes"), expected);
}

#[test]
fn whole_bytes_a_slot_are_not_lost_to_rounding() {
    // The rates of [EvdoTcp] in slots of 5/3 ms: each but 204.8 kb/s a whole number of bytes.
    let rates = [38.4, 76.8, 153.6, 307.2, 614.4, 921.6, 1228.8, 1843.2, 2457.6];
    for (rate_kbps, bytes) in rates.into_iter().zip([8, 16, 32, 64, 128, 192, 256, 384, 512]) {
        let columns = paper_000().set("/link/rate/rates_bps", json!([rate_kbps * 1e3])).run();
        assert_eq!(columns.series("slots", "sent_bytes"), [bytes; 600], "{rate_kbps} kb/s");
    }
}
