//! Checks of where users are and how their signal varies.

use airlink_model::channel::{Beam, DelayProfile};

use super::Checks;
use crate::scenario::{Beamforming, Channel, Doppler, Fading, PerUser, Placement, Quantity};

pub(super) fn check(checks: &mut Checks, channel: &Channel, users: usize) {
    check_placement(checks, &channel.placement, users);
    checks.positive("channel.path_loss.exponent", channel.path_loss.exponent);
    checks.positive("channel.path_loss.reference_distance_m", channel.path_loss.reference_distance_m);
    checks.finite("channel.path_loss.reference_snr_db", &[channel.path_loss.reference_snr_db]);
    let ceiling = channel.ceiling.sinr_db.0;
    checks.require("channel.ceiling.sinr_db", ceiling, ceiling > f64::NEG_INFINITY, "a number or \"inf\"");
    checks.not_negative("channel.shadowing.sd_db", channel.shadowing.sd_db);
    checks.positive("channel.shadowing.decorrelation_m", channel.shadowing.decorrelation_m);
    checks.not_negative("channel.motion.speed_kmh", channel.motion.speed_kmh);
    checks.positive("channel.motion.carrier_hz", channel.motion.carrier_hz);
    check_fading(checks, &channel.fading);
    check_beamforming(checks, channel);
}

fn check_beamforming(checks: &mut Checks, channel: &Channel) {
    let Beamforming::Opportunistic { antennas, turn_hz, terms } = channel.beamforming else { return };
    let path = "channel.beamforming.antennas";
    checks.require(path, antennas, (1..=Beam::MOST_ANTENNAS).contains(&antennas), "1 to 16");
    checks.not_negative("channel.beamforming.turn_hz", turn_hz);
    checks.require("channel.beamforming.terms", terms, (4..=64).contains(&terms), "4 to 64");
    let is_flat = matches!(channel.fading, Fading::Rayleigh { .. } | Fading::Jakes { .. });
    checks.require("channel.beamforming.kind", "opportunistic", is_flat, "none unless fading is rayleigh or jakes");
}

fn check_fading(checks: &mut Checks, fading: &Fading) {
    let mut most_terms = 64;
    let (terms, doppler_hz) = match fading {
        Fading::None {} => return,
        Fading::Rayleigh { terms, doppler_hz } => (terms, doppler_hz),
        Fading::Jakes { terms, doppler_hz } => {
            most_terms = 32;
            (terms, doppler_hz)
        }
        Fading::TappedDelayLine { delay_spread_ns, delays_ns, powers_db, terms, doppler_hz, .. } => {
            checks.not_negative("channel.fading.delay_spread_ns", *delay_spread_ns);
            let (paths, path) = (delays_ns.len(), "channel.fading.delays_ns");
            checks.require(path, paths, (1..=DelayProfile::MOST_TAPS).contains(&paths), "1 to 64 delays");
            delays_ns.iter().for_each(|delay_ns| checks.not_negative(path, *delay_ns));
            let powers = powers_db.len();
            checks.require("channel.fading.powers_db", powers, powers == paths, "one power for each delay");
            checks.finite("channel.fading.powers_db", powers_db);
            (terms, doppler_hz)
        }
    };
    let allowed = format!("4 to {most_terms}");
    checks.require("channel.fading.terms", terms, (4..=most_terms).contains(terms), &allowed);
    match doppler_hz {
        Doppler::Given(hz) => checks.not_negative("channel.fading.doppler_hz", *hz),
        Doppler::Named(name) => {
            checks.require("channel.fading.doppler_hz", name, name == "from_motion", "a number or \"from_motion\"")
        }
    }
}

fn check_placement(checks: &mut Checks, placement: &Placement, users: usize) {
    let path = "channel.placement";
    match placement {
        Placement::Disc { radius_m, inner_radius_m, order: _ } => {
            checks.positive(&format!("{path}.radius_m"), *radius_m);
            let inside = (0.0..*radius_m).contains(inner_radius_m);
            checks.require(&format!("{path}.inner_radius_m"), inner_radius_m, inside, "at least 0 and below radius_m");
        }
        Placement::Distances { distances_m } => {
            let count = distances_m.len();
            checks.require(&format!("{path}.distances_m"), count, count == users, "one distance for each user");
            distances_m.iter().for_each(|distance| checks.positive(&format!("{path}.distances_m"), *distance));
        }
        Placement::MeanSnr { mean_snr_db } => {
            checks.finite(&format!("{path}.mean_snr_db"), mean_snr_db.values());
            per_user(checks, &format!("{path}.mean_snr_db"), mean_snr_db, users);
        }
        Placement::MeanSnrRange { low_db, high_db, .. } => {
            checks.finite(&format!("{path}.low_db"), &[*low_db, *high_db]);
            checks.require(&format!("{path}.high_db"), high_db, high_db >= low_db, "at least low_db");
        }
        Placement::Trace { files, offset_s, equivalent_bandwidth_hz, quantity, row_interval_s, .. } => {
            checks.require(&format!("{path}.files"), files.len(), !files.is_empty(), "at least one file");
            checks.not_negative(&format!("{path}.equivalent_bandwidth_hz"), *equivalent_bandwidth_hz);
            checks.positive(&format!("{path}.row_interval_s"), *row_interval_s);
            let idle = *quantity == Quantity::RateBps || *equivalent_bandwidth_hz == 0.0;
            let allowed = "0 unless quantity is \"rate_bps\"";
            checks.require(&format!("{path}.equivalent_bandwidth_hz"), equivalent_bandwidth_hz, idle, allowed);
            offset_s.values().iter().for_each(|offset| checks.not_negative(&format!("{path}.offset_s"), *offset));
            per_user(checks, &format!("{path}.offset_s"), offset_s, users);
        }
    }
}

fn per_user(checks: &mut Checks, path: &str, value: &PerUser, users: usize) {
    if let PerUser::Each(values) = value {
        checks.require(path, values.len(), values.len() == users, "one value, or one for each user");
    }
}
