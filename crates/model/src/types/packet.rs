//! A packet on its way from the server to the user, and the ways it can be lost.

use super::{Bytes, Time};

/// The global number of a user (a terminal of the cell).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UserId(u32);

/// The number of a flow (one transport connection or source).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowId(u32);

macro_rules! index_of {
    ($name:ident) => {
        impl $name {
            /// Number `index`.
            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("fewer than 2^32 of them"))
            }

            /// The number, as an index into per-item arrays.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}
index_of!(UserId);
index_of!(FlowId);

/// A packet; the cell never looks at its payload.
#[derive(Clone, Debug, PartialEq)]
pub struct Packet<P> {
    /// A number unique among the packets of its flow, in the order of sending.
    pub id: u64,
    /// The flow it belongs to.
    pub flow: FlowId,
    /// The user it goes to.
    pub user: UserId,
    /// Its size on air and in queues, headers included.
    pub bytes: Bytes,
    /// When its sender sent it.
    pub sent_at: Time,
    /// When it entered the base station's queue.
    pub queued_at: Time,
    /// The two ECN bits of the IP header (RFC 3168 §5): 0 is Not-ECT. An AQM may set 3 (CE).
    pub ecn: u8,
    /// The sum of the prices that queues put on it as it leaves them (CLAMP); zero when none does.
    pub price: f32,
    /// What the transport put in; carried unseen.
    pub payload: P,
}

/// Why a packet did not arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DropReason {
    /// The queue held as many packets or bytes as it may.
    QueueFull,
    /// A part was lost on air and the link does not repeat.
    AirError,
    /// A part was lost on air more often than the link may repeat.
    RetryLimit,
    /// A wire lost it, by number, time or draw.
    WireLoss,
    /// A wire was out when it came.
    Outage,
    /// Active queue management chose it, though there was room.
    Aqm,
}

impl DropReason {
    /// Every reason, in the order of the result's columns.
    pub const ALL: [Self; 6] =
        [Self::QueueFull, Self::AirError, Self::RetryLimit, Self::WireLoss, Self::Outage, Self::Aqm];
    /// What can happen to a packet in a cell whose queues only have limits.
    pub const RADIO: [Self; 3] = [Self::QueueFull, Self::AirError, Self::RetryLimit];
    /// What can happen to a packet in a cell whose queues choose what to drop.
    pub const MANAGED_RADIO: [Self; 4] = [Self::QueueFull, Self::Aqm, Self::AirError, Self::RetryLimit];
    /// What can happen to a packet at a wired bottleneck.
    pub const BOTTLENECK: [Self; 3] = [Self::QueueFull, Self::WireLoss, Self::Outage];
    /// What can happen to a packet on the wires of its flow.
    pub const WIRE: [Self; 2] = [Self::WireLoss, Self::Outage];

    /// The reason's name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::QueueFull => "queue_full",
            Self::AirError => "air_error",
            Self::RetryLimit => "retry_limit",
            Self::WireLoss => "wire_loss",
            Self::Outage => "outage",
            Self::Aqm => "aqm",
        }
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

/// What a queue told a packet that left it, beside what the price is made of then.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Priced {
    /// When it left.
    pub at: Time,
    /// Whose it is.
    pub user: UserId,
    /// Of which flow.
    pub flow: FlowId,
    /// The queue's mean, bytes.
    pub mean_bytes: f64,
    /// Bytes that have no price.
    pub free_bytes: f64,
    /// At which the queue drains, bytes per second; NaN until that is known.
    pub service_bytes_per_s: f64,
    /// The price, s/byte.
    pub per_rate: f32,
}
