//! CoDel against RFC 8289, section 5, written down once more line by line, and against drops counted by hand.

use std::collections::VecDeque;

use airlink_model::queue::{CodelConfig, QueueConfig, QueueKind};
use airlink_model::types::Duration;
use proptest::prelude::*;

use super::bench::{Fates, MS, Step, any_script, cases, play, steady, unlimited};

const TARGET: u64 = 5 * MS;
const INTERVAL: u64 = 100 * MS;

fn codel() -> QueueConfig {
    let (target, interval) = (Duration::from_nanos(TARGET), Duration::from_nanos(INTERVAL));
    let codel = CodelConfig { target, interval, ..CodelConfig::default() };
    QueueConfig { kind: QueueKind::Codel, codel, ..QueueConfig::default() }
}

/// The pseudocode with its names; times are signed nanoseconds, 0 stands for none.
#[derive(Default)]
struct ByTheLetter {
    queue: VecDeque<(u64, u64, i64)>,
    first_above_time: i64,
    drop_next: i64,
    count: u32,
    lastcount: u32,
    dropping: bool,
    maxpacket: u64,
    dropped: Vec<(u64, u64)>,
}

impl ByTheLetter {
    fn enque(&mut self, now: u64, number: u64, bytes: u64) {
        self.maxpacket = self.maxpacket.max(bytes);
        self.queue.push_back((number, bytes, now as i64));
    }

    fn dodequeue(&mut self, now: i64) -> (Option<u64>, bool) {
        let Some((number, _, tstamp)) = self.queue.pop_front() else {
            self.first_above_time = 0;
            return (None, false);
        };
        let bytes: u64 = self.queue.iter().map(|&(_, bytes, _)| bytes).sum();
        if now - tstamp < TARGET as i64 || bytes <= self.maxpacket {
            self.first_above_time = 0;
        } else if self.first_above_time == 0 {
            self.first_above_time = now + INTERVAL as i64;
        } else if now >= self.first_above_time {
            return (Some(number), true);
        }
        (Some(number), false)
    }

    fn deque(&mut self, now: u64) -> Option<u64> {
        let time = now as i64;
        let (mut packet, mut ok_to_drop) = self.dodequeue(time);
        if self.dropping {
            if !ok_to_drop {
                self.dropping = false;
            }
            while time >= self.drop_next && self.dropping {
                self.dropped.push((packet.expect("there is one to drop"), now));
                self.count += 1;
                (packet, ok_to_drop) = self.dodequeue(time);
                if ok_to_drop {
                    self.drop_next = Self::control_law(self.drop_next, self.count);
                } else {
                    self.dropping = false;
                }
            }
        } else if ok_to_drop {
            self.dropped.push((packet.expect("there is one to drop"), now));
            (packet, _) = self.dodequeue(time);
            self.dropping = true;
            let delta = self.count - self.lastcount;
            self.count = 1;
            if delta > 1 && time - self.drop_next < 16 * INTERVAL as i64 {
                self.count = delta;
            }
            self.drop_next = Self::control_law(time, self.count);
            self.lastcount = self.count;
        }
        packet
    }

    fn control_law(time: i64, count: u32) -> i64 {
        time + (INTERVAL as f64 / f64::from(count).sqrt()).round() as i64
    }
}

fn by_the_letter(script: &[(u64, Step)]) -> Fates {
    let (mut rfc, mut sent, mut number) = (ByTheLetter::default(), Vec::new(), 0);
    for &(at, step) in script {
        match step {
            Step::Comes(bytes) => {
                rfc.enque(at, number, bytes);
                number += 1;
            }
            Step::Pulled(count) => sent.extend((0..count).filter_map(|_| rfc.deque(at)).map(|id| (id, at))),
        }
    }
    Fates { sent, dropped: rfc.dropped, ..Fates::default() }
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn every_packet_meets_the_fate_that_the_pseudocode_gives_it(script in any_script(600)) {
        prop_assert_eq!(play(&mut unlimited(&codel()), &script), by_the_letter(&script));
    }

    #[test]
    fn an_overload_of_any_strength_is_thinned_as_in_the_pseudocode(
        every_us in 100..2_000_u64, served_us in 100..2_000_u64, bytes in 40..1500_u64,
    ) {
        let script = steady(bytes, every_us * 1000, served_us * 1000, 2_000 * MS);
        prop_assert_eq!(play(&mut unlimited(&codel()), &script), by_the_letter(&script));
    }
}

/// When packets are dropped of a queue in which nobody waits less than the target, pulled from every 0.1 ms: the first
/// at `first`, each next at the first pull from then on.
fn by_hand(first: f64, spacings: &[f64]) -> Vec<u64> {
    let mut due = first;
    let mut moments = vec![first];
    for spacing in spacings {
        due += spacing;
        moments.push((due / 1e5).ceil() * 1e5);
    }
    moments.into_iter().map(|moment| moment as u64).collect()
}

/// Pulls every 0.1 ms over [from, until).
fn pulls(from: u64, until: u64) -> impl Iterator<Item = (u64, Step)> {
    (from..until).step_by(100_000).map(|at| (at, Step::Pulled(1)))
}

#[test]
fn drops_follow_one_another_at_the_interval_over_the_root_of_their_number() {
    // All come at 0 and wait 5 ms at 5 ms, so drops begin at 105.
    let mut script = vec![(0, Step::Comes(1000)); 20_000];
    script.extend(pulls(0, 500 * MS));
    let drops: Vec<u64> = play(&mut unlimited(&codel()), &script).dropped.iter().map(|&(_, at)| at).collect();
    let spacings = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0_f64].map(|count| 1e8 / count.sqrt());
    assert_eq!(drops[..7], by_hand(105e6, &spacings));
    // 100 + 70.71 + 57.74 + 50 ms
    assert_eq!(drops[4], 383_500_000);
}

#[test]
fn a_spell_of_drops_soon_after_another_begins_with_the_rate_that_it_had() {
    for (rest, count) in [(0, 4.0_f64), (1_600 * MS, 1.0)] {
        // A spell with drops at 105, 205, 275.8, 333.5, 383.5 ms; then the queue empties, for a while nothing comes.
        let mut script = vec![(0, Step::Comes(1000)); 4_000];
        script.extend(pulls(0, 420 * MS));
        let start = 500 * MS + rest;
        script.push((450 * MS, Step::Pulled(4_000)));
        script.extend(vec![(start, Step::Comes(1000)); 4_000]);
        script.extend(pulls(start, start + 300 * MS));
        let drops: Vec<u64> = play(&mut unlimited(&codel()), &script).dropped.iter().map(|&(_, at)| at).collect();
        assert_eq!(drops.iter().filter(|&&at| at < 500 * MS).count(), 5);
        let again: Vec<u64> = drops.into_iter().filter(|&at| at >= start).collect();
        // The fifth drop left 433.5 as the next one's time: 16 intervals after it are over at 2033.5.
        let expected = by_hand((start + 105 * MS) as f64, &[1e8 / count.sqrt()]);
        assert_eq!(again[..2], expected, "after {rest} ns");
    }
}

#[test]
fn what_leaves_no_more_than_a_packet_behind_is_never_dropped() {
    // 20 ms a packet on the way out, two always there: each waits 40 ms, and one packet is left behind it.
    let mut script = vec![(0, Step::Comes(1500))];
    for n in 0..500 {
        script.extend([(n * 20 * MS, Step::Comes(1500)), (n * 20 * MS + MS, Step::Pulled(1))]);
    }
    assert_eq!(play(&mut unlimited(&codel()), &script).dropped, []);
    // With three there, drops begin.
    script.insert(0, (0, Step::Comes(1500)));
    assert!(!play(&mut unlimited(&codel()), &script).dropped.is_empty());
}

#[test]
fn a_single_short_wait_starts_the_interval_anew() {
    // Everybody waits 10 ms, until at 70 ms the queue is cut down to what came 3 ms ago; from 77 ms on they wait 10 again.
    let pulled_at = |n: u64| if (60..=66).contains(&n) { 70 * MS } else { n * MS + 10 * MS };
    let mut script: Vec<(u64, Step)> = (0..200).map(|n| (n * MS, Step::Comes(1000))).collect();
    script.extend((0..200).map(|n| (pulled_at(n), Step::Pulled(1))));
    script.sort_by_key(|&(at, step)| (at, matches!(step, Step::Pulled(_))));
    assert_eq!(play(&mut unlimited(&codel()), &script).dropped.first(), Some(&(167, 177 * MS)));
}
