//! The warm-up is forgotten, exactly: what is counted from it on is the difference of two runs without one.

use super::case::{Case, Columns};

const USER_COUNTS: [&str; 14] = [
    "goodput_bytes",
    "sent_bytes",
    "delivered_bytes",
    "slots_won",
    "slots_wasted",
    "slots_padded",
    "frames_sent",
    "frame_errors",
    "packets_in",
    "bytes_in",
    "packets_delivered",
    "drops_air_error",
    "drops_queue_full",
    "queueing_delay_count",
];
const FLOW_COUNTS: [&str; 8] = [
    "goodput_bytes",
    "segments_sent",
    "retransmissions",
    "timeouts",
    "fast_retransmits",
    "duplicate_acks",
    "acks_received",
    "rtt_count",
];

fn counts(columns: &Columns) -> Vec<i64> {
    let users = USER_COUNTS.iter().flat_map(|name| columns.wholes("users", name));
    let flows = FLOW_COUNTS.iter().flat_map(|name| columns.wholes("flows", name));
    let cell = ["slots", "slots_idle"].iter().flat_map(|name| columns.wholes("cell", name));
    users.chain(flows).chain(cell).collect()
}

/// Checks that measuring from `warmup_s` to `duration_s` counts what the longer run counts beyond the shorter.
fn subtracts(case: &Case, warmup_s: f64, duration_s: f64) {
    let measured = case.clone().set("/warmup_s", warmup_s).set("/duration_s", duration_s).run();
    let all = counts(&case.clone().set("/duration_s", duration_s).run());
    let before = counts(&case.clone().set("/duration_s", warmup_s).run());
    let difference: Vec<i64> = all.iter().zip(&before).map(|(all, before)| all - before).collect();
    assert_eq!(counts(&measured), difference);
    let waiting = case.clone().set("/duration_s", warmup_s).run().wholes("users", "packets_waiting");
    assert_eq!(measured.wholes("users", "packets_waiting_at_start"), waiting);
    assert!((measured.reals("cell", "measured_s")[0] - (duration_s - warmup_s)).abs() < 1e-12);
}

#[test]
fn counts_after_the_warm_up_are_the_difference_of_two_runs() {
    subtracts(&Case::k3().set("/queue/limit_packets", 8), 3.0, 6.0);
    subtracts(&Case::fixed_link(), 0.13, 1.0);
    subtracts(&Case::fixed_link().backlogged(2, 576), 0.5, 1.0);
}

#[test]
fn in_a_full_cell_exactly_the_measured_slots_worth_is_delivered() {
    let columns = Case::fixed_link().backlogged(1, 576).set("/warmup_s", 0.25).run();
    assert_eq!(columns.cell("slots"), 150);
    assert_eq!(columns.wholes("users", "delivered_bytes"), [150 * 576]);
    assert_eq!(columns.reals("cell", "delivered_bps"), columns.reals("cell", "granted_bps"));
}

#[test]
fn a_warm_up_that_ends_within_a_slot_is_rounded_up_to_the_next() {
    let columns = Case::fixed_link().backlogged(1, 576).set("/warmup_s", 0.248).run();
    assert_eq!(columns.cell("slots"), 150);
    assert!((columns.reals("cell", "measured_s")[0] - 0.75).abs() < 1e-12);
}

#[test]
fn a_warm_up_may_leave_a_single_slot() {
    // Slots of 300 ms end at 0.9 s; the next would end after the run.
    let case = Case::fixed_link().backlogged(1, 576).set("/slot/duration_ms", 300);
    let columns = case.set("/warmup_s", 0.6).run();
    assert_eq!(columns.cell("slots"), 1);
    assert!((columns.reals("cell", "measured_s")[0] - 0.4).abs() < 1e-12);
}
