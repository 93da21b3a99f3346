//! Requests up and answers down on one connection, and pages over several: times against sums by hand, and balances under losses.
//!
//! At the dumbbell's bottleneck a full packet of 1500 bytes takes 1.2 ms, one of 40 bytes 32 us; 20 ms there and 20 ms back.

use serde_json::{Value, json};

use super::case::{Case, Columns};

fn constant(bytes: u64) -> Value {
    json!({ "kind": "constant", "bytes": bytes })
}

/// Answers of so many full segments, and 1 s to think.
fn requests(segments: u64) -> Value {
    json!({ "kind": "requests", "request_bytes": 300, "size": constant(1460 * segments), "think_s": 1.0, "think": "constant" })
}

fn pages(objects: u32, connections: u32) -> Value {
    json!({
        "kind": "pages", "request_bytes": 300, "main_size": constant(4380), "object_size": constant(1460),
        "objects": { "kind": "constant", "objects": objects }, "connections": connections, "parsing_s": 0.05, "think_s": 1.0,
        "think": "constant",
    })
}

fn wire(handshake: bool, initial_window: u64, traffic: Value) -> Case {
    let case = Case::dumbbell().set("/duration_s", 10.0).set("/flows/0/start_s", 0.25);
    let case = case.set("/flows/0/tcp/initial_window_segments", initial_window);
    case.set("/flows/0/tcp/handshake", handshake).set("/flows/0/traffic", traffic)
}

fn seconds(columns: &Columns, name: &str) -> Vec<f64> {
    columns.0.series["downloads"].reals(name).expect("a column of times")
}

/// Asserts the times of the first downloads, ms, to the nanosecond, and that the next one is asked for a second after each.
fn takes(case: &Case, expected_ms: &[f64]) {
    let found = case.run();
    let (requested, completed) = (seconds(&found, "requested_s"), seconds(&found, "completed_s"));
    assert_eq!(requested[0], 0.25);
    for (number, expected_ms) in expected_ms.iter().enumerate() {
        let took_ms = (completed[number] - requested[number]) * 1e3;
        assert!((took_ms - expected_ms).abs() < 0.9e-6, "download {number} took {took_ms} ms, not {expected_ms}");
        assert!((requested[number + 1] - completed[number] - 1.0).abs() < 0.9e-9);
    }
}

#[test]
fn a_request_and_its_answer_take_what_the_wires_say() {
    // The request 20, three packets 3.6 and 20.
    takes(&wire(false, 10, requests(3)), &[43.6, 43.6]);
    // Before it the SYN 20 and its answer 20.032; the last ACK rides on the request. The connection is kept.
    takes(&wire(true, 10, requests(3)), &[83.632, 43.6]);
    // A wire of 1 Mb/s takes 2.72 for the 340 bytes of the request, and 0.32 for the SYN.
    let slow = |handshake| wire(handshake, 10, requests(3)).set("/flows/0/path/uplink_rate_bps", 1e6);
    takes(&slow(false), &[46.32, 46.32]);
    takes(&slow(true), &[86.672, 46.32]);
}

#[test]
fn an_answer_takes_rounds_of_slow_start_and_the_next_one_finds_the_window_open() {
    // 1, 2, 4 and 8 packets: three times the first ACK of a round after 41.2, then 8 packets and 20. Then 15 packets at once.
    takes(&wire(false, 1, requests(15)), &[20.0 + 3.0 * 41.2 + 8.0 * 1.2 + 20.0, 20.0 + 15.0 * 1.2 + 20.0]);
}

#[test]
fn acks_ride_on_requests_and_answers() {
    let found = wire(true, 10, requests(1)).run();
    let answers = seconds(&found, "completed_s").iter().filter(|time| !time.is_nan()).count() as i64;
    // SYN; then a request and the ACK of its answer, each. The answer acknowledges its request.
    assert_eq!(found.wholes("flows", "segments_sent_up"), [1 + answers]);
    assert_eq!(found.wholes("flows", "segments_sent"), [1 + answers]);
    assert_eq!(found.wholes("flows", "goodput_up_bytes"), [300 * answers]);
    assert_eq!(found.wholes("flows", "goodput_bytes"), [1460 * answers]);
    let directions = found.series("packets", "direction");
    let [down, up] = [0, 1].map(|way| directions.iter().filter(|&&own| own == way).count() as i64);
    assert_eq!(down, 1 + answers, "no pure ACK leaves the server");
    assert_eq!(up, answers, "a row for each request, which is one packet, and none for the SYN");
}

#[test]
fn a_page_takes_its_main_object_and_the_last_of_its_others() {
    // The main object as an answer, 50 to parse; then two requests 20, both packets 2.4, and 20.
    takes(&wire(false, 10, pages(2, 2)), &[43.6 + 50.0 + 42.4; 2]);
    // On one connection one after the other.
    takes(&wire(false, 10, pages(2, 1)), &[43.6 + 50.0 + 41.2 + 41.2; 2]);
    // The second connection opens with its first request: 40.032, 1.2 behind the first object, and 41.2. On the next page it is open.
    takes(&wire(true, 10, pages(2, 2)), &[83.632 + 50.0 + 82.432, 43.6 + 50.0 + 42.4]);
    let found = wire(false, 10, pages(2, 6)).run();
    let bytes = found.series("downloads", "bytes");
    assert!(bytes.len() > 5 && bytes.iter().all(|&bytes| bytes == 4380 + 2 * 1460));
    assert_eq!(found.wholes("flows", "downloads"), [bytes.len() as i64, 0, 0, 0, 0, 0]);
}

#[test]
fn alone_in_the_network_a_download_takes_as_long() {
    for traffic in [requests(15), pages(3, 2)] {
        let found = wire(true, 2, traffic).run();
        assert_eq!(found.reals("users", "download_slowdown_p50"), [1.0]);
        assert_eq!(found.reals("users", "download_slowdown_p95"), [1.0]);
    }
}

#[test]
fn under_losses_both_ways_every_answer_comes_whole_and_nothing_vanishes() {
    let losses = |period| {
        json!({
            "loss": { "kind": "random", "p": 0.05 }, "duplicate_probability": 0.05, "reorder_probability": 0.1,
            "reorder_extra_ms": period,
        })
    };
    for traffic in [requests(20), pages(8, 3)] {
        for seed in 1..4 {
            let case = Case::dumbbell().set("/duration_s", 40.0).set("/users", 3);
            let case = case.set("/flows/0/traffic", traffic.clone()).set("/flows/0/tcp/handshake", true);
            let case = case.set("/flows/0/tcp/sack", seed % 2 == 0);
            let case = case.with("/flows/0/path", "downlink_impairments", losses(3.0));
            let found = case.with("/flows/0/path", "uplink_impairments", losses(7.0)).run_with(seed);
            let completed = seconds(&found, "completed_s").iter().filter(|time| !time.is_nan()).count();
            assert!(completed > 20, "{completed} of {traffic}");
            let up = found.wholes("flows", "goodput_up_bytes");
            assert!(up.iter().all(|bytes| bytes % 300 == 0) && up.iter().sum::<i64>() >= 300 * completed as i64);
            assert!(found.wholes("flows", "retransmissions_up").iter().sum::<i64>() > 0);
        }
    }
}

#[test]
fn in_a_cell_requests_wait_for_no_slot_and_answers_do() {
    let case = Case::k3().set("/duration_s", 10.0).set("/flows/0/traffic", requests(5));
    let found = case.set("/flows/0/tcp/handshake", true).run();
    let completed = seconds(&found, "completed_s").iter().filter(|time| !time.is_nan()).count();
    assert!(completed > 21);
}

#[test]
fn after_its_stop_a_flow_asks_for_nothing() {
    for traffic in [requests(3), pages(2, 2)] {
        let found = wire(true, 10, traffic).set("/flows/0/stop_s", 3.0).run();
        let requested = seconds(&found, "requested_s");
        assert!(requested.len() > 1 && requested.iter().all(|&at| at < 3.0));
    }
}

#[test]
fn fins_end_a_connection_and_change_no_download() {
    let file = json!({ "kind": "file", "bytes": 14_600 });
    let times = [false, true].map(|close| {
        let found = wire(true, 4, file.clone()).with("/flows/0/tcp", "close", close.into()).run();
        let sent = found.wholes("flows", "segments_sent")[0];
        (found.reals("flows", "completion_s")[0], sent)
    });
    // The FIN rides on the last segment.
    assert_eq!(times[0], times[1]);
}

#[test]
fn a_file_goes_up_as_the_uplink_carries_it() {
    // Ten packets of 1.2 ms, and 20; a handshake takes 20.032 there and 20.032 back before it.
    for (handshake, expected_ms) in [(false, 32.0), (true, 72.064)] {
        let case =
            wire(handshake, 10, json!({ "kind": "file", "bytes": 14_600 })).with("/flows/0", "direction", "up".into());
        let found = case.set("/flows/0/path/uplink_rate_bps", 1e7).run();
        let took_ms = found.reals("flows", "completion_s")[0] * 1e3;
        assert!((took_ms - expected_ms).abs() < 0.9e-6, "{took_ms} ms, not {expected_ms}");
        assert_eq!(found.wholes("flows", "goodput_up_bytes"), [14_600]);
        assert_eq!(found.wholes("flows", "segments_sent"), [10 + i64::from(handshake)]);
    }
}

#[test]
fn a_lost_packet_of_an_upload_is_sent_again() {
    let lossy = json!({ "loss": { "kind": "random", "p": 0.03 }, "duplicate_probability": 0.02 });
    for seed in 1..4 {
        let case =
            Case::dumbbell().set("/duration_s", 60.0).set("/users", 2).with("/flows/0", "direction", "up".into());
        let case = case.set("/flows/0/traffic", json!({ "kind": "file", "bytes": 1_000_000 }));
        let found = case.with("/flows/0/path", "uplink_impairments", lossy.clone()).run_with(seed);
        assert_eq!(found.wholes("flows", "goodput_up_bytes"), [1_000_000; 2]);
        assert!(found.reals("flows", "completion_s").iter().all(|time| time.is_finite()));
        let sum = |name: &str| found.wholes("flows", name).iter().sum::<i64>();
        assert!(sum("retransmissions") > 0 && sum("spurious_timeouts") <= sum("timeouts"));
    }
}
