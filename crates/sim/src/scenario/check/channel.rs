//! Checks between fields of where users are and how their signal varies.

use airlink_model::channel::{Beamforming, ChannelConfig, DelayProfile, FadingKind, Placement, Quantity};
use airlink_model::types::declare::PerUser;

use super::Checks;

pub(super) fn check(checks: &mut Checks, channel: &ChannelConfig, users: usize) {
    check_placement(checks, &channel.placement, users);
    check_rows(checks, channel);
    per_user(checks, "channel.motion.speed_kmh", &channel.motion.speed_kmh, users);
    check_paths(checks, &channel.fading);
    let is_flat = matches!(channel.fading, FadingKind::Rayleigh { .. } | FadingKind::Jakes { .. });
    let holds = is_flat || channel.beamforming == Beamforming::None;
    checks.require("channel.beamforming.kind", "opportunistic", holds, "none unless fading is rayleigh or jakes");
}

fn check_paths(checks: &mut Checks, fading: &FadingKind) {
    let FadingKind::TappedDelayLine { delays_ns, powers_db, .. } = fading else { return };
    let (paths, powers) = (delays_ns.len(), powers_db.len());
    let allowed = (1..=DelayProfile::MOST_TAPS).contains(&paths);
    checks.require("channel.fading.delays_ns", paths, allowed, "1 to 64 delays");
    checks.require("channel.fading.powers_db", powers, powers == paths, "one power for each delay");
}

fn check_placement(checks: &mut Checks, placement: &Placement, users: usize) {
    let path = "channel.placement";
    match placement {
        Placement::Disc { radius_m, inner_radius_m, .. } => {
            let inside = inner_radius_m < radius_m;
            checks.require(&format!("{path}.inner_radius_m"), inner_radius_m, inside, "below radius_m");
        }
        Placement::Distances { distances_m, .. } => {
            let count = distances_m.len();
            checks.require(&format!("{path}.distances_m"), count, count == users, "one distance for each user");
        }
        Placement::MeanSnr { mean_snr_db, .. } => per_user(checks, &format!("{path}.mean_snr_db"), mean_snr_db, users),
        Placement::MeanSnrRange { low, high, .. } => {
            checks.require(&format!("{path}.high_db"), high.db(), high.db() >= low.db(), "at least low_db");
        }
        Placement::Trace(trace) => {
            let bandwidth_hz = trace.equivalent_bandwidth_hz;
            let idle = trace.quantity == Quantity::RateBps || bandwidth_hz == 0.0;
            let allowed = "0 unless quantity is \"rate_bps\"";
            checks.require(&format!("{path}.equivalent_bandwidth_hz"), bandwidth_hz, idle, allowed);
            per_user(checks, &format!("{path}.offset_s"), &trace.offset_s, users);
        }
    }
}

/// A trace of each subchannel is one of SNRs, and has the selective fading in it.
fn check_rows(checks: &mut Checks, channel: &ChannelConfig) {
    let Placement::Trace(trace) = &channel.placement else { return };
    if trace.value_columns.is_empty() {
        return;
    }
    let (path, columns) = ("channel.placement.value_columns", trace.value_columns.len());
    checks.require(path, columns, trace.quantity == Quantity::SnrDb, "none unless quantity is \"snr_db\"");
    let is_selective = matches!(channel.fading, FadingKind::TappedDelayLine { .. });
    checks.require(path, columns, !is_selective, "none with a tapped delay line");
}

pub(super) fn per_user(checks: &mut Checks, path: &str, value: &PerUser, users: usize) {
    if let PerUser::Each(values) = value {
        checks.require(path, values.len(), values.len() == users, "one value, or one for each user");
    }
}
