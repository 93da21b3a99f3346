//! Range checks, all told together. The Python classes check the same and explain more; this is the last gate.

mod traffic;
mod transport;

use std::fmt;

use airlink_model::channel::{self, DelayProfile};
use airlink_model::link::RateTable;
use airlink_model::types::{Duration, Time};

use super::{Bottleneck, Channel, Doppler, Fading, FlowUsers, Flows, Link, Network, Placement, Quantity, Radio};
use super::{
    CodedUnit, ErrorCurve, Errors, Harq, RateRule, Scenario, Scheduler, Tcp, TcpAware, Trace, Traffic, Window,
};

/// Reports of all users and subchannels that the base station has yet to learn of.
const MOST_REPORTS_ON_THEIR_WAY: f64 = 1e8;

/// One mistake of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where, as in TOML: `flows[0].tcp.mss_bytes`; empty when the text is no scenario at all.
    pub path: String,
    /// The value and what is allowed.
    pub message: String,
}

impl Problem {
    pub(super) fn of_json(error: &serde_json::Error) -> Self {
        Self { path: String::new(), message: format!("not a complete scenario: {error}") }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            return formatter.write_str(&self.message);
        }
        write!(formatter, "{}: {}", self.path, self.message)
    }
}

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

    pub(super) fn positive(&mut self, path: &str, value: f64) {
        self.require(path, value, value > 0.0 && value.is_finite(), "a finite number above 0");
    }

    /// A span in milliseconds that is at least a microsecond.
    pub(super) fn milliseconds(&mut self, path: &str, value: f64) {
        self.require(path, value, (1e-3..=1e6).contains(&value), "0.001 to 1000000");
    }

    pub(super) fn not_negative(&mut self, path: &str, value: f64) {
        self.require(path, value, value >= 0.0 && value.is_finite(), "a finite number of at least 0");
    }

    fn finite(&mut self, path: &str, values: &[f64]) {
        for value in values {
            self.require(path, value, value.is_finite(), "a finite number");
        }
    }
}

/// Every mistake of the fields of one connection.
pub(super) fn of_tcp(tcp: &Tcp) -> Vec<Problem> {
    let mut checks = Checks::default();
    transport::check(&mut checks, "tcp", tcp);
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
    checks.require("flows", "[]", !scenario.flows.is_empty(), "at least one group of flows");
    for (index, group) in scenario.flows.iter().enumerate() {
        check_flows(&mut checks, &format!("flows[{index}]"), group, scenario.users);
    }
    traffic::check_files(&mut checks, scenario);
    traffic::check_memory(&mut checks, scenario);
    checks.found
}

fn check_radio(checks: &mut Checks, radio: &Radio, scenario: &Scenario) {
    check_slots(checks, radio, scenario);
    check_carrier(checks, radio, scenario);
    check_measured(checks, radio, scenario);
    check_channel(checks, &radio.channel, scenario.users);
    check_link(checks, &radio.link);
    check_ridden(checks, radio);
    check_buffers(checks, radio);
    check_scheduler(checks, &radio.scheduler);
}

fn check_bottleneck(checks: &mut Checks, bottleneck: &Bottleneck, scenario: &Scenario) {
    bottleneck.check(checks);
    for (index, group) in scenario.flows.iter().enumerate() {
        let backlogged = matches!(group.traffic, Traffic::Backlogged { .. });
        let path = format!("flows[{index}].traffic.kind");
        checks.require(&path, "backlogged", !backlogged, "TCP: a bottleneck has no slots to fill");
    }
}

/// Every mistake of the arrays of `scenario`'s traces.
pub(super) fn trace_problems(scenario: &Scenario, traces: &[Trace]) -> Vec<Problem> {
    let mut checks = Checks::default();
    let placement = scenario.radio().map(|radio| &radio.channel.placement);
    let (named, last_row_s) = match placement {
        Some(ridden @ Placement::Trace { files, .. }) => (files.len(), ridden.last_row_s()),
        _ => (0, 0.0),
    };
    checks.require("channel.placement.files", traces.len(), traces.len() == named, "the arrays of each file");
    for (index, trace) in traces.iter().enumerate() {
        let path = format!("channel.placement.files[{index}]");
        checks.finite(&path, &trace.values);
        if let Err(error) = channel::Trace::new(&trace.times_s, &trace.values, last_row_s) {
            checks.require(
                &path,
                format!("{error:?}"),
                false,
                "rows of time and value, times rising from 0 by 1 ns or more",
            );
        }
    }
    checks.found
}

fn check_run(checks: &mut Checks, scenario: &Scenario) {
    let (version, users) = (scenario.scenario_version, scenario.users);
    checks.require("scenario_version", version, version == 1, "1");
    let duration_s = scenario.duration_s;
    checks.require("duration_s", duration_s, duration_s > 0.0 && duration_s <= 1e6, "above 0 and at most 1e6");
    let warmup_s = scenario.warmup_s;
    checks.require("warmup_s", warmup_s, (0.0..duration_s).contains(&warmup_s), "at least 0 and below duration_s");
    checks.require("users", users, (1..=100_000).contains(&users), "1 to 100000");
}

fn check_slots(checks: &mut Checks, radio: &Radio, scenario: &Scenario) {
    let (duration_s, users) = (scenario.duration_s, scenario.users);
    let ratio = radio.slot.duration_ms.as_ns_ratio();
    let slot_ms = ratio.map_or(f64::NAN, |(above, below)| above as f64 / below as f64 / 1e6);
    checks.require("slot.duration_ms", slot_ms, (0.01..=1000.0).contains(&slot_ms), "0.01 to 1000 ms");
    let work = duration_s / (slot_ms / 1e3) * users as f64 * radio.carrier.subchannels as f64;
    let allowed = "users x subchannels x slots at most 1e12";
    checks.require("duration_s", duration_s, work.is_nan() || work <= 1e12, allowed);
}

fn check_carrier(checks: &mut Checks, radio: &Radio, scenario: &Scenario) {
    let (subchannels, path) = (radio.carrier.subchannels, "carrier.subchannels");
    checks.require(path, subchannels, (1..=10_000).contains(&subchannels), "1 to 10000");
    checks.positive("carrier.subchannel_hz", radio.carrier.subchannel_hz);
    let one_rate = matches!(radio.link.rate, RateRule::Trace {});
    checks.require(
        path,
        subchannels,
        subchannels == 1 || !one_rate,
        "1 with a ridden rate, which is that of one carrier",
    );
    let reports = (radio.link.report.delay_slots as f64 + 1.0) * scenario.users as f64 * subchannels as f64;
    let few = subchannels == 1 || reports <= MOST_REPORTS_ON_THEIR_WAY;
    checks.require(path, subchannels, few, "users x subchannels x (link.report.delay_slots + 1) at most 1e8");
}

/// A slot must start after the warm-up, if there is one, and end by the end.
fn check_measured(checks: &mut Checks, radio: &Radio, scenario: &Scenario) {
    let (duration_s, warmup_s) = (scenario.duration_s, scenario.warmup_s);
    let clocked = radio.slot.duration_ms.as_ns_ratio().is_some();
    if !(clocked && duration_s <= 1e6 && warmup_s > 0.0 && warmup_s < duration_s) {
        return;
    }
    let at = |seconds| Time::ZERO + Duration::from_secs(seconds);
    let first = radio.clock().first_at_or_after(at(warmup_s));
    let end_of_first = radio.clock().start_of(first.next());
    checks.require("warmup_s", warmup_s, end_of_first <= at(duration_s), "leaves at least one whole slot");
}

fn check_channel(checks: &mut Checks, channel: &Channel, users: usize) {
    check_placement(checks, &channel.placement, users);
    checks.positive("channel.path_loss.exponent", channel.path_loss.exponent);
    checks.positive("channel.path_loss.reference_distance_m", channel.path_loss.reference_distance_m);
    checks.finite("channel.path_loss.reference_snr_db", &[channel.path_loss.reference_snr_db]);
    let ceiling = channel.ceiling.sinr_db.0;
    checks.require("channel.ceiling.sinr_db", ceiling, ceiling > f64::NEG_INFINITY, "a number or \"inf\"");
    checks.not_negative("channel.shadowing.sd_db", channel.shadowing.sd_db);
    checks.positive("channel.shadowing.decorrelation_m", channel.shadowing.decorrelation_m);
    checks.not_negative("channel.motion.speed_kmh", channel.motion.speed_kmh);
    checks.positive("channel.motion.carrier_hz", channel.motion.carrier_hz);
    check_fading(checks, &channel.fading);
}

fn check_fading(checks: &mut Checks, fading: &Fading) {
    let (terms, doppler_hz) = match fading {
        Fading::None {} => return,
        Fading::Rayleigh { terms, doppler_hz } => (terms, doppler_hz),
        Fading::TappedDelayLine { delay_spread_ns, delays_ns, powers_db, terms, doppler_hz, .. } => {
            checks.not_negative("channel.fading.delay_spread_ns", *delay_spread_ns);
            let (paths, path) = (delays_ns.len(), "channel.fading.delays_ns");
            checks.require(path, paths, (1..=DelayProfile::MOST_TAPS).contains(&paths), "1 to 64 delays");
            delays_ns.iter().for_each(|delay_ns| checks.not_negative(path, *delay_ns));
            let powers = powers_db.len();
            checks.require("channel.fading.powers_db", powers, powers == paths, "one power for each delay");
            checks.finite("channel.fading.powers_db", powers_db);
            (terms, doppler_hz)
        }
    };
    checks.require("channel.fading.terms", terms, (4..=64).contains(terms), "4 to 64");
    match doppler_hz {
        Doppler::Given(hz) => checks.not_negative("channel.fading.doppler_hz", *hz),
        Doppler::Named(name) => {
            checks.require("channel.fading.doppler_hz", name, name == "from_motion", "a number or \"from_motion\"")
        }
    }
}

fn check_placement(checks: &mut Checks, placement: &Placement, users: usize) {
    let path = "channel.placement";
    match placement {
        Placement::Disc { radius_m, inner_radius_m, order: _ } => {
            checks.positive(&format!("{path}.radius_m"), *radius_m);
            let inside = (0.0..*radius_m).contains(inner_radius_m);
            checks.require(&format!("{path}.inner_radius_m"), inner_radius_m, inside, "at least 0 and below radius_m");
        }
        Placement::Distances { distances_m } => {
            let count = distances_m.len();
            checks.require(&format!("{path}.distances_m"), count, count == users, "one distance for each user");
            distances_m.iter().for_each(|distance| checks.positive(&format!("{path}.distances_m"), *distance));
        }
        Placement::MeanSnr { mean_snr_db } => {
            checks.finite(&format!("{path}.mean_snr_db"), mean_snr_db.values());
            per_user(checks, &format!("{path}.mean_snr_db"), mean_snr_db, users);
        }
        Placement::MeanSnrRange { low_db, high_db, .. } => {
            checks.finite(&format!("{path}.low_db"), &[*low_db, *high_db]);
            checks.require(&format!("{path}.high_db"), high_db, high_db >= low_db, "at least low_db");
        }
        Placement::Trace { files, offset_s, equivalent_bandwidth_hz, quantity, row_interval_s, .. } => {
            checks.require(&format!("{path}.files"), files.len(), !files.is_empty(), "at least one file");
            checks.not_negative(&format!("{path}.equivalent_bandwidth_hz"), *equivalent_bandwidth_hz);
            checks.positive(&format!("{path}.row_interval_s"), *row_interval_s);
            let idle = *quantity == Quantity::RateBps || *equivalent_bandwidth_hz == 0.0;
            let allowed = "0 unless quantity is \"rate_bps\"";
            checks.require(&format!("{path}.equivalent_bandwidth_hz"), equivalent_bandwidth_hz, idle, allowed);
            offset_s.values().iter().for_each(|offset| checks.not_negative(&format!("{path}.offset_s"), *offset));
            per_user(checks, &format!("{path}.offset_s"), offset_s, users);
        }
    }
}

/// A ridden rate needs no rule that chooses one, and knows no SNR.
fn check_ridden(checks: &mut Checks, radio: &Radio) {
    let ridden = matches!(
        &radio.channel.placement,
        Placement::Trace { quantity: Quantity::RateBps, equivalent_bandwidth_hz, .. } if *equivalent_bandwidth_hz == 0.0
    );
    let rule_is_trace = matches!(radio.link.rate, RateRule::Trace {});
    let allowed =
        "\"trace\" with a ridden rate trace (quantity \"rate_bps\", equivalent_bandwidth_hz 0), and only there";
    checks.require("link.rate.kind", if rule_is_trace { "trace" } else { "it" }, ridden == rule_is_trace, allowed);
    let relative = matches!(radio.scheduler, Scheduler::RelativeSnr { .. });
    checks.require("scheduler.kind", "relative_snr", !(ridden && relative), "a ridden rate has no SNR");
}

fn per_user(checks: &mut Checks, path: &str, value: &super::PerUser, users: usize) {
    if let super::PerUser::Each(values) = value {
        checks.require(path, values.len(), values.len() == users, "one value, or one for each user");
    }
}

fn check_link(checks: &mut Checks, link: &Link) {
    checks.not_negative("link.report.error_sd_db", link.report.error_sd_db);
    checks.not_negative("link.report.quantisation_db", link.report.quantisation_db);
    checks.finite("link.report.backoff_db", &[link.report.backoff_db]);
    let (period, delay) = (link.report.period_slots, link.report.delay_slots);
    checks.require("link.report.period_slots", period, (1..=100_000).contains(&period), "1 to 100000");
    checks.require("link.report.delay_slots", delay, delay <= 100_000, "0 to 100000");
    let group = link.report.group_subchannels.0;
    let allowed = (1..=10_000).contains(&group) || group == u64::MAX;
    checks.require("link.report.group_subchannels", group, allowed, "1 to 10000, or inf");
    let probability = link.errors.probability;
    checks.require("link.errors.probability", probability, (0.0..=1.0).contains(&probability), "0 to 1");
    check_error_curve(checks, link);
    match &link.rate {
        RateRule::Table { thresholds_db, rates_bps, .. } => check_table(checks, thresholds_db, rates_bps),
        RateRule::Capacity { bandwidth_hz, gap_db, max_rate_bps } => {
            checks.positive("link.rate.bandwidth_hz", *bandwidth_hz);
            checks.finite("link.rate.gap_db", &[*gap_db]);
            checks.require("link.rate.max_rate_bps", max_rate_bps.0, max_rate_bps.0 > 0.0, "above 0, or \"inf\"");
        }
        RateRule::Trace {} => {}
    }
}

fn check_table(checks: &mut Checks, thresholds_db: &[f64], rates_bps: &[f64]) {
    let (rows, rates) = (thresholds_db.len(), rates_bps.len());
    checks.require("link.rate.thresholds_db", rows, (1..=255).contains(&rows), "1 to 255 rows");
    checks.require("link.rate.rates_bps", rates, rates == rows, "as many as thresholds_db");
    checks.finite("link.rate.thresholds_db", thresholds_db);
    rates_bps.iter().for_each(|rate| checks.positive("link.rate.rates_bps", *rate));
    if let Err(error) = RateTable::new(thresholds_db, rates_bps) {
        let allowed = "both lists strictly increasing, in single precision";
        checks.require("link.rate", format!("{error:?}"), false, allowed);
    }
}

fn check_buffers(checks: &mut Checks, radio: &Radio) {
    let rlc = &radio.rlc;
    checks.require("rlc.segment_bytes", rlc.segment_bytes, (1..=65_536).contains(&rlc.segment_bytes), "1 to 65536");
    for (path, header) in
        [("rlc.segment_header_bytes", rlc.segment_header_bytes), ("rlc.block_header_bytes", rlc.block_header_bytes)]
    {
        checks.require(path, header, header <= 65_536, "0 to 65536");
    }
    radio.queue.check(checks);
    let delay = radio.link.arq.feedback_delay_slots;
    checks.require("link.arq.feedback_delay_slots", delay, delay <= 100_000, "0 to 100000");
    check_harq(checks, radio);
}

/// Blocks of a user in a slot that the link can tell apart.
const MOST_PDUS_PER_GRANT: f64 = 65_535.0;

/// The most bits per second and Hz that a link is taken to have.
const MOST_BITS_PER_HZ: f64 = 100.0;

fn check_error_curve(checks: &mut Checks, link: &Link) {
    let ErrorCurve::Logistic { slope_per_db, offset_db } = link.errors.curve else { return };
    checks.positive("link.errors.curve.slope_per_db", slope_per_db);
    checks.finite("link.errors.curve.offset_db", &[offset_db]);
    let of_a_table = matches!(link.rate, RateRule::Table { .. });
    checks.require("link.errors.curve.kind", "logistic", of_a_table, "none where there is no table of rates");
    let Errors { probability, threshold_rule, .. } = link.errors;
    checks.require("link.errors.probability", probability, probability == 0.0, "0 beside a curve");
    checks.require("link.errors.threshold_rule", threshold_rule, !threshold_rule, "false beside a curve");
}

fn check_harq(checks: &mut Checks, radio: &Radio) {
    let Harq { kind, processes, round_trip_slots, max_retransmissions, .. } = &radio.link.harq;
    let within = |count: u64, least, most| (least..=most).contains(&count) || count == u64::MAX;
    let (processes, limit) = (processes.0, max_retransmissions.0);
    checks.require("link.harq.processes", processes, within(processes, 1, 1000), "1 to 1000, or inf");
    let round_trip = (1..=100_000).contains(round_trip_slots);
    checks.require("link.harq.round_trip_slots", *round_trip_slots, round_trip, "1 to 100000");
    checks.require("link.harq.max_retransmissions", limit, within(limit, 0, 1000), "0 to 1000, or inf");
    let top_bps = match &radio.link.rate {
        RateRule::Table { rates_bps, .. } => rates_bps.last().copied().unwrap_or(0.0),
        RateRule::Capacity { bandwidth_hz, max_rate_bps, .. } => max_rate_bps.0.min(MOST_BITS_PER_HZ * bandwidth_hz),
        RateRule::Trace {} => 0.0,
    };
    let rlc = &radio.rlc;
    let pdu_bytes = rlc.segment_bytes + rlc.segment_header_bytes + rlc.block_header_bytes;
    let pdus = radio.clock().bits_in_slot(top_bps) / 8.0 / pdu_bytes.max(1) as f64;
    let few = radio.link.harq.unit == CodedUnit::Block || pdus.is_nan() || pdus <= MOST_PDUS_PER_GRANT;
    checks.require("rlc.segment_bytes", rlc.segment_bytes, few, "large enough for 65535 PDUs at most in a slot");
    let of_a_table = matches!(radio.link.rate, RateRule::Table { .. });
    let allowed = !radio.link.has_code_blocks() || !matches!(radio.link.rate, RateRule::Trace {});
    checks.require("link.harq.kind", format!("{kind:?}"), allowed, "none, with whole blocks, where rates are ridden");
    let (rule, blocks) = (radio.link.errors.threshold_rule, radio.link.has_code_blocks());
    let allowed = !(rule && blocks) || of_a_table;
    checks.require("link.errors.threshold_rule", rule, allowed, "false where code blocks have no table of rates");
}

fn check_scheduler(checks: &mut Checks, scheduler: &Scheduler) {
    match scheduler {
        Scheduler::RoundRobin { .. } | Scheduler::Fifo { .. } => {}
        Scheduler::MaxRate { .. } | Scheduler::RelativeSnr { .. } => {}
        Scheduler::ProportionalFair { time_constant_slots, initial_average_bps, average_window, .. } => {
            check_average(checks, *time_constant_slots, *initial_average_bps, *average_window);
        }
        Scheduler::IdealTcpPf { time_constant_slots, initial_average_bps, .. } => {
            check_average(checks, *time_constant_slots, *initial_average_bps, Window::Fixed);
        }
        Scheduler::Lambda { exponent, time_constant_slots, initial_average_bps, average_window, .. } => {
            checks.not_negative("scheduler.exponent", *exponent);
            check_average(checks, *time_constant_slots, *initial_average_bps, *average_window);
        }
        Scheduler::TcpPf(aware) | Scheduler::TcpMax(aware) | Scheduler::UnapproximatedTcpPf(aware) => {
            check_tcp_aware(checks, aware);
        }
    }
}

fn check_average(checks: &mut Checks, time_constant_slots: f64, initial_average_bps: f64, window: Window) {
    let path = "scheduler.time_constant_slots";
    checks.require(path, time_constant_slots, (1.0..=1e12).contains(&time_constant_slots), "1 to 1e12");
    let path = "scheduler.initial_average_bps";
    match window {
        Window::Fixed => checks.positive(path, initial_average_bps),
        Window::Growing => checks.not_negative(path, initial_average_bps),
    }
}

fn check_tcp_aware(checks: &mut Checks, aware: &TcpAware) {
    check_average(checks, aware.time_constant_slots, aware.initial_average_bps, aware.average_window);
    let weights = [aware.gap_mean_weight, aware.gap_square_weight];
    for (path, weight) in ["scheduler.gap_mean_weight", "scheduler.gap_square_weight"].into_iter().zip(weights) {
        checks.require(path, weight, weight > 0.0 && weight <= 1.0, "above 0 and at most 1");
    }
    checks.positive("scheduler.initial_gap_mean_slots", aware.initial_gap_mean_slots);
    checks.positive("scheduler.initial_gap_square_slots2", aware.initial_gap_square_slots2);
}

fn check_flows(checks: &mut Checks, path: &str, group: &Flows, users: usize) {
    match &group.users {
        FlowUsers::Named(name) => checks.require(&format!("{path}.users"), name, name == "all", "\"all\" or a list"),
        FlowUsers::Listed(listed) => {
            checks.require(&format!("{path}.users"), "[]", !listed.is_empty(), "at least one user");
            for user in listed {
                checks.require(&format!("{path}.users"), user, *user < users, "user numbers below `users`");
            }
        }
    }
    checks.not_negative(&format!("{path}.start_s"), group.start_s);
    checks.not_negative(&format!("{path}.start_spread_s"), group.start_spread_s);
    checks.require(&format!("{path}.stop_s"), group.stop_s.0, group.stop_s.0 > 0.0, "above 0, or \"inf\"");
    traffic::check(checks, &format!("{path}.traffic"), &group.traffic);
    let (down, up) = (&group.path.downlink_rate_bps, &group.path.uplink_rate_bps);
    for (name, rate) in [("downlink_rate_bps", down), ("uplink_rate_bps", up)] {
        checks.require(&format!("{path}.path.{name}"), rate.0, rate.0 > 0.0, "above 0, or \"inf\"");
    }
    checks.not_negative(&format!("{path}.path.downlink_delay_ms"), group.path.downlink_delay_ms);
    checks.not_negative(&format!("{path}.path.uplink_delay_ms"), group.path.uplink_delay_ms);
    let (down, up) = (&group.path.downlink_impairments, &group.path.uplink_impairments);
    for (name, impairments) in [("downlink_impairments", down), ("uplink_impairments", up)] {
        impairments.iter().for_each(|given| given.check(checks, &format!("{path}.path.{name}")));
    }
    transport::check(checks, &format!("{path}.tcp"), &group.tcp);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// The paths of the mistakes in a small scenario with these fields changed.
    fn mistakes(changes: &[(&str, Value)]) -> Vec<String> {
        let text = include_str!("../../../../tests/fixtures/fixed-link.json");
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
        assert_eq!(stream(1e10, 1249), ["flows[0].traffic.message_bytes"]);
        assert_eq!(stream(0.0, 1000), ["flows[0].traffic.rate_bps"]);
        assert_eq!(stream(1e6, 0).len(), 2);
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
        assert_eq!(window(1, 1_000_001), ["flows[0].tcp.receiver_window_bytes"]);
        assert_eq!(window(11, 1_000_000), ["flows"]);
    }

    #[test]
    fn the_packets_of_a_grant_fit_into_memory() {
        let table = json!({ "kind": "table", "name": "custom", "thresholds_db": [0.0], "rates_bps": [8e9] });
        assert!(backlogged(table.clone(), 1).is_empty());
        let capacity = |most| json!({ "kind": "capacity", "bandwidth_hz": 1e9, "gap_db": 0.0, "max_rate_bps": most });
        assert!(backlogged(capacity(json!(8e9)), 1).is_empty());
        assert_eq!(backlogged(capacity(json!("inf")), 1), ["flows[0].traffic.packet_bytes"]);
        assert!(backlogged(capacity(json!("inf")), 13).is_empty());
    }
}
