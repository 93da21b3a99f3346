//! Who gets each subchannel of a slot, decided from outside: by users' numbers, or by numbers whose largest wins.
//!
//! Priorities go through the engine of the metric schedulers, with the scenario's rule of ties and of satisfied users. Slots
//! that leave nothing to decide pass by: nobody can be served in them, or a retransmission takes them. What it leaves out: the
//! scenario's own scheduler only keeps its averages.

use airlink_model::scheduler::{Allocation, Contest, LargestMetric, Metric, Scheduler, SlotView, UserRow, tie_draws};
use airlink_model::types::CounterStream;

use super::score::FIRST_OWN;
use super::{Decision, EnvironmentConfig, Sight, Task};
use crate::components::Components;
use crate::scenario::Scenario;
use crate::simulation::Simulation;

/// How an action decides a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotAction {
    /// A user's number for each subchannel.
    User,
    /// A number for each user and subchannel: the largest of those who may win does.
    Priorities,
    /// A number for each user, at least 0: the largest product with the rate wins each subchannel.
    Weights,
}

/// What becomes of a subchannel that an action gives to a user who may not win it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invalid {
    /// It stays idle.
    Idle,
    /// It goes to the user with the largest rate, the first of equals.
    Best,
}

/// The metric that an action is.
#[derive(Clone, Debug)]
struct Given {
    values: Vec<f64>,
    are_weights: bool,
}

impl Metric for Given {
    fn evaluate(&self, contest: &Contest<'_>, subchannel: usize, rates: &[f64], out: &mut [f64]) {
        if self.are_weights {
            return contest.fill(out, |place, user| rates[place] * self.values[user]);
        }
        let subchannels = contest.view.subchannels;
        contest.fill(out, |_, user| self.values[user * subchannels + subchannel]);
    }

    fn weigh(&self, contest: &Contest<'_>, weights: &mut [f64]) -> bool {
        if self.are_weights {
            contest.fill(weights, |_, user| self.values[user]);
        }
        self.are_weights
    }
}

/// Decides slots by the numbers of actions. It remembers nothing from slot to slot: one serves several environments in turn, so that
/// its memory stays near.
pub(super) struct Decider(LargestMetric<Given>);

impl Decider {
    /// None where no slots are decided, or none by numbers.
    pub(super) fn of(config: &EnvironmentConfig, scenario: &Scenario) -> Option<Self> {
        if config.decision != Decision::Slots || config.slot_action == SlotAction::User {
            return None;
        }
        let scheduler = &scenario.radio()?.scheduler;
        let given = Given { values: Vec::new(), are_weights: config.slot_action == SlotAction::Weights };
        let releases = scheduler.release_satisfied_users && !scheduler.serve_empty_queues;
        // Each environment brings the draws of its seed.
        Some(Self(LargestMetric::new(given, scheduler.ties, releases, 0, 0)))
    }

    /// Decides the slot of `view` by the numbers of an action, and draws among equals from `draws`.
    fn decide(
        &mut self,
        view: &SlotView<'_>,
        numbers: &[f64],
        draws: &mut Vec<CounterStream>,
        allocation: &mut Allocation,
    ) {
        let values = &mut self.0.metric_mut().values;
        values.clear();
        values.extend_from_slice(numbers);
        std::mem::swap(self.0.draws_mut(), draws);
        self.0.allocate(view, allocation);
        std::mem::swap(self.0.draws_mut(), draws);
    }
}

/// Who gets the slot.
pub(super) struct SlotTask {
    action: SlotAction,
    invalid: Invalid,
    /// What ties between numbers are drawn from.
    draws: Vec<CounterStream>,
    allocation: Allocation,
    users: usize,
    /// Bits put on air, delays at the head of line, users who waited too long: since the last decision.
    sums: [f64; 3],
    counts_delays: bool,
}

impl SlotTask {
    pub(super) fn new(config: &EnvironmentConfig) -> Self {
        // Of its own rewards the first, bits on air, costs nothing.
        let counts_delays = config.reward.iter().any(|(part, _)| *part > FIRST_OWN);
        Self {
            action: config.slot_action,
            invalid: config.invalid,
            draws: Vec::new(),
            allocation: Allocation::default(),
            users: 0,
            sums: [0.0; 3],
            counts_delays,
        }
    }

    fn note(&mut self, view: &SlotView<'_>) {
        self.sums[0] += view.served.iter().map(|served| served.sent_bits).sum::<f64>();
        if !self.counts_delays {
            return;
        }
        let mut delays_s = 0.0;
        for &user in view.occupied {
            let delay_s = view.head_of_line_delay_s(user as usize);
            delays_s += delay_s;
            self.sums[2] += f64::from(u8::from(delay_s > view.delay_budget_s[user as usize]));
        }
        self.sums[1] += delays_s / view.users as f64;
    }

    /// Decides by users' numbers.
    fn grant(&mut self, simulation: &mut Simulation, action: &[f64]) {
        let Some(view) = simulation.observe() else { return };
        for (subchannel, &chosen) in action.iter().enumerate() {
            let user = chosen as usize;
            let may_win = chosen >= 0.0 && user < view.users && may_win(&view, user, subchannel);
            let user = if may_win { Some(user) } else { self.instead(&view, subchannel) };
            if let Some(user) = user {
                self.allocation.grant(subchannel, UserRow::new(user));
            }
        }
    }

    fn instead(&self, view: &SlotView<'_>, subchannel: usize) -> Option<usize> {
        if self.invalid == Invalid::Idle {
            return None;
        }
        let rate = |user: usize| view.rate_bps[user * view.subchannels + subchannel];
        let mut best = None;
        for user in view.candidates.iter().map(|&user| user as usize) {
            if rate(user) > best.map_or(0.0, rate) {
                best = Some(user);
            }
        }
        best
    }
}

impl Task for SlotTask {
    fn start(&mut self, scenario: &Scenario, seed: u64) -> Components {
        let radio = scenario.radio().expect("only a cell has slots");
        let subchannels = radio.carrier.subchannels;
        if self.action != SlotAction::User {
            self.draws = tie_draws(subchannels, seed);
        }
        self.allocation = Allocation::new(subchannels);
        self.users = scenario.users;
        Components::default()
    }

    fn deciders(&self) -> (usize, usize) {
        let subchannels = self.allocation.owners().len();
        let size = match self.action {
            SlotAction::User => subchannels,
            SlotAction::Priorities => self.users * subchannels,
            SlotAction::Weights => self.users,
        };
        (self.users, size)
    }

    fn act(&mut self, simulation: &mut Simulation, action: &[f64], decider: Option<&mut Decider>) {
        self.allocation.clear();
        if self.action == SlotAction::User {
            self.grant(simulation, action);
        } else if let Some(view) = simulation.observe() {
            let decider = decider.expect("numbers have who decides by them");
            decider.decide(&view, action, &mut self.draws, &mut self.allocation);
        }
        simulation.apply(&self.allocation).expect("only users who may win were granted anything");
    }

    fn advance(&mut self, simulation: &mut Simulation, sight: &mut Sight) -> bool {
        self.sums = [0.0; 3];
        loop {
            let Some(view) = simulation.observe() else { return false };
            self.note(&view);
            if fill_mask(&view, &mut sight.mask) {
                sight.renew(|part, out| fill(&view, part, out));
                return true;
            }
            self.allocation.clear();
            simulation.apply(&self.allocation).expect("nothing is granted");
        }
    }

    fn rewards(&self) -> &[f64] {
        &self.sums
    }
}

fn may_win(view: &SlotView<'_>, user: usize, subchannel: usize) -> bool {
    view.eligible[user] && view.rate_bps[user * view.subchannels + subchannel] > 0.0
}

/// Writes who may win each subchannel; false if nobody may win any.
fn fill_mask(view: &SlotView<'_>, mask: &mut Vec<i8>) -> bool {
    mask.clear();
    if view.taken_by.is_some() {
        mask.resize(view.users * view.subchannels, 0);
        return false;
    }
    if view.subchannels == 1 {
        // As below, several users at once.
        let users = view.eligible.iter().zip(view.rate_bps);
        mask.extend(users.map(|(&eligible, &rate_bps)| i8::from(eligible & (rate_bps > 0.0))));
    } else {
        let cells = (0..view.subchannels).flat_map(|subchannel| (0..view.users).map(move |user| (user, subchannel)));
        mask.extend(cells.map(|(user, subchannel)| i8::from(may_win(view, user, subchannel))));
    }
    mask.contains(&1)
}

/// Appends a part, by its number among those declared.
fn fill(view: &SlotView<'_>, part: usize, out: &mut Vec<f64>) {
    let users = 0..view.users;
    match part {
        0 => out.extend(view.rate_bps.iter().map(|&rate| f64::from(rate))),
        1 => out.extend(view.reported_db.iter().map(|&db| f64::from(db))),
        2 => {
            let cells = users.flat_map(|user| (0..view.subchannels).map(move |subchannel| (user, subchannel)));
            out.extend(cells.map(|(user, subchannel)| f64::from(u8::from(may_win(view, user, subchannel)))));
        }
        3 => {
            assert_eq!(view.average_bps.len(), view.users, "the scenario's scheduler keeps no averages");
            out.extend(view.average_bps);
        }
        4 => out.extend(view.backlog_bytes.iter().map(|&bytes| bytes as f64)),
        5 => out.extend(view.retransmit_bytes.iter().map(|&bytes| bytes as f64)),
        6 => out.extend(users.map(|user| view.head_of_line_delay_s(user))),
        7 => out.extend(users.map(|user| view.gap_slots(user) as f64)),
        8 => out.extend(view.mean_snr_db),
        9 => out.extend(view.weight),
        10 => out.extend(view.delay_budget_s),
        _ => unreachable!("there is no other part"),
    }
}
