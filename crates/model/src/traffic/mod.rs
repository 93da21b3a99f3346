//! What each flow has to send.
//!
//! Greedy (without end), a file of N bytes, a stream of messages at a constant rate, a web session of pages and pauses, or
//! always backlogged: packets straight into the base station's queue without a transport, to see what the radio alone can
//! do. Files that arrive at random are flows of their own: their times and sizes are laws here.
//!
//! It leaves out: messages of changing size, voice with pauses, pages of several objects.

mod application;
mod arrivals;
mod session;
mod size;
mod stream;

pub use application::Application;
pub use arrivals::PoissonArrivals;
pub use session::{Session, ThinkLaw};
pub use size::SizeLaw;
pub use stream::Stream;

use crate::types::Bytes;

/// A flow's source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    /// TCP with more to send, always.
    Greedy,
    /// TCP with this many bytes to send.
    File(Bytes),
    /// TCP with messages to send as time goes by.
    Stream(Stream),
    /// TCP with page after page to send, each asked for when the one before is there.
    Session(Session),
    /// TCP with downloads that the caller asks for one by one.
    Asked,
    /// No TCP: the queue never runs empty of packets of this size.
    Backlogged(Bytes),
}
