//! How losses show, and how they are repaired: one file for each rule.

mod duplicate_acks;
#[allow(dead_code, reason = "the sender does not read it yet")]
mod duplicate_sack;
#[allow(dead_code, reason = "the sender does not read it yet")]
mod eifel;
#[allow(dead_code, reason = "the sender does not read it yet")]
mod forward_rto;
#[allow(dead_code, reason = "the sender does not read it yet")]
mod rack;
#[allow(dead_code, reason = "the sender does not read it yet")]
mod tail_loss_probe;
#[allow(dead_code, reason = "the sender does not read it yet")]
mod undo;

pub(super) use duplicate_acks::{DuplicateAck, Recovery};
