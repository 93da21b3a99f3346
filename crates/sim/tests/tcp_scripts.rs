//! Timed packets in, timed packets out: at least one script for every rule of the sender and the receiver.

#![allow(clippy::unwrap_used, reason = "a test may panic, outside its test functions too")]

#[path = "tcp_scripts/closed_window.rs"]
mod closed_window;
#[path = "tcp_scripts/limited_transmit.rs"]
mod limited_transmit;
#[path = "tcp_scripts/opening.rs"]
mod opening;
#[path = "tcp_scripts/rate_reduction.rs"]
mod rate_reduction;
#[path = "tcp_scripts/receiver.rs"]
mod receiver;
#[path = "tcp_scripts/recovery.rs"]
mod recovery;
#[path = "tcp_scripts/retransmission_timer.rs"]
mod retransmission_timer;
#[path = "tcp_scripts/round_trips.rs"]
mod round_trips;
#[path = "tcp_scripts/sack.rs"]
mod sack;
#[path = "tcp_scripts/sender.rs"]
mod sender;
#[path = "tcp_scripts/sending_side.rs"]
mod sending_side;
