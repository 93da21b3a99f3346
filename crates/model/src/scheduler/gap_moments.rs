//! Mean and mean square of the gaps between a user's selections, eqs (13) to (18).
//!
//! phi = slots between successive selections (13). On selection, after the decision: Phi = a phi + (1 - a) Phi (14)
//! and Sigma = b phi^2 + (1 - b) Sigma (15). Before each decision, the moments as they would be if the user were
//! selected now: phi' = n - n_last (16), and Phi', Sigma' (17), (18) formed like (14), (15).
//!
//! The paper gives no n_last before the first selection; here everybody counts as selected in the slot before the
//! first, so phi' starts at 1. What this leaves out: gaps are not paused while a user has nothing to send.

use super::SlotOutcome;
use crate::types::Slot;
use crate::types::declare::{Field, Form, Reader, Rule, Section, Value, Words};

/// In what unit the vacation term, a ratio of gap moments, enters a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum VacationUnit {
    /// Slots, the letter of eqs (16) to (19), beside Q/A in seconds.
    Slots,
    /// Seconds, the unit of Q/A.
    Seconds,
    /// Seconds, beside Q/A in slots: the mix of units the other way round. Both are then multiplied by the slot, which
    /// changes no decision.
    SecondsBesideSlots,
}

impl VacationUnit {
    /// What a term in slots is multiplied by.
    pub fn scale(self, slot_s: f64) -> f64 {
        match self {
            Self::Slots => 1.0,
            Self::Seconds => slot_s,
            Self::SecondsBesideSlots => slot_s * slot_s,
        }
    }
}

/// Smoothed gaps between the slots a user wins ([Klein04], eqs (13)-(18)).
#[derive(Clone, Copy, Debug, PartialEq, Section)]
#[section(class = "Gaps")]
pub struct GapConfig {
    /// alpha of eq. (14): weight of the newest gap in Phi.
    #[field(name = "gap_mean_weight", above = 0, at_most = 1, default = 0.1, source = "[Klein04], given")]
    pub mean_weight: f64,
    /// beta of eq. (15): weight of the newest squared gap in Sigma.
    #[field(name = "gap_square_weight", above = 0, at_most = 1, default = 0.5, source = "[Klein04], given")]
    pub square_weight: f64,
    /// Phi before the first slot; "from_users" = the number of users, the gap of users who win in turn.
    #[field(
        name = "initial_gap_mean_slots",
        unit = "slots",
        at_least = 1,
        at_most = 1e9,
        words("from_users"),
        default = InitialGap::FromUsers,
        source = "airlink default: as after round robin"
    )]
    pub initial_mean_slots: InitialGap,
    /// Sigma before the first slot; "from_users" = the number of users squared.
    #[field(
        name = "initial_gap_square_slots2",
        unit = "slots^2",
        above = 0,
        at_most = 1e18,
        words("from_users"),
        default = InitialGap::FromUsers,
        source = "airlink default: as after round robin"
    )]
    pub initial_square_slots2: InitialGap,
    /// Unit of the vacation term Sigma/(2 Phi), which is added to Q/A in seconds: "slots" is the literal mix of the
    /// paper, "seconds" makes both terms seconds; "seconds_beside_slots": Q/A is in slots instead.
    #[field(
        default = VacationUnit::Slots,
        source = "profile K3 of [Klein04]: the literal reading of eqs (16)-(19)"
    )]
    pub vacation_unit: VacationUnit,
}

/// A gap or its square before the first slot: a number, or "from_users".
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum InitialGap {
    /// As given.
    Given(f64),
    /// That of users who win in turn.
    FromUsers,
}

impl InitialGap {
    const FROM_USERS: &str = "from_users";

    /// The gap between the turns of `users` users, slots.
    pub fn mean(self, users: usize) -> f64 {
        self.or(users as f64)
    }

    /// The square of the gap between the turns of `users` users, slots squared.
    pub fn square(self, users: usize) -> f64 {
        self.or((users as f64) * (users as f64))
    }

    fn or(self, from_users: f64) -> f64 {
        match self {
            Self::Given(value) => value,
            Self::FromUsers => from_users,
        }
    }
}

impl Field for InitialGap {
    fn form(rule: &Rule) -> Form {
        f64::form(rule)
    }

    fn read(value: &Value, rule: &Rule, reader: &mut Reader) -> Option<Self> {
        match value {
            Value::Text(word) if word == Self::FROM_USERS => Some(Self::FromUsers),
            value => match rule.range.number(value, false) {
                Some(given) => Some(Self::Given(given)),
                None => {
                    let allowed = format!("{} or {:?}", rule.range.allowed(false), Self::FROM_USERS);
                    reader.not_allowed(value, &allowed)
                }
            },
        }
    }

    fn write(&self, rule: &Rule) -> Value {
        match self {
            Self::Given(given) => given.write(rule),
            Self::FromUsers => Value::Text(Self::FROM_USERS.to_owned()),
        }
    }
}

/// The gap moments of every user.
#[derive(Clone, Debug)]
pub struct GapMoments {
    mean_weight: f64,
    square_weight: f64,
    taken_off: f64,
    initial: TrialMoments,
    mean: Vec<f64>,
    square: Vec<f64>,
    last: Vec<f64>,
}

/// The moments of one user as if it were selected now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrialMoments {
    /// Phi' of eq. (17), slots.
    pub mean: f64,
    /// Sigma' of eq. (18), slots squared.
    pub square: f64,
}

impl GapMoments {
    /// Moments of the gaps themselves.
    pub fn of_gaps(config: GapConfig, users: usize) -> Self {
        Self::new(config, users, 0.0)
    }

    /// Moments of the vacations, the gaps less the one slot of service, from the initial values of the gaps.
    pub fn of_vacations(config: GapConfig, users: usize) -> Self {
        Self::new(config, users, 1.0)
    }

    fn new(config: GapConfig, users: usize, taken_off: f64) -> Self {
        let GapConfig { mean_weight, square_weight, .. } = config;
        let (mean, square) = (config.initial_mean_slots.mean(users), config.initial_square_slots2.square(users));
        assert!(mean_weight > 0.0 && mean_weight <= 1.0, "the weight of a gap's mean is in (0, 1]");
        assert!(square_weight > 0.0 && square_weight <= 1.0, "the weight of a gap's square is in (0, 1]");
        assert!(mean > 0.0 && square >= 0.0, "the initial gap is positive and its square not negative");
        let initial = TrialMoments {
            mean: (mean - taken_off).max(0.0),
            square: (square - 2.0 * taken_off * mean + taken_off * taken_off).max(0.0),
        };
        Self {
            mean_weight,
            square_weight,
            taken_off,
            initial,
            mean: vec![initial.mean; users],
            square: vec![initial.square; users],
            last: vec![-1.0; users],
        }
    }

    /// A user has come to this row before `slot`: it counts as selected in the slot before.
    pub(super) fn on_user_added(&mut self, user: usize, slot: Slot) {
        for (column, initial) in [
            (&mut self.mean, self.initial.mean),
            (&mut self.square, self.initial.square),
            (&mut self.last, slot_number(slot) - 1.0),
        ] {
            column.resize(column.len().max(user + 1), initial);
            column[user] = initial;
        }
    }

    /// Eqs (16) to (18) of user `user` in slot number `slot`.
    #[inline]
    pub fn trial(&self, user: usize, slot: f64) -> TrialMoments {
        let gap = slot - self.last[user] - self.taken_off;
        TrialMoments {
            mean: self.mean_weight * gap + (1.0 - self.mean_weight) * self.mean[user],
            square: self.square_weight * (gap * gap) + (1.0 - self.square_weight) * self.square[user],
        }
    }

    /// Eqs (14) and (15) of the users that the slot selected.
    pub fn on_slot_end(&mut self, outcome: &SlotOutcome<'_>) {
        let slot = slot_number(outcome.slot);
        for served in outcome.served {
            let user = served.user.index();
            let moments = self.trial(user, slot);
            self.mean[user] = moments.mean;
            self.square[user] = moments.square;
            self.last[user] = slot;
        }
    }
}

/// A slot's number as a float: exact below 2^53, far beyond any run, and it lets loops over users stay in registers.
#[inline]
pub(super) fn slot_number(slot: Slot) -> f64 {
    slot.number() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::declare::read;

    fn config(mean: Value) -> Result<GapConfig, String> {
        let fields = [
            ("gap_mean_weight", Value::Number(0.1)),
            ("gap_square_weight", Value::Number(0.5)),
            ("initial_gap_mean_slots", mean),
            ("initial_gap_square_slots2", Value::Text("from_users".to_owned())),
            ("vacation_unit", Value::Text("slots".to_owned())),
        ];
        let fields = fields.map(|(name, value)| (name.to_owned(), value));
        read(&Value::Table(fields.into()), "scheduler").map_err(|problems| problems[0].to_string())
    }

    #[test]
    fn the_first_gap_is_that_of_users_who_win_in_turn() {
        let from_users = config(Value::Text("from_users".to_owned())).expect("allowed");
        let of = |config, users| {
            let moments = GapMoments::of_gaps(config, users);
            (moments.mean, moments.square)
        };
        assert_eq!(of(from_users, 3), (vec![3.0; 3], vec![9.0; 3]));
        let given = config(Value::Number(7.0)).expect("allowed");
        assert_eq!(of(given, 2), (vec![7.0; 2], vec![4.0; 2]));
        let allowed = "a number from 1 to 1000000000 or \"from_users\"";
        let told = format!("scheduler.initial_gap_mean_slots: 0 is not allowed: {allowed}");
        assert_eq!(config(Value::Number(0.0)), Err(told));
    }
}
