//! Range checks, all reported together. The Python classes check the same and explain more; this is the last gate.

mod channel;
mod clamp;
mod link;
mod path;
mod rates;
mod traffic;
mod transport;

use std::fmt;

use airlink_model::channel::{Placement, Trace as Rows};
use airlink_model::link::RateConfig;
use airlink_model::queue::QueueScope;
use airlink_model::scheduler::{
    AverageConfig, AverageWindow, ExpPfConfig, ExperimentalScheduler, FormulaConfig, GuaranteedRateConfig,
    LambdaConfig, LogRuleConfig, MLwdfConfig, SchedulerKind, TcpPfConfig,
};
use airlink_model::transport::Tcp;
use airlink_model::types::declare::Problem;
use airlink_model::types::{Direction, Duration, Time};

use super::{Bottleneck, FlowUsers, Flows, Network, Radio, Scenario, Trace, Traffic};
use crate::flow::Hold;

/// Reports of all users and subchannels that the base station has yet to learn of.
const MOST_REPORTS_ON_THEIR_WAY: f64 = 1e8;

/// Collects problems under a path.
#[derive(Default)]
pub(super) struct Checks {
    found: Vec<Problem>,
}

impl Checks {
    pub(super) fn require(&mut self, path: &str, value: impl fmt::Display, holds: bool, allowed: &str) {
        if !holds {
            let message = format!("{value} is not allowed: {allowed}");
            self.found.push(Problem { path: path.to_owned(), message });
        }
    }

    pub(super) fn finite(&mut self, path: &str, values: &[f64]) {
        for value in values {
            self.require(path, value, value.is_finite(), "a finite number");
        }
    }
}

/// Every mistake of the fields of one connection.
pub(super) fn of_tcp(tcp: &Tcp) -> Vec<Problem> {
    let mut checks = Checks::default();
    self::transport::check(&mut checks, "tcp", tcp);
    checks.found
}

/// Every mistake of `scenario`.
pub(super) fn problems(scenario: &Scenario) -> Vec<Problem> {
    let mut checks = Checks::default();
    check_run(&mut checks, scenario);
    match &scenario.network {
        Network::Radio(radio) => check_radio(&mut checks, radio, scenario),
        Network::Bottleneck(bottleneck) => check_bottleneck(&mut checks, bottleneck, scenario),
    }
    for (index, group) in scenario.flows.iter().enumerate() {
        check_flows(&mut checks, &format!("flows.{index}"), group, scenario.users);
    }
    check_experimental(&mut checks, scenario);
    check_upstream(&mut checks, scenario);
    check_uplink(&mut checks, scenario);
    check_endpoints(&mut checks, scenario);
    path::check_hops(&mut checks, scenario);
    clamp::check(&mut checks, scenario);
    check_handshakes(&mut checks, scenario);
    traffic::check_files(&mut checks, scenario);
    traffic::check_memory(&mut checks, scenario);
    checks.found
}

/// An experimental scheduler gives out the slots of a cell, and keeps no order over all users.
fn check_experimental(checks: &mut Checks, scenario: &Scenario) {
    let scheduler = scenario.experimental.scheduler;
    let shared = scenario.radio().is_none_or(|radio| radio.queue.scope == QueueScope::Cell);
    let holds = scheduler == ExperimentalScheduler::None || !shared;
    let allowed = "none but in a cell with a queue for each user";
    checks.require("experimental.scheduler.kind", scheduler.kind_name(), holds, allowed);
    if let ExperimentalScheduler::UnapproximatedTcpPf(config) = scheduler {
        check_average(checks, "experimental.scheduler", config.average);
    }
}

/// Timeouts are held of senders whose ACKs come by themselves: not with data both ways, nor with FINs.
fn check_endpoints(checks: &mut Checks, scenario: &Scenario) {
    if scenario.experimental.hold == Hold::Off {
        return;
    }
    for (index, group) in scenario.flows.iter().enumerate() {
        let has_two_ways = matches!(group.traffic, Traffic::Requests { .. } | Traffic::Pages { .. });
        let goes_down = group.direction == Direction::Down || group.traffic.is_datagrams();
        checks.require(&format!("flows.{index}.direction"), "up", goes_down, "\"down\" with hold_timeouts");
        let path = format!("flows.{index}.traffic.kind");
        checks.require(&path, group.traffic.kind_name(), !has_two_ways, "no data from users with hold_timeouts");
        checks.require(&format!("flows.{index}.tcp.close"), true, !group.tcp.close, "false with hold_timeouts");
    }
}

/// Who passes a queue upstream has one, and a transport that paces what it sends.
fn check_upstream(checks: &mut Checks, scenario: &Scenario) {
    for (index, group) in scenario.flows.iter().enumerate().filter(|(_, group)| group.path.upstream) {
        let holds = scenario.upstream.is_some() && !matches!(group.traffic, Traffic::Backlogged { .. });
        checks.require(&format!("flows.{index}.path.upstream"), true, holds, "only with [upstream], over wires");
    }
}

/// Grants are of a cell's slots, some of which carry uplink. A timeout is held by what is on wires, not by what waits for a grant.
fn check_uplink(checks: &mut Checks, scenario: &Scenario) {
    let Some(uplink) = &scenario.uplink else { return };
    let period_ms = uplink.request_period.as_secs() * 1e3;
    let Some(radio) = scenario.radio() else {
        return checks.require(
            "uplink.request_period_ms",
            period_ms,
            false,
            "only in a cell: a bottleneck has no slots",
        );
    };
    let tdd = radio.slot.tdd;
    checks.require("slot.tdd", tdd, tdd.has_uplink(), "with a U where there is an [uplink]");
    let hold = scenario.experimental.hold;
    let word = format!("{hold:?}").to_lowercase();
    checks.require("experimental.hold_timeouts", word, hold == Hold::Off, "off with an [uplink]");
}

/// A SYN and a FIN are headers alone, and what has no bytes never fills a slot.
fn check_handshakes(checks: &mut Checks, scenario: &Scenario) {
    if matches!(scenario.network, Network::Bottleneck(_)) {
        return;
    }
    for (index, group) in scenario.flows.iter().enumerate() {
        let is_empty = (group.tcp.handshake || group.tcp.close) && group.tcp.header.is_zero();
        let holds = !is_empty || !group.traffic.has_tcp();
        checks.require(
            &format!("flows.{index}.tcp.header_bytes"),
            0,
            holds,
            "at least 1 with handshake or close in a cell",
        );
    }
}

fn check_radio(checks: &mut Checks, radio: &Radio, scenario: &Scenario) {
    check_slots(checks, radio, scenario);
    check_carrier(checks, radio, scenario);
    check_measured(checks, radio, scenario);
    channel::check(checks, &radio.channel, scenario.users);
    link::check(checks, radio);
    check_scheduler(checks, &radio.scheduler.kind, scenario.users);
    channel::per_user(checks, "scheduler.weight", &radio.scheduler.weight, scenario.users);
    channel::per_user(checks, "scheduler.delay_budget_ms", &radio.scheduler.delay_budget_ms, scenario.users);
}

fn check_bottleneck(checks: &mut Checks, bottleneck: &Bottleneck, scenario: &Scenario) {
    path::check_bottleneck(checks, bottleneck);
    for (index, group) in scenario.flows.iter().enumerate() {
        let backlogged = matches!(group.traffic, Traffic::Backlogged { .. });
        let path = format!("flows.{index}.traffic.kind");
        checks.require(&path, "backlogged", !backlogged, "TCP: a bottleneck has no slots to fill");
    }
}

/// Every mistake of the arrays of `scenario`'s traces.
pub(super) fn trace_problems(scenario: &Scenario, traces: &[Trace]) -> Vec<Problem> {
    let mut checks = Checks::default();
    let placement = scenario.radio().map(|radio| (&radio.channel.placement, radio.carrier.subchannels));
    let (named, last_row_s, width) = match placement {
        Some((Placement::Trace(trace), subchannels)) => {
            (trace.files.len(), trace.last_row_s(), trace.row_width(subchannels))
        }
        _ => (0, 0.0, 1),
    };
    checks.require("channel.placement.files", traces.len(), traces.len() == named, "the arrays of each file");
    for (index, trace) in traces.iter().enumerate() {
        let path = format!("channel.placement.files.{index}");
        checks.finite(&path, &trace.values);
        if let Err(error) = Rows::of_subchannels(&trace.times_s, &trace.values, width, last_row_s) {
            let allowed = format!(
                "rows of time and {width} value(s), one for each subchannel, times rising from 0 by 1 ns or more"
            );
            checks.require(&path, format!("{error:?}"), false, &allowed);
        }
    }
    checks.found
}

fn check_run(checks: &mut Checks, scenario: &Scenario) {
    let (duration_s, warmup_s) = (scenario.duration_s, scenario.warmup_s);
    checks.require("warmup_s", warmup_s, warmup_s < duration_s, "below duration_s");
}

/// An average that starts at nothing needs a window that wipes it out.
fn check_scheduler(checks: &mut Checks, kind: &SchedulerKind, users: usize) {
    let average: Option<&AverageConfig> = match kind {
        SchedulerKind::ProportionalFair(average)
        | SchedulerKind::Lambda(LambdaConfig { average, .. })
        | SchedulerKind::WeightedPf(average)
        | SchedulerKind::EarliestDeadline(average)
        | SchedulerKind::MLwdf(MLwdfConfig { average, .. })
        | SchedulerKind::ExpPf(ExpPfConfig { average, .. })
        | SchedulerKind::LogRule(LogRuleConfig { average, .. })
        | SchedulerKind::GuaranteedRate(GuaranteedRateConfig { average, .. })
        | SchedulerKind::TcpPf(TcpPfConfig { average, .. })
        | SchedulerKind::TcpMax(TcpPfConfig { average, .. })
        | SchedulerKind::Formula(FormulaConfig { average, .. }) => Some(average),
        _ => None,
    };
    if let Some(&average) = average {
        check_average(checks, "scheduler", average);
    }
    match kind {
        SchedulerKind::MLwdf(MLwdfConfig { violation_probability, .. })
        | SchedulerKind::ExpPf(ExpPfConfig { violation_probability, .. }) => {
            channel::per_user(checks, "scheduler.violation_probability", violation_probability, users);
        }
        SchedulerKind::GuaranteedRate(GuaranteedRateConfig { guaranteed_rate_bps, .. }) => {
            channel::per_user(checks, "scheduler.guaranteed_rate_bps", guaranteed_rate_bps, users);
        }
        _ => {}
    }
}

fn check_average(checks: &mut Checks, path: &str, average: AverageConfig) {
    if let AverageConfig { initial_bps, window: AverageWindow::Fixed, .. } = average {
        let path = format!("{path}.initial_average_bps");
        checks.require(&path, initial_bps, initial_bps > 0.0, "above 0 with a fixed window");
    }
}

fn check_slots(checks: &mut Checks, radio: &Radio, scenario: &Scenario) {
    let (duration_s, users) = (scenario.duration_s, scenario.users);
    let slots = scenario.longest_s() / radio.clock().slot_secs();
    let work = slots * users as f64 * radio.carrier.subchannels as f64;
    checks.require("duration_s", duration_s, work <= 1e12, "users x subchannels x slots at most 1e12");
    let (tdd, share) = (radio.slot.tdd, radio.slot.special_downlink_share);
    let holds = tdd.has_downlink() || (share > 0.0 && tdd.has_special());
    checks.require("slot.tdd", tdd, holds, "with a D, or an S of which special_downlink_share is downlink");
}

fn check_carrier(checks: &mut Checks, radio: &Radio, scenario: &Scenario) {
    let (subchannels, path) = (radio.carrier.subchannels, "carrier.subchannels");
    let one_rate = radio.link.rate == RateConfig::Trace;
    checks.require(
        path,
        subchannels,
        subchannels == 1 || !one_rate,
        "1 with a replayed rate, which is that of one carrier",
    );
    let reports = (radio.link.report.delay_slots as f64 + 1.0) * scenario.users as f64 * subchannels as f64;
    let few = subchannels == 1 || reports <= MOST_REPORTS_ON_THEIR_WAY;
    checks.require(path, subchannels, few, "users x subchannels x (link.report.delay_slots + 1) at most 1e8");
}

/// A slot must start after the warm-up, if there is one, and end by the end.
fn check_measured(checks: &mut Checks, radio: &Radio, scenario: &Scenario) {
    let (duration_s, warmup_s) = (scenario.duration_s, scenario.warmup_s);
    if !(warmup_s > 0.0 && warmup_s < duration_s) {
        return;
    }
    let at = |seconds| Time::ZERO + Duration::from_secs(seconds);
    let first = radio.clock().first_at_or_after(at(warmup_s));
    let end_of_first = radio.clock().start_of(first.next());
    checks.require("warmup_s", warmup_s, end_of_first <= at(duration_s), "leaves at least one whole slot");
}

fn check_flows(checks: &mut Checks, path: &str, group: &Flows, users: usize) {
    if let FlowUsers::Listed(listed) = &group.users {
        for user in listed {
            checks.require(&format!("{path}.users"), user, *user < users, "user numbers below `users`");
        }
    }
    traffic::check(checks, &format!("{path}.traffic"), &group.traffic);
    let may_go_up = group.direction == Direction::Down || group.traffic.may_go_up();
    checks.require(&format!("{path}.direction"), "up", may_go_up, "\"down\" with this kind of traffic");
    let (down, up) = (&group.path.downlink_impairments, &group.path.uplink_impairments);
    for (name, impairments) in [("downlink_impairments", down), ("uplink_impairments", up)] {
        let path = format!("{path}.path.{name}");
        impairments.iter().for_each(|given| path::check_impairments(checks, &path, given));
    }
    self::transport::check(checks, &format!("{path}.tcp"), &group.tcp);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// The paths of the mistakes in a small scenario with these fields changed.
    fn mistakes(changes: &[(&str, Value)]) -> Vec<String> {
        let text = include_str!("../../../../../tests/fixtures/fixed-link.json");
        let mut scenario: Value = serde_json::from_str(text).expect("a fixture is JSON");
        for (pointer, value) in changes {
            *scenario.pointer_mut(pointer).expect("a field of a scenario") = value.clone();
        }
        let found = Scenario::from_json(&scenario.to_string()).err().unwrap_or_default();
        found.into_iter().map(|problem| problem.path).collect()
    }

    fn window(users: u64, segments: u64) -> Vec<String> {
        mistakes(&[
            ("/users", json!(users)),
            ("/channel/placement", json!({ "kind": "mean_snr", "mean_snr_db": 10.0 })),
            ("/flows/0/users", json!("all")),
            ("/flows/0/tcp/mss_bytes", json!(100)),
            ("/flows/0/tcp/receiver_window_bytes", json!(100 * segments)),
        ])
    }

    fn backlogged(rate: Value, packet_bytes: u64) -> Vec<String> {
        let traffic = json!({ "kind": "backlogged", "packet_bytes": packet_bytes });
        mistakes(&[("/slot/duration_ms", json!(1.0)), ("/link/rate", rate), ("/flows/0/traffic", traffic)])
    }

    fn stream(rate_bps: f64, message_bytes: u64) -> Vec<String> {
        let traffic = json!({ "kind": "stream", "rate_bps": rate_bps, "message_bytes": message_bytes });
        mistakes(&[("/flows/0/traffic", traffic)])
    }

    #[test]
    fn streams_have_a_rate_and_a_message_a_microsecond_at_most() {
        assert!(stream(1e10, 1250).is_empty());
        assert_eq!(stream(1e10, 1249), ["flows.0.traffic.message_bytes"]);
        assert_eq!(stream(0.0, 1000), ["flows.0.traffic.rate_bps"]);
        assert_eq!(stream(1e6, 0), ["flows.0.traffic.message_bytes"]);
    }

    /// A cell of two subchannels whose users replay a trace of each, with other changes.
    fn traced_rows(changes: &[(&str, Value)]) -> Result<Scenario, Vec<Problem>> {
        let text = include_str!("../../../../../tests/fixtures/traced-link.json");
        let mut scenario: Value = serde_json::from_str(text).expect("a fixture is JSON");
        let own = [("/channel/placement/value_columns", json!(["sinr_*"])), ("/carrier/subchannels", json!(2))];
        for (pointer, value) in own.iter().chain(changes) {
            *scenario.pointer_mut(pointer).expect("a field of a scenario") = value.clone();
        }
        Scenario::from_json(&scenario.to_string())
    }

    #[test]
    fn a_trace_of_subchannels_has_a_value_for_each_in_every_row() {
        let scenario = traced_rows(&[]).expect("the scenario is valid");
        let of_values = |count: usize| {
            let trace = Trace { times_s: vec![0.0, 1.0], values: vec![5.0; count] };
            scenario.check_traces(&[trace]).err().map(|problems| problems[0].path.clone())
        };
        assert_eq!(of_values(4), None);
        assert_eq!(of_values(2), Some("channel.placement.files.0".to_owned()));
        assert_eq!(of_values(6), Some("channel.placement.files.0".to_owned()));
    }

    #[test]
    fn a_trace_of_subchannels_is_of_snrs_and_has_their_fading() {
        let mistakes = |changes: &[(&str, Value)]| -> Vec<String> {
            let problems = traced_rows(changes).err().unwrap_or_default();
            problems.into_iter().map(|problem| problem.path).collect()
        };
        let rates = [
            ("/channel/placement/quantity", json!("rate_bps")),
            ("/channel/placement/equivalent_bandwidth_hz", json!(1e6)),
        ];
        assert_eq!(mistakes(&rates), ["channel.placement.value_columns"]);
        let fading = json!({
            "kind": "tapped_delay_line", "profile": "custom", "terms": 16, "doppler_hz": 9.0, "amplitudes": "equal",
            "delay_spread_ns": 100.0, "delays_ns": [0.0], "powers_db": [0.0],
        });
        assert_eq!(mistakes(&[("/channel/fading", fading)]), ["channel.placement.value_columns"]);
    }

    #[test]
    fn a_warm_up_leaves_a_whole_slot() {
        let warm = |warmup_s: f64| {
            let slot = ("/slot/duration_ms", json!("5/3"));
            mistakes(&[slot, ("/duration_s", json!(1.0)), ("/warmup_s", json!(warmup_s))])
        };
        assert!(warm(0.998_333_333).is_empty());
        assert_eq!(warm(0.998_333_334), ["warmup_s"]);
    }

    #[test]
    fn windows_fit_into_memory() {
        assert!(window(10, 1_000_000).is_empty());
        assert_eq!(window(1, 1_000_001), ["flows.0.tcp.receiver_window_bytes"]);
        assert_eq!(window(11, 1_000_000), ["flows"]);
    }

    #[test]
    fn the_packets_of_a_grant_fit_into_memory() {
        let table = json!({ "kind": "table", "name": "custom", "thresholds_db": [0.0], "rates_bps": [8e9] });
        assert!(backlogged(table.clone(), 1).is_empty());
        let capacity = |most| json!({ "kind": "capacity", "bandwidth_hz": 1e9, "gap_db": 0.0, "max_rate_bps": most });
        assert!(backlogged(capacity(json!(8e9)), 1).is_empty());
        assert_eq!(backlogged(capacity(json!("inf")), 1), ["flows.0.traffic.packet_bytes"]);
        assert!(backlogged(capacity(json!("inf")), 13).is_empty());
    }
}
