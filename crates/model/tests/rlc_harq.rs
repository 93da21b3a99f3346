//! Code blocks over the subchannels of a slot, and their HARQ: against a plain second implementation, byte by byte; against closed
//! forms; and by hand.

#[path = "rlc_harq/bench.rs"]
mod bench;
#[path = "rlc_harq/by_hand.rs"]
mod by_hand;
#[path = "rlc_harq/closed_form.rs"]
mod closed_form;
#[path = "rlc_harq/plain.rs"]
mod plain;
#[path = "rlc_harq/random.rs"]
mod random;
#[path = "rlc_harq/speed.rs"]
mod speed;
