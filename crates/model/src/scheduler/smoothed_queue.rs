//! The smoothed queue of eq. (12): Q\[n\] = w q\[n\] + (1 - w) Q\[n-1\], in bits, every slot, before the decision.
//! Q is 0 before the first slot. It is settled where it is read: of users with packets, and of those among whom a slot is decided.

use super::contest::Contest;
use super::settled::{Lanes, Settled};

/// One smoothed queue per user, bits.
#[derive(Clone, Debug)]
pub struct SmoothedQueue {
    weight: f64,
    settled: Settled,
    /// Slots that were observed.
    observed: u64,
    /// Q by place in the contest; unused while decisions read what is settled.
    shown: Vec<f64>,
    shows_all: bool,
}

impl SmoothedQueue {
    /// Empty queues of `users` users, averaged over `time_constant_slots`, the same w as the rate's.
    pub fn new(time_constant_slots: f64, users: usize) -> Self {
        let settled = Settled::new(users, 0.0);
        Self { weight: 1.0 / time_constant_slots, settled, observed: 0, shown: Vec::new(), shows_all: true }
    }

    /// Q, bits, by place in the contest observed last.
    pub fn bits(&self) -> &[f64] {
        if self.shows_all { self.settled.as_slice() } else { &self.shown }
    }

    /// A user has come to this row: its queue starts empty.
    pub(super) fn on_user_added(&mut self, user: usize) {
        let keep = 1.0 - self.weight;
        if self.settled.has_block_of(user) {
            self.settled.settle(user, self.observed, |_, bits| bits.iter_mut().for_each(|smoothed| *smoothed *= keep));
        }
        self.settled.start(user, self.observed, 0.0);
    }

    /// Eq. (12) with this slot's backlogs.
    pub fn observe(&mut self, contest: &Contest<'_>) {
        let Self { weight, settled, observed, shown, .. } = self;
        let (keep, weight_per_byte) = (1.0 - *weight, 8.0 * *weight);
        let (slot, view) = (*observed, contest.view);
        let decay = |_, bits: &mut Lanes| bits.iter_mut().for_each(|smoothed| *smoothed *= keep);
        *observed += 1;
        for &user in view.occupied {
            settled.settle(user as usize, slot, decay);
            settled.advance(user as usize, slot, |users, bits| {
                for (smoothed, &bytes) in bits.iter_mut().zip(&view.backlog_bytes[users]) {
                    // Backlogs are far below 2^53 bytes, so the conversion is exact.
                    *smoothed = weight_per_byte * bytes as f64 + keep * *smoothed;
                }
            });
        }
        // Nobody else has a backlog.
        let Some(listed) = contest.listed() else {
            settled.settle_all(slot + 1, decay);
            self.shows_all = true;
            return;
        };
        self.shows_all = false;
        settled.settle_listed(listed, slot + 1, decay, shown);
    }
}
