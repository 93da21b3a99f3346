//! Nothing appears or vanishes: for random scenarios everything counted balances, by user, by flow, by slot, by packet.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};

use airlink_model::queue::{LimitCounts, QueueKind, QueueScope};
use airlink_model::rlc::{ArqRepeats, ArqUnit, CodedUnit};
use airlink_model::types::{Bytes, Combining};
use airlink_sim::scenario::Radio;

use super::case::{AQM, Case, Columns, DELIVERED};
use super::random_case::{FILE_BYTES, any_case};

proptest! {
    #![proptest_config(Config { cases: 300, failure_persistence: None, ..Config::default() })]

    #[test]
    fn in_any_scenario_what_goes_in_is_delivered_dropped_or_waiting(case in any_case(), seed in 0..1000_u64) {
        let columns = case.run_with(seed);
        packets_and_bytes_balance(&columns)?;
        slots_balance(&columns)?;
        rates_are_ordered(&columns, case.scenario().warmup_s > 0.0)?;
        drops_have_a_cause(&columns, &case)?;
        flows_balance(&columns)?;
        time_balances(&columns, &case)?;
        if case.scenario().warmup_s == 0.0 {
            series_agree_with_summaries(&columns)?;
            complete_files_are_counted_once(&columns)?;
        }
    }
}

/// A user's column of counts.
fn of_users(columns: &Columns, name: &str) -> Vec<i64> {
    columns.wholes("users", name)
}

fn packets_and_bytes_balance(columns: &Columns) -> Result<(), TestCaseError> {
    let known = |reason: &&str| columns.0.tables["users"].get(&format!("drops_{reason}")).is_some();
    let reasons: Vec<&str> = ["queue_full", "aqm", "air_error", "retry_limit"].into_iter().filter(known).collect();
    for user in 0..of_users(columns, "user").len() {
        let of = |name: &str| of_users(columns, name)[user];
        let dropped: i64 = reasons.iter().map(|reason| of(&format!("drops_{reason}"))).sum();
        let entered = of("packets_waiting_at_start") + of("packets_in");
        prop_assert_eq!(entered, of("packets_delivered") + dropped + of("packets_waiting"));
        let dropped: i64 = reasons.iter().map(|reason| of(&format!("drops_{reason}_bytes"))).sum();
        let entered = of("bytes_waiting_at_start") + of("bytes_in");
        prop_assert_eq!(entered, of("delivered_bytes") + dropped + of("bytes_waiting"));
        prop_assert_eq!(of("hol_delay_count"), of("packets_delivered"));
        prop_assert_eq!(of("queueing_delay_count"), of("packets_delivered"));
    }
    for reason in reasons {
        let name = format!("drops_{reason}");
        prop_assert_eq!(columns.cell(&name), of_users(columns, &name).iter().sum::<i64>());
    }
    Ok(())
}

/// A reason is told only where something of it is there, and in order means in order.
fn drops_have_a_cause(columns: &Columns, case: &Case) -> Result<(), TestCaseError> {
    let scenario = case.scenario();
    let radio = scenario.radio().expect("it is a cell");
    let (arq, harq, queue) = (&radio.link.arq, &radio.link.harq, &radio.queue);
    let repeats = |limit: u32, is_on: bool| if is_on { limit } else { 0 };
    let harq_limit = repeats(harq.max_retransmissions, harq.combining != Combining::None);
    let limits = [arq.max_retransmissions, harq_limit];
    let endless = limits.contains(&u32::MAX);
    let slots = arq.unit == ArqUnit::Slot;
    prop_assert!(columns.cell("drops_air_error") == 0 || (limits == [0, 0] && !slots));
    prop_assert!(columns.cell("drops_retry_limit") == 0 || ((limits != [0, 0] || slots) && !endless));
    let limited = queue.limit_packets != u64::MAX || queue.limit_bytes != Bytes::UNLIMITED;
    prop_assert!(columns.cell("drops_queue_full") == 0 || limited || queue.kind == QueueKind::Adaptive);
    let chooses = matches!(queue.kind, QueueKind::Codel | QueueKind::Pie);
    prop_assert_eq!(columns.0.tables["users"].get("drops_aqm").is_some(), chooses);
    if radio.rlc.in_order {
        packets_leave_in_order(columns)?;
    }
    Ok(())
}

/// Of a flow, whose packets are written in the order of sending.
fn packets_leave_in_order(columns: &Columns) -> Result<(), TestCaseError> {
    let (flows, fates, ended) =
        (columns.series("packets", "flow"), columns.fates(), columns.0.series["packets"].reals("ended_s"));
    let ended = ended.expect("it is real");
    let directions = columns.series("packets", "direction");
    for flow in 0..=flows.iter().copied().max().unwrap_or(0) {
        let delivered =
            (0..fates.len()).filter(|&row| flows[row] == flow && fates[row] == DELIVERED && directions[row] == 0);
        let moments: Vec<f64> = delivered.map(|row| ended[row]).collect();
        prop_assert!(moments.is_sorted(), "flow {}", flow);
    }
    Ok(())
}

/// What scenarios are drawn for is drawn, and each of it together with each other.
#[test]
fn in_random_scenarios_everything_meets_everything_that_it_can_meet() {
    type Holds = fn(&Radio) -> bool;
    let traits: [(&str, Holds); 18] = [
        ("subchannels", |radio| radio.carrier.subchannels > 1),
        ("chase", |radio| radio.link.harq.combining == Combining::Chase),
        ("PDUs", |radio| radio.link.harq.unit == CodedUnit::Pdu),
        ("one process", |radio| radio.link.harq.processes == 1),
        ("round trips", |radio| radio.link.harq.round_trip_slots > 3),
        ("no HARQ limit", |radio| radio.link.harq.max_retransmissions == u32::MAX),
        ("a HARQ limit", |radio| (1..20).contains(&radio.link.harq.max_retransmissions)),
        ("ARQ", |radio| (1..20).contains(&radio.link.arq.max_retransmissions)),
        ("late ARQ", |radio| radio.link.arq.feedback_delay_slots > 2),
        ("slots again", |radio| radio.link.arq.unit == ArqUnit::Slot),
        ("at once", |radio| radio.link.arq.repeats == ArqRepeats::AtOnce),
        ("one queue", |radio| radio.queue.scope == QueueScope::Cell),
        ("any order", |radio| !radio.rlc.in_order),
        ("outer loop", |radio| radio.link.has_outer_loop()),
        ("CoDel", |radio| radio.queue.kind == QueueKind::Codel),
        ("PIE", |radio| radio.queue.kind == QueueKind::Pie),
        ("unsent", |radio| radio.queue.limit_counts == LimitCounts::Unsent),
        ("losses", |radio| radio.link.errors.probability > 0.0 && radio.link.errors.threshold_rule),
    ];
    let mut runner = TestRunner::deterministic();
    let mut met = vec![[false; 18]; 18];
    for _ in 0..1000 {
        let case = any_case().new_tree(&mut runner).expect("a case is drawn").current();
        let scenario = case.scenario();
        let radio = scenario.radio().expect("it is a cell");
        let has = traits.map(|(_, holds)| holds(radio));
        for (row, _) in met.iter_mut().zip(has).filter(|(_, has)| *has) {
            row.iter_mut().zip(has).for_each(|(met, has)| *met |= has);
        }
    }
    let of_parts = ["chase", "PDUs", "late ARQ"];
    let exclusive = [("no HARQ limit", "a HARQ limit"), ("CoDel", "PIE"), ("at once", "subchannels")];
    let not_shared = ["subchannels", "chase", "PDUs", "CoDel", "PIE"].map(|other| ("one queue", other));
    let exclusive =
        of_parts.iter().flat_map(|&part| [("slots again", part), ("at once", part)]).chain(exclusive).chain(not_shared);
    let exclusive: Vec<_> = exclusive.collect();
    for (row, (one, _)) in traits.iter().enumerate() {
        for (column, (other, _)) in traits.iter().enumerate() {
            let can = !exclusive.contains(&(one, other)) && !exclusive.contains(&(other, one));
            assert_eq!(met[row][column], can, "{one} with {other}");
        }
    }
}

fn slots_balance(columns: &Columns) -> Result<(), TestCaseError> {
    let sum = |name: &str| of_users(columns, name).iter().sum::<i64>();
    let busy = columns.cell("slots") - columns.cell("slots_idle");
    if columns.0.tables["cell"].get("subchannel_slots").is_some() {
        let idle: i64 =
            ["no_data", "no_rate", "covered"].map(|why| columns.cell(&format!("subchannels_idle_{why}"))).iter().sum();
        prop_assert_eq!(columns.cell("subchannel_slots"), columns.cell("subchannels_granted") + idle);
        prop_assert_eq!(columns.cell("subchannel_slots") % columns.cell("slots"), 0);
        prop_assert_eq!(columns.cell("subchannels_granted"), sum("subchannels_won"));
        prop_assert!(busy <= sum("slots_won") && sum("slots_won") <= sum("subchannels_won"));
    } else {
        prop_assert_eq!(busy, sum("slots_won"));
    }
    let has_blocks = columns.0.tables["users"].get("frames_repeated").is_some();
    if has_blocks {
        prop_assert!(sum("frames_given_up") <= sum("frame_errors"));
        prop_assert!(sum("frames_repeated") <= sum("frames_sent"));
    } else {
        prop_assert_eq!(sum("slots_won"), sum("frames_sent") + sum("slots_wasted"));
    }
    for user in 0..of_users(columns, "user").len() {
        let of = |name: &str| of_users(columns, name)[user];
        prop_assert!(of("frame_errors") <= of("frames_sent") && of("slots_padded") <= of("slots_won"));
        prop_assert!(of("gap_count") <= of("slots_won") && of("gap_count") >= of("slots_won") - 1);
    }
    Ok(())
}

/// Goodput <= delivered <= sent <= granted, for runs that begin empty.
fn rates_are_ordered(columns: &Columns, is_warm: bool) -> Result<(), TestCaseError> {
    for user in 0..of_users(columns, "user").len() {
        let of = |name: &str| of_users(columns, name)[user];
        let granted_bytes = columns.reals("users", "granted_bytes")[user];
        if !is_warm {
            prop_assert!(of("goodput_bytes") <= of("delivered_bytes"));
            prop_assert!(of("delivered_bytes") <= of("sent_bytes"));
            // The rate of a subchannel is single precision, and whole bytes that only its rounding takes away are sent.
            prop_assert!(of("sent_bytes") as f64 <= granted_bytes * (1.0 + 2e-7));
        }
        let measured_s = columns.reals("cell", "measured_s")[0];
        for (bytes, name) in [("sent_bytes", "sent_bps"), ("delivered_bytes", "delivered_bps")] {
            let rate = of(bytes) as f64 * 8.0 / measured_s;
            prop_assert!((columns.reals("users", name)[user] - rate).abs() <= 1e-9 * rate);
        }
    }
    Ok(())
}

fn flows_balance(columns: &Columns) -> Result<(), TestCaseError> {
    let of_flows = |name: &str| columns.wholes("flows", name);
    let flow_users = of_flows("user");
    for (user, goodput) in of_users(columns, "goodput_bytes").into_iter().enumerate() {
        let mine = flow_users.iter().zip(of_flows("goodput_bytes")).filter(|(own, _)| **own == user as i64);
        prop_assert_eq!(mine.map(|(_, bytes)| bytes).sum::<i64>(), goodput);
    }
    for flow in 0..flow_users.len() {
        prop_assert!(of_flows("spurious_timeouts")[flow] <= of_flows("timeouts")[flow]);
        prop_assert!(of_flows("retransmissions")[flow] <= of_flows("segments_sent")[flow]);
        prop_assert!(of_flows("duplicate_acks")[flow] <= of_flows("acks_received")[flow]);
    }
    for name in ["timeouts", "spurious_timeouts", "retransmissions", "segments_sent", "fast_retransmits"] {
        prop_assert_eq!(columns.cell(name), of_flows(name).iter().sum::<i64>());
    }
    Ok(())
}

/// Each flow's time by cause adds up to the whole, and its pieces lie end to end from its start on.
pub(crate) fn time_balances(columns: &Columns, case: &Case) -> Result<(), TestCaseError> {
    let causes: Vec<String> = columns.0.tables["flows"].columns().iter().map(|(name, _)| name.clone()).collect();
    let causes: Vec<&String> = causes.iter().filter(|name| name.starts_with("time_")).collect();
    let [active, starts, completions] =
        ["active_s", "start_s", "completion_s"].map(|name| columns.reals("flows", name));
    let flows = columns.series("limits", "flow");
    let [from, to] =
        ["from_s", "to_s"].map(|name| columns.0.series["limits"].reals(name).expect("it is real").to_vec());
    let scenario = case.scenario();
    for flow in 0..active.len() {
        let sum: f64 = causes.iter().map(|name| columns.reals("flows", name)[flow]).sum();
        prop_assert!((sum - active[flow]).abs() < 1e-12 * (1.0 + sum));
        let rows: Vec<usize> = (0..flows.len()).filter(|&row| flows[row] == flow as i64).collect();
        prop_assert!(rows.windows(2).all(|pair| to[pair[0]] == from[pair[1]] && from[pair[0]] < to[pair[0]]));
        let whole = rows.last().map_or(0.0, |&last| to[last] - from[rows[0]]);
        prop_assert!(whole == 0.0 || (from[rows[0]] - starts[flow]).abs() < 1e-9);
        prop_assert!(scenario.warmup_s > 0.0 || (whole - active[flow]).abs() < 1e-9);
        let Some(&last) = rows.last() else {
            // It took no time, as one segment up over a wire without delay.
            prop_assert_eq!((active[flow], completions[flow]), (0.0, 0.0));
            continue;
        };
        let last = to[last];
        prop_assert!(completions[flow].is_nan() || (last - starts[flow] - completions[flow]).abs() < 1e-9);
        let measured = last - starts[flow].max(scenario.duration_s - columns.reals("cell", "measured_s")[0]);
        prop_assert!((active[flow] - measured.max(0.0)).abs() < 1e-9);
    }
    Ok(())
}

fn series_agree_with_summaries(columns: &Columns) -> Result<(), TestCaseError> {
    let (packet_users, fates, bytes) =
        (columns.series("packets", "user"), columns.fates(), columns.series("packets", "bytes"));
    let directions = columns.series("packets", "direction");
    let (winners, slot_bytes) = (columns.series("slots", "user"), columns.series("slots", "sent_bytes"));
    for user in 0..of_users(columns, "user").len() {
        let is_own = |row: usize| packet_users[row] == user as i64 && directions[row] == 0;
        let rows = |fate: i64| (0..fates.len()).filter(|&row| is_own(row) && fates[row] == fate).collect::<Vec<_>>();
        for (fate, name) in
            ["packets_delivered", "drops_queue_full", "drops_air_error", "drops_retry_limit"].into_iter().enumerate()
        {
            prop_assert_eq!(rows(fate as i64).len() as i64, of_users(columns, name)[user], "{}", name);
        }
        let chosen = columns.0.tables["users"].wholes("drops_aqm").map_or(0, |dropped| dropped[user]);
        prop_assert_eq!(rows(AQM).len() as i64, chosen);
        let delivered: i64 = rows(DELIVERED).into_iter().map(|row| bytes[row]).sum();
        prop_assert_eq!(delivered, of_users(columns, "delivered_bytes")[user]);
        let won = || winners.iter().zip(&slot_bytes).filter(|(winner, _)| **winner == user as i64);
        prop_assert_eq!(won().count() as i64, of_users(columns, "slots_won")[user]);
        prop_assert_eq!(won().map(|(_, bytes)| bytes).sum::<i64>(), of_users(columns, "sent_bytes")[user]);
    }
    moments_are_in_order(columns)
}

/// However often it was sent, a complete file is as many bytes of goodput as it has.
fn complete_files_are_counted_once(columns: &Columns) -> Result<(), TestCaseError> {
    let completions = columns.reals("flows", "completion_s");
    for (completion_s, goodput) in completions.iter().zip(columns.wholes("flows", "goodput_bytes")) {
        prop_assert!(completion_s.is_nan() || goodput == FILE_BYTES);
    }
    Ok(())
}

/// No packet is queued before it was sent or leaves before it was queued.
fn moments_are_in_order(columns: &Columns) -> Result<(), TestCaseError> {
    let [sent, queued, ended] = ["sent_s", "queued_s", "ended_s"].map(|name| columns.milliseconds("packets", name));
    for row in 0..sent.len() {
        prop_assert!(queued[row] < 0.0 || sent[row] <= queued[row]);
        prop_assert!(ended[row] < 0.0 || queued[row].max(sent[row]) <= ended[row]);
    }
    Ok(())
}
