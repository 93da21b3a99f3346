//! What each flow has to send.
//!
//! Greedy (without end), a file of N bytes, a stream of messages at a constant rate, or always backlogged: packets
//! straight into the base station's queue without a transport, to see what the radio alone can do.
//!
//! It leaves out: random arrivals (Poisson files, web sessions), messages of changing size, applications that wait for
//! the other side.

mod application;
mod stream;

pub use application::Application;
pub use stream::Stream;

use crate::types::Bytes;

/// A flow's source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// TCP with more to send, always.
    Greedy,
    /// TCP with this many bytes to send.
    File(Bytes),
    /// TCP with messages to send as time goes by.
    Stream(Stream),
    /// No TCP: the queue never runs empty of packets of this size.
    Backlogged(Bytes),
}
