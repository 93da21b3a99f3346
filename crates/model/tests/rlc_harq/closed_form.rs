//! HARQ on a constant channel against its closed forms.
//!
//! Transmission k of a block is lost with probability p_k, whatever came before. With at most m repetitions a block is given
//! up with probability p_1 .. p_(m+1), and sent 1 + p_1 + p_1 p_2 + .. + p_1 .. p_m times in the mean. Intervals are 4.5
//! standard errors of those distributions.

use airlink_model::rlc::{CodedUnit, HarqConfig, RlcConfig, Segmentation};
use airlink_model::types::{Bytes, Combining, Purpose, RandomStream};

use super::bench::{Bench, grant, pdus};

const ERRORS: f64 = 4.5;
const BLOCKS: u32 = 20_000;

/// Probabilities of loss of transmissions 1, 2, .. at a margin of `margin_db`, energies added: a logistic law, 5 % at 0 dB.
fn chase(margin_db: f64, transmissions: u32) -> Vec<f64> {
    let combined = |count: u32| margin_db + 10.0 * libm::log10(f64::from(count));
    (1..=transmissions).map(|count| 1.0 / (1.0 + libm::exp(2.0 * (combined(count) + 1.472)))).collect()
}

/// Mean and variance of how often a block is sent: once, and once more with each of the products of `losses`.
fn transmissions(losses: &[f64]) -> (f64, f64) {
    let (mut reached, mut mean, mut square) = (1.0, 0.0, 0.0);
    for (count, loss) in (1..).zip(losses) {
        // The last transmission ends it either way.
        let ends = if count == losses.len() { reached } else { reached * (1.0 - loss) };
        mean += ends * count as f64;
        square += ends * (count * count) as f64;
        reached *= loss;
    }
    (mean, square - mean * mean)
}

/// Packets of one block each, until all have left: how many were given up, how often blocks were sent.
fn run(harq: HarqConfig, losses: &[f64]) -> (f64, f64) {
    let bytes = if harq.unit == CodedUnit::Pdu { 40 } else { 500 };
    let segmentation = Segmentation { segment: Bytes::new(bytes), ..pdus().segmentation };
    let config = RlcConfig { segmentation, harq, ..pdus() };
    let mut bench = Bench::new(config, &vec![bytes; BLOCKS as usize]);
    let mut draws = RandomStream::new(7, Purpose::Traffic, harq.max_retransmissions.into());
    let grant = [grant(8.0 * (bytes + 2) as f32)];
    let (mut sent, mut given_up) = (0, 0);
    while bench.left.len() < BLOCKS as usize {
        let filled = bench.slot(&grant, |earlier, _| draws.uniform() < losses[earlier as usize]);
        sent += filled.blocks.sent;
        given_up += filled.blocks.given_up;
        assert!(bench.slot < 100 * u64::from(BLOCKS), "something is stuck");
    }
    assert_eq!(bench.dropped().len(), given_up as usize);
    (f64::from(given_up), f64::from(sent))
}

#[test]
fn residual_losses_and_mean_transmissions_follow_the_loss_probabilities() {
    let n = f64::from(BLOCKS);
    for (unit, processes) in [(CodedUnit::Pdu, u32::MAX), (CodedUnit::Block, 8)] {
        for (margin_db, max_retransmissions) in [(0.0, 1), (-3.0, 0), (-3.0, 1), (-6.0, 2), (-9.0, 4), (-12.0, 10)] {
            let losses = chase(margin_db, max_retransmissions + 1);
            let harq = HarqConfig {
                combining: Combining::Chase,
                unit,
                max_retransmissions,
                round_trip_slots: 8,
                processes,
                ..HarqConfig::default()
            };
            let (given_up, sent) = run(harq, &losses);
            let residual: f64 = losses.iter().product();
            let spread = libm::sqrt(n * residual * (1.0 - residual));
            assert!((given_up - n * residual).abs() <= ERRORS * spread, "{margin_db} dB: {given_up} of {residual}");
            let (mean, variance) = transmissions(&losses);
            let spread = libm::sqrt(n * variance);
            assert!((sent - n * mean).abs() <= ERRORS * spread, "{margin_db} dB: {sent} for {mean}");
        }
    }
}

#[test]
fn the_closed_form_is_the_sum_of_the_products() {
    let losses = [0.5, 0.4, 0.1];
    let (mean, variance) = transmissions(&losses);
    assert!((mean - (1.0 + 0.5 + 0.5 * 0.4)).abs() < 1e-12);
    // 1, 2, 3 times with probabilities 0.5, 0.3, 0.2.
    assert!((variance - (0.5 + 4.0 * 0.3 + 9.0 * 0.2 - 1.7 * 1.7)).abs() < 1e-12);
}
