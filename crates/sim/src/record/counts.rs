//! Plain counters of users and flows, that can be subtracted.

use airlink_model::probe::SlotRecord;
use airlink_model::transport::Statistics;
use airlink_model::types::{Direction, DropReason};

use super::datagrams::DatagramCounts;
use super::grants::GrantCounts;
use super::outer_loop::OuterLoopCounts;
use super::passed::{ByReason, Passed, less};

/// Counters of a user.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct UserCounts {
    pub(crate) slots_won: u64,
    pub(crate) slots_wasted: u64,
    pub(crate) slots_padded: u64,
    pub(crate) frames_sent: u64,
    pub(crate) frame_errors: u64,
    pub(crate) frames_repeated: u64,
    pub(crate) frames_given_up: u64,
    pub(crate) outer_loop: OuterLoopCounts,
    /// Nominal bits of the slots won: exact in a real number up to 2^53.
    pub(crate) granted_bits: f64,
    pub(crate) sent_bytes: u64,
    pub(crate) grants: GrantCounts,
    /// By its queue and, at a bottleneck, the wire behind it.
    pub(crate) passed: Passed,
}

impl UserCounts {
    pub(crate) fn on_slot(&mut self, record: &SlotRecord) {
        let empty = record.sent.is_zero();
        self.slots_won += 1;
        self.slots_wasted += u64::from(empty);
        self.slots_padded += u64::from(!empty && record.padded);
        self.frames_sent += u64::from(record.blocks.sent);
        self.frame_errors += u64::from(record.blocks.lost);
        self.frames_repeated += u64::from(record.blocks.retransmitted);
        self.frames_given_up += u64::from(record.blocks.given_up);
        self.outer_loop.on_slot(record);
        self.granted_bits += record.granted_bits;
        self.sent_bytes += record.sent.count();
        self.grants.on_slot(record);
    }

    pub(crate) fn minus(&self, before: &Self) -> Self {
        Self {
            slots_won: self.slots_won - before.slots_won,
            slots_wasted: self.slots_wasted - before.slots_wasted,
            slots_padded: self.slots_padded - before.slots_padded,
            frames_sent: self.frames_sent - before.frames_sent,
            frame_errors: self.frame_errors - before.frame_errors,
            frames_repeated: self.frames_repeated - before.frames_repeated,
            frames_given_up: self.frames_given_up - before.frames_given_up,
            outer_loop: self.outer_loop.minus(&before.outer_loop),
            granted_bits: self.granted_bits - before.granted_bits,
            sent_bytes: self.sent_bytes - before.sent_bytes,
            grants: self.grants.minus(&before.grants),
            passed: self.passed.minus(&before.passed),
        }
    }
}

/// Counters of one of a flow's two wires.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WireCounts {
    pub(crate) sent: u64,
    pub(crate) duplicated: u64,
    pub(crate) arrived: u64,
    lost: ByReason,
}

impl WireCounts {
    pub(crate) fn on_lost(&mut self, reason: DropReason) {
        self.lost[reason as usize] += 1;
    }

    pub(crate) fn lost(&self) -> u64 {
        self.lost.iter().sum()
    }

    pub(crate) fn lost_by(&self, reason: DropReason) -> u64 {
        self.lost[reason as usize]
    }

    fn minus(&self, before: &Self) -> Self {
        Self {
            sent: self.sent - before.sent,
            duplicated: self.duplicated - before.duplicated,
            arrived: self.arrived - before.arrived,
            lost: less(&self.lost, &before.lost),
        }
    }
}

/// What became of the congestion marks (CE) of a flow's packets.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MarkCounts {
    /// Marks that queues have set.
    pub(crate) set: u64,
    /// Copies of marked packets that a wire behind a queue has made.
    pub(crate) duplicated: u64,
    /// Marks that have reached the receiver.
    pub(crate) received: u64,
    /// Marks that were lost with their packets.
    pub(crate) lost: u64,
}

impl MarkCounts {
    /// Marks of packets that are still under way.
    pub(crate) const fn in_flight(&self) -> u64 {
        (self.set + self.duplicated).saturating_sub(self.received + self.lost)
    }

    fn minus(&self, before: &Self) -> Self {
        Self {
            set: self.set - before.set,
            duplicated: self.duplicated - before.duplicated,
            received: self.received - before.received,
            lost: self.lost - before.lost,
        }
    }
}

/// Counters of a flow.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FlowCounts {
    /// Packets from the server on their wire.
    pub(crate) down: WireCounts,
    /// Packets from the user on theirs: ACKs, and data if there is any.
    pub(crate) up: WireCounts,
    pub(crate) goodput_bytes: u64,
    /// Of the data from the user, at the server.
    pub(crate) goodput_up_bytes: u64,
    pub(crate) spurious_timeouts: u64,
    pub(crate) sender: Statistics,
    /// Only of a flow with ECN.
    pub(crate) marks: MarkCounts,
    pub(crate) datagrams: DatagramCounts,
    /// Of the user's sender.
    pub(crate) user_sender: Statistics,
}

impl FlowCounts {
    /// The counts of the wire of packets in `direction`.
    #[inline]
    pub(crate) fn wire(&mut self, direction: Direction) -> &mut WireCounts {
        match direction {
            Direction::Down => &mut self.down,
            Direction::Up => &mut self.up,
        }
    }

    pub(crate) fn minus(&self, before: &Self) -> Self {
        Self {
            down: self.down.minus(&before.down),
            up: self.up.minus(&before.up),
            goodput_bytes: self.goodput_bytes - before.goodput_bytes,
            goodput_up_bytes: self.goodput_up_bytes - before.goodput_up_bytes,
            spurious_timeouts: self.spurious_timeouts - before.spurious_timeouts,
            sender: self.sender.since(&before.sender),
            marks: self.marks.minus(&before.marks),
            datagrams: self.datagrams.minus(&before.datagrams),
            user_sender: self.user_sender.since(&before.user_sender),
        }
    }
}
