//! Packets from the servers through the users' queues, and their ACKs back: TCP is a window that counts ACKs.
//! Nothing is lost.
//!
//! Between the user and its queue at the base station everything takes a constant time: the uplink, the server's
//! answer to an ACK, the wire. So one ring holds it all, and an entry that comes out is the answer to an ACK.

use super::Work;

/// What the packets go through.
#[derive(Clone, Copy, Debug)]
pub struct PacketConfig {
    users: usize,
    round_trip_slots: u32,
    window: u32,
    bytes: f32,
}

impl PacketConfig {
    /// Packets of a size such that about the wanted number gets through.
    pub fn of(work: &Work) -> Self {
        let (round_trip_slots, window, bytes) = (work.round_trip_slots, work.window, work.packet_bytes);
        Self { users: work.mean_snr.len(), round_trip_slots, window, bytes }
    }
}

/// All packets under way.
pub struct Packets {
    config: PacketConfig,
    slot: u32,
    away: Ring,
    flows: Vec<Flow>,
    delivered: u64,
}

/// A sender, its user's queue and how much of the head packet is gone.
struct Flow {
    window: u32,
    slow_start_until: u32,
    acked: u32,
    queue: Ring,
    sent_of_head: f32,
}

impl Packets {
    pub fn new(config: PacketConfig) -> Self {
        let flow = |_| Flow {
            window: 1,
            slow_start_until: config.window,
            acked: 0,
            queue: Ring::new(config.window),
            sent_of_head: 0.0,
        };
        let under_way = config.window * config.users as u32;
        let mut away = Ring::new(under_way);
        (0..config.users as u32).for_each(|user| away.push(config.round_trip_slots, user));
        let flows = (0..config.users).map(flow).collect();
        Self { config, slot: 0, away, flows, delivered: 0 }
    }

    /// Packets that reached their users.
    pub fn delivered(&self) -> u64 {
        self.delivered
    }

    /// One slot after the other: (user, bytes).
    #[inline(always)]
    pub fn carry(&mut self, grants: &[(u32, f32)]) {
        for &(user, bytes) in grants {
            while let Some(user) = self.away.pop_until(self.slot) {
                self.arrive(user);
            }
            self.serve(user, bytes);
            self.slot += 1;
        }
    }

    /// A slot that users share: the bytes of each.
    #[inline(always)]
    pub fn carry_shared(&mut self, bytes: &[f32]) {
        while let Some(user) = self.away.pop_until(self.slot) {
            self.arrive(user);
        }
        for (user, &bytes) in bytes.iter().enumerate().filter(|(_, bytes)| **bytes > 0.0) {
            self.serve(user as u32, bytes);
        }
        self.slot += 1;
    }

    /// What the server sent when an ACK came reaches the queue: a packet, or two when the window has grown.
    #[inline(always)]
    fn arrive(&mut self, user: u32) {
        let flow = &mut self.flows[user as usize];
        flow.queue.push(self.slot, user);
        flow.acked += 1;
        if flow.window < self.config.window && (flow.window < flow.slow_start_until || flow.acked >= flow.window) {
            flow.window += 1;
            flow.acked = 0;
            flow.queue.push(self.slot, user);
        }
    }

    #[inline(always)]
    fn serve(&mut self, user: u32, bytes: f32) {
        let Some(flow) = self.flows.get_mut(user as usize) else { return };
        let mut left = bytes + flow.sent_of_head;
        while left >= self.config.bytes {
            if flow.queue.pop_until(self.slot).is_none() {
                left = 0.0;
                break;
            }
            left -= self.config.bytes;
            self.delivered += 1;
            self.away.push(self.slot + self.config.round_trip_slots, user);
        }
        flow.sent_of_head = left;
    }
}

/// Packets in the order in which they arrive, each with its slot and user.
struct Ring {
    entries: Vec<(u32, u32)>,
    mask: u32,
    head: u32,
    tail: u32,
}

impl Ring {
    fn new(most: u32) -> Self {
        let size = (most + 1).next_power_of_two();
        Self { entries: vec![(0, 0); size as usize], mask: size - 1, head: 0, tail: 0 }
    }

    #[inline(always)]
    fn push(&mut self, slot: u32, user: u32) {
        let place = (self.tail & self.mask) as usize;
        self.entries[place] = (slot, user);
        self.tail = self.tail.wrapping_add(1);
    }

    /// The user of the next packet, if it has arrived by `slot`.
    #[inline(always)]
    fn pop_until(&mut self, slot: u32) -> Option<u32> {
        let (arrives, user) = self.entries[(self.head & self.mask) as usize];
        if self.head == self.tail || arrives > slot {
            return None;
        }
        self.head = self.head.wrapping_add(1);
        Some(user)
    }
}
