//! The table `users`.

use airlink_model::types::{DropReason, Time};

use super::{
    BOTTLENECK, CELL, DELIVERED, ECN, GOODPUT, GRANTED, QUEUEING_DELAY, SENT, Summary, TableLayout, UserEnd,
    span_columns,
};
use crate::record::about::SEVERAL_SUBCHANNELS;
use crate::record::{UserCounts, UserRecord};

/// What a user's columns are made of.
#[derive(Debug)]
pub(crate) struct UserRow<'a> {
    pub(super) number: u64,
    pub(super) end: &'a UserEnd,
    pub(super) record: &'a UserRecord,
    /// Since the warm-up.
    pub(super) counts: UserCounts,
    pub(super) measured_s: f64,
    pub(super) run_end: Time,
}

/// Columns that users have or lack together.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extras {
    has_shadowing: bool,
    has_outer_loop: bool,
}

impl UserRow<'_> {
    pub(super) fn extras(users: &[Self]) -> Extras {
        Extras {
            has_shadowing: users.iter().all(|user| user.end.shadowed_snr_db.is_some()),
            has_outer_loop: users.iter().all(|user| user.end.offset_db.is_some()),
        }
    }

    fn rate(&self, bytes: u64) -> f64 {
        bytes as f64 * 8.0 / self.measured_s
    }
}

pub(super) fn declare(users: &mut Summary<'_, UserRow<'_>>, layout: TableLayout, extras: Extras) {
    users.count("user", "number of the user, from 0", |user| user.number);
    users.only(layout.has_cell, CELL, |users| place_columns(users, extras.has_shadowing));
    rate_columns(users, layout);
    users.only(layout.has_cell, CELL, slot_columns);
    packet_columns(users, layout);
    users.only(layout.has_cell, CELL, |users| {
        let what = "time from a packet's arrival, or the leaving of the one before it if later, to its delivery";
        span_columns(users, "hol_delay", what, |user| &user.record.head_of_line);
    });
    queueing_columns(users);
    users.only(layout.has_cell, CELL, gap_columns);
    users.only(layout.has_subchannels, SEVERAL_SUBCHANNELS, subchannel_columns);
    let repeats = "`link.harq` has a kind or PDUs as its unit, or ARQ repeats slots";
    users.only(layout.repeats_frames, repeats, |users| {
        let repeated = "of the frames put on air, those that HARQ, or ARQ at once, retransmitted unchanged";
        users.count("frames_repeated", repeated, |user| user.counts.frames_repeated);
        let given_up = "of the frames lost, those that HARQ, or ARQ of slots, sent no more: left to ARQ, or dropped";
        users.count("frames_given_up", given_up, |user| user.counts.frames_given_up);
    });
    users.only(extras.has_outer_loop, "there is a `link.outer_loop`", outer_loop_columns);
}

fn place_columns(users: &mut Summary<'_, UserRow<'_>>, has_shadowing: bool) {
    users.real_or(
        "distance_m",
        "distance from the base station",
        "NaN when users are not placed by distance",
        |user| user.end.distance_m,
    );
    users.real_or(
        "mean_snr_db",
        "mean SNR of the user's channel, without shadowing and fading, dB",
        "NaN where it replays rates",
        |user| user.end.mean_snr_db,
    );
    users.only(has_shadowing, "there is shadowing", |users| {
        let meaning = "mean SNR of the user's channel with the mean of its shadowing over the measured slots";
        users.real("shadowed_snr_db", meaning, |user| user.end.shadowed_snr_db.unwrap_or(f64::NAN));
    });
}

fn rate_columns(users: &mut Summary<'_, UserRow<'_>>, layout: TableLayout) {
    let rate = |meaning: &str| format!("rate over the measured time: {meaning}");
    let total = |meaning: &str| format!("{meaning} (total, in bytes)");
    users.real("goodput_bps", rate(GOODPUT), |user| user.rate(user.end.goodput_bytes));
    users.only(layout.has_cell, CELL, |users| {
        users.real("granted_bps", rate(GRANTED), |user| user.counts.granted_bits / user.measured_s);
        users.real("sent_bps", rate(SENT), |user| user.rate(user.counts.sent_bytes));
    });
    users.real("delivered_bps", rate(DELIVERED), |user| user.rate(user.counts.passed.bytes_delivered));
    users.count("goodput_bytes", total(GOODPUT), |user| user.end.goodput_bytes);
    users.only(layout.has_cell, CELL, |users| {
        users.real("granted_bytes", total(GRANTED), |user| user.counts.granted_bits / 8.0);
        users.count("sent_bytes", total(SENT), |user| user.counts.sent_bytes);
    });
    users.count("delivered_bytes", total(DELIVERED), |user| user.counts.passed.bytes_delivered);
}

fn slot_columns(users: &mut Summary<'_, UserRow<'_>>) {
    users.count("slots_won", "slots in which the user was selected", |user| user.counts.slots_won);
    let wasted = "slots won in which nothing was sent: no data, no rate, or bits for less than a segment";
    users.count("slots_wasted", wasted, |user| user.counts.slots_wasted);
    let padded = "slots won in which something was sent that did not fill the grant";
    users.count("slots_padded", padded, |user| user.counts.slots_padded);
    let sent = "frames put on air; with HARQ or PDUs as its unit, code blocks";
    users.count("frames_sent", sent, |user| user.counts.frames_sent);
    users.count("frame_errors", "frames lost on air", |user| user.counts.frame_errors);
}

fn packet_columns(users: &mut Summary<'_, UserRow<'_>>, layout: TableLayout) {
    let at_start = "packets at the base station, or in the bottleneck and on its wire, as measuring began";
    users.count("packets_waiting_at_start", at_start, |user| user.record.before_warmup.passed.waiting().0);
    users.count("bytes_waiting_at_start", "their bytes", |user| user.record.before_warmup.passed.waiting().1);
    users.count("packets_in", "packets of the user that arrived at the queue", |user| user.counts.passed.packets_in);
    users.count("bytes_in", "bytes of the user that arrived at the queue", |user| user.counts.passed.bytes_in);
    users.only(!layout.has_cell, BOTTLENECK, |users| {
        let duplicated = "of these, packets that the wire behind the bottleneck duplicated";
        users.count("packets_doubled", duplicated, |user| user.counts.passed.packets_duplicated);
        users.count("bytes_doubled", "bytes of the copies", |user| user.counts.passed.bytes_duplicated);
    });
    users.count("packets_delivered", "packets that reached the user", |user| user.counts.passed.packets_delivered);
    users.only(layout.flows.has_ecn, ECN, |users| {
        let marked = "packets on which the queue wrote a congestion mark (CE)";
        users.count("packets_marked", marked, |user| user.counts.passed.packets_marked);
    });
    for reason in DropReason::ALL {
        let (name, meaning, index) = (reason.name(), reason.meaning(), reason as usize);
        let (is_there, which) = layout.drops(reason);
        users.only(is_there, which, |users| {
            let (packets, bytes) = (format!("packets {meaning}"), format!("bytes of packets {meaning}"));
            users.count(format!("drops_{name}"), packets, |user| user.counts.passed.packets_dropped[index]);
            users.count(format!("drops_{name}_bytes"), bytes, |user| user.counts.passed.bytes_dropped[index]);
        });
    }
    let waiting = "packets at the base station, or in the bottleneck and on its wire, as the run ended";
    users.count("packets_waiting", waiting, |user| user.record.counts.passed.waiting().0);
    users.count("bytes_waiting", "their bytes", |user| user.record.counts.passed.waiting().1);
}

fn queueing_columns(users: &mut Summary<'_, UserRow<'_>>) {
    span_columns(users, "queueing_delay", QUEUEING_DELAY, |user| &user.record.queueing);
    let added = "the mean of that time less the least of it: what queues and scheduling add";
    users.real("queueing_delay_over_least_s", added, |user| match user.record.queueing.count() {
        0 => f64::NAN,
        _ => user.record.queueing.mean_s() - user.record.queueing.min_s(),
    });
}

fn gap_columns(users: &mut Summary<'_, UserRow<'_>>) {
    let count = "number of gaps; a gap is the difference of the numbers of two successive slots won, so at least 1";
    users.count("gap_count", count, |user| user.record.gaps.count());
    users.real("gap_max_slots", "longest gap", |user| user.record.gaps.max());
    users.real("gap_mean_slots", "mean gap", |user| user.record.gaps.mean());
    users.real("gap_sd_slots", "standard deviation (n - 1) of the gap", |user| user.record.gaps.sd());
    users.real("gap_square_mean_slots2", "mean of the squared gap", |user| user.record.gaps.square_mean());
    for (name, factor) in [("gap_share_over_2x", 2.0), ("gap_share_over_4x", 4.0), ("gap_share_over_10x", 10.0)] {
        let meaning = format!("share of gaps longer than {factor} times the user's mean gap");
        users.real(name, meaning, |user| user.record.gaps.share_over(factor));
    }
}

/// Declares what only users of several subchannels have.
fn subchannel_columns(users: &mut Summary<'_, UserRow<'_>>) {
    let won = "subchannels that the user got, over all slots";
    users.count("subchannels_won", won, |user| user.counts.grants.subchannels_won);
    let padded = "bytes of grants that nothing was left to fill";
    users.real("padded_bytes", padded, |user| user.counts.grants.padded_bits / 8.0);
    let error = "mean over the subchannels won of |true - reported SNR|";
    users.real_or("report_error_mean_db", error, "NaN when none was won on a report", |user| {
        user.counts.grants.error_db / user.counts.grants.reported as f64
    });
    let backlogged = "time with at least one packet at the base station that had not left it";
    users.real("backlogged_s", backlogged, |user| user.record.occupied.until(user.run_end).as_secs());
}

/// Declares what only users of cells with an outer loop have.
fn outer_loop_columns(users: &mut Summary<'_, UserRow<'_>>) {
    let first = "of the frames lost, those lost when sent for the first time";
    users.count("first_frame_errors", first, |user| user.counts.outer_loop.first_errors);
    let mean = "mean over the slots won of what the outer loop added to reports";
    users.real_or("outer_loop_offset_mean_db", mean, "NaN without any", |user| {
        user.counts.outer_loop.offset_db / user.counts.slots_won as f64
    });
    let end = "what the outer loop added to reports in the last slot of the run";
    users.real("outer_loop_offset_end_db", end, |user| user.end.offset_db.unwrap_or(f64::NAN));
}
