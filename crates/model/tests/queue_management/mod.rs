//! Queues that keep themselves short, against the letter of their RFCs and counts by hand.

mod adaptive;
mod bench;
mod codel;
mod pie;
