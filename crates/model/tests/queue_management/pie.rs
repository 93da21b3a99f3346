//! PIE against RFC 8033's equations by hand, its pseudocode written down once more with a clock that ticks, and its draws.

use std::collections::VecDeque;

use airlink_model::queue::{PieConfig, QueueConfig, QueueKind};
use airlink_model::types::{Bytes, CounterStream, Duration, Purpose, Slot};
use proptest::prelude::*;

use super::bench::{Fates, MS, SEED, Step, any_script, cases, play, steady, unlimited};

const MEAN_PKTSIZE: u64 = 1000;

fn config(derandomise: bool, cap_steps: bool) -> PieConfig {
    let milliseconds = Duration::from_millis;
    let (target, update, burst) = (milliseconds(15), milliseconds(15), milliseconds(150));
    let mean_packet = Bytes::new(MEAN_PKTSIZE);
    PieConfig {
        target,
        update,
        burst,
        alpha: 0.125,
        beta: 1.25,
        mean_packet,
        derandomise,
        cap_steps,
        ..PieConfig::default()
    }
}

/// The pseudocode of appendix A, with sections 5.4 and 5.5; times are seconds, updates are events of a clock.
#[derive(Default)]
struct ByTheLetter {
    derandomise: bool,
    cap_steps: bool,
    queue: VecDeque<(u64, u64, u64)>,
    drop_prob: f64,
    accu_prob: f64,
    current_qdelay: f64,
    qdelay_old: f64,
    burst_allowance: f64,
}

const QDELAY_REF: f64 = 0.015;
const T_UPDATE: f64 = 0.015;
const MAX_BURST: f64 = 0.150;

impl ByTheLetter {
    fn byte_length(&self) -> u64 {
        self.queue.iter().map(|&(_, bytes, _)| bytes).sum()
    }

    /// True if the packet is dropped.
    fn enque(&mut self, now: u64, number: u64, bytes: u64, random: f64) -> bool {
        if self.drop_prob == 0.0 && self.current_qdelay < QDELAY_REF / 2.0 && self.qdelay_old < QDELAY_REF / 2.0 {
            self.burst_allowance = MAX_BURST;
        }
        if self.burst_allowance < 1e-9 && self.drop_early(random) {
            self.accu_prob = 0.0;
            return true;
        }
        self.queue.push_back((number, bytes, now));
        false
    }

    fn drop_early(&mut self, random: f64) -> bool {
        if (self.qdelay_old < QDELAY_REF / 2.0 && self.drop_prob < 0.2) || self.byte_length() <= 2 * MEAN_PKTSIZE {
            return false;
        }
        if self.derandomise {
            if self.drop_prob == 0.0 {
                self.accu_prob = 0.0;
            }
            self.accu_prob += self.drop_prob;
            if self.accu_prob < 0.85 {
                return false;
            }
            if self.accu_prob >= 8.5 {
                return true;
            }
        }
        random < self.drop_prob
    }

    fn deque(&mut self, now: u64) -> Option<u64> {
        let (number, _, came) = self.queue.pop_front()?;
        self.current_qdelay = (now - came) as f64 / 1e9;
        if self.queue.is_empty() {
            self.current_qdelay = 0.0;
        }
        Some(number)
    }

    fn calculate_drop_prob(&mut self) {
        let mut p = 0.125 * (self.current_qdelay - QDELAY_REF) + 1.25 * (self.current_qdelay - self.qdelay_old);
        if self.drop_prob < 0.000_001 {
            p /= 2048.0;
        } else if self.drop_prob < 0.000_01 {
            p /= 512.0;
        } else if self.drop_prob < 0.000_1 {
            p /= 128.0;
        } else if self.drop_prob < 0.001 {
            p /= 32.0;
        } else if self.drop_prob < 0.01 {
            p /= 8.0;
        } else if self.drop_prob < 0.1 {
            p /= 2.0;
        }
        if self.cap_steps && self.drop_prob >= 0.1 && p > 0.02 {
            p = 0.02;
        }
        self.drop_prob += p;
        if self.current_qdelay == 0.0 && self.qdelay_old == 0.0 {
            self.drop_prob *= 0.98;
        }
        self.drop_prob = self.drop_prob.clamp(0.0, 1.0);
        self.qdelay_old = self.current_qdelay;
        self.burst_allowance = (self.burst_allowance - T_UPDATE).max(0.0);
    }
}

/// The script with the clock's ticks in it, each before what happens at the same moment; and the probability at the end.
fn by_the_letter(script: &[(u64, Step)], derandomise: bool, cap_steps: bool) -> (Fates, f64) {
    let mut rfc = ByTheLetter { derandomise, cap_steps, ..ByTheLetter::default() };
    let draws = CounterStream::new(SEED, Purpose::Queue, 0);
    let (mut fates, mut number, mut tick) = (Fates::default(), 0, 15 * MS);
    for &(at, step) in script {
        while tick <= at {
            rfc.calculate_drop_prob();
            tick += 15 * MS;
        }
        match step {
            Step::Comes(bytes) => {
                if rfc.enque(at, number, bytes, draws.uniform(Slot::new(number))) {
                    fates.dropped.push((number, at));
                }
                number += 1;
            }
            Step::Pulled(count) => fates.sent.extend((0..count).filter_map(|_| rfc.deque(at)).map(|id| (id, at))),
        }
    }
    (fates, rfc.drop_prob)
}

fn played(script: &[(u64, Step)], derandomise: bool, cap_steps: bool) -> Fates {
    let pie = config(derandomise, cap_steps);
    play(&mut unlimited(&QueueConfig { kind: QueueKind::Pie, pie, ..QueueConfig::default() }), script)
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn every_packet_meets_the_fate_that_a_clock_that_ticks_gives_it(
        script in any_script(600), derandomise in any::<bool>(), cap_steps in any::<bool>(),
    ) {
        prop_assert_eq!(played(&script, derandomise, cap_steps), by_the_letter(&script, derandomise, cap_steps).0);
    }

    #[test]
    fn an_overload_and_the_calm_after_it_go_as_in_the_pseudocode(
        every_us in 300..1_500_u64, rest_ms in 0..20_000_u64, derandomise in any::<bool>(), cap_steps in any::<bool>(),
    ) {
        // A packet a millisecond leaves; what is left is taken at once, and after a rest it begins again.
        let first = steady(1000, every_us * 1000, MS, 3_000 * MS);
        let start = 3_001 * MS + rest_ms * MS;
        let mut script = first.clone();
        script.push((3_001 * MS, Step::Pulled(20_000)));
        script.extend(first.iter().map(|&(at, step)| (start + at, step)));
        let (expected, _) = by_the_letter(&script, derandomise, cap_steps);
        prop_assert!(every_us > 900 || !expected.dropped.is_empty());
        prop_assert_eq!(played(&script, derandomise, cap_steps), expected);
    }
}

#[test]
fn a_burst_of_150_ms_after_calm_passes_whole() {
    // Far too much comes from 1000 ms on. The burst's allowance is 150 ms, less 15 at each update from 1005 on: over at 1140.
    let mut script = steady(1000, 100_000, MS, 2_000 * MS);
    script.iter_mut().for_each(|(at, _)| *at += 1_000 * MS);
    let fates = played(&script, false, false);
    let first = fates.dropped.first().expect("an overload of ten to one is thinned").1;
    assert!(first >= 1_140 * MS, "{first}");
    assert_eq!(fates, by_the_letter(&script, false, false).0);
}

#[test]
fn derandomised_drops_are_neither_too_close_nor_too_far_apart() {
    // Packets that all wait 15 ms hold the probability where it is, at some p: drops then lie 0.85/p to 8.5/p packets apart.
    let mut script = steady(1000, 800_000, MS, 6_000 * MS);
    script.extend(steady(1000, MS, MS, 6_000 * MS).iter().map(|&(at, step)| (6_000 * MS + at, step)));
    let numbers = |derandomise| -> Vec<u64> {
        let fates = played(&script, derandomise, false);
        fates.dropped.iter().filter(|&&(_, at)| (3_000 * MS..6_000 * MS).contains(&at)).map(|&(id, _)| id).collect()
    };
    let spread = |numbers: &[u64]| {
        let gaps: Vec<f64> = numbers.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let square = gaps.iter().map(|gap| (gap - mean) * (gap - mean)).sum::<f64>() / gaps.len() as f64;
        (mean, square.sqrt() / mean)
    };
    // A fifth too much comes, so a fifth is dropped: every fifth packet, less regularly when each is drawn for itself
    // (coefficient of variation sqrt(1 - p) = 0.89) than when 0.85/p must pass first.
    let ((mean, varies), (held_mean, held_varies)) = (spread(&numbers(false)), spread(&numbers(true)));
    assert!((mean - 5.0).abs() < 0.5 && (held_mean - 5.0).abs() < 0.5, "{mean} {held_mean}");
    assert!((0.75..1.05).contains(&varies) && held_varies < 0.6, "{varies} {held_varies}");
}

#[test]
fn with_two_packets_waiting_nothing_is_refused() {
    // Two of 1000 bytes wait when each of the others comes, for 100 ms each.
    let mut script = vec![(0, Step::Comes(1000)), (0, Step::Comes(1000))];
    script.extend((1..200).flat_map(|n| [(n * 50 * MS, Step::Comes(1000)), (n * 50 * MS, Step::Pulled(1))]));
    assert_eq!(played(&script, false, false).dropped, []);
    let three = [&[(0, Step::Comes(1000))], script.as_slice()].concat();
    assert!(!played(&three, false, false).dropped.is_empty());
}
