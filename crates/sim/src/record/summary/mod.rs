//! From counters and distributions to the result's tables `users`, `flows` and `cell`.

mod cell;
mod datagrams;
mod downloads;
mod flows;
mod sent_up;
mod table;
mod users;

pub(crate) use downloads::add_download_columns;

use airlink_model::types::{Direction, DropPlace, DropReason, Time};

use super::about::AboutTable;
use super::limits::Shares;
use super::series::Startup;
use super::{Distribution, RecordKind, Recorder};
use crate::table::Table;
use cell::CellRow;
use datagrams::{WithoutTcp, datagram_columns};
use downloads::download_columns;
use flows::FlowRow;
use sent_up::{SentUp, up_columns, up_columns_of_all};
use table::{Summary, declared_columns, fill};
use users::UserRow;

/// What a user's columns need beside its record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UserEnd {
    pub(crate) distance_m: f64,
    pub(crate) mean_snr_db: f64,
    pub(crate) shadowed_snr_db: Option<f64>,
    pub(crate) goodput_bytes: u64,
    /// What an outer loop adds to its reports in the end; none without one.
    pub(crate) offset_db: Option<f64>,
}

/// What a flow's columns need beside its record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlowEnd {
    pub(crate) group: usize,
    pub(crate) user: usize,
    /// Where its data goes; of data both ways that of the server.
    pub(crate) data: Direction,
    /// Its user sends data, alone or too.
    pub(crate) sends_up: bool,
    pub(crate) start_s: f64,
    /// From its start to its last byte; not a number when it has not ended.
    pub(crate) completion_s: f64,
    /// Of its file; not a number without one.
    pub(crate) file_bytes: f64,
}

/// Which columns the tables of a run have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TableLayout {
    /// There is a cell with slots; else a wired bottleneck.
    pub(crate) has_cell: bool,
    /// Queues drop packets for which there is room.
    pub(crate) chooses_drops: bool,
    /// The carrier has several subchannels.
    pub(crate) has_subchannels: bool,
    /// Some slots have no downlink.
    pub(crate) has_uplink_slots: bool,
    /// Frames may be retransmitted: there are code blocks, or ARQ repeats slots.
    pub(crate) repeats_frames: bool,
    pub(crate) flows: FlowTraits,
}

/// What flows of a scenario may do, whatever they do in this run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FlowTraits {
    /// The wires of some flow have impairments.
    pub(crate) has_impaired_paths: bool,
    /// Some sender follows rules beyond RFC 5681, or some receiver may close its window.
    pub(crate) has_newer_rules: bool,
    /// Files arrive at random.
    pub(crate) has_arrivals: bool,
    /// There are files or pages.
    pub(crate) has_downloads: bool,
    /// Some flow passes a queue upstream, or a hop.
    pub(crate) has_upstream: bool,
    /// What users send waits for grants.
    pub(crate) has_uplink: bool,
    /// Some flow's ACKs pass a hop.
    pub(crate) has_uplink_hops: bool,
    /// A hop drops packets for which there is room.
    pub(crate) has_managed_hops: bool,
    /// Some flow has data from its user, too.
    pub(crate) has_two_ways: bool,
    /// Timeouts of some flow are held.
    pub(crate) has_held_timeouts: bool,
    /// Packets of some flow can be marked.
    pub(crate) has_ecn: bool,
    /// Some flow goes over UDP.
    pub(crate) has_datagrams: bool,
}

/// Conditions of columns, in words.
const CELL: &str = "users share a cell";
const ECN: &str = "some flow has `tcp.ecn`";
const BOTTLENECK: &str = "a wired bottleneck stands in the cell's place";

impl TableLayout {
    /// Whether packets of the network can be dropped for this reason, and where they can.
    fn drops(self, reason: DropReason) -> (bool, &'static str) {
        match reason.place() {
            DropPlace::Queue => (true, ""),
            DropPlace::ManagedQueue => (self.chooses_drops, "queues choose what they drop"),
            DropPlace::Air => (self.has_cell, CELL),
            DropPlace::Wire => (!self.has_cell, BOTTLENECK),
        }
    }
}

/// A run's end, beside its counts.
#[derive(Debug)]
pub(crate) struct RunEnd<'a> {
    pub(crate) users: &'a [UserEnd],
    pub(crate) flows: &'a [FlowEnd],
    pub(crate) measured_from: Time,
    pub(crate) end: Time,
    pub(crate) layout: TableLayout,
    /// Each flow's time by cause, if that was asked for.
    pub(crate) shares: Option<&'a [Shares]>,
    /// Mean of the queue upstream, if there is one.
    pub(crate) upstream_mean_bytes: Option<f64>,
}

/// The tables `users`, `flows` and `cell` of a run.
pub(crate) fn tables(recorder: &Recorder, run: &RunEnd<'_>) -> [(&'static str, Table); 3] {
    let measured_s = run.end.since(run.measured_from).as_secs();
    let users = user_rows(recorder, run, measured_s);
    let flows = flow_rows(recorder, run, measured_s);
    let mut tables = [("users", Table::default()), ("flows", Table::default()), ("cell", Table::default())];
    let [(_, user_table), (_, flow_table), (_, cell_table)] = &mut tables;
    fill(user_table, &users, |columns| users::declare(columns, run.layout, UserRow::extras(&users)));
    let extras = flows::Extras { limits: run.shares.is_some(), timeouts: recorder.asked.series.expiries().is_some() };
    fill(flow_table, &flows, |columns| flows::declare(columns, run.layout.flows, extras));
    let cell = CellRow::new(recorder, &users, &flows, measured_s, run.upstream_mean_bytes);
    fill(cell_table, &[cell], |columns| cell::declare(columns, run.layout, run.upstream_mean_bytes.is_some()));
    if run.layout.flows.has_two_ways {
        let [of_flows, of_users] =
            [SentUp::of_flows(&flows, measured_s), SentUp::of_users(&flows, users.len(), measured_s)];
        fill(user_table, &of_users, |columns| up_columns(columns, true));
        fill(flow_table, &of_flows, |columns| up_columns(columns, true));
        fill(cell_table, &[of_users.as_slice()], |columns| up_columns_of_all(columns, true));
    }
    if run.layout.flows.has_datagrams {
        let [of_flows, of_users, all] = WithoutTcp::of(&flows, users.len());
        for (table, rows) in [(user_table, of_users), (flow_table, of_flows), (cell_table, all)] {
            fill(table, &rows, |columns| datagram_columns(columns, true));
        }
    }
    tables
}

fn user_rows<'a>(recorder: &'a Recorder, run: &RunEnd<'a>, measured_s: f64) -> Vec<UserRow<'a>> {
    let both = recorder.users.iter().zip(run.users).enumerate();
    both.map(|(number, (record, end))| {
        let counts = record.counts.minus(&record.before_warmup);
        UserRow { number: number as u64, end, record, counts, measured_s, run_end: run.end }
    })
    .collect()
}

fn flow_rows<'a>(recorder: &'a Recorder, run: &RunEnd<'a>, measured_s: f64) -> Vec<FlowRow<'a>> {
    let startups = recorder.asked.series.expiries().map(|expiries| expiries.startups(run.measured_from));
    let both = recorder.flows.iter().zip(run.flows).enumerate();
    both.map(|(number, (record, end))| FlowRow {
        number: number as u64,
        end,
        record,
        counts: record.counts.minus(&record.before_warmup),
        measured_s,
        shares: run.shares.map_or(Shares::default(), |shares| shares[number]),
        startup: startups.as_ref().map_or(Startup::default(), |startups| startups[number]),
    })
    .collect()
}

/// What is declared of every table: the summaries, then each series.
pub(crate) fn about_tables() -> Vec<AboutTable> {
    let layout = TableLayout::default();
    let summary = |name, what, columns| AboutTable { name, what, needs: "", has_few_rows: false, columns };
    let users = declared_columns(|columns| users::declare(columns, layout, users::Extras::default()));
    let flows = declared_columns(|columns| flows::declare(columns, layout.flows, flows::Extras::default()));
    let cell = declared_columns(|columns| cell::declare(columns, layout, false));
    let up = || declared_columns(|columns| up_columns(columns, true));
    let up_of_all = declared_columns(|columns| up_columns_of_all(columns, true));
    let datagrams = || declared_columns(|columns| datagram_columns(columns, true));
    let mut tables = vec![
        summary(
            "users",
            "a row for each user",
            [users, up(), datagrams(), declared_columns(|columns| download_columns(columns, true, true))].concat(),
        ),
        summary(
            "flows",
            "a row for each flow",
            [flows, up(), datagrams(), declared_columns(|columns| download_columns(columns, true, true))].concat(),
        ),
        summary("cell", "one row: totals over the cell", [cell, up_of_all, datagrams()].concat()),
    ];
    tables.extend(RecordKind::ALL.map(RecordKind::about));
    tables
}

/// Declares what is known of many spans of time.
fn span_columns<R>(table: &mut Summary<'_, R>, name: &str, what: &str, span: impl Fn(&R) -> &Distribution) {
    let named = |statistic: &str| format!("{name}_{statistic}");
    table.count(named("count"), format!("number of samples of the {what}"), |row| span(row).count());
    let mean = |row: &R| if span(row).count() == 0 { f64::NAN } else { span(row).mean_s() };
    table.real(named("mean_s"), format!("mean {what}"), mean);
    table.real(named("sd_s"), format!("standard deviation (n - 1) of the {what}"), |row| span(row).sd_s());
    table.real(named("min_s"), format!("smallest {what}"), |row| span(row).min_s());
    table.real(named("max_s"), format!("largest {what}"), |row| span(row).max_s());
    let quantiles = [
        (named("p50_s"), format!("median {what}")),
        (named("p90_s"), format!("90th percentile of the {what}")),
        (named("p95_s"), format!("95th percentile of the {what}")),
        (named("p99_s"), format!("99th percentile of the {what}")),
    ];
    table.reals(quantiles, |row| span(row).quantiles_s([0.5, 0.9, 0.95, 0.99]));
}

/// What a packet waits for the network.
const QUEUEING_DELAY: &str =
    "time from a packet's arrival at the base station to its delivery; at a bottleneck, until its last bit is sent";

/// What rates are of.
const GRANTED: &str = "nominal bits of the slots (or subchannels) won, whether or not there was data to fill them";
const SENT: &str = "bits put on air, retransmissions by the link included";
const DELIVERED: &str = "bits of packets that reached the user, TCP retransmissions and headers included";
const GOODPUT: &str =
    "payload that reached the user's application in order, each byte once; without TCP, whole packets";
