//! A packet on its way between a server and a user.

use super::declare::Words;
use super::{Bytes, DropReason, FlowId, Time, UserId};

/// A packet stays where it was written, from its sender to its receiver: queues and wires hand on its place, not 120 bytes.
pub type Packet<P> = Box<PacketFields<P>>;

/// What a packet is; the cell never looks at its payload.
#[derive(Clone, Debug, PartialEq)]
pub struct PacketFields<P> {
    /// A number unique among the packets of its flow, in the order of sending.
    pub id: u64,
    /// The flow it belongs to.
    pub flow: FlowId,
    /// The user at one end of its way.
    pub user: UserId,
    /// Its size on air and in queues, headers included.
    pub bytes: Bytes,
    /// When its sender sent it.
    pub sent_at: Time,
    /// When it entered the base station's queue.
    pub queued_at: Time,
    /// Which way it goes.
    pub direction: Direction,
    /// How many hops of its path lie behind it.
    pub hop: u8,
    /// What queues on the way have written on it.
    pub marks: Marks,
    /// What the transport put in; carried unseen.
    pub payload: P,
}

/// Which way a packet goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Words)]
pub enum Direction {
    /// From the server to the user.
    #[default]
    Down,
    /// From the user to the server.
    Up,
}

impl Direction {
    /// The other one.
    #[inline]
    pub const fn opposite(self) -> Self {
        match self {
            Self::Down => Self::Up,
            Self::Up => Self::Down,
        }
    }
}

/// What a packet tells its receiver of the queues that it passed. Queues write it, receivers echo it, senders and receivers react.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Marks {
    /// Explicit congestion notification.
    pub ecn: Ecn,
    /// The sum of the prices that queues put on it as it leaves them; zero when none does.
    pub price: f32,
}

impl Marks {
    /// A queue adds to what stands on the packet.
    #[inline]
    pub fn add(&mut self, addition: f32) {
        self.price += addition;
    }

    /// What queues have added in all: an ACK echoes it. CE is echoed by rules of its own.
    #[inline]
    pub const fn added(self) -> f32 {
        self.price
    }

    /// Whether it carries a congestion mark (CE).
    #[inline]
    pub const fn has_ce(self) -> bool {
        matches!(self.ecn, Ecn::Ce)
    }
}

/// The two ECN bits of the IP header (RFC 3168 §5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Ecn {
    /// Its sender does not take part.
    #[default]
    NotEct = 0b00,
    /// Its sender takes part: ECT(1), in RFC 9331 the sign of a scalable congestion control.
    Ect1 = 0b01,
    /// Its sender takes part: ECT(0).
    Ect0 = 0b10,
    /// A queue on the way was congested.
    Ce = 0b11,
}

impl Ecn {
    /// Whether a queue may mark the packet instead of dropping it.
    pub const fn is_capable(self) -> bool {
        !matches!(self, Self::NotEct)
    }
}

/// A packet that was dropped, with the reason: no drop is silent.
#[derive(Clone, Debug, PartialEq)]
pub struct Dropped<P> {
    /// The packet.
    pub packet: Packet<P>,
    /// Why it was dropped.
    pub reason: DropReason,
}

/// A packet left a queue that adds to the marks of those that leave, and the terms of what it added.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MarkRecord {
    /// When it left.
    pub at: Time,
    /// Whose it is.
    pub user: UserId,
    /// Of which flow.
    pub flow: FlowId,
    /// The queue's mean, bytes.
    pub mean_bytes: f64,
    /// Bytes of queue for which nothing is added.
    pub free_bytes: f64,
    /// At which the queue drains, bytes per second; NaN until that is known.
    pub service_bytes_per_s: f64,
    /// What the queue added.
    pub addition: f32,
}
