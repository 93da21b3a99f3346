//! The driver's choice of how wide the hot loops run, by name: for tests of equal results, and to compare speeds.

use airlink_model::types::VectorPath;

/// Takes `name` for every simulation from now on; an empty name leaves it to the CPU. Simulations under way go on as
/// they are.
pub fn choose_vector_path(name: &str) -> Result<(), String> {
    let path = match name {
        "" => None,
        "portable" => Some(VectorPath::Portable),
        "avx2" => Some(VectorPath::Avx2),
        _ => return Err(format!("{name:?}; it must be \"portable\" or \"avx2\"")),
    };
    VectorPath::choose(path).map_err(|error| format!("{name:?}, but {error}"))
}

/// The name of what runs.
pub fn vector_path() -> &'static str {
    match VectorPath::current() {
        VectorPath::Portable => "portable",
        VectorPath::Avx2 => "avx2",
    }
}
