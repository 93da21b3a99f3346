//! How losses show, and how they are repaired: one file for each rule.

mod duplicate_acks;

pub(super) use duplicate_acks::{DuplicateAck, Recovery};
