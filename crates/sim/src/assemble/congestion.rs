//! Parameters of single congestion controls, as the scenario describes them.

use airlink_model::transport::{
    VegasConfig, VegasDifference, VegasRoundTrip, VegasSlowStart, VegasSlowStartEnd, WestwoodConfig, WestwoodSets,
};
use airlink_model::types::Duration;

use crate::scenario::congestion::{self, Vegas, Westwood};

pub(super) fn westwood(given: &Westwood) -> WestwoodConfig {
    WestwoodConfig {
        filter_memory: given.filter_memory,
        filter_stages: given.filter_stages,
        least_window: Duration::from_secs(given.least_window_ms / 1000.0),
        sets: match given.sets {
            congestion::WestwoodSets::AtLoss => WestwoodSets::AtLoss,
            congestion::WestwoodSets::AfterRecovery => WestwoodSets::AfterRecovery,
        },
        forgets_least_rtt: given.forgets_least_rtt,
    }
}

pub(super) fn vegas(given: &Vegas) -> VegasConfig {
    VegasConfig {
        alpha_segments: given.alpha_segments,
        beta_segments: given.beta_segments,
        gamma_segments: given.gamma_segments,
        slow_start: match given.slow_start {
            congestion::VegasSlowStart::EveryOtherRound => VegasSlowStart::EveryOtherRound,
            congestion::VegasSlowStart::EveryRound => VegasSlowStart::EveryRound,
        },
        slow_start_end: match given.slow_start_end {
            congestion::VegasSlowStartEnd::AtActualRate => VegasSlowStartEnd::AtActualRate,
            congestion::VegasSlowStartEnd::EighthLess => VegasSlowStartEnd::EighthLess,
        },
        difference: match given.difference {
            congestion::VegasDifference::OverRtt => VegasDifference::OverRtt,
            congestion::VegasDifference::OverBaseRtt => VegasDifference::OverBaseRtt,
        },
        round_trip: match given.round_trip {
            congestion::VegasRoundTrip::Least => VegasRoundTrip::Least,
            congestion::VegasRoundTrip::Mean => VegasRoundTrip::Mean,
        },
        least_samples: given.least_samples,
        forgets_base_rtt: given.forgets_base_rtt,
    }
}
