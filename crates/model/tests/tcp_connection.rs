//! Sender and receiver together, over wires: exact trajectories, closed forms, and hostile networks.

#![allow(clippy::unwrap_used, reason = "a test may panic, outside its test functions too")]

#[path = "tcp_connection/exact.rs"]
mod exact;
#[path = "tcp_connection/hostile.rs"]
mod hostile;
#[path = "tcp_connection/hostile_rules.rs"]
mod hostile_rules;
#[path = "tcp_connection/hostile_switches.rs"]
mod hostile_switches;
#[path = "tcp_connection/hostile_watch.rs"]
mod hostile_watch;
#[path = "tcp_connection/padhye.rs"]
mod padhye;
#[path = "tcp_connection/receiving.rs"]
mod receiving;
#[path = "tcp_connection/spurious_timeout.rs"]
mod spurious_timeout;
#[path = "tcp_connection/window_use.rs"]
mod window_use;
#[path = "tcp_connection/wire.rs"]
mod wire;
