//! `airlink._rust`: converts, releases the GIL, handles Ctrl-C; nothing else.

mod arrays;
mod environment;
mod formula;
mod memory;
mod own;
mod own_run;
mod rates;
mod recording;
mod script;
mod stream;
mod vector_path;

use airlink_sim::environment::Near;
use pyo3::prelude::*;

#[global_allocator]
static MEMORY: Near = Near;

pyo3::create_exception!(
    _rust,
    ScenarioError,
    pyo3::exceptions::PyValueError,
    "A scenario that the engine refuses; its argument is a list of (path, message)."
);

/// The compiled half of airlink.
#[pymodule]
mod _rust {
    #[pymodule_export]
    use super::ScenarioError;
    #[pymodule_export]
    use super::build;
    #[pymodule_export]
    use super::declaration;
    #[pymodule_export]
    use super::environment::Environments;
    #[pymodule_export]
    use super::environment::environment_parts;
    #[pymodule_export]
    use super::formula::formula_refusal;
    #[pymodule_export]
    use super::formula::names;
    #[pymodule_export]
    use super::memory::memory_left;
    #[pymodule_export]
    use super::own::Allocation;
    #[pymodule_export]
    use super::own::ControlEvent;
    #[pymodule_export]
    use super::own::OwnCodeError;
    #[pymodule_export]
    use super::own::QueuePacket;
    #[pymodule_export]
    use super::own::RandomStream;
    #[pymodule_export]
    use super::own::View;
    #[pymodule_export]
    use super::own_run::run_own;
    #[pymodule_export]
    use super::rates::rate_table;
    #[pymodule_export]
    use super::recording::Recording;
    #[pymodule_export]
    use super::recording::digest;
    #[pymodule_export]
    use super::script::answer_script;
    #[pymodule_export]
    use super::script::play_script;
    #[pymodule_export]
    use super::stream::Scenarios;
    #[pymodule_export]
    use super::stream::Stream;
    #[pymodule_export]
    use super::tables;
    #[pymodule_export]
    use super::vector_path::choose_vector_path;
    #[pymodule_export]
    use super::vector_path::vector_path;
    #[pymodule_export]
    use super::version;
}

/// The declaration of every field of a scenario, as JSON.
#[pyfunction]
fn declaration() -> String {
    airlink_sim::scenario::declaration()
}

/// The engine's version.
#[pyfunction]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// The engine's version and the hash of its sources: equal builds give equal numbers.
#[pyfunction]
fn build() -> &'static str {
    concat!(env!("CARGO_PKG_VERSION"), "+", env!("AIRLINK_SOURCES"))
}

/// What is declared of every table of a result and of the reasons for which packets are dropped, as JSON.
#[pyfunction]
fn tables() -> String {
    airlink_sim::declarations()
}
