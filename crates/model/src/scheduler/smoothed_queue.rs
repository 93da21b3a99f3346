//! The smoothed queue of eq. (12): Q\[n\] = w q\[n\] + (1 - w) Q\[n-1\], in bits, every slot, before the decision.
//! Q is 0 before the first slot.

/// One smoothed queue per user, bits.
#[derive(Clone, Debug)]
pub struct SmoothedQueue {
    weight: f64,
    bits: Vec<f64>,
}

impl SmoothedQueue {
    /// Empty queues of `users` users, averaged over `time_constant_slots`, the same w as the rate's.
    pub fn new(time_constant_slots: f64, users: usize) -> Self {
        Self { weight: 1.0 / time_constant_slots, bits: vec![0.0; users] }
    }

    /// Q of each user, bits.
    pub fn bits(&self) -> &[f64] {
        &self.bits
    }

    /// Eq. (12) with this slot's backlogs.
    pub fn observe(&mut self, backlog_bytes: &[u64]) {
        let keep = 1.0 - self.weight;
        let weight_per_byte = 8.0 * self.weight;
        for (smoothed, &bytes) in self.bits.iter_mut().zip(backlog_bytes) {
            // Backlogs are far below 2^53 bytes, so the conversion is exact.
            *smoothed = weight_per_byte * bytes as f64 + keep * *smoothed;
        }
    }
}
