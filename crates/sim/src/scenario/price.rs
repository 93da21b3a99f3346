//! What departing packets tell receivers of a queue.

use serde::Deserialize;

use super::check::Checks;

/// The price of a queue.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Price {
    /// None.
    None {},
    /// That of CLAMP's access point.
    Clamp {
        /// a, bytes.
        free_bytes: f64,
        /// b.
        reactivity: f64,
        /// Time constant of the queue's mean, ms.
        averaging_ms: f64,
        /// How much time of service the rate remembers, ms.
        rate_memory_ms: f64,
    },
}

impl Price {
    pub(super) fn check(&self, checks: &mut Checks, path: &str) {
        if let Self::Clamp { free_bytes, reactivity, averaging_ms, rate_memory_ms } = *self {
            checks.not_negative(&format!("{path}.free_bytes"), free_bytes);
            checks.positive(&format!("{path}.reactivity"), reactivity);
            checks.milliseconds(&format!("{path}.averaging_ms"), averaging_ms);
            checks.milliseconds(&format!("{path}.rate_memory_ms"), rate_memory_ms);
        }
    }
}
