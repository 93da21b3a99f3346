//! Replay of traces: which row holds in which slot.

use airlink_model::channel::{
    AtEnd, Between, Ceiling, FadingConfig, RateTrace, Replay, ReplayConfig, Shadowing, ShadowingConfig, SumOfSinusoids,
    Trace, TraceError, UserChannel,
};
use airlink_model::types::{BLOCK_SLOTS, Decibel, Duration, Purpose, RandomStream, Slot, SlotClock};

/// Slots of 0.5 s.
fn half_seconds() -> SlotClock {
    SlotClock::new(500_000_000, 1)
}

/// Rows at 0, 1 and 3 s; the last lasts 2 s: a period of 5 s, ten slots.
fn trace() -> Trace {
    Trace::new(&[0.0, 1.0, 3.0], &[10.0, 20.0, 40.0], 2.0).expect("a trace")
}

fn looped(trace: Trace) -> ReplayConfig {
    ReplayConfig { trace, at_end: AtEnd::Loop, between: Between::Hold, offset: Duration::ZERO }
}

fn snr(config: ReplayConfig, first: u64) -> [f32; BLOCK_SLOTS] {
    let mut values = [f32::NAN; BLOCK_SLOTS];
    Replay::of_snr_db(config, half_seconds()).fill(Slot::new(first), &mut values);
    values
}

const ONE_PERIOD: [f32; 10] = [10.0, 10.0, 20.0, 20.0, 20.0, 20.0, 40.0, 40.0, 40.0, 40.0];

#[test]
fn a_row_holds_until_the_next_and_the_trace_starts_again_after_its_last_interval() {
    let values = snr(looped(trace()), 0);
    assert!(values.iter().enumerate().all(|(slot, &value)| value == ONE_PERIOD[slot % 10]), "{values:?}");
    let later = snr(looped(trace()), 64);
    assert!(later.iter().enumerate().all(|(slot, &value)| value == ONE_PERIOD[(slot + 64) % 10]), "{later:?}");
}

#[test]
fn a_trace_that_stops_leaves_no_signal_and_no_rate() {
    let config = ReplayConfig { at_end: AtEnd::Stop, ..looped(trace()) };
    let values = snr(config.clone(), 0);
    assert_eq!(values[..10], ONE_PERIOD);
    assert!(values[10..].iter().all(|&value| value == f32::NEG_INFINITY));
    let mut rates = [f32::NAN; BLOCK_SLOTS];
    RateTrace::new(config, half_seconds()).fill(Slot::ZERO, &mut rates);
    assert_eq!(rates[..10], ONE_PERIOD);
    assert!(rates[10..].iter().all(|&rate| rate == 0.0));
}

#[test]
fn an_offset_starts_within_the_trace_and_wraps() {
    let offset = |seconds| ReplayConfig { offset: Duration::from_secs(seconds), ..looped(trace()) };
    assert_eq!(snr(offset(1.5), 0)[..7], ONE_PERIOD[3..]);
    assert_eq!(snr(offset(1.5), 0)[7..12], ONE_PERIOD[..5]);
    assert_eq!(snr(offset(6.5), 0), snr(offset(1.5), 0));
    let stopped = ReplayConfig { at_end: AtEnd::Stop, ..offset(4.5) };
    assert_eq!(snr(stopped, 0)[..3], [40.0, f32::NEG_INFINITY, f32::NEG_INFINITY]);
}

#[test]
fn linear_runs_straight_from_row_to_row_and_back_to_the_first_only_when_it_loops() {
    let looped = ReplayConfig { between: Between::Linear, ..looped(trace()) };
    let expected = [10.0, 15.0, 20.0, 25.0, 30.0, 35.0, 40.0, 32.5, 25.0, 17.5, 10.0, 15.0];
    for (value, expected) in snr(looped.clone(), 0).into_iter().zip(expected) {
        assert!((value - expected).abs() < 1e-5, "{value} for {expected}");
    }
    let stopped = snr(ReplayConfig { at_end: AtEnd::Stop, ..looped }, 0);
    assert_eq!(stopped[6..11], [40.0, 40.0, 40.0, 40.0, f32::NEG_INFINITY]);
}

#[test]
fn linear_holds_across_an_outage() {
    let outage = Trace::new(&[0.0, 1.0, 2.0], &[10.0, f64::NEG_INFINITY, 30.0], 1.0).unwrap();
    let values = snr(ReplayConfig { between: Between::Linear, ..looped(outage) }, 0);
    assert_eq!(values[..4], [10.0, 10.0, f32::NEG_INFINITY, f32::NEG_INFINITY]);
    assert!((values[5] - 20.0).abs() < 1e-5);
}

#[test]
fn before_the_first_row_its_value_holds() {
    let late = Trace::new(&[1.0, 2.0], &[10.0, 20.0], 1.0).unwrap();
    for between in [Between::Hold, Between::Linear] {
        assert_eq!(snr(ReplayConfig { between, ..looped(late.clone()) }, 0)[..3], [10.0, 10.0, 10.0]);
    }
}

#[test]
fn one_row_per_slot_of_five_thirds_of_a_millisecond_never_slips() {
    // The period of 7 rows is no whole number of nanoseconds: rounding it would slip within ten loops.
    let interval_s = 5e-3 / 3.0;
    let times_s: Vec<f64> = (0..7).map(|row| f64::from(row) * interval_s).collect();
    let values: Vec<f64> = (0..7).map(f64::from).collect();
    let config = looped(Trace::new(&times_s, &values, interval_s).unwrap());
    let replay = Replay::of_snr_db(config, SlotClock::new(5_000_000, 3));
    for block in [0, 1, 2, 100, 10_000, 9_375_000] {
        let first = block * BLOCK_SLOTS as u64;
        let mut replayed = [f32::NAN; BLOCK_SLOTS];
        replay.fill(Slot::new(first), &mut replayed);
        for (slot, value) in (first..).zip(replayed) {
            assert_eq!(value, (slot % 7) as f32, "slot {slot}");
        }
    }
}

#[test]
fn a_random_offset_is_within_the_trace_and_differs_between_users() {
    let trace = trace();
    let offsets: Vec<f64> = (0..1_000).map(|user| trace.random_offset(1, user).as_secs()).collect();
    assert!(offsets.iter().all(|offset| (0.0..=5.0).contains(offset)));
    // The mean of 1000 uniform draws from 5 s: 2.5 s within 4.5 standard errors of 5 / sqrt(12 * 1000) s.
    let mean = offsets.iter().sum::<f64>() / 1_000.0;
    assert!((mean - 2.5).abs() < 4.5 * 5.0 / 12_000.0_f64.sqrt(), "{mean}");
    assert_ne!(offsets[0], offsets[1]);
}

#[test]
fn a_rate_becomes_the_snr_that_would_carry_it() {
    // 2^(R/B) - 1: one bit per hertz needs 0 dB, two need 3 (4.77 dB), none needs nothing.
    let snr_db = Trace::new(&[0.0, 1.0, 2.0], &[1e6, 2e6, 0.0], 1.0).unwrap().equivalent_snr(1e6);
    let values = snr(looped(snr_db), 0);
    assert!(values[0].abs() < 1e-6 && (values[2] - 4.771_213).abs() < 1e-5);
    assert_eq!(values[4], f32::NEG_INFINITY);
}

#[test]
fn a_channel_rides_its_trace_and_knows_its_mean_power() {
    let mut channel = UserChannel::replayed(Replay::of_snr_db(looped(trace()), half_seconds()));
    let mut signal_db = [f32::NAN; BLOCK_SLOTS];
    channel.fill(Slot::ZERO, &mut signal_db);
    assert_eq!(signal_db[..10], ONE_PERIOD);
    // (10 * 1 + 100 * 2 + 10000 * 2) / 5 = 4042.
    assert!((channel.mean().db() - 10.0 * libm::log10(4_042.0)).abs() < 1e-9);
}

#[test]
fn rows_that_make_no_trace_are_refused_with_the_reason() {
    let refused = |times_s: &[f64], values: &[f64], interval_s| Trace::new(times_s, values, interval_s).unwrap_err();
    assert_eq!(refused(&[], &[], 1.0), TraceError::Empty);
    assert_eq!(refused(&[0.0], &[1.0, 2.0], 1.0), TraceError::Lengths);
    assert_eq!(refused(&[0.0, 1.0, 1.0], &[1.0; 3], 1.0), TraceError::Time(2));
    assert_eq!(refused(&[-1.0], &[1.0], 1.0), TraceError::Time(0));
    assert_eq!(refused(&[0.0, f64::NAN], &[1.0; 2], 1.0), TraceError::Time(1));
    assert_eq!(refused(&[0.0, 1.0], &[1.0, f64::NAN], 1.0), TraceError::Value(1));
    assert_eq!(refused(&[0.0], &[1.0], 0.0), TraceError::Interval);
}

/// Two subchannels, the second of them silent for a while, and as many traces of one.
fn of_two() -> (Trace, [Trace; 2]) {
    let (times_s, silent) = ([0.0, 1.0, 3.0], f64::NEG_INFINITY);
    let columns = [[10.0, 20.0, 40.0], [-3.0, silent, 7.0]];
    let rows: Vec<f64> = (0..3).flat_map(|row| columns.map(|column| column[row])).collect();
    let whole = Trace::of_subchannels(&times_s, &rows, 2, 2.0).expect("a trace");
    (whole, columns.map(|values| Trace::new(&times_s, &values, 2.0).expect("a trace")))
}

#[test]
fn every_subchannel_follows_its_own_column() {
    let (whole, columns) = of_two();
    for (at_end, between) in [
        (AtEnd::Loop, Between::Hold),
        (AtEnd::Loop, Between::Linear),
        (AtEnd::Stop, Between::Hold),
        (AtEnd::Stop, Between::Linear),
    ] {
        for (offset_s, step) in [(0.0, 1), (3.7, 1), (1.5, 7), (0.0, 23)] {
            let replay = |trace: &Trace| {
                let offset = Duration::from_secs(offset_s);
                Replay::of_snr_db(ReplayConfig { trace: trace.clone(), at_end, between, offset }, half_seconds())
            };
            let mut rows = UserChannel::replayed(replay(&whole));
            for slot in (0..300).step_by(step) {
                let mut found_db = [f32::NAN; 2];
                rows.fill_subchannels(Slot::new(slot), &mut found_db);
                for (found, column) in found_db.iter().zip(&columns) {
                    let mut alone_db = [f32::NAN; BLOCK_SLOTS];
                    replay(column).fill(Slot::new(slot), &mut alone_db);
                    assert_eq!(*found, alone_db[0], "slot {slot}, {at_end:?}, {between:?}, offset {offset_s} s");
                }
            }
        }
    }
}

#[test]
fn subchannels_that_are_all_equal_have_the_bits_of_one_trace() {
    let of_rows = |values: [f64; 3], width: usize| {
        let rows: Vec<f64> = values.iter().flat_map(|&value| vec![value; width]).collect();
        let trace = Trace::of_subchannels(&[0.0, 1.0, 3.0], &rows, width, 2.0).expect("a trace");
        let config = ReplayConfig { between: Between::Linear, ..looped(trace) };
        let shadowing = ShadowingConfig { sd_db: 6.0, decorrelation_m: 5.0, ..ShadowingConfig::default() };
        let fading = FadingConfig { terms: 8, doppler_hz: 0.3, slot_s: 0.5 };
        UserChannel::replayed(Replay::of_snr_db(config, half_seconds()))
            .with_shadowing(Shadowing::new(&shadowing, 1.0, 0.5, 4, 5))
            .with_fading(SumOfSinusoids::new(fading, &mut RandomStream::new(4, Purpose::Fading, 5)))
            .with_instantaneous_ceiling(Ceiling::new(Decibel::new(21.0)))
    };
    let values = [1.0 / 3.0, -7.1, 22.9];
    let (mut one, mut five) = (of_rows(values, 1), of_rows(values, 5));
    assert_eq!(one.mean().db().to_bits(), five.mean().db().to_bits());
    for slot in (0..400).filter(|slot| slot % 7 != 3) {
        let (mut expected_db, mut found_db) = ([f32::NAN; 5], [f32::NAN; 5]);
        one.fill_subchannels(Slot::new(slot), &mut expected_db);
        five.fill_subchannels(Slot::new(slot), &mut found_db);
        assert_eq!(found_db.map(f32::to_bits), expected_db.map(f32::to_bits), "slot {slot}");
    }
}

#[test]
fn the_mean_of_subchannels_is_that_of_their_powers() {
    let rows = [10.0, 20.0, 30.0, 0.0];
    let trace = Trace::of_subchannels(&[0.0, 1.0], &rows, 2, 3.0).expect("a trace");
    let channel = UserChannel::replayed(Replay::of_snr_db(looped(trace), half_seconds()));
    // A second of (10 + 100) / 2, three of (1000 + 1) / 2.
    assert!((channel.mean().db() - 10.0 * libm::log10((55.0 + 3.0 * 500.5) / 4.0)).abs() < 1e-9);
}

#[test]
fn rows_of_other_lengths_are_refused() {
    let refused = |values: &[f64], width| Trace::of_subchannels(&[0.0, 1.0], values, width, 1.0).unwrap_err();
    assert_eq!(refused(&[1.0; 5], 3), TraceError::Lengths);
    assert_eq!(refused(&[], 0), TraceError::Lengths);
    assert_eq!(refused(&[1.0, 2.0, 3.0, 4.0, f64::NAN, 6.0], 3), TraceError::Value(1));
}
