//! From counters and distributions to the result's columns.

use airlink_model::types::DropReason;

use super::counts::WireCounts;
use super::downloads::file_columns;
use super::{Distribution, FlowCounts, Recorder, UserCounts, UserRecord};
use crate::table::Table;

/// What a user's columns need beside its record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UserEnd {
    pub(crate) distance_m: f64,
    pub(crate) mean_snr_db: f64,
    pub(crate) shadowed_snr_db: Option<f64>,
    pub(crate) goodput_bytes: u64,
}

/// What a flow's columns need beside its record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlowEnd {
    pub(crate) group: usize,
    pub(crate) user: usize,
    pub(crate) start_s: f64,
    /// From its start to its last byte; not a number when it has not ended.
    pub(crate) completion_s: f64,
    /// Of its file; not a number without one.
    pub(crate) file_bytes: f64,
}

/// Which columns have a meaning in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// There is a cell with slots; else a wired bottleneck.
    pub(crate) has_cell: bool,
    /// Queues drop packets for which there is room.
    pub(crate) chooses_drops: bool,
    pub(crate) flows: FlowTraits,
}

/// What flows of a scenario may do, whatever they do in this run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FlowTraits {
    /// The wires of some flow do more than carry.
    pub(crate) has_impaired_paths: bool,
    /// Some sender follows rules beyond RFC 5681, or some receiver may close its window.
    pub(crate) has_newer_rules: bool,
    /// Files arrive at random.
    pub(crate) has_arrivals: bool,
    /// There are files or pages.
    pub(crate) has_downloads: bool,
    /// Some flow passes a queue upstream.
    pub(crate) has_upstream: bool,
    /// Timeouts of some flow are held.
    pub(crate) has_held_timeouts: bool,
}

impl Shape {
    fn reasons(self) -> &'static [DropReason] {
        match (self.has_cell, self.chooses_drops) {
            (true, false) => &DropReason::RADIO,
            (true, true) => &DropReason::MANAGED_RADIO,
            (false, _) => &DropReason::BOTTLENECK,
        }
    }
}

/// The tables `users`, `flows` and `cell` of a run measured over `measured_s`.
pub(crate) fn tables(
    recorder: &Recorder,
    users: &[UserEnd],
    flows: &[FlowEnd],
    measured_s: f64,
    shape: Shape,
) -> [(&'static str, Table); 3] {
    let counts: Vec<UserCounts> = recorder.users.iter().map(|user| user.counts.minus(&user.before_warmup)).collect();
    let flow_counts: Vec<FlowCounts> =
        recorder.flows.iter().map(|flow| flow.counts.minus(&flow.before_warmup)).collect();
    let user_table = users_table(recorder, users, &counts, measured_s, shape);
    let mut flow_table = flows_table(recorder, flows, &flow_counts, measured_s);
    if shape.flows.has_newer_rules {
        newer_rule_columns(&mut flow_table, &flow_counts);
    }
    if shape.flows.has_held_timeouts {
        flow_table.count("timeouts_held", flow_counts.iter().map(|count| count.sender.timeouts_held));
    }
    if shape.flows.has_impaired_paths {
        wire_columns(&mut flow_table, &flow_counts);
    }
    if shape.flows.has_upstream {
        let refused = flow_counts.iter().map(|count| count.packets.lost_by(DropReason::QueueFull));
        flow_table.count("upstream_queue_full", refused);
    }
    if shape.flows.has_arrivals {
        file_columns(&mut flow_table, flows);
    }
    let cell_table = cell_table(recorder, users, (&counts, &flow_counts), measured_s, shape);
    [("users", user_table), ("flows", flow_table), ("cell", cell_table)]
}

fn users_table(recorder: &Recorder, users: &[UserEnd], counts: &[UserCounts], measured_s: f64, shape: Shape) -> Table {
    let mut table = Table::default();
    let rate = |bytes: f64| bytes * 8.0 / measured_s;
    table.count("user", 0..users.len() as u64);
    if shape.has_cell {
        table.real("distance_m", users.iter().map(|user| user.distance_m).collect());
        table.real("mean_snr_db", users.iter().map(|user| user.mean_snr_db).collect());
        if let Some(shadowed_db) = users.iter().map(|user| user.shadowed_snr_db).collect() {
            table.real("shadowed_snr_db", shadowed_db);
        }
    }
    table.real("goodput_bps", users.iter().map(|user| rate(user.goodput_bytes as f64)).collect());
    if shape.has_cell {
        table.real("granted_bps", counts.iter().map(|count| count.granted_bits / measured_s).collect());
        table.real("sent_bps", counts.iter().map(|count| rate(count.sent_bytes as f64)).collect());
    }
    table.real("delivered_bps", counts.iter().map(|count| rate(count.bytes_delivered as f64)).collect());
    table.count("goodput_bytes", users.iter().map(|user| user.goodput_bytes));
    if shape.has_cell {
        table.real("granted_bytes", counts.iter().map(|count| count.granted_bits / 8.0).collect());
        table.count("sent_bytes", counts.iter().map(|count| count.sent_bytes));
    }
    table.count("delivered_bytes", counts.iter().map(|count| count.bytes_delivered));
    if shape.has_cell {
        slot_columns(&mut table, counts);
    }
    packet_columns(&mut table, recorder, counts, shape);
    if shape.has_cell {
        span_columns(&mut table, "hol_delay", recorder.users.iter().map(|user| &user.head_of_line));
    }
    span_columns(&mut table, "queueing_delay", recorder.users.iter().map(|user| &user.queueing));
    let over_least = |user: &UserRecord| match user.queueing.count() {
        0 => f64::NAN,
        _ => user.queueing.mean_s() - user.queueing.min_s(),
    };
    table.real("queueing_delay_over_least_s", recorder.users.iter().map(over_least).collect());
    if shape.has_cell {
        gap_columns(&mut table, &recorder.users);
    }
    table
}

fn slot_columns(table: &mut Table, counts: &[UserCounts]) {
    table.count("slots_won", counts.iter().map(|count| count.slots_won));
    table.count("slots_wasted", counts.iter().map(|count| count.slots_wasted));
    table.count("slots_padded", counts.iter().map(|count| count.slots_padded));
    table.count("frames_sent", counts.iter().map(|count| count.frames_sent));
    table.count("frame_errors", counts.iter().map(|count| count.frame_errors));
}

fn packet_columns(table: &mut Table, recorder: &Recorder, counts: &[UserCounts], shape: Shape) {
    let users = &recorder.users;
    table.count("packets_waiting_at_start", users.iter().map(|user| user.before_warmup.waiting().0));
    table.count("bytes_waiting_at_start", users.iter().map(|user| user.before_warmup.waiting().1));
    table.count("packets_in", counts.iter().map(|count| count.packets_in));
    table.count("bytes_in", counts.iter().map(|count| count.bytes_in));
    if !shape.has_cell {
        table.count("packets_doubled", counts.iter().map(|count| count.packets_doubled));
        table.count("bytes_doubled", counts.iter().map(|count| count.bytes_doubled));
    }
    table.count("packets_delivered", counts.iter().map(|count| count.packets_delivered));
    for &reason in shape.reasons() {
        let (name, index) = (reason.name(), reason as usize);
        table.count(&format!("drops_{name}"), counts.iter().map(|count| count.packets_dropped[index]));
        table.count(&format!("drops_{name}_bytes"), counts.iter().map(|count| count.bytes_dropped[index]));
    }
    table.count("packets_waiting", users.iter().map(|user| user.counts.waiting().0));
    table.count("bytes_waiting", users.iter().map(|user| user.counts.waiting().1));
}

/// What the rules beyond RFC 5681 did.
fn newer_rule_columns(table: &mut Table, counts: &[FlowCounts]) {
    table.count("sack_retransmissions", counts.iter().map(|count| count.sender.sack_retransmissions));
    table.count("limited_transmits", counts.iter().map(|count| count.sender.limited_transmits));
    table.count("tail_loss_probes", counts.iter().map(|count| count.sender.tail_loss_probes));
    table.count("window_probes", counts.iter().map(|count| count.sender.window_probes));
    table.count("recoveries_undone", counts.iter().map(|count| count.sender.undone));
}

/// What befell packets before the network, and acknowledgments.
fn wire_columns(table: &mut Table, counts: &[FlowCounts]) {
    type Of = fn(&FlowCounts) -> &WireCounts;
    let wires: [(&str, Of); 2] = [("downlink", |count| &count.packets), ("uplink", |count| &count.acks)];
    for (what, wire) in wires {
        table.count(&format!("{what}_doubled"), counts.iter().map(|count| wire(count).doubled));
        for reason in DropReason::WIRE {
            let lost = counts.iter().map(|count| wire(count).lost_by(reason));
            table.count(&format!("{what}_{}", reason.name()), lost);
        }
    }
}

pub(super) fn span_columns<'a>(table: &mut Table, name: &str, spans: impl Iterator<Item = &'a Distribution>) {
    let spans: Vec<&Distribution> = spans.collect();
    table.count(&format!("{name}_count"), spans.iter().map(|span| span.count()));
    let mut column = |suffix: &str, of: &dyn Fn(&Distribution) -> f64| {
        table.real(&format!("{name}_{suffix}_s"), spans.iter().map(|span| of(span)).collect());
    };
    column("mean", &|span| if span.count() == 0 { f64::NAN } else { span.mean_s() });
    column("sd", &Distribution::sd_s);
    column("min", &Distribution::min_s);
    column("max", &Distribution::max_s);
    let quantiles: Vec<[f64; 4]> = spans.iter().map(|span| span.quantiles_s([0.5, 0.9, 0.95, 0.99])).collect();
    for (index, suffix) in ["p50", "p90", "p95", "p99"].into_iter().enumerate() {
        table.real(&format!("{name}_{suffix}_s"), quantiles.iter().map(|quantile| quantile[index]).collect());
    }
}

fn gap_columns(table: &mut Table, users: &[UserRecord]) {
    table.count("gap_count", users.iter().map(|user| user.gaps.count()));
    let mut column = |name: &str, of: &dyn Fn(&UserRecord) -> f64| {
        table.real(name, users.iter().map(of).collect());
    };
    column("gap_max_slots", &|user| user.gaps.max());
    column("gap_mean_slots", &|user| user.gaps.mean());
    column("gap_sd_slots", &|user| user.gaps.sd());
    column("gap_square_mean_slots2", &|user| user.gaps.square_mean());
    column("gap_share_over_2x", &|user| user.gaps.share_over(2.0));
    column("gap_share_over_4x", &|user| user.gaps.share_over(4.0));
    column("gap_share_over_10x", &|user| user.gaps.share_over(10.0));
}

fn flows_table(recorder: &Recorder, flows: &[FlowEnd], counts: &[FlowCounts], measured_s: f64) -> Table {
    let mut table = Table::default();
    table.count("flow", 0..flows.len() as u64);
    table.count("user", flows.iter().map(|flow| flow.user as u64));
    table.real("start_s", flows.iter().map(|flow| flow.start_s).collect());
    table.real("completion_s", flows.iter().map(|flow| flow.completion_s).collect());
    let goodput = counts.iter().map(|count| count.goodput_bytes as f64 * 8.0 / measured_s);
    table.real("goodput_bps", goodput.collect());
    table.count("goodput_bytes", counts.iter().map(|count| count.goodput_bytes));
    table.count("segments_sent", counts.iter().map(|count| count.sender.segments_sent));
    table.count("retransmissions", counts.iter().map(|count| count.sender.retransmissions));
    table.count("timeouts", counts.iter().map(|count| count.sender.timeouts));
    table.count("spurious_timeouts", counts.iter().map(|count| count.spurious_timeouts));
    table.count("fast_retransmits", counts.iter().map(|count| count.sender.fast_retransmits));
    table.count("duplicate_acks", counts.iter().map(|count| count.sender.duplicate_acks));
    table.count("acks_received", counts.iter().map(|count| count.sender.acks_received));
    span_columns(&mut table, "rtt", recorder.flows.iter().map(|flow| &flow.rtt));
    table
}

fn cell_table(
    recorder: &Recorder,
    ends: &[UserEnd],
    (users, flows): (&[UserCounts], &[FlowCounts]),
    measured_s: f64,
    shape: Shape,
) -> Table {
    let mut table = Table::default();
    table.real("measured_s", vec![measured_s]);
    let rate = |bytes: f64| bytes * 8.0 / measured_s;
    let goodputs: Vec<f64> = ends.iter().map(|user| rate(user.goodput_bytes as f64)).collect();
    table.real("goodput_bps", vec![goodputs.iter().sum()]);
    if shape.has_cell {
        table.real("granted_bps", vec![users.iter().map(|user| user.granted_bits).sum::<f64>() / measured_s]);
        table.real("sent_bps", vec![rate(users.iter().map(|user| user.sent_bytes).sum::<u64>() as f64)]);
    }
    table.real("delivered_bps", vec![rate(users.iter().map(|user| user.bytes_delivered).sum::<u64>() as f64)]);
    table.real("cell_edge_goodput_bps", vec![cell_edge(&goodputs)]);
    table.real("jain_index", vec![jain(&goodputs)]);
    table.real("mean_log10_goodput_kBps", vec![mean_log10_kilobytes(&goodputs)]);
    if shape.has_cell {
        table.real("min_max_resource_share", vec![min_max(users.iter().map(|user| user.grants.subchannels_won))]);
    }
    let mut count = |name: &str, value: u64| table.count(name, std::iter::once(value));
    if shape.has_cell {
        count("slots", recorder.cell.slots);
        count("slots_idle", recorder.cell.idle);
        count("slots_wasted", users.iter().map(|user| user.slots_wasted).sum());
        count("slots_padded", users.iter().map(|user| user.slots_padded).sum());
        count("frame_errors", users.iter().map(|user| user.frame_errors).sum());
    } else {
        count("packets_doubled", users.iter().map(|user| user.packets_doubled).sum());
    }
    count("timeouts", flows.iter().map(|flow| flow.sender.timeouts).sum());
    count("spurious_timeouts", flows.iter().map(|flow| flow.spurious_timeouts).sum());
    count("fast_retransmits", flows.iter().map(|flow| flow.sender.fast_retransmits).sum());
    count("retransmissions", flows.iter().map(|flow| flow.sender.retransmissions).sum());
    count("segments_sent", flows.iter().map(|flow| flow.sender.segments_sent).sum());
    for &reason in shape.reasons() {
        let dropped = users.iter().map(|user| user.packets_dropped[reason as usize]).sum();
        count(&format!("drops_{}", reason.name()), dropped);
    }
    table
}

/// The 5 % user: the least rate that at least 5 % of the users do not exceed; not a number when nothing was measured.
fn cell_edge(rates: &[f64]) -> f64 {
    let mut sorted = rates.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[rates.len().div_ceil(20) - 1]
}

/// Jain's index (sum x)^2 / (n sum x^2); not a number when nobody got anything.
fn jain(rates: &[f64]) -> f64 {
    let sum: f64 = rates.iter().sum();
    let squares: f64 = rates.iter().map(|rate| rate * rate).sum();
    sum * sum / (rates.len() as f64 * squares)
}

/// Mean log10 of the rates in kB/s (paper 001, eq. 21); minus infinity when somebody got nothing, not a number when
/// nothing was measured.
fn mean_log10_kilobytes(rates_bps: &[f64]) -> f64 {
    if rates_bps.iter().any(|rate| rate.is_nan()) {
        return f64::NAN;
    }
    let sum: f64 = rates_bps.iter().map(|rate| airlink_model::types::PowerRatio::new(rate / 8000.0).to_db().db()).sum();
    sum / 10.0 / rates_bps.len() as f64
}

/// The smallest number of subchannels won, which are slots where there is one, over the largest.
fn min_max(slots: impl Iterator<Item = u64> + Clone) -> f64 {
    let (least, most) = (slots.clone().min().unwrap_or(0), slots.max().unwrap_or(0));
    least as f64 / most as f64
}
