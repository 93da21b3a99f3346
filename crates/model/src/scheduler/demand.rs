//! Whether a user that was granted enough goes on competing for the other subchannels of a slot.
//!
//! The bits of the subchannels that a user wins (rate x slot length) add up in the order of the subchannels. Once they
//! cover what its backlog takes on air, headers and retransmissions included, it may leave the rest of the slot to the others.
//! With one subchannel there is no rest, and this does nothing. What this leaves out: whether what is granted is used up
//! to the last bit, which is the RLC's to say.

use super::SlotView;

/// Who still wants subchannels of the slot that is being decided.
#[derive(Clone, Debug)]
pub(super) struct Demand {
    releases_satisfied: bool,
    watched: bool,
    granted_bits: Vec<f64>,
    left: Vec<bool>,
    /// Who was granted anything in this slot.
    granted: Vec<usize>,
}

impl Demand {
    /// Users who still want subchannels; those whose backlog is covered leave the slot if it releases satisfied ones.
    pub(super) fn new(releases_satisfied: bool) -> Self {
        Self { releases_satisfied, watched: false, granted_bits: Vec::new(), left: Vec::new(), granted: Vec::new() }
    }

    /// Starts a slot, in which nothing is granted yet.
    #[inline]
    pub(super) fn start(&mut self, view: &SlotView<'_>) {
        self.watched = view.subchannels > 1 && self.releases_satisfied;
        if self.watched {
            self.forget(view.users);
        }
    }

    #[inline(never)]
    fn forget(&mut self, users: usize) {
        for user in self.granted.drain(..) {
            (self.granted_bits[user], self.left[user]) = (0.0, false);
        }
        self.granted_bits.resize(users, 0.0);
        self.left.resize(users, false);
    }

    /// Whether anybody may leave the slot.
    #[inline]
    pub(super) fn is_watched(&self) -> bool {
        self.watched
    }

    /// Whether `user` has left the slot.
    #[inline]
    pub(super) fn has_left(&self, user: usize) -> bool {
        self.watched && self.left[user]
    }

    /// Counts `subchannel` for `user`; true if it leaves with that.
    #[inline]
    pub(super) fn on_grant(&mut self, view: &SlotView<'_>, subchannel: usize, user: usize) -> bool {
        self.watched && self.count(view, subchannel, user)
    }

    #[inline(never)]
    fn count(&mut self, view: &SlotView<'_>, subchannel: usize, user: usize) -> bool {
        self.granted.push(user);
        self.granted_bits[user] += view.bits(user, subchannel);
        // Backlogs are far below 2^50 bytes, so the conversion is exact.
        let leaves = self.granted_bits[user] >= 8.0 * view.backlog_on_air_bytes[user] as f64;
        self.left[user] = leaves;
        leaves
    }
}
