//! What a flow without TCP sends, burst by burst: packets that nobody acknowledges and nobody repeats.
//!
//! A source says when its next burst leaves and how it is cut into packets. A burst is one frame of a video, one packet of a
//! voice, or one packet of a constant rate. Times count from the flow's start. It leaves out: rates that adapt to losses or
//! delays, repairs (RTP retransmission, FEC), and how a burst is spread out by a sender that paces.

use super::{ConstantRate, FrameTrain, Voice};
use crate::types::{Bytes, Duration};

/// What leaves at one moment and has one deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Burst {
    /// When it leaves, from the flow's start; never before the burst before it.
    pub after: Duration,
    /// How many packets it is cut into; at least 1.
    pub packets: u64,
    /// Each packet but the last, headers included.
    pub full: Bytes,
    /// The last packet, headers included.
    pub last: Bytes,
}

impl Burst {
    /// One packet.
    pub const fn single(after: Duration, bytes: Bytes) -> Self {
        Self { after, packets: 1, full: bytes, last: bytes }
    }

    /// All of its packets together.
    pub fn bytes(&self) -> Bytes {
        Bytes::new(self.full.count() * (self.packets - 1)) + self.last
    }
}

/// Where a flow's packets come from.
#[derive(Clone, Debug)]
pub enum Origin {
    /// Packets of one size, evenly or as a Poisson process.
    ConstantRate(ConstantRate),
    /// Somebody who talks and is silent.
    Voice(Voice),
    /// Frames of a video, or of a scene that is rendered elsewhere.
    Frames(FrameTrain),
}

/// A source of packets, and how late each burst may be.
#[derive(Clone, Debug)]
pub struct Datagrams {
    /// Where they come from.
    pub origin: Origin,
    /// From a burst's leaving to the arrival of its last packet, at most.
    pub deadline: Duration,
}

impl Datagrams {
    /// The next burst; there always is one.
    pub fn next_burst(&mut self) -> Burst {
        match &mut self.origin {
            Origin::ConstantRate(packets) => packets.next_burst(),
            Origin::Voice(voice) => voice.next_burst(),
            Origin::Frames(frames) => frames.next_burst(),
        }
    }
}
