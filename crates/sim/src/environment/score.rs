//! What a step was worth: a weighted sum of parts, each of which counts from one decision to the next.

use super::Task;
use crate::simulation::Simulation;

/// Bytes that every user has in the logarithm of its goodput before the first packet: one packet.
const FIRST_BYTES: f64 = 1500.0;

/// The parts that all decisions have, by their numbers.
const GOODPUT_BITS: usize = 0;
const LOG_GOODPUT: usize = 1;
const JAIN_INDEX: usize = 2;
const DROPPED_PACKETS: usize = 3;
/// The number of the first part that is a decision's own.
pub(super) const FIRST_OWN: usize = 4;

/// The reward of an environment.
#[derive(Debug)]
pub(super) struct Score {
    weights: Vec<(usize, f64)>,
    parts: Vec<f64>,
    /// By user, since the run's start.
    goodput_bytes: Vec<u64>,
    before_bytes: Vec<u64>,
    jain_index: f64,
    dropped_packets: u64,
}

impl Score {
    pub(super) fn new(weights: &[(usize, f64)], users: usize) -> Self {
        Self {
            weights: weights.to_vec(),
            parts: vec![0.0; weights.len()],
            goodput_bytes: vec![0; users],
            before_bytes: vec![0; users],
            jain_index: 0.0,
            dropped_packets: 0,
        }
    }

    /// The parts of the last reward, without their weights.
    pub(super) fn parts(&self) -> &[f64] {
        &self.parts
    }

    /// Begins an episode.
    pub(super) fn start(&mut self) {
        self.before_bytes.fill(0);
        self.goodput_bytes.fill(0);
        (self.jain_index, self.dropped_packets) = (0.0, 0);
    }

    /// Whether goodput counts.
    pub(super) fn is_of_goodput(&self) -> bool {
        self.weights.iter().any(|(part, _)| *part <= JAIN_INDEX)
    }

    /// The reward since the last call.
    pub(super) fn take(&mut self, simulation: &Simulation, task: &dyn Task) -> f64 {
        if self.is_of_goodput() {
            std::mem::swap(&mut self.goodput_bytes, &mut self.before_bytes);
            match task.goodput_bytes() {
                Some(seen) => self.goodput_bytes.copy_from_slice(seen),
                None => {
                    self.goodput_bytes.fill(0);
                    simulation.add_goodput(&mut self.goodput_bytes);
                }
            }
        }
        let mut reward = 0.0;
        for place in 0..self.weights.len() {
            let (part, weight) = self.weights[place];
            let value = match part {
                GOODPUT_BITS => self.goodput_bits(),
                LOG_GOODPUT => self.log_goodput(),
                JAIN_INDEX => self.jain_growth(),
                DROPPED_PACKETS => self.newly_dropped(simulation),
                _ => task.rewards()[part - FIRST_OWN],
            };
            self.parts[place] = value;
            reward += weight * value;
        }
        reward
    }

    fn newly_dropped(&mut self, simulation: &Simulation) -> f64 {
        let dropped = simulation.dropped_packets();
        (dropped - std::mem::replace(&mut self.dropped_packets, dropped)) as f64
    }

    fn goodput_bits(&self) -> f64 {
        let bytes: u64 = self.goodput_bytes.iter().zip(&self.before_bytes).map(|(now, before)| now - before).sum();
        8.0 * bytes as f64
    }

    fn log_goodput(&self) -> f64 {
        let users = self.goodput_bytes.iter().zip(&self.before_bytes).filter(|(now, before)| now > before);
        users.map(|(&now, &before)| libm::log((FIRST_BYTES + now as f64) / (FIRST_BYTES + before as f64))).sum()
    }

    fn jain_growth(&mut self) -> f64 {
        let squares: f64 = self.goodput_bytes.iter().map(|&bytes| bytes as f64 * bytes as f64).sum();
        let sum: f64 = self.goodput_bytes.iter().map(|&bytes| bytes as f64).sum();
        let users = self.goodput_bytes.len() as f64;
        let index = if sum > 0.0 { sum * sum / (users * squares) } else { 0.0 };
        index - std::mem::replace(&mut self.jain_index, index)
    }
}
