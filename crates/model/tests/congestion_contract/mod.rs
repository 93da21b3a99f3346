//! What every congestion control owes its sender, and what each one promises of its own.

mod contract;
mod cubic;
mod events;
mod growth;
mod hystart;
mod linux_cubic;
mod reduction;
mod vegas;
mod westwood;
