//! Files that arrive at random and web sessions, against the same files alone, sums by hand and queueing theory.

use airlink_sim::Columns as _;
use serde_json::{Value, json};

use super::case::{Case, Columns};
use super::random_case::scheduler;

fn poisson(arrivals_per_s: f64, size: &Value) -> Value {
    json!({ "kind": "poisson", "arrivals_per_s": arrivals_per_s, "size": size })
}

fn constant(bytes: u64) -> Value {
    json!({ "kind": "constant", "bytes": bytes })
}

fn sessions(bytes: u64, think_s: f64, think: &str) -> Value {
    json!({ "kind": "sessions", "size": constant(bytes), "think_s": think_s, "think": think })
}

/// The times of a series, s.
fn seconds(columns: &Columns, name: &str) -> Vec<f64> {
    columns.0.series["downloads"].reals(name).expect("a column of times")
}

fn completion_of_file(case: &Case, bytes: u64) -> f64 {
    case.clone().set("/flows/0/traffic", json!({ "kind": "file", "bytes": bytes })).run().reals("flows", "completion_s")
        [0]
}

#[test]
fn a_file_that_arrives_alone_takes_as_long_as_a_file_alone() {
    // One in 100 s; a file takes less than a second, and those are looked at that have the wire to themselves.
    for (handshake, bytes) in [(false, 1), (false, 200_000), (true, 200_000)] {
        let case = Case::dumbbell().set("/duration_s", 3000.0).set("/bottleneck/limit_packets", "inf");
        let case = case.set("/flows/0/tcp/handshake", handshake);
        let alone = completion_of_file(&case, bytes);
        let found = case.set("/flows/0/traffic", poisson(0.01, &constant(bytes))).run();
        let (starts, completions) = (found.reals("flows", "start_s"), found.reals("flows", "completion_s"));
        let is_alone = |file: &usize| {
            let others = starts.iter().filter(|other| (*other - starts[*file]).abs() < 1.0);
            others.count() == 1 && starts[*file] < 2999.0
        };
        let lonely: Vec<usize> = (0..starts.len()).filter(is_alone).collect();
        assert!(lonely.len() > 20 && alone < 1.0);
        assert!(lonely.iter().all(|&file| completions[file] == alone), "{alone} and {completions:?}");
        assert_eq!(found.reals("flows", "file_bytes"), vec![bytes as f64; starts.len()]);
        assert!(seconds(&found, "requested_s") == starts);
        let completed = seconds(&found, "completed_s");
        assert!(lonely.iter().all(|&file| (completed[file] - starts[file] - alone).abs() < 1e-9));
    }
}

#[test]
fn a_page_follows_when_the_one_before_is_there_and_thought_and_asked_for() {
    // The user thinks for 1.5 s, and a request takes the 20 ms of the uplink.
    let case = Case::dumbbell().set("/duration_s", 20.0).set("/flows/0/start_s", 0.25);
    let case = case.set("/bottleneck/limit_packets", "inf");
    let first = completion_of_file(&case, 100_000);
    let found = case.set("/flows/0/traffic", sessions(100_000, 1.5, "constant")).run();
    let (requested, completed) = (seconds(&found, "requested_s"), seconds(&found, "completed_s"));
    assert_eq!(requested[0], 0.25);
    assert!((completed[0] - 0.25 - first).abs() < 1e-9);
    let cycle = |(next, done): (&f64, &f64)| (next - done - 1.52).abs() < 1e-9;
    assert!(requested[1..].iter().zip(&completed).all(cycle));
    // The window that the first page has opened is there for the second.
    assert!(completed[1] - requested[1] < first - 0.02);
    assert_eq!(found.series("downloads", "number"), (0..requested.len() as i64).collect::<Vec<_>>());
    assert_eq!(found.wholes("flows", "downloads"), [requested.len() as i64]);
    let unfinished = completed.iter().filter(|time| time.is_nan()).count();
    assert_eq!(found.wholes("users", "downloads_unfinished"), [unfinished as i64]);
    let time = |(to, from): (&f64, &f64)| if to.is_nan() { 20.0 - from } else { to - from };
    let times: f64 = completed.iter().zip(&requested).map(time).sum();
    assert!((found.reals("flows", "download_mean_s")[0] - times / requested.len() as f64).abs() < 1e-9);
    assert!(found.reals("flows", "completion_s")[0].is_nan());
}

/// Columns that waiting for downloads may move; all others are those of the run without.
const WAITED_FOR: [&str; 2] = ["download", "completion_s"];

#[test]
fn waiting_for_downloads_moves_nothing_but_them_and_goes_on_under_load() {
    let cell = mixed().and_flows(&files()).and_flows(&pages()).set("/warmup_s", 2.0).set("/duration_s", 6.0);
    let wire = Case::dumbbell().set("/duration_s", 6.0).set("/users", 2).set("/warmup_s", 1.0).and_flows(&files());
    for case in [cell, wire.and_flows(&[("/traffic", sessions(300_000, 0.2, "exponential"))])] {
        let (without, with) = (case.run(), case.clone().set("/drain_s", 60.0).run());
        for (name, table) in &without.0.tables {
            for (column, values) in table.columns() {
                let waited = WAITED_FOR.iter().any(|start| column.starts_with(start));
                assert!(
                    waited || format!("{values:?}") == format!("{:?}", with.0.tables[name].get(column).unwrap()),
                    "{column}"
                );
            }
        }
        for (kind, series) in without.0.series.iter().filter(|(kind, _)| *kind != "downloads") {
            for (index, column) in series.names().into_iter().enumerate() {
                let other = with.0.series[kind].column(index);
                assert!(format!("{:?}", series.column(index)) == format!("{other:?}"), "{kind}.{column}");
            }
        }
        assert_eq!(seconds(&without, "requested_s"), seconds(&with, "requested_s"));
        let open: i64 = without.wholes("users", "downloads_unfinished").iter().sum();
        assert!(open > 0 && with.wholes("users", "downloads_unfinished").iter().all(|&open| open == 0));
        // What had ended by then ended no earlier and no later, and under load: as in the run that is longer.
        let longer = case.set("/duration_s", 66.0).run();
        let (ended, others) = (seconds(&with, "completed_s"), seconds(&longer, "completed_s"));
        let requests = seconds(&longer, "requested_s");
        let same = seconds(&with, "requested_s").iter().zip(&ended).all(|(from, to)| {
            requests.iter().zip(&others).any(|(other_from, other_to)| from == other_from && to == other_to)
        });
        assert!(same && ended.iter().any(|end| *end > 6.0));
    }
}

#[test]
fn an_unfinished_download_is_as_old_as_the_run() {
    let case = Case::dumbbell().set("/duration_s", 2.0).set("/flows/0/start_s", 0.5);
    let case = case.set("/flows/0/traffic", json!({ "kind": "file", "bytes": 1_000_000_000 }));
    for (drain_s, age_s) in [(0.0, 1.5), (1.5, 3.0)] {
        let found = case.clone().set("/drain_s", drain_s).run();
        assert_eq!(found.wholes("users", "downloads_unfinished"), [1]);
        assert_eq!(found.reals("users", "download_p50_s"), [f64::INFINITY]);
        assert_eq!(found.reals("users", "download_longest_age_s"), [age_s]);
        assert_eq!(found.reals("cell", "measured_s"), [2.0]);
    }
}

#[test]
fn a_download_pending_at_the_warm_ups_end_is_counted_as_pending() {
    // 100 MB take 80 s at least, 2.5 MB 2 s; nothing else is requested.
    let case = Case::dumbbell().set("/duration_s", 5.0).set("/flows/0/start_s", 0.5);
    let file = |bytes: u64| json!({ "kind": "file", "bytes": bytes });
    let endless = case.clone().set("/flows/0/traffic", file(100_000_000));
    for (warmup_s, drain_s, age_s) in [(1.0, 0.0, 4.5), (1.0, 2.0, 6.5), (0.25, 0.0, 4.5)] {
        let found = endless.clone().set("/warmup_s", warmup_s).set("/drain_s", drain_s).run();
        let is_measured = i64::from(warmup_s < 0.5);
        assert_eq!(found.wholes("users", "downloads"), [is_measured]);
        for name in ["downloads_pending_at_start", "downloads_pending_unfinished"] {
            assert_eq!(found.wholes("users", name), [1 - is_measured], "{name}");
        }
        for name in ["download_p50_s", "download_p95_s"] {
            assert_eq!(found.reals("users", name), [f64::INFINITY], "{name}");
        }
        let ages = ["download_mean_s", "download_longest_age_s"].map(|name| found.reals("users", name)[0]);
        assert_eq!(ages, [age_s; 2]);
        let pending_s = found.reals("flows", "download_pending_longest_age_s")[0];
        assert!(if is_measured == 1 { pending_s.is_nan() } else { pending_s == age_s });
    }
    // What is pending is waited for as well.
    let longer = case.clone().set("/flows/0/traffic", file(6_000_000)).set("/warmup_s", 1.0);
    for (drain_s, open) in [(0.0, 1), (60.0, 0)] {
        let found = longer.clone().set("/drain_s", drain_s).run();
        assert_eq!(found.wholes("users", "downloads_pending_unfinished"), [open]);
    }
    let found = case.set("/flows/0/traffic", file(2_500_000)).set("/warmup_s", 1.0).run();
    let took_s = found.reals("flows", "completion_s");
    assert!(took_s[0] > 2.0);
    assert_eq!(found.reals("users", "download_p50_s"), took_s);
    assert_eq!(found.wholes("users", "downloads_pending_at_start"), [1]);
    assert_eq!(found.wholes("users", "downloads_pending_unfinished"), [0]);
    assert!(found.reals("users", "download_pending_longest_age_s")[0].is_nan());
}

#[test]
fn earlier_requests_change_no_times_of_users_with_later_requests() {
    let files = poisson(2.0, &constant(2_000_000));
    let case = Case::dumbbell().set("/duration_s", 30.0).set("/flows/0/traffic", files).set("/users", 3);
    let found = case.set("/warmup_s", 10.0).run();
    let [requested, completed] = ["requested_s", "completed_s"].map(|name| seconds(&found, name));
    let users = found.series("downloads", "user");
    for user in 0..3 {
        let own = |place: &usize| users[*place] == user as i64;
        let before = (0..users.len()).filter(own).filter(|&place| requested[place] <= 10.0);
        let pending: Vec<usize> =
            before.filter(|&place| completed[place].is_nan() || completed[place] > 10.0).collect();
        let open = pending.iter().filter(|place| completed[**place].is_nan()).count();
        assert_eq!(found.wholes("users", "downloads_pending_at_start")[user], pending.len() as i64);
        assert_eq!(found.wholes("users", "downloads_pending_unfinished")[user], open as i64);
        let measured = (0..users.len()).filter(own).filter(|&place| requested[place] > 10.0);
        let times: Vec<f64> = measured
            .map(|place| if completed[place].is_nan() { 30.0 } else { completed[place] } - requested[place])
            .collect();
        assert!(!times.is_empty() && !pending.is_empty());
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        assert!((found.reals("users", "download_mean_s")[user] - mean).abs() < 1e-9);
    }
}

#[test]
fn a_download_alone_is_slowed_down_by_nothing() {
    let file = json!({ "kind": "file", "bytes": 100_000 });
    let one = Case::k3().set("/users", 1).set("/duration_s", 200.0).set("/flows/0/start_spread_s", 0.0);
    let wire = Case::dumbbell().set("/duration_s", 200.0);
    for case in [one, wire] {
        for traffic in [file.clone(), sessions(100_000, 1.0, "exponential"), poisson(0.02, &constant(100_000))] {
            let found = case.clone().set("/flows/0/traffic", traffic.clone()).run_with(3);
            let ended = found.wholes("users", "downloads")[0] - found.wholes("users", "downloads_unfinished")[0];
            let slowdown = found.reals("users", "download_slowdown_p50")[0];
            assert!(ended > 0 && (slowdown - 1.0).abs() < 1e-9, "{traffic}: {ended} ended, slowed down by {slowdown}");
        }
    }
}

#[test]
fn slowdown_is_the_time_over_that_of_a_run_of_the_user_alone() {
    let file = json!({ "kind": "file", "bytes": 5_000_000 });
    let wire = Case::dumbbell().set("/duration_s", 60.0).set("/bottleneck/limit_packets", "inf");
    let wire = wire.set("/flows/0/traffic", file);
    let alone_s = wire.run().reals("flows", "completion_s")[0];
    let found = wire.set("/users", 4).run();
    let (times_s, slowdowns) = (found.reals("flows", "completion_s"), found.reals("users", "download_slowdown_p50"));
    for (time_s, slowdown) in times_s.iter().zip(&slowdowns) {
        assert!(*slowdown > 1.0 && (slowdown - time_s / alone_s).abs() < 1e-9, "{slowdowns:?}");
    }
    // In a cell its own channel is what counts: that of a run in which nobody else has anything to get.
    let cell = Case::k3().set("/users", 3).set("/duration_s", 200.0).set("/flows/0/start_spread_s", 0.0);
    let one =
        cell.clone().set("/flows/0/users", json!([1])).set("/scheduler", scheduler("round_robin", false, "random"));
    let (all, one) = (cell.run(), one.run());
    let expected = all.reals("flows", "completion_s")[1] / one.reals("flows", "completion_s")[0];
    let slowdown = all.reals("users", "download_slowdown_p50")[1];
    assert!(expected > 1.5 && (slowdown - expected).abs() < 1e-9, "{slowdown} and {expected}");
}

#[test]
fn a_window_that_does_not_outlast_a_pause_makes_every_page_a_first_one() {
    let case = Case::dumbbell().set("/duration_s", 60.0).set("/flows/0/tcp/restart_after_idle", "initial_window");
    let found = case.set("/flows/0/traffic", sessions(30_000, 5.0, "constant")).run();
    let (requested, completed) = (seconds(&found, "requested_s"), seconds(&found, "completed_s"));
    let times: Vec<f64> = completed.iter().zip(&requested).map(|(to, from)| to - from).collect();
    assert!(times.len() > 10 && times.iter().all(|time| (time - times[0]).abs() < 1e-9), "{times:?}");
}

#[test]
fn thinking_is_the_applications_time_and_a_page_that_comes_is_not() {
    let found =
        Case::dumbbell().set("/duration_s", 10.0).set("/flows/0/traffic", sessions(50_000, 1.0, "constant")).run();
    let (requested, completed) = (seconds(&found, "requested_s"), seconds(&found, "completed_s"));
    let pauses: f64 = requested[1..].iter().zip(&completed).map(|(next, done)| next - done).sum();
    let last = completed[completed.len() - 1];
    let rest = if last.is_nan() { 0.0 } else { 10.0 - last };
    // However long a pause is, it takes nothing of the page before it.
    let application = found.reals("flows", "time_application_s")[0];
    assert!((application - pauses - rest).abs() < 1e-9, "{application} of {pauses} + {rest}");
    assert_eq!(found.reals("flows", "active_s"), [10.0]);
}

#[test]
fn nothing_arrives_from_the_stop_on_and_what_has_arrived_is_sent_to_its_end() {
    let case = Case::dumbbell().set("/duration_s", 60.0).set("/flows/0/start_s", 5.0).set("/flows/0/stop_s", 20.0);
    let found = case.clone().set("/flows/0/traffic", poisson(2.0, &constant(1_000_000))).run();
    let starts = found.reals("flows", "start_s");
    assert!(starts.len() > 10 && starts.iter().all(|start| (5.0..20.0).contains(start)));
    let completions = found.reals("flows", "completion_s");
    assert!(completions.iter().all(|completion| completion.is_finite()));
    assert!(starts.iter().zip(&completions).any(|(start, completion)| start + completion > 20.0));
    let found = case.set("/flows/0/traffic", sessions(10_000, 2.0, "exponential")).run();
    let requested = seconds(&found, "requested_s");
    assert!(requested.len() > 2 && requested.iter().all(|time| (5.0..20.0).contains(time)));
}

/// Three users with a greedy flow each, a group of files, and a session of the last user.
fn mixed() -> Case {
    let case =
        Case::k3().set("/users", 3).set("/duration_s", 20.0).set("/flows/0/traffic", json!({ "kind": "greedy" }));
    case.set("/channel/placement", json!({ "kind": "mean_snr", "mean_snr_db": 10 }))
}

fn files() -> [(&'static str, Value); 2] {
    let size = json!({ "kind": "lognormal", "median_bytes": 20_000, "sigma": 1 });
    [("/traffic", poisson(0.5, &size)), ("/start_spread_s", json!(0.0))]
}

fn pages() -> [(&'static str, Value); 2] {
    [("/traffic", sessions(20_000, 1.0, "exponential")), ("/users", json!([2]))]
}

#[test]
fn ordinary_flows_keep_numbers_and_draws_whatever_arrives() {
    let without = mixed().and_flows(&pages()).run();
    let with = mixed().and_flows(&files()).and_flows(&pages()).run();
    let ordinary = without.wholes("flows", "flow").len();
    assert_eq!(without.reals("flows", "start_s"), with.reals("flows", "start_s")[..ordinary]);
    assert_eq!(without.wholes("flows", "user"), with.wholes("flows", "user")[..ordinary]);
    assert_eq!(with.wholes("flows", "group")[..ordinary], [0, 0, 0, 2]);
    assert!(with.wholes("flows", "group")[ordinary..].iter().all(|group| *group == 1));
    let arrivals = &with.reals("flows", "start_s")[ordinary..];
    assert!(arrivals.len() > 10 && arrivals.is_sorted());
    // Pages are as large, though they come at other times.
    let page_bytes = |columns: &Columns| -> Vec<i64> {
        let rows = columns.series("downloads", "flow").into_iter().zip(columns.series("downloads", "bytes"));
        rows.filter(|(flow, _)| *flow == 3).map(|(_, bytes)| bytes).take(3).collect()
    };
    assert_eq!(page_bytes(&without), page_bytes(&with));
}

#[test]
fn the_same_files_arrive_under_another_scheduler_and_closer_together_at_a_higher_rate() {
    let case = mixed().and_flows(&files());
    let of = |case: &Case| {
        let columns = case.run();
        (columns.reals("flows", "start_s").split_off(3), columns.reals("flows", "file_bytes").split_off(3))
    };
    let (starts, sizes) = of(&case);
    let other = case.clone().set("/scheduler", scheduler("round_robin", false, "random"));
    assert_eq!((starts.clone(), sizes.clone()), of(&other));
    let shorter = of(&case.clone().set("/duration_s", 10.0));
    assert_eq!(shorter.0, starts[..shorter.0.len()]);
    assert_eq!(shorter.1, sizes[..shorter.1.len()]);
    let (faster, mut more) = of(&case.clone().set("/flows/1/traffic/arrivals_per_s", 1.0));
    let closer = |start: &f64| faster.iter().any(|at| (2.0 * at - start).abs() < 1e-8);
    assert!(starts.iter().filter(|start| **start < 19.0).all(closer));
    more.retain(|size| sizes.contains(size));
    assert!(more.len() >= sizes.len() - 1);
    let (times, others) = of(&case.set("/flows/1/traffic/size", constant(10)));
    assert_eq!(times, starts);
    assert!(others.iter().all(|size| *size == 10.0));
}

#[test]
fn a_run_in_which_no_file_arrives_has_no_flow() {
    for case in [Case::dumbbell(), Case::fixed_link()] {
        let found = case.set("/flows/0/traffic", poisson(1e-9, &constant(1000))).run();
        assert!(found.wholes("flows", "flow").is_empty() && found.series("downloads", "flow").is_empty());
        assert_eq!(found.cell("segments_sent"), 0);
        assert_eq!(found.wholes("users", "packets_in"), [0]);
    }
}

#[test]
fn columns_are_those_of_the_scenario_and_not_of_what_arrived() {
    let case = Case::dumbbell().set("/flows/0/tcp/sack", true).set("/duration_s", 20.0);
    let names = |arrivals_per_s: f64| -> Vec<String> {
        let found = case.clone().set("/flows/0/traffic", poisson(arrivals_per_s, &constant(1000))).run();
        found.0.tables["flows"].columns().iter().map(|(name, _)| name.clone()).collect()
    };
    assert_eq!(names(1e-9), names(1.0));
    assert!(names(1.0).contains(&"sack_retransmissions".to_owned()));
}

#[test]
fn files_of_one_packet_wait_as_in_an_m_d_1_queue() {
    // 1500 bytes take 1.2 ms at 10 Mb/s; 500 a second are a load of 0.6. The queue holds all.
    let (service_s, rate, load) = (0.0012, 500.0, 0.6);
    let case = Case::dumbbell().set("/duration_s", 40.0).set("/bottleneck/limit_packets", "inf");
    let case = case.set("/flows/0/traffic", poisson(rate, &constant(1460)));
    let wait_of = |seed: u64| {
        let found = case.run_with(seed);
        let completions = found.reals("flows", "completion_s");
        let done: Vec<f64> = completions.into_iter().filter(|time| time.is_finite()).collect();
        // 20 ms on the wires in all beside waiting and service.
        done.iter().sum::<f64>() / done.len() as f64 - 0.020 - service_s
    };
    let waits: Vec<f64> = (0..12).map(wait_of).collect();
    let mean = waits.iter().sum::<f64>() / 12.0;
    let sd = (waits.iter().map(|wait| (wait - mean) * (wait - mean)).sum::<f64>() / 11.0).sqrt();
    // Pollaczek and Khinchine; runs that begin empty lack a part in 10^4 of it. Student's t of 11 at 1 in 1000: 4.44.
    let expected = load * service_s / (2.0 * (1.0 - load));
    assert!((mean - expected).abs() < 4.44 * sd / 12.0_f64.sqrt(), "{mean} for {expected}, sd {sd}");
    assert!(sd < 0.1 * expected);
}
