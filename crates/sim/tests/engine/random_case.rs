//! Scenarios drawn at random: every scheduler, limit, repetition rule and traffic, on links that come and go.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::case::{Case, DEAF_DB, FAIR_DB, GOOD_DB};

/// The size of every file.
pub(crate) const FILE_BYTES: i64 = 20_000;

const SCHEDULERS: [&str; 11] = [
    "round_robin",
    "fifo",
    "max_rate",
    "relative_snr",
    "proportional_fair",
    "lambda",
    "log_snr",
    "tcp_pf",
    "tcp_max",
    "ideal_tcp_pf",
    "unapproximated_tcp_pf",
];

/// A scheduler of the kind, with every field that the kind has.
pub(crate) fn scheduler(kind: &str, serve_empty_queues: bool, ties: &str) -> Value {
    let mut fields = json!({ "kind": kind, "serve_empty_queues": serve_empty_queues, "ties": ties });
    // Each switch is drawn through one that is: the combinations are the model's tests.
    let (releases, window) = if ties == "random" { (true, "growing") } else { (false, "fixed") };
    let updates = if serve_empty_queues { "slot" } else { "subchannel" };
    fields["release_satisfied_users"] = json!(releases);
    let average = json!({
        "time_constant_slots": 50, "average_counts": "sent", "initial_average_bps": 16_000,
        "average_window": window, "average_updates": updates,
    });
    let gaps = json!({
        "gap_mean_weight": 0.1, "gap_square_weight": 0.5, "initial_gap_mean_slots": 5,
        "initial_gap_square_slots2": 25, "vacation_unit": "slots", "terms": "both",
    });
    let mut add = |more: &Value| {
        more.as_object().expect("an object").iter().for_each(|(name, value)| fields[name] = value.clone());
    };
    match kind {
        "round_robin" | "fifo" => add(&json!({ "skip_unservable": serve_empty_queues })),
        "max_rate" | "relative_snr" => {}
        "proportional_fair" => add(&average),
        "log_snr" => [&average, &json!({ "argument": if serve_empty_queues { "snr" } else { "one_plus_snr" } })]
            .into_iter()
            .for_each(add),
        "lambda" => [&average, &json!({ "exponent": 0.7 })].into_iter().for_each(add),
        "ideal_tcp_pf" => add(&json!({ "time_constant_slots": 50, "initial_average_bps": 16_000 })),
        _ => [&average, &gaps].into_iter().for_each(add),
    }
    fields
}

/// Every scheduler, with both settings of its switches.
pub(crate) fn any_scheduler() -> impl Strategy<Value = Value> {
    let ties = prop::sample::select(vec!["random", "lowest_index"]);
    (prop::sample::select(SCHEDULERS.to_vec()), any::<bool>(), ties)
        .prop_map(|(kind, serve_empty_queues, ties)| scheduler(kind, serve_empty_queues, ties))
}

fn link() -> impl Strategy<Value = Value> {
    let errors = (prop::sample::select(vec![0.0, 0.01, 0.3, 0.9]), any::<bool>())
        .prop_map(|(probability, rule)| json!({ "probability": probability, "threshold_rule": rule }));
    let curve = json!({ "kind": "logistic", "slope_per_db": 2, "offset_db": 1.472 });
    let errors = prop_oneof![3 => errors, 1 => Just(json!({ "curve": curve }))];
    let limit = prop::sample::select(vec![json!(0), json!(1), json!(3), json!("inf")]);
    let arq = (limit, 0..6_u64)
        .prop_map(|(limit, delay)| json!({ "max_retransmissions": limit, "feedback_delay_slots": delay }));
    let harq_limit = prop::sample::select(vec![json!(0), json!(1), json!(10), json!("inf")]);
    let processes = prop::sample::select(vec![json!(1), json!(3), json!("inf")]);
    let units = (prop::sample::select(vec!["none", "chase"]), prop::sample::select(vec!["block", "block", "pdu"]));
    let harq = (units, processes, 1..9_u64, harq_limit).prop_map(|((kind, unit), processes, round_trip, limit)| {
        json!({
            "kind": kind, "unit": unit, "processes": processes,
            "round_trip_slots": round_trip, "max_retransmissions": limit,
        })
    });
    let report = (0..3_u64, 1..4_u64, prop::sample::select(vec![0.0, 2.0])).prop_map(
        |(delay, period, error)| json!({ "error_sd_db": error, "delay_slots": delay, "period_slots": period }),
    );
    let low = prop::sample::select(vec![16_000, 64_000, 307_200]);
    let high = prop::sample::select(vec![400_000, 921_600, 6_000_000]);
    // Limits that are met, and feedback as late as some repetitions.
    let steps = (0..5_u64, prop::sample::select(vec![0.05, 0.5])).prop_map(|(delay, target)| {
        json!({ "kind": "steps", "target_bler": target, "step_down_db": 1, "lowest_db": -6, "highest_db": 3,
            "initial_db": 0, "feedback_delay_slots": delay })
    });
    let margin =
        json!({ "kind": "margin", "gain": 0.2, "target_per": 0.1, "lowest": -3, "highest": 0.5, "initial": 0.1 });
    let outer_loop = prop_oneof![4 => Just(json!({ "kind": "none" })), 1 => steps, 1 => Just(margin)];
    let coding = prop_oneof![2 => Just(None), 1 => coding().prop_map(Some)];
    let repair = (arq, harq, outer_loop);
    (report, errors, repair, (low, high), coding).prop_map(|(report, errors, repair, (low, high), coding)| {
        let (arq, harq, outer_loop) = repair;
        let rates = json!({
            "kind": "table", "name": "custom", "thresholds_db": [0, 5], "rates_bps": [low, high],
        });
        let link = json!({
            "report": report, "outer_loop": outer_loop, "rate": rates, "errors": errors, "arq": arq, "harq": harq,
        });
        coding.map_or_else(|| link.clone(), |coding| with_schemes(link.clone(), &coding, high))
    })
}

/// Which SNR stands for several, and whether new coded bits are sent after a loss.
fn coding() -> impl Strategy<Value = (&'static str, bool)> {
    (prop::sample::select(vec!["mean_db", "eesm", "miesm"]), any::<bool>())
}

/// The link with rates of three schemes, one of which is of no use, and losses by their code.
fn with_schemes(mut link: Value, &(effective, redundancy): &(&str, bool), top_bps: u64) -> Value {
    link["rate"] = json!({
        "kind": "mcs", "set": "custom", "bits_per_symbol": [2, 6, 4], "code_rates": [0.3, 0.2, 0.6],
        "bandwidth_hz": top_bps as f64 / 2.4, "overhead": 0, "gap_db": 1, "input": "modulation",
        "reference_bits": 4608, "target_bler": 0.1,
    });
    let curve = json!({ "kind": "coded", "effective": effective });
    link["errors"] = json!({ "curve": curve });
    if redundancy && link["harq"]["kind"] == "chase" {
        link["harq"]["kind"] = json!("incremental_redundancy");
    }
    link
}

/// The same repeating whole slots, without code blocks and as soon as it hears of losses; at once where one user has the slot.
fn with_slots(mut link: Value, at_once: bool) -> Value {
    let repeats = if at_once { "at_once" } else { "rescheduled" };
    let limit = link["arq"]["max_retransmissions"].clone();
    link["arq"] =
        json!({ "max_retransmissions": limit, "feedback_delay_slots": 0, "unit": "slot", "repeats": repeats });
    with_frames(link)
}

/// The same without code blocks.
fn with_frames(mut link: Value) -> Value {
    link["harq"]["kind"] = json!("none");
    link["harq"]["unit"] = json!("block");
    link["errors"]["curve"] = json!({ "kind": "none" });
    link
}

fn rlc() -> impl Strategy<Value = Value> {
    let segment = prop::sample::select(vec![1, 8, 50, 700]);
    let sizes = (segment, prop::sample::select(vec![0, 2]), prop::sample::select(vec![0, 5]));
    (sizes, any::<bool>(), any::<bool>()).prop_map(|((segment, header, block), carry, in_order)| {
        json!({
            "segment_bytes": segment, "segment_header_bytes": header, "block_header_bytes": block,
            "carry_fraction": carry, "in_order": in_order,
        })
    })
}

fn queue() -> impl Strategy<Value = Value> {
    let packets = prop::sample::select(vec![json!("inf"), json!(1), json!(3), json!(20)]);
    let bytes = prop::sample::select(vec![json!("inf"), json!(576), json!(5000)]);
    let kind = prop::sample::select(vec!["drop_tail", "codel", "pie", "adaptive"]);
    // Tight enough for slots of milliseconds to have something dropped in seconds.
    (packets, bytes, kind, 1..20_u64).prop_map(|(packets, bytes, kind, target_ms)| {
        json!({
            "kind": kind, "scope": "user", "limit_packets": packets, "limit_bytes": bytes,
            "limit_counts": if target_ms % 2 == 0 { "unsent" } else { "held" },
            "codel": { "target_ms": target_ms, "interval_ms": 20, "remembered_intervals": target_ms },
            "pie": {
                "target_ms": target_ms, "update_ms": 5, "burst_ms": 10, "alpha_hz": 5, "beta_hz": 5,
                "mean_packet_bytes": 100, "derandomise": target_ms % 2 == 0, "cap_steps": target_ms % 3 == 0,
            },
            "adaptive": { "target_ms": 10 * target_ms, "memory_ms": 200, "floor_bytes": 600 },
            "price": match target_ms % 3 {
                0 => json!({
                    "kind": "clamp", "free_a_bytes": 100 * target_ms, "gain_b": 1, "averaging_ms": 500,
                    "rate_memory_ms": 1000, "per_flow_bytes": if target_ms % 2 == 0 { 0 } else { 300 }, "flow_memory_ms": 200,
                }),
                1 => json!({
                    "kind": "clamp_delay", "target_ms": target_ms, "speed_hz": 0.5, "initial_free_a_bytes": 100 * target_ms,
                    "least_free_a_bytes": -1000, "most_free_a_bytes": 50_000, "hold_ms": 300, "gain_b": 1, "averaging_ms": 500,
                    "rate_memory_ms": 1000,
                }),
                _ => json!({ "kind": "none" }),
            },
        })
    })
}

/// The fields of a group of flows that differ from the fixture's.
fn group() -> impl Strategy<Value = Vec<(&'static str, Value)>> {
    let traffic = prop::sample::select(vec![
        json!({ "kind": "greedy" }),
        json!({ "kind": "file", "bytes": FILE_BYTES }),
        json!({ "kind": "stream", "rate_bps": 123_456.7, "message_bytes": 777 }),
        json!({ "kind": "poisson", "arrivals_per_s": 3, "size": { "kind": "constant", "bytes": FILE_BYTES } }),
        json!({
            "kind": "sessions", "think_s": 0.1, "think": "exponential",
            "size": { "kind": "pareto", "shape": 1.1, "min_bytes": 100, "max_bytes": 50_000 },
        }),
        json!({
            "kind": "requests", "think_s": 0.1, "request_bytes": 3000,
            "size": { "kind": "pareto", "shape": 1.1, "min_bytes": 100, "max_bytes": 50_000 },
        }),
        json!({
            "kind": "pages", "think_s": 0.1, "connections": 2, "objects": { "kind": "constant", "objects": 3 },
            "main_size": { "kind": "constant", "bytes": 5000 }, "object_size": { "kind": "constant", "bytes": 2000 },
        }),
        json!({ "kind": "backlogged", "packet_bytes": 300 }),
    ]);
    let rate = prop::sample::select(vec![json!("inf"), json!(64_000), json!(1_000_000)]);
    let delay = prop::sample::select(vec![0.0, 1.7, 20.0, 100.0]);
    let stop = prop::sample::select(vec![json!("inf"), json!(1.0)]);
    let control = prop::sample::select(vec!["reno", "new_reno"]);
    ((traffic, stop, control), (rate.clone(), delay.clone()), (rate, delay), 1..4_u64).prop_map(
        |((traffic, stop, control), (down_bps, down_ms), (up_bps, up_ms), every)| {
            vec![
                ("/traffic", traffic),
                ("/stop_s", stop),
                ("/start_spread_s", json!(0.3)),
                ("/tcp/congestion_control", json!(control)),
                ("/path/downlink_rate_bps", down_bps),
                ("/path/downlink_delay_ms", json!(down_ms)),
                ("/path/uplink_rate_bps", up_bps),
                ("/path/uplink_delay_ms", json!(up_ms)),
                ("/tcp/delayed_ack/every", json!(every)),
                ("/tcp/initial_window_segments", json!(every)),
            ]
        },
    )
}

fn snr_db() -> impl Strategy<Value = Vec<f64>> {
    let level = prop::sample::select(vec![GOOD_DB, GOOD_DB, GOOD_DB, FAIR_DB, DEAF_DB]);
    prop::collection::vec((level, 1..60_usize), 3..12)
        .prop_map(|runs| runs.into_iter().flat_map(|(db, slots)| std::iter::repeat_n(db, slots)).collect())
}

/// Two to three seconds of a cell with one to six users on one or more subchannels, each along its own part of a trace that
/// carries nothing for a while, with one group of flows for all and another for the first and the last user.
pub(crate) fn any_case() -> impl Strategy<Value = Case> {
    let slot = prop::sample::select(vec![json!(5), json!("5/3"), json!(7.3)]);
    let subchannels = prop::sample::select(vec![1, 1, 2, 7]);
    let cell = (1..=6_usize, (slot, subchannels), any::<bool>());
    let retransmits_slots = prop::bool::weighted(0.3);
    let link = (link(), retransmits_slots, any::<bool>());
    let queue = (queue(), prop::bool::weighted(0.15));
    (cell, snr_db(), link, rlc(), queue, any_scheduler(), [group(), group()]).prop_map(
        |((users, (slot, subchannels), warm), snr_db, link, rlc, (mut queue, shared), mut scheduler, [first, second])| {
            let mut case = Case::traced_link(&snr_db);
            let (link, retransmits_slots, at_once) = link;
            let subchannels = if shared { 1 } else { subchannels };
            let link = if shared { with_frames(link) } else { link };
            let carries = rlc["carry_fraction"] == json!(true);
            let at_once = at_once && !carries;
            if shared {
                (queue["kind"], queue["scope"]) = (json!("drop_tail"), json!("cell"));
                scheduler = self::scheduler("fifo", false, "lowest_index");
            }
            let link = if retransmits_slots { with_slots(link, at_once && subchannels == 1) } else { link };
            let is_priced = queue["price"]["kind"] != "none";
            case = case.set("/users", users).set("/slot/duration_ms", slot).set("/link", link).set("/rlc", rlc);
            case = case.set("/carrier/subchannels", subchannels);
            case = case.set("/queue", queue).scheduled(scheduler).set("/channel/placement/at_end", "loop");
            case = case.set("/channel/placement/random_offset", true).set("/flows/0/tcp/rto/min_ms", 200);
            case = case.set("/duration_s", 2.003).set("/warmup_s", if warm { 0.7 } else { 0.0 });
            case = case.and_flows(&second).set("/flows/1/users", json!([users - 1, 0]));
            if is_priced {
                case = case.with(
                    "/flows/0/tcp",
                    "clamp",
                    json!({
                        "side": if users % 2 == 0 { "receiver" } else { "sender" }, "tau_bytes": 500, "rate_packets": 50, "delay_weight": 0.01,
                        "most_increase_bytes": 10_000, "slow_start_threshold_bytes": "inf",
                    }),
                );
            }
            first.into_iter().fold(case, |case, (field, value)| case.set(&format!("/flows/0{field}"), value))
        },
    )
}
