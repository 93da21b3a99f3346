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
    /// By user, since the run's start, at the last decision.
    before_bytes: Vec<u64>,
    /// The same now, where no cell counts it.
    counted_bytes: Vec<u64>,
    jain_index: f64,
    dropped_packets: u64,
}

impl Score {
    pub(super) fn new(weights: &[(usize, f64)], users: usize) -> Self {
        Self {
            weights: weights.to_vec(),
            parts: vec![0.0; weights.len()],
            before_bytes: vec![0; users],
            counted_bytes: Vec::new(),
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
        (self.jain_index, self.dropped_packets) = (0.0, 0);
    }

    /// Whether goodput counts.
    pub(super) fn is_of_goodput(&self) -> bool {
        self.weights.iter().any(|(part, _)| *part <= JAIN_INDEX)
    }

    /// The reward since the last call.
    pub(super) fn take(&mut self, simulation: &Simulation, task: &dyn Task) -> f64 {
        let now_bytes: &[u64] = match simulation.goodput_shown() {
            _ if !self.is_of_goodput() => &[],
            Some(shown) => shown,
            None => {
                self.counted_bytes.clear();
                self.counted_bytes.resize(self.before_bytes.len(), 0);
                simulation.add_goodput(&mut self.counted_bytes);
                &self.counted_bytes
            }
        };
        let mut reward = 0.0;
        for (&(part, weight), value) in self.weights.iter().zip(&mut self.parts) {
            *value = match part {
                GOODPUT_BITS => goodput_bits(now_bytes, &self.before_bytes),
                LOG_GOODPUT => log_goodput(now_bytes, &self.before_bytes),
                JAIN_INDEX => {
                    let index = jain_index(now_bytes);
                    index - std::mem::replace(&mut self.jain_index, index)
                }
                DROPPED_PACKETS => {
                    let dropped = simulation.dropped_packets();
                    (dropped - std::mem::replace(&mut self.dropped_packets, dropped)) as f64
                }
                _ => task.rewards()[part - FIRST_OWN],
            };
            reward += weight * *value;
        }
        self.before_bytes[..now_bytes.len()].copy_from_slice(now_bytes);
        reward
    }
}

fn goodput_bits(now_bytes: &[u64], before_bytes: &[u64]) -> f64 {
    let bytes: u64 = now_bytes.iter().zip(before_bytes).map(|(now, before)| now - before).sum();
    8.0 * bytes as f64
}

fn log_goodput(now_bytes: &[u64], before_bytes: &[u64]) -> f64 {
    let users = now_bytes.iter().zip(before_bytes).filter(|(now, before)| now > before);
    users.map(|(&now, &before)| libm::log((FIRST_BYTES + now as f64) / (FIRST_BYTES + before as f64))).sum()
}

fn jain_index(bytes: &[u64]) -> f64 {
    let squares: f64 = bytes.iter().map(|&bytes| bytes as f64 * bytes as f64).sum();
    let sum: f64 = bytes.iter().map(|&bytes| bytes as f64).sum();
    if sum > 0.0 { sum * sum / (bytes.len() as f64 * squares) } else { 0.0 }
}
