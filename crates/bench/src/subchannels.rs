//! What a decision over many subchannels costs, per user and subchannel: the schedulers alone, without the engine.
//!
//! Rates are the nine of [Kakuda] (MCS 1 to 9 over 400 subchannels), drawn anew for each of a few slots, so that ties are
//! as frequent as there. It leaves out where the rates come from and what is sent.

use airlink_model::scheduler::{
    Allocation, AverageConfig, AverageCounts, AverageUpdates, AverageWindow, Formula, FormulaConfig, LambdaConfig,
    RoundRobinConfig, Scheduler, SchedulerConfig, SchedulerKind, Served, SlotOutcome, SlotView, Ties, UserRow, build,
};
use airlink_model::types::{Purpose, RandomStream, Slot, Time};
use airlink_sim::Problem;

use crate::cpu_time::{cpu_s_of, least};

const REPETITIONS: usize = 7;
/// Different slots, and how often they are gone through.
const SLOTS: usize = 8;
/// (User, subchannel) pairs that a sample decides.
const PAIRS: usize = 4_000_000;
/// [Kakuda], Mb/s of the whole carrier.
const RATES_MBPS: [f64; 9] = [15.128, 30.344, 60.8, 81.04, 121.76, 162.32, 182.64, 243.6, 274.0];
const SLOT_S: f64 = 1e-3;

/// Prints a line for each size and kind.
pub fn print() -> Result<(), Vec<Problem>> {
    println!("Decision and averages over many subchannels: ns for each pair, least of {REPETITIONS}");
    let sizes = [(10, 400), (30, 400), (100, 400), (10, 3300), (100, 3300)];
    print!("{:>30}", "users x subchannels");
    sizes.iter().for_each(|(users, subchannels)| print!("{:>10}", format!("{users}x{subchannels}")));
    println!();
    for (name, kind, releases) in cases() {
        print!("{name:>30}");
        for (users, subchannels) in sizes {
            let config = SchedulerConfig {
                kind: kind.clone(),
                ties: Ties::Random,
                release_satisfied_users: releases,
                serve_empty_queues: false,
                ..SchedulerConfig::default()
            };
            print!("{:10.3}", ns_per_pair(&config, users, subchannels));
        }
        println!();
    }
    println!();
    Ok(())
}

fn cases() -> Vec<(&'static str, SchedulerKind, bool)> {
    let average = AverageConfig {
        time_constant_slots: 1000.0,
        counts: AverageCounts::Sent,
        initial_bps: 1e6,
        window: AverageWindow::Fixed,
        updates: AverageUpdates::Slot,
        ..AverageConfig::default()
    };
    let at_once = AverageConfig { updates: AverageUpdates::Subchannel, ..average };
    let fair = SchedulerKind::ProportionalFair(average);
    let cycle = SchedulerKind::RoundRobin(RoundRobinConfig { skip_unservable: false, ..RoundRobinConfig::default() });
    vec![
        ("max_rate", SchedulerKind::MaxRate, false),
        ("proportional_fair", fair.clone(), false),
        ("the same, half are covered", fair, true),
        ("the same, updated at once", SchedulerKind::ProportionalFair(at_once), false),
        ("lambda", SchedulerKind::Lambda(LambdaConfig { exponent: 0.5, average, ..LambdaConfig::default() }), false),
        ("round_robin", cycle, false),
        ("relative_snr", SchedulerKind::RelativeSnr, false),
        ("formula of proportional_fair", formula("rate / average", average), false),
        ("formula of relative_snr", formula("reported_db - mean_snr_db", average), false),
    ]
}

fn formula(metric: &str, average: AverageConfig) -> SchedulerKind {
    SchedulerKind::Formula(FormulaConfig { average, metric: Formula::read(metric).expect("a formula") })
}

/// What a cell knows, and what it tells of a slot.
struct Cell {
    users: usize,
    subchannels: usize,
    rate_bps: Vec<Vec<f32>>,
    reported_db: Vec<f32>,
    mean_snr_db: Vec<f64>,
    eligible: Vec<bool>,
    candidates: Vec<u32>,
    backlog_bytes: Vec<u64>,
    head_of_line_since: Vec<Time>,
    allocation: Allocation,
    granted_bits: Vec<f64>,
    served: Vec<Served>,
}

fn ns_per_pair(config: &SchedulerConfig, users: usize, subchannels: usize) -> f64 {
    let mut scheduler = build(config, users, subchannels, 1);
    let mut cell = Cell::new(users, subchannels);
    let slots = PAIRS / (users * subchannels);
    let mut samples = Vec::new();
    for repetition in 0..REPETITIONS {
        let first = repetition * slots;
        let (total_s, ()) = cpu_s_of(|| (first..first + slots).for_each(|slot| cell.run(slot, &mut *scheduler)));
        // What the cell does to tell of a slot is not the scheduler's cost.
        let (told_s, ()) = cpu_s_of(|| (first..first + slots).for_each(|slot| cell.tell(slot)));
        samples.push((total_s - told_s) / (slots * users * subchannels) as f64 * 1e9);
    }
    least(&samples)
}

impl Cell {
    fn new(users: usize, subchannels: usize) -> Self {
        let mut draws = RandomStream::new(1, Purpose::Traffic, 0);
        let mut rate = || (RATES_MBPS[(draws.uniform() * 9.0) as usize] * 1e6 / subchannels as f64) as f32;
        let fair_bytes = 160e6 * SLOT_S / 8.0 / users as f64;
        Self {
            users,
            subchannels,
            rate_bps: (0..SLOTS).map(|_| (0..users * subchannels).map(|_| rate()).collect()).collect(),
            reported_db: (0..users * subchannels).map(|pair| (pair % 37) as f32).collect(),
            mean_snr_db: vec![0.0; users],
            eligible: vec![true; users],
            candidates: (0..users as u32).collect(),
            // Every second user wants half of what a fair share could be.
            backlog_bytes: (0..users)
                .map(|user| if user % 2 == 0 { 1 << 40 } else { (0.5 * fair_bytes) as u64 })
                .collect(),
            head_of_line_since: vec![Time::ZERO; users],
            allocation: Allocation::new(subchannels),
            granted_bits: vec![0.0; users],
            served: Vec::new(),
        }
    }

    fn run(&mut self, slot: usize, scheduler: &mut dyn Scheduler) {
        self.allocation.clear();
        let view = SlotView {
            slot: Slot::new(slot as u64),
            slot_s: SLOT_S,
            users: self.users,
            subchannels: self.subchannels,
            rate_bps: &self.rate_bps[slot % SLOTS],
            reported_db: &self.reported_db,
            mean_snr_db: &self.mean_snr_db,
            eligible: &self.eligible,
            backlog_bytes: &self.backlog_bytes,
            backlog_on_air_bytes: &self.backlog_bytes,
            head_of_line_since: &self.head_of_line_since,
            candidates: &self.candidates,
            occupied: &self.candidates,
            ..SlotView::default()
        };
        scheduler.allocate(&view, &mut self.allocation);
        self.tell(slot);
        scheduler.on_slot_end(&SlotOutcome { slot: Slot::new(slot as u64), slot_s: SLOT_S, served: &self.served });
    }

    /// Adds up what each user was granted.
    fn tell(&mut self, slot: usize) {
        self.granted_bits.fill(0.0);
        for (subchannel, owner) in self.allocation.owners().iter().enumerate() {
            let Some(user) = *owner else { continue };
            let rate = self.rate_bps[slot % SLOTS][user.index() * self.subchannels + subchannel];
            self.granted_bits[user.index()] += f64::from(rate) * SLOT_S;
        }
        self.served.clear();
        let won = self.granted_bits.iter().enumerate().filter(|(_, bits)| **bits > 0.0);
        let served =
            |(user, &bits): (usize, &f64)| Served { user: UserRow::new(user), granted_bits: bits, sent_bits: bits };
        self.served.extend(won.map(served));
        std::hint::black_box(&self.served);
    }
}
