//! Replay of traces: which row holds in which slot.

use airlink_model::channel::{AtEnd, Between, RateTrace, Replay, ReplayConfig, Trace, TraceError, UserChannel};
use airlink_model::types::{BLOCK_SLOTS, Duration, Slot, SlotClock};

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
