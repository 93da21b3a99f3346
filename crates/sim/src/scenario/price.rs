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
        /// What each flow takes off a, bytes.
        per_flow_bytes: f64,
        /// For how long after its last packet a flow counts, ms.
        flow_memory_ms: f64,
    },
    /// The same with an a that follows a wait.
    ClampDelay {
        /// The mean wait to hold, ms.
        target_ms: f64,
        /// How fast a follows, 1/s.
        speed_hz: f64,
        /// a at first, bytes.
        initial_free_bytes: f64,
        /// The least a, bytes.
        least_free_bytes: f64,
        /// The most, bytes.
        most_free_bytes: f64,
        /// For how long after something had a price a may rise, ms.
        hold_ms: f64,
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
        let at = |field: &str| format!("{path}.{field}");
        match *self {
            Self::None {} => return,
            Self::Clamp { free_bytes, per_flow_bytes, flow_memory_ms, .. } => {
                checks.not_negative(&at("free_bytes"), free_bytes);
                checks.not_negative(&at("per_flow_bytes"), per_flow_bytes);
                checks.milliseconds(&at("flow_memory_ms"), flow_memory_ms);
            }
            Self::ClampDelay { target_ms, speed_hz, hold_ms, .. } => {
                checks.milliseconds(&at("target_ms"), target_ms);
                checks.positive(&at("speed_hz"), speed_hz);
                checks.milliseconds(&at("hold_ms"), hold_ms);
                self.check_bounds(checks, path);
            }
        }
        if let Self::Clamp { reactivity, averaging_ms, rate_memory_ms, .. }
        | Self::ClampDelay { reactivity, averaging_ms, rate_memory_ms, .. } = *self
        {
            checks.positive(&at("reactivity"), reactivity);
            checks.milliseconds(&at("averaging_ms"), averaging_ms);
            checks.milliseconds(&at("rate_memory_ms"), rate_memory_ms);
        }
    }

    /// What a may be.
    fn check_bounds(&self, checks: &mut Checks, path: &str) {
        let Self::ClampDelay { initial_free_bytes, least_free_bytes, most_free_bytes, .. } = *self else { return };
        let bounds = [least_free_bytes, most_free_bytes];
        checks.finite(path, &[bounds[0], bounds[1], initial_free_bytes]);
        let holds = bounds[0] <= initial_free_bytes && initial_free_bytes <= bounds[1];
        let allowed = format!("must be between least_free_bytes ({}) and most_free_bytes ({})", bounds[0], bounds[1]);
        checks.require(&format!("{path}.initial_free_bytes"), initial_free_bytes, holds, &allowed);
    }
}
