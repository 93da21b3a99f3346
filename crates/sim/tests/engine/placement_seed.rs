//! A seed of its own for places and shadowing: users are the same in the runs of all seeds, all else is drawn for each.

use serde_json::json;

use super::case::{Case, Columns};

const HELD: u64 = u64::MAX;

/// Users who move through shadowing on a disc, fade, and lose frames.
fn cell(fading: &str) -> Case {
    let kind = json!({ "kind": fading, "terms": 8, "doppler_hz": 20, "amplitudes": "equal" });
    let fading = if fading == "none" { json!({ "kind": "none" }) } else { kind };
    Case::k3()
        .set("/duration_s", 2)
        .set("/users", 4)
        .set("/channel/placement", json!({ "kind": "disc", "radius_m": 900, "inner_radius_m": 10, "order": "random" }))
        .set("/channel/shadowing", json!({ "sd_db": 6, "decorrelation_m": 5 }))
        .set("/channel/motion/speed_kmh", 60)
        .set("/channel/fading", fading)
        .set("/link/errors/probability", 0.1)
}

fn held(case: &Case) -> Case {
    case.clone().set("/channel/placement_seed", HELD)
}

fn snr_db(columns: &Columns) -> Vec<f64> {
    columns.0.series["snr"].reals("true_db").expect("a real column").to_vec()
}

#[test]
fn places_and_shadowing_are_the_same_for_every_seed_and_the_rest_is_not() {
    let still = held(&cell("none"));
    let (one, other) = (still.run_with(1), still.run_with(2));
    assert_eq!(one.reals("users", "distance_m"), other.reals("users", "distance_m"));
    assert_eq!(snr_db(&one), snr_db(&other), "without fading the signal is place and shadowing");
    assert!(snr_db(&one)[0] != snr_db(&one)[4 * 300], "shadowing moves");
    assert_ne!(one.wholes("users", "frame_errors"), other.wholes("users", "frame_errors"));
    let fading = held(&cell("rayleigh"));
    let (one, other) = (fading.run_with(1), fading.run_with(2));
    for name in ["distance_m", "mean_snr_db", "shadowed_snr_db"] {
        assert_eq!(one.reals("users", name), other.reals("users", name), "{name}");
    }
    assert_ne!(snr_db(&one), snr_db(&other));
}

#[test]
fn fading_is_that_of_the_runs_own_seed() {
    let (still, fading) = (cell("none"), cell("rayleigh"));
    let faded_db = |still: &Case, fading: &Case, seed| -> Vec<f64> {
        let pairs = snr_db(&fading.run_with(seed)).into_iter().zip(snr_db(&still.run_with(seed)));
        pairs.map(|(fading, still)| fading - still).collect()
    };
    let own = faded_db(&still, &fading, 3);
    let with_held_places = faded_db(&held(&still), &held(&fading), 3);
    // The four signals are below 128 dB in size, each rounded to 24 bits: 4 x 2^-18 dB.
    assert!(own.iter().zip(&with_held_places).all(|(own, held)| (own - held).abs() < 4.0 / 262_144.0));
    assert!(own.iter().any(|faded_db| *faded_db < -3.0));
}

#[test]
fn the_runs_own_seed_written_out_changes_no_bit() {
    let case = cell("rayleigh");
    let digest = held(&case).run_with(HELD).0.digest();
    assert_eq!(digest, case.run_with(HELD).0.digest());
    assert_ne!(digest, case.clone().set("/channel/placement_seed", HELD - 1).run_with(HELD).0.digest());
}

#[test]
fn places_that_are_drawn_between_two_levels_are_held_too() {
    let range = json!({ "kind": "mean_snr_range", "low_db": 0, "high_db": 20, "spacing": "random" });
    let case = held(&cell("rayleigh")).set("/channel/placement", range);
    let [one, other] = [1, 2].map(|seed| case.run_with(seed).reals("users", "mean_snr_db"));
    assert_eq!(one, other);
}
