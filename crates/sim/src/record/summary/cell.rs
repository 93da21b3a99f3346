//! The table `cell`.

use airlink_model::types::{DropReason, PowerRatio};

use super::{
    BOTTLENECK, CELL, DELIVERED, FlowRow, GOODPUT, GRANTED, QUEUEING_DELAY, SENT, Summary, TableLayout, UserRow,
    span_columns,
};
use crate::record::about::SEVERAL_SUBCHANNELS;
use crate::record::{CellRecord, Distribution, FlowCounts, Recorder, UserCounts};

/// Conditions of columns, in words.
const UPLINK_SLOTS: &str = "`slot.tdd` has slots without downlink";
const UPLINK_SUBCHANNELS: &str = "`slot.tdd` has slots without downlink, and the carrier several subchannels";

/// What the cell's columns are made of.
#[derive(Debug)]
pub(crate) struct CellRow<'a> {
    users: &'a [UserRow<'a>],
    flows: &'a [FlowRow<'a>],
    record: CellRecord,
    measured_s: f64,
    /// Of the users, b/s.
    goodputs: Vec<f64>,
    /// Of the packets of all users.
    queueing: Distribution,
    upstream_mean_bytes: f64,
}

impl<'a> CellRow<'a> {
    pub(super) fn new(
        recorder: &Recorder,
        users: &'a [UserRow<'a>],
        flows: &'a [FlowRow<'a>],
        measured_s: f64,
        upstream_mean_bytes: Option<f64>,
    ) -> Self {
        let goodputs = users.iter().map(|user| user.end.goodput_bytes as f64 * 8.0 / measured_s).collect();
        let upstream_mean_bytes = upstream_mean_bytes.unwrap_or(f64::NAN);
        let mut queueing = Distribution::default();
        users.iter().for_each(|user| queueing.add_all(&user.record.queueing));
        Self { users, flows, record: recorder.cell, measured_s, goodputs, queueing, upstream_mean_bytes }
    }

    fn users(&self) -> impl Iterator<Item = &UserCounts> + Clone {
        self.users.iter().map(|user| &user.counts)
    }

    fn of_users(&self, of: impl Fn(&UserCounts) -> u64) -> u64 {
        self.users().map(of).sum()
    }

    fn of_flows(&self, of: impl Fn(&FlowCounts) -> u64) -> u64 {
        self.flows.iter().map(|flow| of(&flow.counts)).sum()
    }

    /// The nominal bits that were granted and not filled.
    fn padded_bits(&self) -> f64 {
        self.users().map(|counts| counts.grants.padded_bits).sum()
    }

    fn rate(&self, bytes: u64) -> f64 {
        bytes as f64 * 8.0 / self.measured_s
    }
}

pub(super) fn declare(cell: &mut Summary<'_, CellRow<'_>>, layout: TableLayout, has_upstream: bool) {
    rate_columns(cell, layout);
    cell.only(layout.has_cell, CELL, slot_columns);
    cell.only(layout.has_uplink_slots, UPLINK_SLOTS, |cell| {
        let passed =
            "of the idle slots, those without downlink, or with too little of it for the block that is retransmitted";
        cell.count("slots_uplink", passed, |cell| cell.record.passed);
    });
    cell.only(!layout.has_cell, BOTTLENECK, |cell| {
        let duplicated = "sum over users: packets that the wire behind the bottleneck duplicated";
        cell.count("packets_doubled", duplicated, |cell| cell.of_users(|counts| counts.passed.packets_duplicated));
    });
    let delay = format!("{QUEUEING_DELAY}; of the packets of all users");
    span_columns(cell, "queueing_delay", &delay, |cell| &cell.queueing);
    flow_columns(cell);
    for reason in DropReason::ALL {
        let (is_there, which) = layout.drops(reason);
        cell.only(is_there, which, |cell| {
            let meaning = format!("sum over users: packets {}", reason.meaning());
            cell.count(format!("drops_{}", reason.name()), meaning, |cell| {
                cell.of_users(|counts| counts.passed.packets_dropped[reason as usize])
            });
        });
    }
    cell.only(layout.has_subchannels, SEVERAL_SUBCHANNELS, carrier_columns);
    cell.only(layout.has_subchannels && layout.has_uplink_slots, UPLINK_SUBCHANNELS, |cell| {
        let uplink = "of all subchannels, those of slots without downlink";
        cell.count("subchannels_idle_uplink", uplink, |cell| cell.record.carrier.idle_uplink);
    });
    cell.only(has_upstream, "there is an `[upstream]`", |cell| {
        let mean = "mean of the queue upstream as those find it that come, themselves included, each weighed by the \
                    time since the one before";
        cell.real_or("upstream_queue_mean_bytes", mean, "NaN when nobody came", |cell| cell.upstream_mean_bytes);
    });
}

fn rate_columns(cell: &mut Summary<'_, CellRow<'_>>, layout: TableLayout) {
    let sum = |meaning: &str| format!("sum over users: {meaning}");
    let measured = "simulated time after the warm-up: the time that every rate refers to";
    cell.real("measured_s", measured, |cell| cell.measured_s);
    cell.real("goodput_bps", sum(GOODPUT), |cell| cell.goodputs.iter().sum());
    cell.only(layout.has_cell, CELL, |cell| {
        cell.real("granted_bps", sum(GRANTED), |cell| {
            cell.users().map(|counts| counts.granted_bits).sum::<f64>() / cell.measured_s
        });
        cell.real("sent_bps", sum(SENT), |cell| cell.rate(cell.of_users(|counts| counts.sent_bytes)));
    });
    cell.real("delivered_bps", sum(DELIVERED), |cell| cell.rate(cell.of_users(|counts| counts.passed.bytes_delivered)));
    let edge = "goodput of the 5 % user: the least that at least 5 % of the users do not exceed";
    cell.real("cell_edge_goodput_bps", edge, |cell| cell_edge(&cell.goodputs));
    cell.real("jain_index", "Jain's index of the users' goodput, 1/users..1", |cell| jain(&cell.goodputs));
    cell.real_or(
        "mean_log10_goodput_kBps",
        "mean over users of log10(goodput in kB/s)",
        "-inf when a user got nothing",
        |cell| mean_log10_kilobytes(&cell.goodputs),
    );
    cell.only(layout.has_cell, CELL, |cell| {
        let share = "fewest slots (of several subchannels: subchannels) won by a user / most, 0..1";
        cell.real("min_max_resource_share", share, |cell| {
            min_max(cell.users().map(|counts| counts.grants.subchannels_won))
        });
    });
}

fn slot_columns(cell: &mut Summary<'_, CellRow<'_>>) {
    cell.count("slots", "slots after the warm-up", |cell| cell.record.slots);
    cell.count("slots_idle", "slots that nobody was given", |cell| cell.record.idle);
    let wasted = "sum over users: slots won in which nothing was sent; users who share a slot count each";
    cell.count("slots_wasted", wasted, |cell| cell.of_users(|counts| counts.slots_wasted));
    let padded = "sum over users: slots won in which something was sent that did not fill the grant";
    cell.count("slots_padded", padded, |cell| cell.of_users(|counts| counts.slots_padded));
    let errors = "sum over users: frames lost on air";
    cell.count("frame_errors", errors, |cell| cell.of_users(|counts| counts.frame_errors));
}

fn flow_columns(cell: &mut Summary<'_, CellRow<'_>>) {
    let timeouts = "sum over flows: expiries of the retransmission timer";
    cell.count("timeouts", timeouts, |cell| cell.of_flows(|counts| counts.sender.timeouts));
    let spurious = "sum over flows: timeouts that were not needed, see flows";
    cell.count("spurious_timeouts", spurious, |cell| cell.of_flows(|counts| counts.spurious_timeouts));
    let fast = "sum over flows: fast retransmits";
    cell.count("fast_retransmits", fast, |cell| cell.of_flows(|counts| counts.sender.fast_retransmits));
    let again = "sum over flows: segments retransmitted";
    cell.count("retransmissions", again, |cell| cell.of_flows(|counts| counts.sender.retransmissions));
    let sent = "sum over flows: segments sent, retransmissions included";
    cell.count("segments_sent", sent, |cell| cell.of_flows(|counts| counts.sender.segments_sent));
}

/// Declares what only cells of several subchannels have.
fn carrier_columns(cell: &mut Summary<'_, CellRow<'_>>) {
    let padded = "sum over users: rate of grants that nothing was left to fill";
    cell.real("padded_bps", padded, |cell| cell.padded_bits() / cell.measured_s);
    cell.count("subchannel_slots", "subchannels of all slots", |cell| cell.record.carrier.all());
    let granted = "of these, those that some user got";
    cell.count("subchannels_granted", granted, |cell| cell.record.carrier.granted);
    let no_data = "of these, those that nobody got because nobody had data";
    cell.count("subchannels_idle_no_data", no_data, |cell| cell.record.carrier.idle_no_data);
    let no_rate = "of these, those that nobody got because none of those with data had a rate on them";
    cell.count("subchannels_idle_no_rate", no_rate, |cell| cell.record.carrier.idle_no_rate);
    let covered = "of these, those that nobody got although somebody with data had a rate: the scheduler held its data \
                   for covered by what it had got in the slot";
    cell.count("subchannels_idle_covered", covered, |cell| cell.record.carrier.idle_covered);
}

/// The 5 % user: the least rate that at least 5 % of the users do not exceed; not a number when nothing was measured.
fn cell_edge(rates: &[f64]) -> f64 {
    let mut sorted = rates.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[rates.len().div_ceil(20) - 1]
}

/// Jain's index (sum x)^2 / (n sum x^2); not a number when nobody got anything.
pub(super) fn jain(rates: &[f64]) -> f64 {
    let sum: f64 = rates.iter().sum();
    let squares: f64 = rates.iter().map(|rate| rate * rate).sum();
    sum * sum / (rates.len() as f64 * squares)
}

/// Mean log10 of the rates in kB/s ([Klein04], eq. 21); minus infinity when somebody got nothing, not a number when
/// nothing was measured.
fn mean_log10_kilobytes(rates_bps: &[f64]) -> f64 {
    if rates_bps.iter().any(|rate| rate.is_nan()) {
        return f64::NAN;
    }
    let sum: f64 = rates_bps.iter().map(|rate| PowerRatio::new(rate / 8000.0).to_db().db()).sum();
    sum / 10.0 / rates_bps.len() as f64
}

/// The smallest number of subchannels won, which are slots where there is one, over the largest.
fn min_max(slots: impl Iterator<Item = u64> + Clone) -> f64 {
    let (least, most) = (slots.clone().min().unwrap_or(0), slots.max().unwrap_or(0));
    least as f64 / most as f64
}
