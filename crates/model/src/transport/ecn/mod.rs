//! Explicit congestion notification in TCP (RFC 3168 §6.1): a receiver echoes marks, a sender answers them.
//!
//! | file | what |
//! | --- | --- |
//! | `echo.rs` | the receiver: ECE on its ACKs from a mark (CE) on until CWR |
//! | `response.rs` | the sender: which segments can be marked, one reduction a window, CWR on the next new data |
//!
//! Both ends agree in the handshake; without one they have agreed before. It leaves out: AccECN (RFC 9768), ECN on SYN and pure
//! ACKs (RFC 8311), a nonce, a SYN that is repeated without the request for ECN.

mod echo;
mod response;

pub(super) use echo::Echo;
pub(super) use response::Response;

use crate::types::declare::Words;

/// How a connection takes part in explicit congestion notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum EcnMode {
    /// Not at all: queues drop its packets.
    Off,
    /// One answer to all marks of a round trip, as to a loss (RFC 3168).
    Rfc3168,
}
