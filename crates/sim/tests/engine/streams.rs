//! Streams: the application sets the pace as long as the network can follow.

use serde_json::json;

use crate::engine::case::Case;

/// 10 Mb/s, 20 ms each way, wide windows; messages at this rate.
fn stream(rate_bps: f64, message_bytes: u64) -> Case {
    let traffic = json!({ "kind": "stream", "rate_bps": rate_bps, "message_bytes": message_bytes });
    Case::dumbbell().set("/duration_s", 10.0).set("/flows/0/traffic", traffic).set("/flows/0/start_s", 0.1)
}

#[test]
fn messages_leave_when_they_come() {
    // Three a second, each in two segments: the second goes at once because the window holds ten.
    let case = stream(48_000.0, 2000).set("/flows/0/tcp/initial_window_segments", 10).set("/duration_s", 1.2);
    let found = case.run();
    assert_eq!(
        found.milliseconds("packets", "sent_s"),
        [100.0, 100.0, 433.333, 433.333, 766.667, 766.667, 1100.0, 1100.0]
    );
    assert_eq!(found.series("packets", "bytes"), [1500, 580].repeat(4));
    assert_eq!(found.series("packets", "sequence"), [0, 1460, 2000, 3460, 4000, 5460, 6000, 7460]);
    assert!(found.reals("flows", "completion_s")[0].is_nan());
}

#[test]
fn goodput_is_the_streams_rate_where_the_network_can_follow() {
    for (rate_bps, message_bytes) in [(2e6, 10_000), (5e6, 1460), (1_234_567.8, 100), (8e6, 1_000_000)] {
        let case = stream(rate_bps, message_bytes).set("/flows/0/start_s", 0.0).set("/duration_s", 20.0);
        let found = case.set("/bottleneck/limit_packets", 1000).run();
        // What is handed over in 20 s; on the way at the end is at most a message and a round trip's worth at 10 Mb/s.
        let handed_over = (20.0 * rate_bps / 8.0 / message_bytes as f64).floor() * message_bytes as f64;
        let missing = handed_over - found.wholes("flows", "goodput_bytes")[0] as f64;
        let on_the_way = message_bytes as f64 + 0.05 * 1e7 / 8.0;
        assert!((-(message_bytes as f64)..on_the_way).contains(&missing), "{missing} of {rate_bps} b/s are missing");
        assert_eq!(found.wholes("flows", "timeouts"), [0]);
    }
}

#[test]
fn a_stream_that_the_network_cannot_follow_is_a_greedy_flow_with_a_late_start() {
    // 100 Mb/s in messages larger than a window: after the first there is always more than TCP can send.
    let greedy = Case::dumbbell().set("/flows/0/start_s", 0.1).set("/duration_s", 10.0).run();
    let found = stream(1e8, 5_000_000).run();
    for kind in ["packets", "cwnd", "rtt"] {
        // As text, because NaN equals nothing.
        assert!(format!("{:?}", found.0.series[kind]) == format!("{:?}", greedy.0.series[kind]), "{kind}");
    }
}

#[test]
fn a_stream_ends_at_its_stop_and_what_waited_is_not_sent() {
    // Messages at 100, 200, ... ms; that of 500 ms comes with the stop.
    let found = stream(80_000.0, 1000).set("/flows/0/stop_s", 0.5).run();
    assert_eq!(found.milliseconds("packets", "sent_s"), [100.0, 200.0, 300.0, 400.0]);
    assert_eq!(found.series("events", "event"), [1, 8]);
}

#[test]
fn a_stream_starts_with_its_flow_in_a_cell_too() {
    let traffic = json!({ "kind": "stream", "rate_bps": 42_880, "message_bytes": 536 });
    let found = Case::fixed_link().set("/flows/0/traffic", traffic).set("/flows/0/start_s", 0.012).run();
    let sent: Vec<f64> = (0..10).map(|message| 12.0 + 100.0 * f64::from(message)).collect();
    assert_eq!(found.milliseconds("packets", "sent_s"), sent);
    // 20 ms to the base station; the next slot starts within 5 ms and ends 5 ms later.
    assert_eq!(found.ended_ms()[..3], [40.0, 140.0, 240.0]);
}
