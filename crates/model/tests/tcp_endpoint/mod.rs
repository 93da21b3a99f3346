//! Two ends of a connection with data both ways: exact exchanges, and random wires.

mod exact;
mod fuzz;
mod pair;
