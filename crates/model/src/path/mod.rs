//! Wires: what carries packets from the server to the network and ACKs back; a bottleneck without radio; an uplink with grants.
//!
//! | file | what it models |
//! | --- | --- |
//! | `impairments.rs` | which packets are lost, duplicated, delayed or held, by number, by time, or at random |
//! | `wire.rs` | a rate and a constant delay, first in, first out: a ring; only what impairments make late leaves it |
//! | `freezes.rs` | times in which a sender stands still and its queue waits |
//! | `bottleneck.rs` | one drop-tail queue in front of a wire, shared by all flows |
//! | `uplink.rs` | requests and grants of users, and what leaves with each grant |
//!
//! It leaves out: wires whose rate changes, jitter of every packet, damaged packets that arrive, active queue management.

mod bottleneck;
mod freezes;
mod impairments;
mod marks;
mod uplink;
mod wire;

pub use bottleneck::{Bottleneck, BottleneckConfig, Sent};
pub use freezes::{Freeze, WhenFrozen};
pub use impairments::{DelaySpike, Impairments, ImpairmentsConfig, Loss, Moment, Outage, Verdict};
pub use uplink::{Uplink, UplinkConfig};
pub use wire::{LinkConfig, Lost, Wire};
