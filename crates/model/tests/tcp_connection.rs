//! Sender and receiver together, over wires: exact trajectories, closed forms, and hostile networks.

#[path = "tcp_connection/congestion.rs"]
mod congestion;
#[path = "tcp_connection/exact.rs"]
mod exact;
#[path = "tcp_connection/hostile.rs"]
mod hostile;
#[path = "tcp_connection/padhye.rs"]
mod padhye;
#[path = "tcp_connection/spurious_timeout.rs"]
mod spurious_timeout;
#[path = "tcp_connection/wire.rs"]
mod wire;
