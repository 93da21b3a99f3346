//! A scenario that Python dumped, single fields changed, run with everything recorded, and its columns as vectors.

use airlink_model::types::Time;
use airlink_sim::{Components, RecordKind, Replica, Scenario, Simulation, Trace, run};
use serde_json::{Value, json};

use super::declared::completed;

/// A scenario to run, still as JSON, with the arrays of its traces.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    json: Value,
    traces: Vec<Trace>,
}

/// Schedulers that no base station could run.
const CONTROLS: [&str; 2] = ["ideal_tcp_pf", "unapproximated_tcp_pf"];

/// SNRs of a trace: the two that a table with thresholds 0 and 5 dB tells apart, and one that carries nothing.
pub(crate) const GOOD_DB: f64 = 10.0;
pub(crate) const FAIR_DB: f64 = 2.0;
pub(crate) const DEAF_DB: f64 = -50.0;

impl Case {
    /// One file of ten 536-byte segments; 576 bytes on air fill a slot of 5 ms; 20 ms each way.
    pub(crate) fn fixed_link() -> Self {
        Self::read(include_str!("../../../../tests/fixtures/fixed-link.json"), Vec::new())
    }

    /// The same along a trace with a value for each slot. The base station hears of slot 0 only, and a frame is
    /// lost where the trace is below what its rate needs: so the trace says exactly which slots fail.
    pub(crate) fn traced_link(snr_db: &[f64]) -> Self {
        let times_s = (0..snr_db.len()).map(|slot| slot as f64 * 0.005).collect();
        let trace = Trace { times_s, values: snr_db.to_vec() };
        Self::read(include_str!("../../../../tests/fixtures/traced-link.json"), vec![trace])
    }

    /// The traced link over 200 slots, in which these fail.
    pub(crate) fn failing_in(slots: &[usize]) -> Self {
        let mut snr_db = [GOOD_DB; 200];
        slots.iter().for_each(|&slot| snr_db[slot] = DEAF_DB);
        Self::traced_link(&snr_db)
    }

    /// [Klein04]'s cell: 21 users, fading, noisy reports, frame errors.
    pub(crate) fn k3() -> Self {
        Self::read(include_str!("../../../../tests/fixtures/k3.json"), Vec::new())
    }

    /// A wired bottleneck: a greedy flow, 10 Mb/s, 20 ms each way, 20 packets of 1500 bytes.
    pub(crate) fn dumbbell() -> Self {
        Self::read(include_str!("../../../../tests/fixtures/dumbbell.json"), Vec::new())
    }

    /// Adds a field that the scenario leaves out, at a JSON pointer to its table.
    pub(crate) fn with(mut self, table: &str, name: &str, value: Value) -> Self {
        self.json.pointer_mut(table).expect("the scenario has this table")[name] = value;
        self
    }

    fn read(text: &str, traces: Vec<Trace>) -> Self {
        Self { json: serde_json::from_str(text).expect("a fixture is JSON"), traces }
    }

    /// Changes the field at a JSON pointer; it must exist. A table may leave fields out: they are as declared.
    pub(crate) fn set(mut self, pointer: &str, value: impl Into<Value>) -> Self {
        let field = self.json.pointer_mut(pointer).unwrap_or_else(|| panic!("the scenario has no {pointer}"));
        *field = value.into();
        self
    }

    /// Puts a scheduler in place, an experimental one as well: what holds for every scheduler stays in `scheduler`.
    pub(crate) fn scheduled(mut self, mut scheduler: Value) -> Self {
        if scheduler["kind"].as_str().is_some_and(|kind| CONTROLS.contains(&kind)) {
            let fields = scheduler.as_object_mut().expect("a table");
            let names = ["serve_empty_queues", "ties", "release_satisfied_users"];
            let shared = names.map(|name| (name.to_owned(), fields.remove(name).expect("every scheduler has it")));
            self = self.experimental("scheduler", scheduler);
            scheduler = Value::Object(shared.into_iter().chain([("kind".to_owned(), "max_rate".into())]).collect());
        }
        self.set("/scheduler", scheduler)
    }

    /// Sets a control that no network could run.
    pub(crate) fn experimental(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.json["experimental"][name] = value.into();
        self
    }

    /// Adds a group of flows: the first one with these fields changed.
    pub(crate) fn and_flows(mut self, changes: &[(&str, Value)]) -> Self {
        let mut group = self.json["flows"][0].clone();
        for (pointer, value) in changes {
            *group.pointer_mut(pointer).expect("flows have this field") = value.clone();
        }
        self.json["flows"].as_array_mut().expect("flows are a list").push(group);
        self
    }

    /// Users who always have packets of this size to get, on `users` equal links.
    pub(crate) fn backlogged(self, users: usize, packet_bytes: u64) -> Self {
        let traffic = json!({ "kind": "backlogged", "packet_bytes": packet_bytes });
        self.set("/users", users).set("/flows/0/traffic", traffic)
    }

    /// An initial window that lets the whole file go at once.
    pub(crate) fn all_at_once(self, segments: u64) -> Self {
        self.set("/flows/0/traffic/bytes", 536 * segments).set("/flows/0/tcp/initial_window_segments", segments)
    }

    /// The scenario as JSON, with the declared defaults.
    pub(crate) fn text(&self) -> String {
        completed(self.json.clone()).to_string()
    }

    pub(crate) fn scenario(&self) -> Scenario {
        let scenario = completed(self.json.clone());
        let scenario = Scenario::from_json(&scenario.to_string()).expect("the changed scenario is valid");
        scenario.check_traces(&self.traces).expect("the traces are valid");
        scenario
    }

    pub(crate) fn traces(&self) -> &[Trace] {
        &self.traces
    }

    /// Runs it with seed 1 and every series.
    pub(crate) fn run(&self) -> Columns {
        self.run_with(1)
    }

    /// Runs it with seed 1, every series and parts of one's own.
    pub(crate) fn run_of(&self, components: &Components) -> Columns {
        let (scenario, record) = (self.scenario(), RecordKind::ALL);
        let mut simulation = Simulation::with_components(&scenario, &self.traces, 1, &record, components);
        simulation.advance_until(Time::NEVER);
        Columns(simulation.into_replica(1))
    }

    pub(crate) fn run_with(&self, seed: u64) -> Columns {
        Columns(run(&self.scenario(), &self.traces, seed, &RecordKind::ALL))
    }
}

/// The columns of a replica.
pub(crate) struct Columns(pub(crate) Replica);

impl Columns {
    /// A column of whole numbers of `users`, `flows` or `cell`.
    pub(crate) fn wholes(&self, table: &str, name: &str) -> Vec<i64> {
        self.0.tables[table].wholes(name).unwrap_or_else(|| panic!("{table} has no whole {name}")).to_vec()
    }

    /// A column of real numbers of `users`, `flows` or `cell`.
    pub(crate) fn reals(&self, table: &str, name: &str) -> Vec<f64> {
        self.0.tables[table].reals(name).unwrap_or_else(|| panic!("{table} has no real {name}")).to_vec()
    }

    /// The one value of a count of the cell.
    pub(crate) fn cell(&self, name: &str) -> i64 {
        self.wholes("cell", name)[0]
    }

    /// A column of whole numbers of a series.
    pub(crate) fn series(&self, kind: &str, name: &str) -> Vec<i64> {
        self.0.series[kind].wholes(name).unwrap_or_else(|| panic!("{kind} has no whole {name}")).to_vec()
    }

    /// A column of moments of a series in ms, to the microsecond (-1: never).
    pub(crate) fn milliseconds(&self, kind: &str, name: &str) -> Vec<f64> {
        let seconds = self.0.series[kind].reals(name).unwrap_or_else(|| panic!("{kind} has no real {name}"));
        seconds.iter().map(|&at| if at.is_nan() { -1.0 } else { (at * 1e6).round() / 1e3 }).collect()
    }

    /// When each packet left the base station, ms, in the order of sending.
    pub(crate) fn ended_ms(&self) -> Vec<f64> {
        self.milliseconds("packets", "ended_s")
    }

    /// What became of each packet, in the order of sending.
    pub(crate) fn fates(&self) -> Vec<i64> {
        self.series("packets", "fate")
    }
}

/// The fates of packets as the series writes them.
pub(crate) const DELIVERED: i64 = 0;
pub(crate) const QUEUE_FULL: i64 = 1;
pub(crate) const AIR_ERROR: i64 = 2;
pub(crate) const RETRY_LIMIT: i64 = 3;
pub(crate) const AQM: i64 = 7;

/// Whether a share of `trials` fits a probability: within 4.5 standard errors, which one test in 150 000 exceeds.
pub(crate) fn fits(share: f64, probability: f64, trials: f64) -> bool {
    (share - probability).abs() <= 4.5 * (probability * (1.0 - probability) / trials).sqrt()
}
