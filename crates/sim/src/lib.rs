//! Virtual time for the airlink cell: a scenario in, numbers out.
//!
//! Data flows one way: [`Scenario`] (complete data) -> assemble -> [`Simulation`] (events and slots) -> record ->
//! [`Replica`] (named columns with a digest). [`batch`] runs many on all cores. It leaves out: files, wall-clock
//! time, statistics over replicas.

mod assemble;
pub mod batch;
mod browsing;
mod capture;
mod components;
pub mod environment;
mod events;
mod flow;
mod hop;
mod in_flight_marks;
mod managed_hop;
mod network;
mod parts;
mod path_hop;
mod payload;
mod raw_view;
mod record;
mod replica;
pub mod scenario;
pub mod script;
mod simulation;
mod table;
mod uplink;
mod vector_path;
mod wired_bottleneck;

/// What a formula of a scheduler may be made of, and whether a text is one.
pub mod formula {
    pub use airlink_model::scheduler::{Formula, formula_names};
}

pub use airlink_model::types::Duration;
pub use assemble::rate_table;
pub use capture::{CaptureError, Captures};
pub use components::Components;
pub use raw_view::RawView;
pub use record::{RecordKind, Recorded, declarations};
pub use replica::Replica;
pub use scenario::{Problem, Scenario, Trace};
pub use simulation::{Simulation, run};
pub use table::{Column, Columns, Table, digest};
pub use vector_path::{choose_vector_path, vector_path};
