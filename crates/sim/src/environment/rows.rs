//! What a step leaves, a row for each environment: the rows of a shard, and the caller's arrays of all.
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
    /// Who may win: subchannels x users.
    pub masks: &'a mut [u8],
    /// Rewards.
    pub rewards: &'a mut [f64],
    /// Their parts without their weights.
    pub parts: &'a mut [f64],
    /// Whether an episode has ended.
    pub truncated: &'a mut [bool],
}

/// The rows of some environments.
#[derive(Debug)]
pub(super) struct Rows {
    sizes: Sizes,
    observations: Observations,
    masks: Vec<u8>,
    rewards: Vec<f64>,
    parts: Vec<f64>,
    truncated: Vec<bool>,
}

#[derive(Debug)]
enum Observations {
    Single(Vec<f32>),
    Double(Vec<f64>),
}

impl Rows {
    pub(super) fn new(count: usize, sizes: Sizes) -> Self {
        Self {
            sizes,
            observations: Observations::Double(vec![0.0; count * sizes.observation]),
            masks: vec![0; count * sizes.mask],
            rewards: vec![0.0; count],
            parts: vec![0.0; count * sizes.reward],
            truncated: vec![false; count],
        }
    }

    pub(super) fn masks(&self) -> &[u8] {
        &self.masks
    }

    /// From the next writing on, observations have 32 or 64 bits.
    pub(super) fn set_precision(&mut self, is_single: bool) {
        let size = self.rewards.len() * self.sizes.observation;
        match &self.observations {
            Observations::Double(_) if is_single => self.observations = Observations::Single(vec![0.0; size]),
            Observations::Single(_) if !is_single => self.observations = Observations::Double(vec![0.0; size]),
            _ => {}
        }
    }

    pub(super) fn write(&mut self, row: usize, environment: &Environment) {
        let Sizes { observation, mask, reward, .. } = self.sizes;
        let values = &environment.sight.values;
        let place = row * observation..(row + 1) * observation;
        match &mut self.observations {
            // The learner asked for 32 bits.
            Observations::Single(out) => {
                out[place].iter_mut().zip(values).for_each(|(out, &value)| *out = value as f32)
            }
            Observations::Double(out) => out[place].copy_from_slice(values),
        }
        self.masks[row * mask..(row + 1) * mask].copy_from_slice(&environment.sight.mask);
        self.parts[row * reward..(row + 1) * reward].copy_from_slice(environment.score.parts());
        self.rewards[row] = environment.reward;
        self.truncated[row] = environment.has_ended;
    }
}

impl Written<'_> {
    /// Takes rows over, from this one on.
    pub(super) fn copy(&mut self, row: usize, rows: &Rows) {
        let Sizes { observation, mask, reward, .. } = rows.sizes;
        match (&mut self.observations, &rows.observations) {
            (Out::Single(out), Observations::Single(from)) => put(out, row * observation, from),
            (Out::Double(out), Observations::Double(from)) => put(out, row * observation, from),
            _ => unreachable!("rows have the precision that was asked for"),
        }
        put(self.masks, row * mask, &rows.masks);
        put(self.rewards, row, &rows.rewards);
        put(self.parts, row * reward, &rows.parts);
        put(self.truncated, row, &rows.truncated);
    }
}

fn put<T: Copy>(out: &mut [T], first: usize, from: &[T]) {
    out[first..first + from.len()].copy_from_slice(from);
}
