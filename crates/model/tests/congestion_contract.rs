//! What every congestion control owes its sender, and what each one promises of its own.

#![allow(clippy::unwrap_used, reason = "a test may panic, outside its test functions too")]

#[path = "congestion_contract/contract.rs"]
mod contract;
#[path = "congestion_contract/cubic.rs"]
mod cubic;
#[path = "congestion_contract/events.rs"]
mod events;
#[path = "congestion_contract/growth.rs"]
mod growth;
#[path = "congestion_contract/hystart.rs"]
mod hystart;
#[path = "congestion_contract/linux_cubic.rs"]
mod linux_cubic;
#[path = "congestion_contract/reduction.rs"]
mod reduction;
#[path = "congestion_contract/vegas.rs"]
mod vegas;
#[path = "congestion_contract/westwood.rs"]
mod westwood;
