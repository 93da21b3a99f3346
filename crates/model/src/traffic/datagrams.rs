//! What a flow without TCP sends, burst by burst: packets that nobody acknowledges and nobody repeats.
//!
//! A source says when its next burst leaves and how it is cut into packets. A burst is one frame of a video, one packet of a
//! voice, or one packet of a constant rate. Times count from the flow's start. It leaves out: rates that adapt to losses or
//! delays, repairs (RTP retransmission, FEC), and how a burst is spread out by a sender that paces.

use super::burst::Burst;
use super::{ConstantRate, FrameTrain, Voice};
use crate::types::Duration;

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
