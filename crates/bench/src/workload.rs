//! Workloads A, B and C: the scenario for the engine, and the same work for the floor.

use airlink_model::channel::FadingKind;
use airlink_model::link::{RateConfig, TableConfig};
use airlink_model::scheduler::SchedulerKind;
use airlink_sim::scenario::Radio;
use airlink_sim::{Column, Problem, Replica, Scenario};

use crate::floor::Work;

/// A scenario with a name and a seed.
pub struct Workload {
    /// "A", "B" or a variant.
    pub name: &'static str,
    /// What the engine runs.
    pub scenario: Scenario,
}

/// The seed of every run: the comparison is of one and the same work.
pub const SEED: u64 = 1;

impl Workload {
    /// 16 users, slots of 5/3 ms, 100 s, 20 terms, PF, one greedy TCP flow each.
    pub fn a() -> Result<Self, Vec<Problem>> {
        Ok(Self { name: "A", scenario: Scenario::from_json(include_str!("../workloads/a.json"))? })
    }

    /// One drop of [Klein04]: 21 users, slots of 5 ms, 25 s, 16 terms, PF, a file of 700 kB each. Reports are exact, as
    /// in the floor, so that both do the same work.
    pub fn b() -> Result<Self, Vec<Problem>> {
        let Self { mut scenario, .. } = Self::b_with_noise()?;
        radio_mut(&mut scenario).link.report.error_sd_db = 0.0;
        Ok(Self { name: "B", scenario })
    }

    /// The same drop as the study runs it: each report with a normal error, which the floor knows nothing of.
    pub fn b_with_noise() -> Result<Self, Vec<Problem>> {
        let scenario = Scenario::from_json(include_str!("../workloads/b.json"))?;
        Ok(Self { name: "B with noisy reports", scenario })
    }

    /// 10 users on 400 subchannels, slots of 1 ms, 60 s, TU-6, PF, one greedy TCP flow each.
    pub fn c() -> Result<Self, Vec<Problem>> {
        Ok(Self { name: "C", scenario: Scenario::from_json(include_str!("../workloads/c.json"))? })
    }

    /// The same with the link of the ready scenario `imt-advanced`: PDUs are lost and repeated one by one.
    pub fn c_with_harq() -> Result<Self, Vec<Problem>> {
        let read = |text| serde_json::from_str(text).expect("Python dumps JSON");
        let mut scenario: serde_json::Value = read(include_str!("../workloads/c.json"));
        scenario["link"] = read(include_str!("../../../tests/fixtures/imt-advanced-link.json"));
        Ok(Self { name: "C with HARQ", scenario: Scenario::from_json(&scenario.to_string())? })
    }
}

/// The cell of a workload.
pub fn radio(scenario: &Scenario) -> &Radio {
    scenario.radio().expect("the workloads have a cell")
}

/// The same, to be changed.
pub fn radio_mut(scenario: &mut Scenario) -> &mut Radio {
    scenario.radio_mut().expect("the workloads have a cell")
}

/// The engine's run of a scenario, without recording of series.
pub fn run_engine(scenario: &Scenario) -> Replica {
    airlink_sim::run(scenario, &[], SEED, &[])
}

/// A counter of the whole cell.
pub fn cell_count(replica: &Replica, name: &str) -> u64 {
    let column = replica.tables["cell"].get(name);
    match column {
        Some(Column::Whole(values)) => u64::try_from(values[0]).expect("a count is not negative"),
        _ => panic!("the cell counts {name}"),
    }
}

/// What reached the users, b/s.
pub fn delivered_bps(replica: &Replica) -> f64 {
    replica.tables["cell"].reals("delivered_bps").map_or(f64::NAN, |rates| rates[0])
}

/// Packets that reached their users.
pub fn packets_delivered(replica: &Replica) -> u64 {
    let users = replica.tables["users"].wholes("packets_delivered").expect("users count packets");
    u64::try_from(users.iter().sum::<i64>()).expect("a count is not negative")
}

/// The floor's work for a scenario as the engine ran it: its user-slots, its mean SNRs. Packets have their size here; with
/// [`Work::with_packets`] as many are delivered as the engine did.
pub fn floor_work(scenario: &Scenario, replica: &Replica) -> Work {
    let (slot_s, radio) = (slot_s(scenario), radio(scenario));
    let (FadingKind::Rayleigh { terms, doppler_hz, .. } | FadingKind::TappedDelayLine { terms, doppler_hz, .. }) =
        radio.channel.fading
    else {
        panic!("the workloads fade")
    };
    let RateConfig::Table(TableConfig { thresholds_db, rates_bps, .. }) = &radio.link.rate else {
        panic!("rates of a table")
    };
    let SchedulerKind::ProportionalFair(average) = radio.scheduler.kind else { panic!("PF") };
    let (path, tcp) = (&scenario.flows[0].path, &scenario.flows[0].tcp);
    let ack_s = 8.0 * tcp.ack.count() as f64 / path.uplink_rate.bps();
    let round_trip_s = (path.downlink_delay + path.uplink_delay).as_secs() + ack_s;
    let rung = |(&db, &bps): (&f64, &f64)| (ratio(db), (bps * slot_s / 8.0 / radio.carrier.subchannels as f64) as f32);
    let mean_db = replica.tables["users"].reals("mean_snr_db").expect("users have a mean SNR");
    Work {
        mean_snr: mean_db.iter().map(|&db| ratio(db)).collect(),
        terms,
        doppler_per_slot: doppler_hz.hz(&radio.channel.motion, 0) * slot_s,
        ladder: thresholds_db.iter().zip(rates_bps).map(rung).collect(),
        slots: usize::try_from(cell_count(replica, "slots")).expect("slots fit"),
        weight: (1.0 / average.time_constant_slots) as f32,
        packet_bytes: (tcp.mss + tcp.header).count() as f32,
        round_trip_slots: (round_trip_s / slot_s) as u32 + 1,
        window: (tcp.receiver_window.count() / tcp.mss.count()) as u32,
    }
}

/// The slot's length.
pub fn slot_s(scenario: &Scenario) -> f64 {
    radio(scenario).clock().slot_secs()
}

/// A ratio from decibels.
pub fn ratio(db: f64) -> f32 {
    libm::pow(10.0, db / 10.0) as f32
}
