//! Held timeouts: which timeouts are held, which are not, and that no timer is held when no ACK can arrive.

use proptest::prelude::*;
use proptest::test_runner::Config;
use serde_json::{Value, json};

use super::bottleneck::impairments;
use super::case::{Case, Columns, DEAF_DB, GOOD_DB};
use super::random_case::any_case;

const TIMEOUT: i64 = 3;
const TIMEOUT_HELD: i64 = 10;

fn held(case: Case, which: &str) -> Case {
    case.experimental("hold_timeouts", which)
}

/// Timeouts, those that were spurious, and those that were held.
fn timeouts(columns: &Columns) -> [i64; 3] {
    ["timeouts", "spurious_timeouts", "timeouts_held"].map(|name| columns.wholes("flows", name)[0])
}

/// The link carries nothing from slot `first` on for `slots` slots; the base station knows it at once.
fn outage(first: usize, slots: usize) -> Case {
    let mut snr_db = vec![GOOD_DB; first + slots + 1000];
    snr_db[first..first + slots].fill(DEAF_DB);
    Case::traced_link(&snr_db).set("/link/report/period_slots", 1)
}

/// Any case whose users send no data: timeouts are held of servers alone.
fn any_download() -> impl Strategy<Value = Case> {
    let kinds = [r#""kind":"requests""#, r#""kind":"pages""#];
    any_case().prop_filter("data from users", move |case| !kinds.iter().any(|kind| case.text().contains(kind)))
}

fn greedy(case: Case) -> Case {
    case.set("/flows/0/traffic", json!({ "kind": "greedy" })).set("/duration_s", 4)
}

fn losing_acks(case: Case, numbers: &Value) -> Case {
    let changes = impairments(&json!({ "drop_numbers": numbers }));
    case.with("/flows/0/path", "uplink_impairments", changes)
}

#[test]
fn while_a_packet_waits_the_timer_is_armed_again_for_the_same_rto() {
    // The gap is from 0.1 to 2.1 s. ACKs at 90 and 95 ms release four packets, which arrive at 110 and 115 ms. The timer (1 s)
    // expires at 1095 and 2095 ms; the next ACK arrives at 2125.
    for which in ["spurious", "initial"] {
        let columns = held(greedy(outage(20, 400)), which).run();
        assert_eq!(timeouts(&columns), [0, 0, 2]);
        assert_eq!(columns.wholes("flows", "retransmissions"), [0]);
        let (events, times) = (columns.series("events", "event"), columns.milliseconds("events", "time_s"));
        assert_eq!((&events[1..], &times[1..]), (&[TIMEOUT_HELD; 2][..], &[1095.0, 2095.0][..]));
    }
}

#[test]
fn without_losses_a_held_timer_equals_a_timer_that_never_expires() {
    for (first, slots) in [(20, 400), (37, 900), (0, 250), (90, 230)] {
        let case = greedy(outage(first, slots)).set("/duration_s", 8);
        let patient = case.clone().set("/flows/0/tcp/rto/min_ms", 600_000).set("/flows/0/tcp/rto/max_ms", 600_000);
        let patient = patient.set("/flows/0/tcp/rto/initial_ms", 600_000).run();
        let waiting = held(case, "spurious").run();
        for column in ["sequence", "transmission"] {
            assert_eq!(waiting.series("packets", column), patient.series("packets", column));
        }
        assert_eq!(waiting.ended_ms(), patient.ended_ms());
        assert!(timeouts(&waiting)[2] > 0);
    }
}

#[test]
fn after_a_loss_the_timer_is_not_held() {
    // Two packets, a queue of one: the second is lost at 20 ms, see `spurious_timeout.rs`.
    let case = Case::fixed_link().all_at_once(2).set("/queue/limit_packets", 1).set("/duration_s", 2);
    let columns = held(case, "spurious").run();
    assert_eq!(timeouts(&columns), [1, 0, 0]);
    assert_eq!(columns.ended_ms(), [25.0, 20.0, 1070.0]);
}

#[test]
fn the_timer_of_a_delivered_segment_expires_when_its_ack_is_lost() {
    // The segment arrives at 25 ms, the timer expires at 1000; the retransmission arrives at 1025 and its ACK at 1045.
    let case = losing_acks(Case::fixed_link().all_at_once(1).set("/duration_s", 2), &json!([0]));
    let columns = held(case, "spurious").run();
    assert_eq!(timeouts(&columns), [1, 1, 0]);
    assert_eq!(columns.ended_ms(), [25.0, 1025.0]);
}

#[test]
fn the_timer_is_held_while_a_later_segment_will_be_acknowledged() {
    // The first arrives at 25 ms and its ACK is lost; the second waits until 1.5 s for the link, and its ACK covers both.
    let case = losing_acks(outage(5, 295).all_at_once(2).set("/duration_s", 2), &json!([0]));
    let columns = held(case, "spurious").run();
    assert_eq!(timeouts(&columns), [0, 0, 1]);
    assert_eq!(columns.ended_ms(), [25.0, 1505.0]);
}

#[test]
fn the_timer_is_held_while_the_receiver_delays_the_ack() {
    // A delayed ACK waits from 25 to 325 ms; the timer would expire at 300 ms.
    let case = Case::fixed_link().all_at_once(1).set("/flows/0/tcp/delayed_ack/every", 2);
    let case = case.set("/flows/0/tcp/delayed_ack/timer_ms", 300).set("/flows/0/tcp/rto/min_ms", 200);
    let case = case.set("/flows/0/tcp/rto/initial_ms", 300);
    let before = case.run();
    assert_eq!(before.wholes("flows", "timeouts"), [1]);
    assert_eq!(timeouts(&held(case, "spurious").run()), [0, 0, 1]);
}

#[test]
fn the_timer_of_a_waiting_syn_is_held_but_counts_to_no_slow_start() {
    let case = outage(0, 300).all_at_once(1).set("/flows/0/tcp/handshake", true).set("/duration_s", 3);
    assert_eq!(timeouts(&held(case.clone(), "spurious").run()), [0, 0, 1]);
    let columns = held(case, "initial").run();
    assert_eq!(timeouts(&columns), [1, 1, 0]);
    assert_eq!(columns.wholes("flows", "initial_timeouts"), [0]);
    assert_eq!(columns.series("timeouts", "sequence"), [-1]);
}

#[test]
fn after_the_first_loss_kind_initial_holds_no_further_timeout() {
    // Slot 4 fails, so the first packet is lost and sent again at 1 s; from 1.05 to 4.05 s the link carries nothing.
    let mut snr_db = vec![GOOD_DB; 1600];
    snr_db[4] = DEAF_DB;
    snr_db[210..810].fill(DEAF_DB);
    let case = greedy(Case::traced_link(&snr_db)).set("/link/report/period_slots", 1).set("/duration_s", 8);
    let case = case.set("/link/report/delay_slots", 1).set("/flows/0/path/downlink_delay_ms", 15);
    let [all, spurious, held_then] = timeouts(&held(case.clone(), "spurious").run());
    assert_eq!([all, spurious], [1, 0]);
    assert!(held_then > 0);
    let [all, spurious, held_then] = timeouts(&held(case, "initial").run());
    assert!(all > 1 && spurious > 0);
    assert_eq!(held_then, 0);
}

#[test]
fn tail_loss_probes_are_sent_and_only_the_timeout_after_them_is_held() {
    let mut case = held(greedy(outage(40, 400)), "spurious");
    for field in ["sack", "rules/rack", "rules/tail_loss_probe", "timestamps"] {
        case = case.set(&format!("/flows/0/tcp/{field}"), true);
    }
    let columns = case.set("/flows/0/tcp/rules/sack_blocks", 3).run();
    let [all, _, held_then] = timeouts(&columns);
    assert!(all == 0 && held_then > 0);
    assert!(columns.wholes("flows", "tail_loss_probes")[0] > 0);
}

#[test]
fn each_expiry_is_recorded_and_those_at_start_up_are_counted() {
    // The gap is from 0.1 to 3.3 s: the timer expires at 1.095 s and, backed off, at 3.095 s, both times for the same segment.
    let case = greedy(outage(20, 640)).set("/duration_s", 5);
    let columns = case.run();
    assert_eq!(columns.milliseconds("timeouts", "time_s"), [1095.0, 3095.0]);
    assert_eq!(columns.milliseconds("timeouts", "rto_s"), [1000.0, 2000.0]);
    let of = |name: &str| columns.series("timeouts", name);
    assert_eq!(of("sequence")[0], of("sequence")[1]);
    assert_eq!([of("initial"), of("repeated")], [[1, 0], [0, 1]]);
    assert_eq!([of("held"), of("spurious")], [[0, 0], [1, 1]]);
    let counted = |columns: &Columns| {
        ["initial_timeouts", "initial_timeouts_spurious", "initial_timeouts_repeated"]
            .map(|name| columns.wholes("flows", name)[0])
    };
    assert_eq!(counted(&columns), [1, 1, 1]);
    assert!((columns.reals("flows", "first_timeout_s")[0] - 1.095).abs() < 1e-9);
    // A timeout before the measured time is not counted.
    let late = case.clone().set("/warmup_s", 2).run();
    assert_eq!(counted(&late), [0, 0, 1]);
    assert!((late.reals("flows", "first_timeout_s")[0] - 3.095).abs() < 1e-9);
    let none = held(case, "initial").run();
    assert_eq!(counted(&none), [0, 0, 0]);
    assert!(none.reals("flows", "first_timeout_s")[0].is_nan());
    assert_eq!(none.series("timeouts", "held"), [1, 1, 1]);
    assert_eq!(none.series("timeouts", "spurious"), [-1, -1, -1]);
}

fn losses() -> impl Strategy<Value = Value> {
    let shares = || prop::sample::select(vec![0.0, 0.05, 0.3]);
    (shares(), shares(), shares(), prop::collection::vec(0..12_u64, 0..4)).prop_map(|(lost, twice, late, dropped)| {
        let loss = if lost > 0.0 { json!({ "kind": "random", "p": lost }) } else { json!({ "kind": "none" }) };
        impairments(&json!({
            "loss": loss, "duplicate_probability": twice, "reorder_probability": late, "reorder_extra_ms": 70.0,
            "drop_numbers": std::collections::BTreeSet::from_iter(dropped),
        }))
    })
}

/// A file of twelve segments over wires that lose, duplicate and reorder, in a cell or through a bottleneck.
fn lossy_case() -> impl Strategy<Value = Case> {
    let rules = (any::<[bool; 5]>(), 1..4_u64, 1..12_u64);
    (any::<bool>(), [losses(), losses(), losses()], rules, 0.0..0.4_f64).prop_map(
        |(has_cell, [down, up, behind], ([sack, rack, probe, timestamps, handshake], every, window), errors)| {
            let case = if has_cell {
                let case = Case::fixed_link().set("/link/errors/probability", errors);
                case.set("/queue/limit_packets", 3)
            } else {
                let case = Case::dumbbell().with("/bottleneck", "impairments", behind);
                case.set("/bottleneck/limit_packets", 3)
            };
            let case = case.set("/flows/0/traffic", json!({ "kind": "file", "bytes": 6432 }));
            let case = case.with("/flows/0/path", "downlink_impairments", down);
            let case = case.with("/flows/0/path", "uplink_impairments", up).set("/duration_s", 400);
            let case = case.set("/flows/0/tcp/mss_bytes", 536).set("/flows/0/tcp/rto/min_ms", 100);
            let case = case.set("/flows/0/tcp/rto/max_ms", 1000).set("/flows/0/tcp/initial_window_segments", window);
            let case = case.set("/flows/0/tcp/delayed_ack/every", every).set("/flows/0/tcp/handshake", handshake);
            let case = case.set("/flows/0/tcp/sack", sack).set("/flows/0/tcp/rules/rack", sack && rack);
            let case = case.set("/flows/0/tcp/rules/tail_loss_probe", sack && rack && probe);
            case.set("/flows/0/tcp/timestamps", timestamps).set("/flows/0/tcp/rules/sack_blocks", 3)
        },
    )
}

proptest! {
    #![proptest_config(Config { cases: 100, failure_persistence: None, ..Config::default() })]

    #[test]
    fn a_file_completes_with_held_timers_under_any_losses(case in lossy_case(), seed in 0..1000_u64) {
        for which in ["spurious", "initial"] {
            let columns = held(case.clone(), which).run_with(seed);
            prop_assert!(columns.reals("flows", "completion_s")[0].is_finite(), "{which}");
            let events = columns.series("events", "event");
            let count = |event| events.iter().filter(|&&other| other == event).count() as i64;
            let [all, _, held_then] = timeouts(&columns);
            prop_assert_eq!([count(TIMEOUT), count(TIMEOUT_HELD)], [all, held_then]);
        }
    }

    #[test]
    fn without_lost_acks_no_expired_timeout_is_spurious(case in any_download(), seed in 0..1000_u64) {
        let case = held(case, "spurious");
        let columns = case.run_with(seed);
        prop_assert_eq!(columns.cell("spurious_timeouts"), 0);
    }
}
