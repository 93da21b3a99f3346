//! The uplink with grants and patterns of slots, in runs: ACK by ACK as counted by hand.
//!
//! The fixed link: slots of 5 ms, a packet in each, 20 ms each way, an initial window of 1, slow start, one user.

use serde_json::{Value, json};

use super::case::{Case, Columns};

const CAUSES: [&str; 9] =
    ["application", "receiver_window", "congestion_window", "rto", "wire", "scheduler", "air", "arq", "grant"];

/// With this uplink: requests each so many ms, a grant 4 ms later, sent 4 ms after that.
fn granted(case: Case, request_period_ms: f64, grant_bytes: u64) -> Case {
    let uplink = json!({
        "request_period_ms": request_period_ms, "grant_delay_ms": 4, "transmit_delay_ms": 4, "grant_period_ms": 8,
        "grant_bytes": grant_bytes, "slot_bytes": "inf",
    });
    case.with("", "uplink", uplink)
}

fn times_ms(columns: &Columns) -> Vec<(&'static str, f64)> {
    let time = |cause: &str| (columns.reals("flows", &format!("time_{cause}_s"))[0] * 1e6).round() / 1e3;
    CAUSES.into_iter().map(|cause| (cause, time(cause))).filter(|(_, time)| *time > 0.0).collect()
}

#[test]
fn acks_of_a_file_leave_with_their_grants_as_computed_by_hand() {
    // The ACK of 25 asks at 30, is sent from 40 to 45 and there at 65. Those of 90 and 95 ask at 90, are sent from 100 to 105 and
    // there at 125: four packets go at once, delivered at 150 to 165. The grant of 160 takes the ACKs up to 160, there at 185: the
    // last three packets go. The ACK of 165 asks at 170, is sent from 180 on and there at 205. The last three go from 220 on.
    let columns = granted(Case::fixed_link(), 10.0, 1500).run();
    let sent_ms = columns.milliseconds("packets", "sent_s");
    assert_eq!(sent_ms, [0.0, 65.0, 65.0, 125.0, 125.0, 125.0, 125.0, 185.0, 185.0, 185.0]);
    assert_eq!(columns.ended_ms(), [25.0, 90.0, 95.0, 150.0, 155.0, 160.0, 165.0, 210.0, 215.0, 220.0]);
    let acks_ms = columns.milliseconds("acks", "time_s");
    assert_eq!(acks_ms, [65.0, 125.0, 125.0, 185.0, 185.0, 185.0, 205.0, 245.0, 245.0, 245.0]);
}

#[test]
fn a_grant_of_one_ack_carries_one_ack() {
    // ACKs of 40 bytes. Those of 90 and 95: the first is sent from 100 on, the second 8 ms later, from 110 on: there at 125 and 135.
    let columns = granted(Case::fixed_link(), 10.0, 40).run();
    assert_eq!(columns.milliseconds("acks", "time_s")[..3], [65.0, 125.0, 135.0]);
}

#[test]
fn what_a_grant_has_carried_goes_on_to_the_hops_of_its_flow() {
    // Out at 45, then two at 125; 40 bytes take 10 ms at 32 kb/s, then 5 ms, then 20 ms of the flow's own wire.
    let back = json!([{ "name": "back", "rate_bps": 32e3, "delay_ms": 5.0 }]);
    let case = Case::fixed_link().with("", "hops", back).with("/flows/0/path", "uplink_hops", json!(["back"]));
    let columns = granted(case, 10.0, 1500).run();
    // The first ACK is there at 80: packets 1 and 2 at the base station at 100, delivered at 105 and 110, ask at 110, out at 125.
    let acks_ms = columns.milliseconds("acks", "time_s");
    assert_eq!(acks_ms[..3], [80.0, 160.0, 170.0]);
    assert_eq!(columns.ended_ms()[..3], [25.0, 105.0, 110.0]);
}

#[test]
fn a_request_waits_for_its_grant_as_well() {
    // It asks at 0, is sent from 10 to 15 and there at 35; the answer is at the base station at 55 and has the slot to 60.
    let size = json!({ "kind": "constant", "bytes": 536 });
    let traffic =
        json!({ "kind": "requests", "request_bytes": 300, "size": size, "think_s": 5.0, "think": "constant" });
    let columns = granted(Case::fixed_link().set("/flows/0/traffic", traffic), 10.0, 1500).run();
    assert_eq!(columns.milliseconds("downloads", "completed_s"), [60.0]);
}

#[test]
fn packets_are_sent_in_downlink_slots_and_acks_in_uplink_slots() {
    // D from 0, 10, 20, ...; U from 5, 15, 25, ... An ACK without an uplink of grants leaves at once.
    let columns = Case::fixed_link().with("/slot", "tdd", json!("DU")).run();
    assert_eq!(columns.ended_ms(), [25.0, 75.0, 85.0, 125.0, 135.0, 145.0, 155.0, 175.0, 185.0, 195.0]);
    assert_eq!((columns.cell("slots"), columns.cell("slots_idle"), columns.cell("slots_uplink")), (200, 190, 100));
    // The opportunity of 20 has the slot of 25, in which the ACK of 25 asks; 33: sent in that of 35, there at 60. Packets 1 and 2 are at
    // the base station at 80.
    let columns = granted(Case::fixed_link().with("/slot", "tdd", json!("DU")), 10.0, 1500).run();
    assert_eq!(columns.ended_ms()[..3], [25.0, 85.0, 95.0]);
    assert_eq!(columns.milliseconds("acks", "time_s")[0], 60.0);
}

#[test]
fn the_wait_for_a_grant_has_a_time_of_its_own_and_all_times_add_up() {
    // Requests each 100 ms: ACKs wait from 25 to 115, 165 to 215, 275 to 315. Passages of 5, 10 and 20 ms before these are charged to
    // them; the last, from 355 to 370, is on air. After 335 all is sent, and the last 20 ms to the cell are the wire's.
    let columns = granted(Case::fixed_link(), 100.0, 1500).run();
    let expected = [("congestion_window", 120.0), ("wire", 20.0), ("air", 15.0), ("grant", 215.0)];
    assert_eq!(times_ms(&columns), expected);
    assert_eq!(columns.reals("flows", "active_s"), [0.37]);
}

#[test]
fn nothing_vanishes_where_many_users_share_slots_of_a_pattern() {
    for (tdd, slot_bytes) in [("", json!("inf")), ("DDDSU", json!("inf")), ("DSUUD", json!(300)), ("DDU", json!(90))] {
        let uplink = json!({
            "request_period_ms": 20, "grant_delay_ms": 4, "transmit_delay_ms": 4, "grant_period_ms": 8,
            "grant_bytes": 100, "slot_bytes": slot_bytes,
        });
        let outage: Value = json!([{ "at_s": 1.0, "for_s": 0.5, "hold": false }]);
        let case = Case::k3().set("/duration_s", 4.0).with("", "uplink", uplink).with("/slot", "tdd", json!(tdd));
        let case = case.with("/flows/0/path", "uplink_impairments", json!({ "outages": outage }));
        // Packets, bytes, ACKs and each flow's time are checked as the run ends.
        let requests = json!({
            "kind": "requests", "request_bytes": 300, "size": { "kind": "constant", "bytes": 9000 }, "think_s": 0.2, "think": "constant",
        });
        let asked = case.clone().set("/flows/0/traffic", requests).run();
        assert!(asked.wholes("flows", "goodput_bytes").iter().sum::<i64>() > 9000, "{tdd}: no answer came");
        let columns = case.run();
        let acks: i64 = columns.wholes("flows", "acks_received").iter().sum();
        assert!(acks > 100, "{tdd}: {acks} ACKs");
        let lost: i64 = columns.wholes("flows", "uplink_outage").iter().sum();
        assert!(lost > 0, "{tdd}: the outage behind the uplink lost none");
    }
}

#[test]
fn downloads_alone_have_the_opportunities_of_their_user() {
    // Two users, whose opportunities lie 50 ms apart; files that never meet take as long alone as in company.
    let case = granted(Case::fixed_link(), 100.0, 1500).set("/users", 2);
    let columns =
        case.and_flows(&[("/users", json!([1])), ("/start_s", json!(0.5))]).set("/flows/0/users", json!([0])).run();
    let completions = columns.reals("flows", "completion_s");
    // User 1 asks at 50, 150, ...: its ACK of 525 at 550, not at 600.
    assert!(completions[1] < completions[0], "{completions:?}");
    let slowdowns = columns.reals("flows", "download_slowdown_mean");
    assert_eq!(slowdowns, [1.0, 1.0]);
}
