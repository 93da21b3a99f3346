//! Queues that keep themselves short, against the letter of their RFCs and counts by hand.

#[path = "queue_management/bench.rs"]
mod bench;
#[path = "queue_management/codel.rs"]
mod codel;
