//! What a step leaves, a row for each environment, in arrays of the caller's.
//!
//! It leaves out: what the numbers mean (`parts.rs`).

use super::{Environment, Sizes};

/// Where observations go, in either precision.
pub enum Out<'a> {
    /// 32 bits.
    Single(&'a mut [f32]),
    /// 64 bits.
    Double(&'a mut [f64]),
}

/// Where everything goes that a step leaves: row-major, a row for each environment.
pub struct Written<'a> {
    /// Observations.
    pub observations: Out<'a>,
    /// 1 for who may win, 0 for others: subchannels x users.
    pub masks: &'a mut [i8],
    /// Rewards.
    pub rewards: &'a mut [f64],
    /// Their parts without their weights.
    pub parts: &'a mut [f64],
    /// Whether an episode has ended.
    pub truncated: &'a mut [bool],
}

impl<'a> Written<'a> {
    /// True if there are so many.
    pub(super) fn has_rows(&self, count: usize, sizes: Sizes) -> bool {
        let observations = match &self.observations {
            Out::Single(all) => all.len(),
            Out::Double(all) => all.len(),
        };
        let lengths = [observations, self.masks.len(), self.rewards.len(), self.parts.len(), self.truncated.len()];
        lengths == [sizes.observation, sizes.mask, 1, sizes.reward, 1].map(|size| count * size)
    }

    /// Takes the first rows off.
    pub(super) fn take(&mut self, rows: usize, sizes: Sizes) -> Self {
        let observations = match &mut self.observations {
            Out::Single(all) => Out::Single(first(all, rows * sizes.observation)),
            Out::Double(all) => Out::Double(first(all, rows * sizes.observation)),
        };
        Self {
            observations,
            masks: first(&mut self.masks, rows * sizes.mask),
            rewards: first(&mut self.rewards, rows),
            parts: first(&mut self.parts, rows * sizes.reward),
            truncated: first(&mut self.truncated, rows),
        }
    }

    /// Writes what the last step of an environment left.
    pub(super) fn write(&mut self, row: usize, environment: &Environment, sizes: Sizes) {
        let Sizes { observation, mask, reward, .. } = sizes;
        let values = &environment.sight.values;
        let place = row * observation..(row + 1) * observation;
        match &mut self.observations {
            // The learner asked for 32 bits.
            Out::Single(out) => out[place].iter_mut().zip(values).for_each(|(out, &value)| *out = value as f32),
            Out::Double(out) => out[place].copy_from_slice(values),
        }
        self.masks[row * mask..(row + 1) * mask].copy_from_slice(&environment.sight.mask);
        self.parts[row * reward..(row + 1) * reward].copy_from_slice(environment.score.parts());
        self.rewards[row] = environment.reward;
        self.truncated[row] = environment.has_ended;
    }
}

fn first<'a, T>(all: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    all.split_off_mut(..count).expect("the arrays have a row for each environment")
}
