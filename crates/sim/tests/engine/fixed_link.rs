//! One flow on a link that never changes, packet by packet as computed by hand.
//!
//! Slots of 5 ms, a full packet in each, 20 ms each way, an initial window of 1, slow start. A packet sent at t is at
//! the base station at t + 20, takes the first free slot from then on, and is acknowledged at its end; each
//! ACK lets two more go (one for itself, one for the window's growth).

use super::case::Case;

/// The ten packets' moments in ms: sent, delivered.
fn sent_and_delivered(case: &Case) -> (Vec<f64>, Vec<f64>) {
    let columns = case.run();
    assert_eq!(columns.fates(), [0; 10]);
    (columns.milliseconds("packets", "sent_s"), columns.ended_ms())
}

#[test]
fn a_file_in_slow_start_arrives_packet_by_packet_as_computed_by_hand() {
    // Packet 0 goes at 0, is on air from 20 to 25; its ACK is there at 45. 1 and 2 go at 45, are on air from 65 to
    // 75, acknowledged at 90 and 95. At 90 3 and 4 go (slots at 110, 115), at 95 5 and 6 (there at 115, slots at 120
    // and 125). Their ACKs come at 135, 140, 145, 150: at 135 7 and 8 go (slots at 155, 160), at 140 9 (slot at 165).
    let (sent_ms, delivered_ms) = sent_and_delivered(&Case::fixed_link());
    assert_eq!(sent_ms, [0.0, 45.0, 45.0, 90.0, 90.0, 95.0, 95.0, 135.0, 135.0, 140.0]);
    assert_eq!(delivered_ms, [25.0, 70.0, 75.0, 115.0, 120.0, 125.0, 130.0, 160.0, 165.0, 170.0]);
}

#[test]
fn the_summaries_of_that_file_are_those_computed_by_hand() {
    let columns = Case::fixed_link().run();
    // Round trips: 45, 45, 50, 45, 50, 50, 55, 45, 50, 50 ms. Each packet is 5 ms at the head of the queue; in it
    // they are 5, 5, 10, 5, 10, 10, 15, 5, 10, 10.
    let expected = [
        ("flows", "rtt_mean_s", 0.0485),
        ("flows", "rtt_min_s", 0.045),
        ("flows", "rtt_max_s", 0.055),
        ("flows", "completion_s", 0.170),
        ("flows", "goodput_bps", 5360.0 * 8.0),
        ("users", "hol_delay_mean_s", 0.005),
        ("users", "hol_delay_max_s", 0.005),
        ("users", "queueing_delay_mean_s", 0.0085),
        ("users", "queueing_delay_max_s", 0.015),
        ("users", "delivered_bps", 5760.0 * 8.0),
        ("users", "granted_bps", 5760.0 * 8.0),
        ("users", "sent_bps", 5760.0 * 8.0),
    ];
    for (table, name, value) in expected {
        let found = columns.reals(table, name)[0];
        assert!((found - value).abs() <= 1e-9 * value, "{table}.{name} is {found}, should be {value}");
    }
    // Slots won: 4, 13, 14, 22 to 25, 31 to 33. The gaps between them: 9, 1, 8, 1, 1, 1, 6, 1, 1.
    assert_eq!(columns.series("gaps", "gap_slots"), [9, 1, 8, 1, 1, 1, 6, 1, 1]);
    assert_eq!((columns.cell("slots"), columns.cell("slots_idle")), (200, 190));
    assert_eq!(columns.wholes("flows", "acks_received"), [10]);
}

#[test]
fn window_and_acks_of_that_file_are_those_of_slow_start() {
    let columns = Case::fixed_link().run();
    let times_ms = [45.0, 90.0, 95.0, 135.0, 140.0, 145.0, 150.0, 180.0, 185.0, 190.0];
    assert_eq!(columns.milliseconds("acks", "time_s"), times_ms);
    let numbers: Vec<i64> = (1..=10).map(|segment| 536 * segment).collect();
    assert_eq!(columns.series("acks", "number"), numbers);
    let windows = columns.0.series["cwnd"].reals("cwnd_bytes").expect("cwnd is recorded");
    let grown: Vec<f64> = (2..=11).map(|segments| 536.0 * f64::from(segments)).collect();
    assert_eq!(windows, grown);
}

#[test]
fn acks_take_their_time_on_a_slow_uplink_and_wait_for_each_other() {
    // 40 bytes take 5 ms at 64 kb/s. ACK 0 leaves at 25, is through at 30, there at 50: 1 and 2 go, are delivered at 75
    // and 80; ACKs at 100 and 105: 3 and 4 (125, 130), 5 and 6 (there at 125, delivered 135, 140); ACKs at 150, 155, ...
    let (_, delivered_ms) = sent_and_delivered(&Case::fixed_link().set("/flows/0/path/uplink_rate_bps", 64_000.0));
    assert_eq!(delivered_ms, [25.0, 75.0, 80.0, 125.0, 130.0, 135.0, 140.0, 175.0, 180.0, 185.0]);
    // 10 ms at 32 kb/s. ACK 0 is there at 55; 1 and 2 are delivered at 80 and 85; their ACKs, the second of which waits
    // 5 ms, at 110 and 120: 3 and 4 at 135, 140, 5 and 6 (there at 140) at 145, 150; ACKs at 165, 175: 190, 195, 200.
    let (_, delivered_ms) = sent_and_delivered(&Case::fixed_link().set("/flows/0/path/uplink_rate_bps", 32_000.0));
    assert_eq!(delivered_ms, [25.0, 80.0, 85.0, 135.0, 140.0, 145.0, 150.0, 190.0, 195.0, 200.0]);
}

#[test]
fn packets_leave_a_slow_downlink_wire_one_after_the_other() {
    // 576 bytes take 10 ms at 460.8 kb/s. 0 leaves at 10, is there at 30, delivered 35, acknowledged 55. 1 and 2 leave
    // at 65 and 75: 90, 100. At 110 3 and 4 (leave 120, 130: 145, 155), at 120 5 and 6 (wait; leave 140, 150: 165, 175).
    // At 165 7 and 8 (leave 175, 185: 200, 210), at 175 9 (leaves 195: 220).
    let (_, delivered_ms) = sent_and_delivered(&Case::fixed_link().set("/flows/0/path/downlink_rate_bps", 460_800.0));
    assert_eq!(delivered_ms, [35.0, 90.0, 100.0, 145.0, 155.0, 165.0, 175.0, 200.0, 210.0, 220.0]);
    // At 1 Mb/s 0 leaves at 4.608, is there at 24.608 and takes the slot from 25 to 30.
    let columns = Case::fixed_link().set("/flows/0/path/downlink_rate_bps", 1e6).run();
    assert_eq!(columns.milliseconds("packets", "queued_s")[0], 24.608);
    assert_eq!(columns.ended_ms()[0], 30.0);
}

#[test]
fn delayed_acks_wait_for_a_second_segment_or_their_timer() {
    // 0 is delivered at 25 and alone: its ACK goes at 25 + 200, is there at 245. 1 and 2 go: delivered at 270 and 275,
    // one ACK at 275, there at 295; the window is 3: 3, 4 and 5 go: delivered at 320, 325, 330. ACK of 3 and 4 at 345: 6,
    // 7 and 8 go (one in flight, the window is 4): 370, 375, 380. 5 and 6: ACK at 370, there at 390: 9: 415.
    let case = Case::fixed_link().set("/flows/0/tcp/delayed_ack/every", 2);
    let (_, delivered_ms) = sent_and_delivered(&case);
    assert_eq!(delivered_ms, [25.0, 270.0, 275.0, 320.0, 325.0, 330.0, 370.0, 375.0, 380.0, 415.0]);
}

#[test]
fn a_flow_that_starts_later_does_the_same_later() {
    let (sent_ms, delivered_ms) = sent_and_delivered(&Case::fixed_link().set("/flows/0/start_s", 0.1));
    assert_eq!((sent_ms[0], delivered_ms[0], delivered_ms[9]), (100.0, 125.0, 270.0));
    let columns = Case::fixed_link().set("/flows/0/start_s", 0.1).run();
    assert!((columns.reals("flows", "completion_s")[0] - 0.170).abs() < 1e-12);
}

#[test]
fn only_slots_that_end_within_the_duration_are_run() {
    // 174 ms hold 34 slots, the last from 165 to 170: the tenth packet just arrives. 169 ms hold 33: it does not.
    for (duration_s, slots, delivered) in [(0.174, 34, 10), (0.17, 34, 10), (0.169, 33, 9)] {
        let columns = Case::fixed_link().set("/duration_s", duration_s).run();
        assert_eq!(columns.cell("slots"), slots, "{duration_s} s");
        assert_eq!(columns.wholes("users", "packets_delivered"), [delivered], "{duration_s} s");
    }
}

#[test]
fn a_run_shorter_than_a_slot_has_no_slot_and_no_panic() {
    let columns = Case::fixed_link().set("/duration_s", 0.004).run();
    assert_eq!((columns.cell("slots"), columns.wholes("flows", "segments_sent")), (0, vec![1]));
    assert_eq!(columns.reals("cell", "goodput_bps"), [0.0]);
    assert!(columns.reals("cell", "jain_index")[0].is_nan() && columns.reals("users", "gap_mean_slots")[0].is_nan());
}
