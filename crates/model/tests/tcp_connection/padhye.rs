//! Random loss against the full model of Padhye, Firoiu, Towsley and Kurose (1998/2000), eq. (32).
//!
//! Declared before the first run: Reno with `careful_fast_retransmit`, every transmission lost independently with probability p,
//! constant round trip 100 ms, one ACK per segment (b = 1), no window limit, T0 = min RTO = 1 s. The measure is the
//! rate of transmissions, as in the paper, mean over 5 seeds; the tolerance is 15 % for p in 0.0005-0.02.

use airlink_model::transport::{Algorithm, Segment};
use airlink_model::types::{Bytes, Purpose, RandomStream, Rate};

use super::wire::{Connection, Fate, Observer, at, milliseconds, receiving, sending};

const ROUND_TRIP_S: f64 = 0.1;
const TIMEOUT_S: f64 = 1.0;
const SEEDS: u64 = 5;

struct RandomLoss {
    probability: f64,
    stream: RandomStream,
}

impl Observer for RandomLoss {
    fn fate_of_data(&mut self, _segment: &Segment) -> Fate {
        if self.stream.uniform() < self.probability { Fate::Drop } else { Fate::Deliver }
    }
}

/// Transmissions per second, eq. (32) without a window limit:
/// B(p) = [(1-p)/p + E[W] + Q/(1-p)] / [RTT (b/2 E[W] + 1) + Q T0 f(p)/(1-p)],
/// E[W] = (2+b)/(3b) + sqrt(8(1-p)/(3bp) + ((2+b)/(3b))^2), Q = Q(E[W]) the chance that a loss ends in a timeout.
fn padhye(p: f64) -> f64 {
    let b = 1.0;
    let c = (2.0 + b) / (3.0 * b);
    let window = c + (8.0 * (1.0 - p) / (3.0 * b * p) + c * c).sqrt();
    let q = timeout_share(p, window);
    let back_off = 1.0 + p * (1.0 + p * (2.0 + p * (4.0 + p * (8.0 + p * (16.0 + p * 32.0)))));
    let packets = (1.0 - p) / p + window + q / (1.0 - p);
    packets / (ROUND_TRIP_S * (b / 2.0 * window + 1.0) + q * TIMEOUT_S * back_off / (1.0 - p))
}

/// Q(w) = min(1, (1-(1-p)^3)(1+(1-p)^3(1-(1-p)^(w-3))) / (1-(1-p)^w)).
fn timeout_share(p: f64, window: f64) -> f64 {
    let kept = |packets: f64| libm::pow(1.0 - p, packets);
    let share = (1.0 - kept(3.0)) * (1.0 + kept(3.0) * (1.0 - kept(window - 3.0))) / (1.0 - kept(window));
    share.min(1.0)
}

fn measured(algorithm: Algorithm, p: f64, seed: u64) -> f64 {
    let config = sending(algorithm);
    let mut connection = Connection::new(config, receiving(&config), Rate::UNLIMITED, milliseconds(100));
    let stream = RandomStream::new(seed, Purpose::Impairment, 0);
    let mut loss = RandomLoss { probability: p, stream };
    connection.start(Bytes::UNLIMITED, &mut loss);
    // Past the first slow start, then about 400 losses.
    connection.run_until(at(30_000), &mut loss);
    let before = connection.sender.statistics().segments_sent;
    let seconds = (400.0 / p / padhye(p)) as u64;
    connection.run_until(at(30_000 + 1000 * seconds), &mut loss);
    (connection.sender.statistics().segments_sent - before) as f64 / seconds as f64
}

/// Mean over the seeds, relative to the model.
fn ratio(algorithm: Algorithm, p: f64) -> f64 {
    (1..=SEEDS).map(|seed| measured(algorithm, p, seed) / padhye(p)).sum::<f64>() / SEEDS as f64
}

#[test]
fn reno_under_random_loss_sends_within_fifteen_percent_of_padhye() {
    for p in [0.0005, 0.001, 0.005, 0.01, 0.02] {
        let ratio = ratio(Algorithm::Reno, p);
        println!("Reno, p = {p}: {ratio:.3} of Padhye's model");
        assert!((ratio - 1.0).abs() <= 0.15, "p = {p}: {ratio:.3} of Padhye's model");
    }
}

#[test]
fn new_reno_is_faster_than_reno_when_a_window_has_several_losses() {
    // The model has no NewReno. NewReno retransmits the second loss of a window without a timeout.
    let gain = |p| ratio(Algorithm::NewReno, p) / ratio(Algorithm::Reno, p);
    let (rare, frequent) = (gain(0.001), gain(0.02));
    println!("NewReno / Reno: {rare:.3} at p = 0.001, {frequent:.3} at p = 0.02");
    assert!((0.97..1.03).contains(&rare), "{rare:.3}");
    assert!((1.05..1.30).contains(&frequent), "{frequent:.3}");
}
