//! Users' queues of packets, served slot by slot by a scheduler over an error-free channel.
//!
//! Slots last 1 s, so a rate is the bits of a slot. What it leaves out: segments and headers; a slot's bits are used up to the last.

use std::collections::VecDeque;

use airlink_model::scheduler::*;
use airlink_model::types::{Slot, Time};

use crate::scheduler_fixture::{Knowledge, scheduler};

#[derive(Clone, Copy, Debug)]
struct Waiting {
    came: u64,
    bits: f64,
}

/// A packet that has left.
#[derive(Clone, Copy, Debug)]
pub struct Left {
    pub user: usize,
    /// Slots from the one at whose start it came to the one in which its last bit left.
    pub waited: u64,
}

pub struct Queues {
    pub known: Knowledge,
    scheduler: Box<dyn Scheduler>,
    waiting: Vec<VecDeque<Waiting>>,
    pub sent_bits: Vec<f64>,
}

impl Queues {
    /// Empty queues of users with these delay budgets.
    pub fn new(kind: SchedulerKind, delay_budget_s: &[f64]) -> Self {
        let users = delay_budget_s.len();
        let mut known = Knowledge::new(users, 1);
        known.slot_s = 1.0;
        known.delay_budget_s = delay_budget_s.to_vec();
        Self {
            known,
            scheduler: scheduler(kind, Ties::LowestIndex, users, 1),
            waiting: vec![VecDeque::new(); users],
            sent_bits: vec![0.0; users],
        }
    }

    /// A packet comes at the start of the next slot.
    pub fn arrive(&mut self, user: usize, bits: f64) {
        self.waiting[user].push_back(Waiting { came: self.known.slot, bits });
    }

    pub fn waiting_bits(&self, user: usize) -> f64 {
        self.waiting[user].iter().map(|packet| packet.bits).sum()
    }

    /// Slots that the oldest packet of `user` has waited.
    pub fn oldest(&self, user: usize) -> Option<u64> {
        self.waiting[user].front().map(|packet| self.known.slot - packet.came)
    }

    /// Serves a slot in which users have these rates; returns the packets that leave in it.
    pub fn run_slot(&mut self, rates: &[f32]) -> Vec<Left> {
        self.known.rate_bps.copy_from_slice(rates);
        for (user, waiting) in self.waiting.iter().enumerate() {
            let since = waiting.front().map(|packet| Time::from_nanos(packet.came * 1_000_000_000));
            self.known.head_of_line_since[user] = since.unwrap_or(Time::NEVER);
            self.known.eligible[user] = since.is_some();
            self.known.backlog_bytes[user] = u64::from(since.is_some());
        }
        let mut allocation = Allocation::new(1);
        self.scheduler.allocate(&self.known.view(), &mut allocation);
        let slot = self.known.slot;
        let (mut left, mut served) = (Vec::new(), Vec::new());
        if let Some(row) = allocation.owner(0) {
            let user = row.index();
            let granted_bits = f64::from(rates[user]);
            let sent_bits = self.send(user, granted_bits, &mut left);
            served.push(Served { user: row, granted_bits, sent_bits });
        }
        self.scheduler.on_slot_end(&SlotOutcome { slot: Slot::new(slot), slot_s: 1.0, served: &served });
        self.known.slot += 1;
        left
    }

    fn send(&mut self, user: usize, granted_bits: f64, left: &mut Vec<Left>) -> f64 {
        let mut room = granted_bits;
        while let Some(packet) = self.waiting[user].front_mut() {
            let taken = room.min(packet.bits);
            (room, packet.bits) = (room - taken, packet.bits - taken);
            if packet.bits > 0.0 {
                break;
            }
            left.push(Left { user, waited: self.known.slot - packet.came });
            self.waiting[user].pop_front();
        }
        self.sent_bits[user] += granted_bits - room;
        granted_bits - room
    }
}
