//! Timeouts whose original was not lost, told apart from those that a loss caused.

use serde_json::json;

use super::case::{Case, Columns, DEAF_DB, GOOD_DB, QUEUE_FULL};

fn timeouts(columns: &Columns) -> (i64, i64) {
    (columns.wholes("flows", "timeouts")[0], columns.wholes("flows", "spurious_timeouts")[0])
}

/// The link carries nothing from slot `first` on for `slots` slots; the base station hears of it at once.
fn outage(first: usize, slots: usize) -> Case {
    let mut snr_db = vec![GOOD_DB; first + slots + 1000];
    snr_db[first..first + slots].fill(DEAF_DB);
    Case::traced_link(&snr_db).set("/link/report/period_slots", 1)
}

#[test]
fn a_gap_of_two_seconds_in_the_link_makes_one_timeout_and_it_is_spurious() {
    // The gap is from 0.1 to 2.1 s. The last ACK comes at 0.12 s, the timer (1 s) strikes at 1.12 s and would again 2 s
    // later, when the link has long been back.
    let case = outage(20, 400).set("/flows/0/traffic", json!({ "kind": "greedy" })).set("/duration_s", 4);
    let columns = case.run();
    assert_eq!(timeouts(&columns), (1, 1));
    assert_eq!(columns.cell("drops_queue_full") + columns.cell("drops_air_error"), 0);
}

#[test]
fn a_timeout_after_a_full_queue_is_not_spurious() {
    // Two packets, a queue of one: the second is lost at 20 ms. The ACK of the first starts the timer at 45 ms; it
    // strikes at 1045, and the repeated packet is delivered at 1070.
    let columns = Case::fixed_link().all_at_once(2).set("/queue/limit_packets", 1).set("/duration_s", 2).run();
    assert_eq!(timeouts(&columns), (1, 0));
    assert_eq!(columns.ended_ms(), [25.0, 20.0, 1070.0]);
}

#[test]
fn a_timeout_after_a_frame_error_is_not_spurious() {
    let columns = Case::failing_in(&[4]).all_at_once(1).set("/duration_s", 0.995).set("/flows/0/tcp/rto/min_ms", 200);
    let columns = columns.set("/flows/0/tcp/rto/initial_ms", 300).run();
    assert_eq!(timeouts(&columns), (1, 0));
    assert_eq!(columns.ended_ms(), [25.0, 325.0]);
}

#[test]
fn timeouts_are_spurious_while_the_original_waits_even_if_its_copies_are_refused() {
    // The link opens at 4 s. Both packets wait from 20 ms on and fill the queue; the timer strikes at 1 and 3 s, and
    // what it repeats is refused. The originals arrive: neither timeout was needed.
    let case = outage(0, 800).all_at_once(2).set("/queue/limit_packets", 2).set("/duration_s", 5);
    let columns = case.run();
    assert_eq!(columns.fates()[..4], [0, 0, QUEUE_FULL, QUEUE_FULL]);
    assert_eq!(columns.ended_ms()[..2], [4005.0, 4010.0]);
    assert_eq!(timeouts(&columns), (2, 2));
}

#[test]
fn of_two_timeouts_for_one_packet_the_one_whose_copy_was_only_late_is_spurious() {
    // The packet fails in slot 4. The timer strikes at 1 s; the copy waits from 1.02 s for the link, which carries
    // nothing until 3.5 s; the timer strikes again at 3 s, in vain.
    let mut snr_db = vec![GOOD_DB; 1000];
    snr_db[150..700].fill(DEAF_DB);
    snr_db[5] = DEAF_DB;
    let case = Case::traced_link(&snr_db).all_at_once(1).set("/link/report/period_slots", 1).set("/duration_s", 4.5);
    // A report one slot old: slot 5 is sent at full rate and fails.
    let case = case.set("/link/report/delay_slots", 1).set("/flows/0/path/downlink_delay_ms", 25);
    let columns = case.run();
    assert_eq!(columns.wholes("users", "drops_air_error"), [1]);
    assert_eq!(timeouts(&columns), (2, 1));
}

#[test]
fn a_timeout_that_strikes_before_the_measurement_counts_in_none_of_its_numbers() {
    // As in the first case: strikes at 1.12 s, is found spurious at 2.1 s.
    let case = outage(20, 400).set("/flows/0/traffic", json!({ "kind": "greedy" })).set("/duration_s", 4);
    assert_eq!(timeouts(&case.clone().set("/warmup_s", 1.5).run()), (0, 0));
    assert_eq!(timeouts(&case.set("/warmup_s", 0.5).run()), (1, 1));
}

#[test]
fn a_timeout_still_open_at_the_end_is_spurious_if_the_original_still_waits() {
    let case = outage(0, 800).all_at_once(2).set("/duration_s", 2.5);
    assert_eq!(timeouts(&case.run()), (1, 1));
}
