//! One number for each user that moves in every slot, computed where it is read.
//!
//! Users stand in blocks of 16, and each block remembers up to which slot it is settled. What it has missed is made up for slot by
//! slot with the operations of a plain loop over all users, so the bits are the same. A block moves in registers: at worst
//! this costs what the plain loop costs, and a block of users of whom nobody is active costs nothing. It leaves out: closed forms
//! of many slots, which round differently.

/// Users that are settled together.
const BLOCK: usize = 16;

/// Slots between two looks at whether the numbers have come to rest.
const STEPS_BETWEEN_LOOKS: u64 = 1 << 10;

/// The numbers of a block.
pub(super) type Lanes = [f64; BLOCK];

/// The numbers of all users.
#[derive(Clone, Debug)]
pub(super) struct Settled {
    users: usize,
    /// The last block is padded.
    blocks: Vec<Lanes>,
    /// Each block has taken in the slots before this one.
    until: Vec<u64>,
}

impl Settled {
    pub(super) fn new(users: usize, initial: f64) -> Self {
        let blocks = users.div_ceil(BLOCK);
        Self { users, blocks: vec![[initial; BLOCK]; blocks], until: vec![0; blocks] }
    }

    /// All numbers as far as they are settled.
    #[inline]
    pub(super) fn as_slice(&self) -> &[f64] {
        &self.blocks.as_flattened()[..self.users]
    }

    /// The number of `user`, to be changed; its block is settled.
    #[inline]
    pub(super) fn of(&mut self, user: usize) -> &mut f64 {
        &mut self.blocks[user / BLOCK][user % BLOCK]
    }

    /// Has the block of `user` take in the slots before `slot`: `step` is what a slot makes of its numbers.
    #[inline(always)]
    pub(super) fn settle(&mut self, user: usize, slot: u64, step: impl Fn(u64, &mut Lanes)) {
        let block = user / BLOCK;
        settle(&mut self.until[block], &mut self.blocks[block], slot, step);
    }

    /// The same for all users.
    #[inline(always)]
    pub(super) fn settle_all(&mut self, slot: u64, step: impl Fn(u64, &mut Lanes)) {
        for (until, lanes) in self.until.iter_mut().zip(&mut self.blocks) {
            settle(until, lanes, slot, &step);
        }
    }

    /// Writes the numbers of all users as they are once the slots before `slot` are taken in, and settles none.
    pub(super) fn write(&self, slot: u64, step: impl Fn(u64, &mut Lanes), out: &mut [f64]) {
        let blocks = self.until.iter().zip(&self.blocks);
        for ((&until, &lanes), out) in blocks.zip(out.chunks_mut(BLOCK)) {
            let (mut until, mut lanes) = (until, lanes);
            settle(&mut until, &mut lanes, slot, &step);
            out.copy_from_slice(&lanes[..out.len()]);
        }
    }

    /// As [`Self::settle`] for the users of a list, whose numbers are laid side by side.
    #[inline]
    pub(super) fn settle_listed(
        &mut self,
        listed: &[u32],
        slot: u64,
        step: impl Fn(u64, &mut Lanes),
        numbers: &mut Vec<f64>,
    ) {
        numbers.clear();
        numbers.extend(listed.iter().map(|&user| {
            self.settle(user as usize, slot, &step);
            *self.of(user as usize)
        }));
    }

    /// Has the block of `user`, which is settled up to `slot`, take that slot in, unless it has: `step` also gets the numbers of its users.
    #[inline]
    pub(super) fn advance(&mut self, user: usize, slot: u64, step: impl Fn(std::ops::Range<usize>, &mut Lanes)) {
        let block = user / BLOCK;
        if self.until[block] == slot {
            let first = block * BLOCK;
            step(first..self.users.min(first + BLOCK), &mut self.blocks[block]);
            self.until[block] = slot + 1;
        }
    }

    /// Sets the number of `user`, one behind the last included; the block that it stands in is settled up to `slot`.
    pub(super) fn start(&mut self, user: usize, slot: u64, number: f64) {
        self.users = self.users.max(user + 1);
        if user / BLOCK == self.blocks.len() {
            self.blocks.push([number; BLOCK]);
            self.until.push(slot);
        }
        *self.of(user) = number;
    }

    /// Whether `user` stands in a block that is there.
    pub(super) fn has_block_of(&self, user: usize) -> bool {
        user / BLOCK < self.blocks.len()
    }
}

/// Has a block, settled up to `until`, take in the slots before `slot`. Where all users are active it lacks one slot or none.
#[inline(always)]
fn settle(until: &mut u64, lanes: &mut Lanes, slot: u64, step: impl Fn(u64, &mut Lanes)) {
    if *until + 1 == slot {
        step(*until, lanes);
        *until = slot;
    } else if *until < slot {
        catch_up(until, lanes, slot, step);
    }
}

#[inline(never)]
fn catch_up(until: &mut u64, block: &mut Lanes, slot: u64, step: impl Fn(u64, &mut Lanes)) {
    let mut lanes = *block;
    while *until < slot {
        let end = slot.min(*until + STEPS_BETWEEN_LOOKS);
        for passed in *until..end {
            step(passed, &mut lanes);
        }
        *until = end;
        if end < slot {
            let before = lanes;
            step(end, &mut lanes);
            // A step that changes nothing is followed by others that don't.
            *until = if lanes == before { slot } else { end + 1 };
        }
    }
    *block = lanes;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Purpose, RandomStream};

    /// What a slot makes of a number: it decays to a floor, faster in even slots.
    fn decayed(slot: u64, number: f64) -> f64 {
        (number * if slot.is_multiple_of(2) { 0.97 } else { 0.999 }).max(1e-100)
    }

    #[test]
    fn numbers_settled_when_they_are_read_are_those_of_a_plain_loop_bit_by_bit() {
        let users = 45;
        let mut draws = RandomStream::new(1, Purpose::Traffic, 0);
        let (mut settled, mut plain) = (Settled::new(users, 7.0), vec![7.0; users]);
        let step = |slot, lanes: &mut Lanes| lanes.iter_mut().for_each(|number| *number = decayed(slot, *number));
        for slot in 0..30_000 {
            for (user, number) in plain.iter_mut().enumerate() {
                *number = decayed(slot, *number);
                // Ever more seldom, so that some come to rest at the floor.
                if draws.uniform() < 2.0 / (slot + 10) as f64 {
                    let added = draws.exponential(1e6);
                    *number += added;
                    settled.settle(user, slot + 1, step);
                    *settled.of(user) += added;
                }
            }
        }
        settled.settle_all(30_000, step);
        let bits = |numbers: &[f64]| numbers.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(settled.as_slice()), bits(&plain));
        assert!(plain.contains(&1e-100) && plain.iter().any(|&number| number > 1e-90), "at rest or not: {plain:?}");
    }
}
