//! The vocabulary that every stage shares. It knows no stage.

mod coding;
pub mod declare;
mod drop_reason;
mod duplex;
mod id;
mod packet;
mod random;
mod simd;
mod time;
mod units;

pub use coding::{BlockFates, Blocks, Combining, SoftInformation, SubchannelGrant};
pub use drop_reason::{DropPlace, DropReason};
pub use duplex::{Duplex, LONGEST_PATTERN, TddPattern};
pub use id::{CellId, FlowId, UserId};
pub use packet::{Direction, Dropped, Ecn, MarkRecord, Marks, Packet, PacketFields};
pub use random::{CounterStream, Purpose, RandomStream};
pub use simd::{NotOnThisCpu, VectorPath};
pub use time::{Duration, Slot, SlotClock, SlotStarts, Time};
pub use units::{Bytes, Decibel, PowerRatio, Rate};

/// Slots that a per-slot stage computes at once, so that its loops run over time and fill vector registers.
pub const BLOCK_SLOTS: usize = 64;
