//! Queues that keep themselves short or mark, against the letter of their RFCs and counts by hand.

mod adaptive;
mod bench;
mod codel;
mod marking;
mod pie;
