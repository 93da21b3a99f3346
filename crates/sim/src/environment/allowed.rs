//! Which numbers an action may have, so that a policy that has gone astray is told so and not played.
//!
//! It leaves out: bounds of senders' and queues' actions, which are cut at them before they come here.

use super::{Decision, EnvironmentConfig, Sizes, SlotAction};

/// What is allowed of each number of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Allowed {
    /// A user's number, which is below this.
    UserBelow(usize),
    /// Any number, for a user who may win; what is there for the others counts for nothing.
    Priority,
    /// At least 0.
    NotNegative,
    /// Any number.
    Number,
}

impl Allowed {
    pub(super) fn of(config: &EnvironmentConfig, sizes: Sizes) -> Self {
        match (config.decision, config.slot_action) {
            (Decision::Slots, SlotAction::User) => Self::UserBelow(sizes.deciders),
            (Decision::Slots, SlotAction::Priorities) => Self::Priority,
            (Decision::Slots, SlotAction::Weights) => Self::NotNegative,
            (Decision::Senders | Decision::Queues, _) => Self::Number,
        }
    }

    /// Whether this number is allowed.
    pub(super) fn is(self, value: f64) -> bool {
        match self {
            // Fewer than 2^53 users.
            Self::UserBelow(users) => value >= 0.0 && value < users as f64 && value == libm::trunc(value),
            Self::Priority | Self::Number => !value.is_nan(),
            Self::NotNegative => value >= 0.0,
        }
    }

    /// Whether all of them are.
    pub(super) fn all(self, values: &[f64]) -> bool {
        match self {
            Self::UserBelow(_) => values.iter().all(|&value| self.is(value)),
            // Counted, so that the loop takes several at a time.
            Self::Priority | Self::Number => values.iter().map(|value| u64::from(value.is_nan())).sum::<u64>() == 0,
            Self::NotNegative => {
                values.iter().map(|&value| u64::from(value >= 0.0)).sum::<u64>() == values.len() as u64
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_allowed_if_each_is() {
        let values = [0.0, 1.0, 2.5, 3.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
        let allowed = [
            (Allowed::UserBelow(3), [true, true, false, false, false, false, false, false]),
            (Allowed::Priority, [true, true, true, true, true, false, true, true]),
            (Allowed::NotNegative, [true, true, true, true, false, false, true, false]),
            (Allowed::Number, [true, true, true, true, true, false, true, true]),
        ];
        for (rule, expected) in allowed {
            assert_eq!(values.map(|value| rule.is(value)), expected, "{rule:?}");
            assert_eq!(values.map(|value| rule.all(&[0.0, value, 1.0])), expected, "{rule:?}");
        }
    }
}
