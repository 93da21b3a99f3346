//! Timed packets in, timed packets out: at least one script for every rule of the sender and the receiver.

mod closed_window;
mod limited_transmit;
mod opening;
mod rate_reduction;
mod receiver;
mod recovery;
mod retransmission_timer;
mod round_trips;
mod sack;
mod sender;
mod sending_side;
