//! A cell's knowledge as owned arrays, and one slot of a scheduler on it.

#![allow(dead_code, reason = "each test file uses its part")]

use airlink_model::scheduler::*;
use airlink_model::types::declare::PerUser;
use airlink_model::types::{Slot, Time, UserId};

/// The rates of [Klein04], b/s, after "cannot be served".
pub const LADDER_BPS: [f32; 7] = [0.0, 320e3, 480e3, 640e3, 1280e3, 1920e3, 2560e3];

/// What a test cell knows.
#[derive(Clone)]
pub struct Knowledge {
    pub slot: u64,
    pub slot_s: f64,
    pub subchannels: usize,
    pub rate_bps: Vec<f32>,
    pub reported_db: Vec<f32>,
    pub mean_snr_db: Vec<f64>,
    pub eligible: Vec<bool>,
    pub candidates: Vec<u32>,
    pub occupied: Vec<u32>,
    pub backlog_bytes: Vec<u64>,
    pub backlog_on_air_bytes: Vec<u64>,
    pub head_of_line_since: Vec<Time>,
    pub ids: Vec<UserId>,
    pub weight: Vec<f64>,
    pub delay_budget_s: Vec<f64>,
    pub goodput_bytes: Vec<u64>,
    pub arrived_packets: Vec<u64>,
    pub arrived_bytes: Vec<u64>,
}

impl Knowledge {
    /// Slot 0 of 5 ms, everybody eligible with 1000 bytes waiting.
    pub fn new(users: usize, subchannels: usize) -> Self {
        Self {
            slot: 0,
            slot_s: 0.005,
            subchannels,
            rate_bps: vec![320e3; users * subchannels],
            reported_db: vec![0.0; users * subchannels],
            mean_snr_db: vec![0.0; users],
            eligible: vec![true; users],
            candidates: Vec::new(),
            occupied: Vec::new(),
            backlog_bytes: vec![1000; users],
            backlog_on_air_bytes: vec![1042; users],
            head_of_line_since: vec![Time::ZERO; users],
            ids: (0..users).map(UserId::new).collect(),
            weight: vec![1.0; users],
            delay_budget_s: vec![f64::INFINITY; users],
            goodput_bytes: vec![0; users],
            arrived_packets: vec![0; users],
            arrived_bytes: vec![0; users],
        }
    }

    pub fn view(&mut self) -> SlotView<'_> {
        self.candidates = (0..).zip(&self.eligible).filter(|(_, able)| **able).map(|(user, _)| user).collect();
        self.occupied = (0..).zip(&self.backlog_bytes).filter(|(_, bytes)| **bytes > 0).map(|(user, _)| user).collect();
        SlotView {
            now: self.now(),
            slot: Slot::new(self.slot),
            slot_s: self.slot_s,
            users: self.eligible.len(),
            subchannels: self.subchannels,
            rate_bps: &self.rate_bps,
            reported_db: &self.reported_db,
            mean_snr_db: &self.mean_snr_db,
            eligible: &self.eligible,
            candidates: &self.candidates,
            occupied: &self.occupied,
            backlog_bytes: &self.backlog_bytes,
            backlog_on_air_bytes: &self.backlog_on_air_bytes,
            head_of_line_since: &self.head_of_line_since,
            ids: &self.ids,
            weight: &self.weight,
            delay_budget_s: &self.delay_budget_s,
            controls: Controls {
                goodput_bytes: &self.goodput_bytes,
                arrived_packets: &self.arrived_packets,
                arrived_bytes: &self.arrived_bytes,
            },
            ..SlotView::default()
        }
    }

    /// When the slot starts.
    pub fn now(&self) -> Time {
        Time::from_nanos((self.slot as f64 * self.slot_s * 1e9).round() as u64)
    }

    /// Bits that `user` may send in this slot on `subchannel`.
    pub fn bits(&self, user: UserRow, subchannel: usize) -> f64 {
        f64::from(self.rate_bps[user.index() * self.subchannels + subchannel]) * self.slot_s
    }

    /// Decides this slot, tells the scheduler that all granted bits were sent, and moves to the next.
    pub fn run_slot(&mut self, scheduler: &mut dyn Scheduler) -> Vec<Option<UserRow>> {
        let mut allocation = Allocation::new(self.subchannels);
        scheduler.allocate(&self.view(), &mut allocation);
        self.finish_slot(scheduler, allocation.owners());
        allocation.owners().to_vec()
    }

    /// Tells the scheduler that all bits of the subchannels that these users got were sent, and moves to the next slot.
    pub fn finish_slot(&mut self, scheduler: &mut dyn Scheduler, owners: &[Option<UserRow>]) {
        let served = self.served(owners);
        scheduler.on_slot_end(&SlotOutcome { slot: Slot::new(self.slot), slot_s: self.slot_s, served: &served });
        self.slot += 1;
    }

    /// What these owners got, each user once.
    pub fn served(&self, owners: &[Option<UserRow>]) -> Vec<Served> {
        let mut served: Vec<Served> = Vec::new();
        for (subchannel, owner) in owners.iter().enumerate() {
            let Some(user) = *owner else { continue };
            let bits = self.bits(user, subchannel);
            match served.iter_mut().find(|entry| entry.user == user) {
                Some(entry) => {
                    (entry.granted_bits, entry.sent_bits) = (entry.granted_bits + bits, entry.sent_bits + bits)
                }
                None => served.push(Served { user, granted_bits: bits, sent_bits: bits }),
            }
        }
        served
    }

    /// The winner of this slot, which somebody wins, on one subchannel.
    pub fn winner(&mut self, scheduler: &mut dyn Scheduler) -> usize {
        self.run_slot(scheduler)[0].expect("somebody can be served").index()
    }
}

pub fn average(time_constant_slots: f64, initial_bps: f64) -> AverageConfig {
    let (window, updates) = (AverageWindow::Fixed, AverageUpdates::Slot);
    AverageConfig {
        time_constant_slots,
        counts: AverageCounts::Sent,
        initial_bps,
        window,
        updates,
        ..AverageConfig::default()
    }
}

/// The defaults of [Klein04].
pub fn tcp_pf_defaults() -> TcpPfConfig {
    TcpPfConfig {
        average: average(1000.0, 16_000.0),
        gaps: GapConfig {
            mean_weight: 0.1,
            square_weight: 0.5,
            initial_mean_slots: InitialGap::Given(21.0),
            initial_square_slots2: InitialGap::Given(441.0),
            vacation_unit: VacationUnit::Slots,
            ..GapConfig::default()
        },
        terms: Terms::Both,
        ..TcpPfConfig::default()
    }
}

pub fn lambda(exponent: f64, average: AverageConfig) -> SchedulerKind {
    SchedulerKind::Lambda(LambdaConfig { exponent, average, ..LambdaConfig::default() })
}

/// The formula `metric` with such averages.
pub fn formula(metric: &str, average: AverageConfig) -> SchedulerKind {
    SchedulerKind::Formula(FormulaConfig { average, metric: Formula::read(metric).expect("a formula") })
}

/// Schedulers with weights, deadlines and guaranteed rates.
pub fn of_deadlines_and_guarantees(average: AverageConfig) -> [SchedulerKind; 8] {
    let guaranteed_rate_bps = PerUser::All(40e3);
    [
        SchedulerKind::WeightedPf(average),
        SchedulerKind::MLwdf(MLwdfConfig { average, ..MLwdfConfig::default() }),
        SchedulerKind::MLwdf(MLwdfConfig { average, divisor: Divisor::None, ..MLwdfConfig::default() }),
        SchedulerKind::ExpPf(ExpPfConfig { average, ..ExpPfConfig::default() }),
        SchedulerKind::LogRule(LogRuleConfig { average, ..LogRuleConfig::default() }),
        SchedulerKind::LogRule(LogRuleConfig { average, divisor: Divisor::None, ..LogRuleConfig::default() }),
        SchedulerKind::EarliestDeadline(average),
        SchedulerKind::GuaranteedRate(GuaranteedRateConfig {
            average,
            guaranteed_rate_bps,
            ..GuaranteedRateConfig::default()
        }),
    ]
}

/// A scheduler that any base station could run, or an experimental one.
#[derive(Clone, Debug)]
pub enum AnyKind {
    Declared(SchedulerKind),
    Experimental(ExperimentalScheduler),
}

impl From<SchedulerKind> for AnyKind {
    fn from(kind: SchedulerKind) -> Self {
        Self::Declared(kind)
    }
}

pub fn scheduler(kind: impl Into<AnyKind>, ties: Ties, users: usize, subchannels: usize) -> Box<dyn Scheduler> {
    scheduler_with(kind, ties, false, users, subchannels)
}

pub fn scheduler_with(
    kind: impl Into<AnyKind>,
    ties: Ties,
    release_satisfied_users: bool,
    users: usize,
    subchannels: usize,
) -> Box<dyn Scheduler> {
    let config = |kind| SchedulerConfig {
        kind,
        ties,
        release_satisfied_users,
        serve_empty_queues: false,
        ..SchedulerConfig::default()
    };
    match kind.into() {
        AnyKind::Declared(kind) => build(&config(kind), users, subchannels, 1),
        AnyKind::Experimental(kind) => {
            build_experimental(kind, &config(SchedulerKind::MaxRate), users, subchannels, 1).expect("there is one")
        }
    }
}
