//! Physics and protocols of a wireless downlink: fading channel, link adaptation, scheduler, RLC, queues, TCP.
//!
//! Nothing in this crate can ask what time it is, read a file or draw an unseeded number: time is an
//! argument. The stages never import one another; each imports only [`types`], and [`cell`] calls the radio
//! stages in their order.

// What `#[derive(Section)]` writes names this crate as others do.
extern crate self as airlink_model;

pub mod cell;
pub mod channel;
pub mod datagram;
pub mod link;
pub mod path;
pub mod probe;
pub mod queue;
pub mod rlc;
pub mod scheduler;
pub mod traffic;
pub mod transport;
pub mod types;
