//! Code blocks over the subchannels of a slot, and their HARQ: against a plain second implementation, byte by byte; against closed
//! forms; and by hand.

mod bench;
mod by_hand;
mod closed_form;
mod plain;
mod random;
mod speed;
