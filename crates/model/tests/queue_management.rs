//! Queues that keep themselves short, against the letter of their RFCs and counts by hand.

#[path = "queue_management/adaptive.rs"]
mod adaptive;
#[path = "queue_management/bench.rs"]
mod bench;
#[path = "queue_management/codel.rs"]
mod codel;
#[path = "queue_management/pie.rs"]
mod pie;
