//! The table `flows`.

use airlink_model::types::{Direction, DropPlace, DropReason};

use super::{ECN, FlowEnd, FlowTraits, GOODPUT, Shares, Startup, Summary, span_columns};
use crate::record::counts::WireCounts;
use crate::record::limits::Cause;
use crate::record::{FlowCounts, FlowRecord};

/// The data for a flow's columns.
#[derive(Debug)]
pub(crate) struct FlowRow<'a> {
    pub(super) number: u64,
    pub(super) end: &'a FlowEnd,
    pub(super) record: &'a FlowRecord,
    /// Counts since the end of the warm-up.
    pub(super) counts: FlowCounts,
    pub(super) measured_s: f64,
    pub(super) shares: Shares,
    pub(super) startup: Startup,
}

/// Whether series that add columns are recorded.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extras {
    pub(super) limits: bool,
    pub(super) timeouts: bool,
}

pub(super) fn declare(flows: &mut Summary<'_, FlowRow<'_>>, traits: FlowTraits, extras: Extras) {
    own_columns(flows);
    tcp_columns(flows);
    let rtt = "exact time from sending to the ACK, where nothing that it covers was sent twice";
    span_columns(flows, "rtt", rtt, |flow| &flow.record.rtt);
    let newer = "some flow has SACK, limited transmit, a detection of spurious timeouts or a reader that stalls";
    flows.only(traits.has_newer_rules, newer, newer_rule_columns);
    flows.only(traits.has_held_timeouts, "`experimental.hold_timeouts` is set", |flows| {
        let held = "expiries of the retransmission timer that were held, see `experimental.hold_timeouts`; not among the timeouts";
        flows.count("timeouts_held", held, |flow| flow.counts.sender.timeouts_held);
    });
    flows.only(traits.has_ecn, ECN, mark_columns);
    flows.only(traits.has_impaired_paths, "some path has impairments", |flows| {
        wire_columns(flows, "downlink", "packets on the wire from the server", |counts| &counts.down);
        wire_columns(flows, "uplink", "packets from the user, ACKs or data, on their way", |counts| &counts.up);
    });
    flows.only(traits.has_upstream, "some flow passes `[upstream]` or a hop", |flows| {
        let refused = "packets that a queue before the network had no room for; they never reached the network";
        flows.count("upstream_queue_full", refused, |flow| flow.counts.down.lost_by(DropReason::QueueFull));
    });
    flows.only(traits.has_uplink_hops, "some flow has `uplink_hops`", |flows| {
        let refused = "packets from the user that a hop on their way had no room for";
        flows.count("uplink_queue_full", refused, |flow| flow.counts.up.lost_by(DropReason::QueueFull));
        let dropped = "packets from the user that a hop on their way chose to drop though there was room";
        flows.count("uplink_aqm", dropped, |flow| flow.counts.up.lost_by(DropReason::Aqm));
    });
    flows.only(traits.has_two_ways, "some flow has data from its user, too", upward_columns);
    flows.only(traits.has_managed_hops, "a hop chooses what it drops", |flows| {
        let dropped = "packets that a hop before the network chose to drop; they never reached the network";
        flows.count("upstream_aqm", dropped, |flow| flow.counts.down.lost_by(DropReason::Aqm));
    });
    flows.only(traits.has_arrivals, "files arrive at random", |flows| {
        let group = "number of the [[flows]] table that it is one of, from 0";
        flows.count("group", group, |flow| flow.end.group as u64);
        flows.real_or("file_bytes", "size of its file", "NaN without one", |flow| flow.end.file_bytes);
    });
    flows.only(extras.limits, "`limits` is recorded", limit_columns);
    flows.only(extras.limits && traits.has_uplink, "`limits` is recorded with an `[uplink]`", |flows| {
        limit_column(flows, Cause::Grant);
    });
    flows.only(extras.timeouts, "`timeouts` is recorded", startup_columns);
}

fn own_columns(flows: &mut Summary<'_, FlowRow<'_>>) {
    flows.count("flow", "number of the flow, from 0", |flow| flow.number);
    flows.count("user", "the user at its one end", |flow| flow.end.user as u64);
    flows.real("start_s", "when it started", |flow| flow.end.start_s);
    flows.real_or(
        "completion_s",
        "time from its start until its last byte arrived",
        "NaN when unfinished or endless",
        |flow| flow.end.completion_s,
    );
    flows.real("goodput_bps", format!("rate over the measured time: {GOODPUT}"), |flow| {
        flow.counts.goodput_bytes as f64 * 8.0 / flow.measured_s
    });
    flows.count("goodput_bytes", format!("{GOODPUT} (total, in bytes)"), |flow| flow.counts.goodput_bytes);
}

fn tcp_columns(flows: &mut Summary<'_, FlowRow<'_>>) {
    let sent = "segments sent; retransmissions, a SYN and probes of a closed window included";
    flows.count("segments_sent", sent, |flow| flow.counts.sender.segments_sent);
    flows.count("retransmissions", "segments retransmitted", |flow| flow.counts.sender.retransmissions);
    flows.count("timeouts", "expiries of the retransmission timer", |flow| flow.counts.sender.timeouts);
    let spurious = "of these, those after which an earlier copy of the retransmitted segment still arrived";
    flows.count("spurious_timeouts", spurious, |flow| flow.counts.spurious_timeouts);
    flows.count("fast_retransmits", "fast retransmits", |flow| flow.counts.sender.fast_retransmits);
    flows.count("duplicate_acks", "duplicate ACKs received", |flow| flow.counts.sender.duplicate_acks);
    flows.count("acks_received", "ACKs received", |flow| flow.counts.sender.acks_received);
}

/// Counts of rules beyond RFC 5681.
fn newer_rule_columns(flows: &mut Summary<'_, FlowRow<'_>>) {
    let sack = "of the retransmissions, those that were chosen by what SACK reported";
    flows.count("sack_retransmissions", sack, |flow| flow.counts.sender.sack_retransmissions);
    let limited = "new segments let out by the first duplicate ACKs";
    flows.count("limited_transmits", limited, |flow| flow.counts.sender.limited_transmits);
    let tails = "probes of a tail that went unanswered";
    flows.count("tail_loss_probes", tails, |flow| flow.counts.sender.tail_loss_probes);
    flows.count("window_probes", "probes of a closed window", |flow| flow.counts.sender.window_probes);
    let undone = "recoveries and timeouts that were found to be spurious and taken back";
    flows.count("recoveries_undone", undone, |flow| flow.counts.sender.undone);
}

/// Declares what became of congestion marks. Marks in flight at the start + set + duplicated = received + lost + in flight.
fn mark_columns(flows: &mut Summary<'_, FlowRow<'_>>) {
    let at_start = "packets with a congestion mark (CE) that were under way as measuring began";
    flows.count("ce_in_flight_at_start", at_start, |flow| flow.record.before_warmup.marks.in_flight());
    flows.count("ce_set", "packets on which a queue wrote a congestion mark", |flow| flow.counts.marks.set);
    let duplicated = "copies of marked packets that a wire behind a queue made";
    flows.count("ce_doubled", duplicated, |flow| flow.counts.marks.duplicated);
    flows.count("ce_received", "marked packets that reached the receiver", |flow| flow.counts.marks.received);
    flows.count("ce_lost", "marked packets that were lost", |flow| flow.counts.marks.lost);
    let in_flight = "marked packets that were under way as the run ended";
    flows.count("ce_in_flight", in_flight, |flow| flow.record.counts.marks.in_flight());
    let reductions = "reductions of the windows of its senders, at either end, that echoed marks asked for";
    flows.count("ecn_reductions", reductions, |flow| {
        // Where data goes up alone, the user's sender is the one of the flow's data.
        let of_user = if flow.end.data == Direction::Down { flow.counts.user_sender.ecn_reductions } else { 0 };
        flow.counts.sender.ecn_reductions + of_user
    });
}

/// Counts of the data from the user, at its sender and at the server.
fn upward_columns(flows: &mut Summary<'_, FlowRow<'_>>) {
    flows.count("goodput_up_bytes", "bytes of the user's data that reached the server in order, each once", |flow| {
        flow.counts.goodput_up_bytes
    });
    let sent = "segments that the user's sender sent; retransmissions, a SYN and probes of a closed window included";
    flows.count("segments_sent_up", sent, |flow| flow.counts.user_sender.segments_sent);
    flows.count("retransmissions_up", "of these, retransmissions", |flow| flow.counts.user_sender.retransmissions);
    let timeouts = "expiries of the retransmission timer of the user's sender";
    flows.count("timeouts_up", timeouts, |flow| flow.counts.user_sender.timeouts);
    let packets = "packets of all kinds that the user sent, pure ACKs included";
    flows.count("packets_sent_up", packets, |flow| flow.counts.up.sent);
}

/// Losses and duplicates of packets before the network, and of ACKs.
fn wire_columns(flows: &mut Summary<'_, FlowRow<'_>>, wire: &str, what: &str, of: fn(&FlowCounts) -> &WireCounts) {
    flows.count(format!("{wire}_doubled"), format!("{what} that were duplicated"), |flow| of(&flow.counts).duplicated);
    for reason in DropReason::ALL.into_iter().filter(|reason| reason.place() == DropPlace::Wire) {
        let lost = format!("{what} that were {}", reason.label());
        flows.count(format!("{wire}_{}", reason.name()), lost, |flow| of(&flow.counts).lost_by(reason));
    }
}

/// Declares the columns of time by cause.
fn limit_columns(flows: &mut Summary<'_, FlowRow<'_>>) {
    let active = "time from its start, or the warm-up's end, to its last byte, or the run's end; of a flow that was \
                  stopped, until everything sent was acknowledged";
    flows.real("active_s", active, |flow| flow.shares.whole.as_secs());
    for cause in Cause::ALL.into_iter().filter(|cause| *cause != Cause::Grant) {
        limit_column(flows, cause);
    }
}

fn limit_column(flows: &mut Summary<'_, FlowRow<'_>>, cause: Cause) {
    let meaning = format!("of this, time that it was held back by {}", cause.meaning());
    let name = format!("time_{}_s", cause.name());
    flows.real(name, meaning, |flow| flow.shares.by_cause[cause as usize].as_secs());
}

/// Declares the columns of each flow's timeouts in its initial slow start.
fn startup_columns(flows: &mut Summary<'_, FlowRow<'_>>) {
    flows.real_or(
        "first_timeout_s",
        "when the retransmission timer first expired",
        "NaN when it never did (held ones don't count)",
        |flow| flow.startup.first.map_or(f64::NAN, |at| at.as_secs()),
    );
    let initial = "of the timeouts, those in the initial slow start: cwnd below ssthresh, and ssthresh as it was at the \
                   start; not of a SYN";
    flows.count("initial_timeouts", initial, |flow| flow.startup.initial);
    let spurious = "of these, those that were spurious";
    flows.count("initial_timeouts_spurious", spurious, |flow| flow.startup.spurious);
    let repeated = "timeouts that followed one of these for the same segment, before anything new was acknowledged";
    flows.count("initial_timeouts_repeated", repeated, |flow| flow.startup.repeated);
}
