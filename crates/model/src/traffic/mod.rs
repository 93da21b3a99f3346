//! What each flow has to send.
//!
//! Greedy (without end), a file of N bytes, or always backlogged: packets straight into the base station's queue
//! without a transport, to see what the radio alone can do.
//!
//! It leaves out: arrivals in time (Poisson files, web sessions), applications that wait for the other side.

use crate::types::Bytes;

/// A flow's source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// TCP with more to send, always.
    Greedy,
    /// TCP with this many bytes to send.
    File(Bytes),
    /// No TCP: the queue never runs empty of packets of this size.
    Backlogged(Bytes),
}

impl Source {
    /// What the transport gets to send at the start.
    pub fn supply(self) -> Bytes {
        match self {
            Self::Greedy => Bytes::UNLIMITED,
            Self::File(size) => size,
            Self::Backlogged(_) => Bytes::ZERO,
        }
    }
}
