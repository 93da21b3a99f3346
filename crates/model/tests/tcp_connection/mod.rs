//! Sender and receiver together, over wires: exact trajectories, closed forms, and hostile networks.

mod boxed;
mod exact;
mod hostile;
mod hostile_rules;
pub mod hostile_switches;
pub mod hostile_watch;
mod padhye;
mod receiving;
mod spurious_timeout;
mod window_use;
pub mod wire;
