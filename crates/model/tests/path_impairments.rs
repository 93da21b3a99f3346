//! What impairments do, packet by packet, and the laws of random ones within bounds from the sample's size.

use airlink_model::path::{
    DelaySpike, Impairments, ImpairmentsConfig, LinkConfig, Loss, Moment, Outage, Verdict, Wire,
};
use airlink_model::types::{Bytes, DropReason, Duration, Rate, Time};
use proptest::prelude::*;

const MS: u64 = 1_000_000;
const DELAY: LinkConfig = LinkConfig { rate: Rate::UNLIMITED, delay: Duration::from_millis(10) };

fn ms(count: u64) -> Time {
    Time::from_nanos(count * MS)
}

fn wire(config: ImpairmentsConfig) -> Wire<u64> {
    Wire::new(DELAY, Some(Impairments::new(&config, 1, 0)))
}

/// What a wire did: (number, ms) of arrivals, and (number, ms, reason) of losses.
#[derive(Debug, Default, PartialEq)]
struct Story {
    arrived: Vec<(u64, u64)>,
    lost: Vec<(u64, u64, DropReason)>,
}

/// Packets 0, 1, 2, ... sent at these times in ms.
fn story(config: ImpairmentsConfig, sent_ms: &[u64]) -> Story {
    let mut wire = wire(config);
    for (number, &at) in (0..).zip(sent_ms) {
        wire.push(ms(at), Bytes::new(1500), number);
    }
    story_of(&mut wire)
}

fn story_of(wire: &mut Wire<u64>) -> Story {
    let mut story = Story::default();
    while let Some(now) = wire.poll_timeout() {
        while let Some(lost) = wire.poll_lost(now) {
            assert_eq!(lost.at, now, "a loss is heard of when it happens");
            story.lost.push((lost.item, now.as_nanos() / MS, lost.reason));
        }
        while let Some(number) = wire.poll_packet(now) {
            story.arrived.push((number, now.as_nanos() / MS));
        }
    }
    assert!(wire.is_empty());
    story
}

fn verdicts(config: ImpairmentsConfig, count: u64) -> Vec<Verdict> {
    let mut impairments = Impairments::new(&config, 7, 3);
    (0..count).map(|n| impairments.judge(ms(n), ms(n))).collect()
}

fn losses(config: ImpairmentsConfig, count: u64) -> Vec<bool> {
    verdicts(config, count).into_iter().map(|verdict| matches!(verdict, Verdict::Lost { .. })).collect()
}

#[test]
fn exactly_the_listed_packets_are_lost() {
    let config = ImpairmentsConfig { drop_numbers: vec![7, 2, 3, 2], ..Default::default() };
    let lost: Vec<usize> = losses(config, 10).iter().enumerate().filter(|(_, lost)| **lost).map(|(n, _)| n).collect();
    assert_eq!(lost, [2, 3, 7]);
}

#[test]
fn of_each_time_the_first_packet_at_or_after_it_is_lost() {
    let drop_at = vec![ms(5), ms(11), ms(12), ms(40)];
    let config = ImpairmentsConfig { drop_at, ..Default::default() };
    let found = story(config, &[4, 5, 6, 10, 20, 21]);
    let reason = DropReason::WireLoss;
    assert_eq!(found.lost, [(1, 5, reason), (4, 20, reason)], "11 and 12 ms mean the same packet");
    assert_eq!(found.arrived, [(0, 14), (2, 16), (3, 20), (5, 31)]);
}

#[test]
fn a_doubled_packet_comes_twice_at_once() {
    let config = ImpairmentsConfig { duplicate_numbers: vec![1], ..Default::default() };
    assert_eq!(story(config, &[0, 1, 2]).arrived, [(0, 10), (1, 11), (1, 11), (2, 12)]);
}

#[test]
fn a_reordered_packet_is_overtaken_by_those_that_come_first() {
    let reorder_extra = Duration::from_millis(2);
    let config = ImpairmentsConfig { reorder_numbers: vec![1], reorder_extra, ..Default::default() };
    // At 13 ms it and packet 3 arrive together: the one that was sent first comes first.
    assert_eq!(story(config, &[0, 1, 2, 3, 4]).arrived, [(0, 10), (2, 12), (1, 13), (3, 13), (4, 14)]);
}

#[test]
fn at_equal_times_the_one_that_was_sent_first_comes_first_whichever_was_overtaken() {
    let spike = DelaySpike {
        at: ms(0),
        length: Duration::from_millis(1),
        extra: Duration::from_millis(5),
        keep_order: true,
        moment: Moment::Sent,
    };
    let config = ImpairmentsConfig {
        delay_spikes: vec![spike],
        reorder_numbers: vec![1],
        reorder_extra: Duration::from_millis(2),
        ..Default::default()
    };
    assert_eq!(story(config, &[0, 3]).arrived, [(0, 15), (1, 15)]);
}

#[test]
fn behind_a_delay_spike_packets_wait_or_overtake() {
    let spike = |keep_order| DelaySpike {
        at: ms(1),
        length: Duration::from_millis(2),
        extra: Duration::from_millis(3),
        keep_order,
        moment: Moment::Sent,
    };
    let with = |keep_order| ImpairmentsConfig { delay_spikes: vec![spike(keep_order)], ..Default::default() };
    let sent = [0, 1, 2, 3, 5, 6];
    assert_eq!(story(with(true), &sent).arrived, [(0, 10), (1, 14), (2, 15), (3, 15), (4, 15), (5, 16)]);
    assert_eq!(story(with(false), &sent).arrived, [(0, 10), (3, 13), (1, 14), (2, 15), (4, 15), (5, 16)]);
}

#[test]
fn an_outage_holds_packets_to_its_end_or_loses_them_and_ends_before_it() {
    let outage = |hold| Outage { at: ms(2), length: Duration::from_millis(3), hold };
    let with = |hold| ImpairmentsConfig { outages: vec![outage(hold)], ..Default::default() };
    let sent = [1, 2, 4, 5, 6];
    assert_eq!(story(with(true), &sent).arrived, [(0, 11), (1, 15), (2, 15), (3, 15), (4, 16)]);
    let dropped = story(with(false), &sent);
    assert_eq!(dropped.arrived, [(0, 11), (3, 15), (4, 16)]);
    assert_eq!(dropped.lost, [(1, 2, DropReason::Outage), (2, 4, DropReason::Outage)]);
}

#[test]
fn each_of_several_held_packets_passes_at_the_end_and_no_sooner() {
    let outages = vec![Outage { at: ms(2), length: Duration::from_millis(30), hold: true }];
    let config = ImpairmentsConfig { outages, drop_numbers: vec![1, 2], ..Default::default() };
    let reason = DropReason::WireLoss;
    assert_eq!(story(config, &[3, 4, 5]).lost, [(1, 32, reason), (2, 32, reason)]);
}

#[test]
fn a_held_packet_passes_at_the_outages_end_and_meets_what_happens_then() {
    let outages = vec![
        Outage { at: ms(5), length: Duration::from_millis(5), hold: false },
        Outage { at: ms(2), length: Duration::from_millis(3), hold: true },
    ];
    let config = ImpairmentsConfig { outages, drop_at: vec![ms(11)], ..Default::default() };
    let found = story(config, &[1, 3, 10, 11]);
    assert_eq!(found.arrived, [(0, 11), (2, 20)]);
    assert_eq!(found.lost, [(1, 5, DropReason::Outage), (3, 11, DropReason::WireLoss)]);
}

#[test]
fn packets_pass_when_their_last_bit_is_sent() {
    // At 1.2 Mb/s a packet takes 10 ms: they pass at 10, 20 and 30 ms, and the second falls into the outage.
    let link = LinkConfig { rate: Rate::from_bps(1.2e6), delay: Duration::from_millis(1) };
    let outages = vec![Outage { at: ms(15), length: Duration::from_millis(7), hold: true }];
    let config = ImpairmentsConfig { outages, ..Default::default() };
    let mut wire = Wire::new(link, Some(Impairments::new(&config, 1, 0)));
    for number in 0..3 {
        wire.push(Time::ZERO, Bytes::new(1500), number);
    }
    assert_eq!(story_of(&mut wire).arrived, [(0, 11), (1, 23), (2, 31)]);
}

/// Within 4.5 standard deviations, which one test in 150 000 exceeds.
fn assert_near(found: f64, expected: f64, deviation: f64) {
    assert!((found - expected).abs() < 4.5 * deviation, "{found} instead of {expected} +- {deviation}");
}

const PACKETS: u64 = 400_000;

fn share(lost: &[bool]) -> f64 {
    lost.iter().filter(|lost| **lost).count() as f64 / lost.len() as f64
}

#[test]
fn independent_losses_have_their_probability_and_no_memory() {
    let p = 0.03;
    let config = ImpairmentsConfig { loss: Loss::Random { probability: p }, ..Default::default() };
    let lost = losses(config, PACKETS);
    let count = PACKETS as f64;
    assert_near(share(&lost), p, (p * (1.0 - p) / count).sqrt());
    let pairs = lost.windows(2).filter(|pair| pair[0] && pair[1]).count() as f64;
    assert_near(pairs / count, p * p, (p * p * (1.0 + 2.0 * p) / count).sqrt());
}

#[test]
fn gilbert_elliott_losses_have_the_chains_share_and_burst_length() {
    let (p, r) = (0.02, 0.25);
    let loss = Loss::GilbertElliott { to_bad: p, to_good: r, loss_good: 0.0, loss_bad: 1.0 };
    let lost = losses(ImpairmentsConfig { loss, ..Default::default() }, PACKETS);
    // The share of a two-state chain: p / (p + r); its correlation over k packets is (1 - p - r)^k.
    let (bad, memory) = (p / (p + r), 1.0 - p - r);
    let variance = bad * (1.0 - bad) / PACKETS as f64 * (1.0 + memory) / (1.0 - memory);
    assert_near(share(&lost), bad, variance.sqrt());
    let bursts: Vec<usize> = lost.split(|lost| !lost).map(<[bool]>::len).filter(|&length| length > 0).collect();
    let mean = bursts.iter().sum::<usize>() as f64 / bursts.len() as f64;
    // Geometric lengths: mean 1/r, variance (1 - r) / r^2.
    assert_near(mean, 1.0 / r, ((1.0 - r) / (r * r) / bursts.len() as f64).sqrt());
    let ones = bursts.iter().filter(|&&length| length == 1).count() as f64 / bursts.len() as f64;
    assert_near(ones, r, (r * (1.0 - r) / bursts.len() as f64).sqrt());
}

#[test]
fn each_state_of_gilbert_elliott_loses_with_its_own_probability() {
    let (p, r, good, bad) = (0.1, 0.1, 0.05, 0.4);
    let loss = Loss::GilbertElliott { to_bad: p, to_good: r, loss_good: good, loss_bad: bad };
    let lost = losses(ImpairmentsConfig { loss, ..Default::default() }, PACKETS);
    let mean = 0.5 * (good + bad);
    // Independent draws given the states, whose share of bad ones has a variance of its own.
    let of_states = 0.25 * (1.0 + 0.8) / (1.0 - 0.8) * (bad - good) * (bad - good);
    assert_near(share(&lost), mean, ((mean * (1.0 - mean) + of_states) / PACKETS as f64).sqrt());
}

#[test]
fn whether_the_state_changes_is_not_drawn_with_the_loss() {
    // With p = r = 1/2 the states are tosses of a coin, so two losses in a row have (1/4)^2.
    let loss = Loss::GilbertElliott { to_bad: 0.5, to_good: 0.5, loss_good: 0.0, loss_bad: 0.5 };
    let lost = losses(ImpairmentsConfig { loss, ..Default::default() }, PACKETS);
    let pairs = lost.windows(2).filter(|pair| pair[0] && pair[1]).count() as f64 / PACKETS as f64;
    let expected: f64 = 1.0 / 16.0;
    assert_near(pairs, expected, (expected * (1.0 - expected) * 1.5 / PACKETS as f64).sqrt());
}

#[test]
fn doubling_and_reordering_have_their_probabilities() {
    let config = ImpairmentsConfig { duplicate_probability: 0.1, reorder_probability: 0.2, ..Default::default() };
    let (mut duplicated, mut late, mut both) = (0.0, 0.0, 0.0);
    for verdict in verdicts(config, PACKETS) {
        let Verdict::Passes { overtaken, duplicated: is_copied, .. } = verdict else { panic!("nothing is lost") };
        duplicated += f64::from(u8::from(is_copied));
        late += f64::from(u8::from(overtaken));
        both += f64::from(u8::from(is_copied && overtaken));
    }
    let count = PACKETS as f64;
    for (found, p) in [(duplicated, 0.1), (late, 0.2), (both, 0.02)] {
        assert_near(found / count, p, (p * (1.0_f64 - p) / count).sqrt());
    }
}

#[test]
fn the_fate_of_packet_n_depends_on_its_number_alone() {
    let config = ImpairmentsConfig {
        loss: Loss::GilbertElliott { to_bad: 0.1, to_good: 0.3, loss_good: 0.01, loss_bad: 0.7 },
        reorder_probability: 0.2,
        duplicate_probability: 0.2,
        ..Default::default()
    };
    // The same draws for packets that come ten times as often, and with other losses among them.
    let plain = verdicts(config.clone(), 1000);
    let mut dense = Impairments::new(&ImpairmentsConfig { drop_numbers: vec![3, 4], ..config.clone() }, 7, 3);
    for (n, verdict) in (0..).zip(plain) {
        let found = dense.judge(Time::from_nanos(n), Time::from_nanos(n));
        let kept = |verdict| match verdict {
            Verdict::Lost { reason, .. } => (Some(reason), false, false),
            Verdict::Passes { overtaken, duplicated, .. } => (None, overtaken, duplicated),
        };
        assert!(n == 3 || n == 4 || kept(found) == kept(verdict), "packet {n}");
    }
    let fates = |seed, place| {
        let mut impairments = Impairments::new(&config, seed, place);
        (0..100).map(|n| impairments.judge(ms(n), ms(n))).collect::<Vec<_>>()
    };
    assert_eq!(fates(7, 3), fates(7, 3));
    assert_ne!(fates(7, 3), fates(7, 4));
    assert_ne!(fates(7, 3), fates(8, 3));
}

fn stretches() -> impl Strategy<Value = Vec<(u64, u64, bool, u64)>> {
    let gaps = prop::collection::vec((0..40_u64, 1..30_u64, any::<bool>(), 0..40_u64), 0..4);
    gaps.prop_map(|gaps| {
        let mut end = 0;
        gaps.into_iter()
            .map(|(gap, length, flag, extra)| {
                let at = end + gap;
                end = at + length;
                (at, length, flag, extra)
            })
            .collect()
    })
}

prop_compose! {
    fn any_impairments()(
        drop_numbers in prop::collection::vec(0..60_u64, 0..4),
        duplicate_numbers in prop::collection::vec(0..60_u64, 0..4),
        reorder_numbers in prop::collection::vec(0..60_u64, 0..4),
        extra in 0..30_u64,
        times in prop::collection::vec(0..200_u64, 0..4),
        probabilities in prop::array::uniform4(0.0..0.5),
        bursts in any::<bool>(),
        spikes in stretches(),
        outages in stretches(),
    ) -> ImpairmentsConfig {
        let [p, r, reorder_probability, duplicate_probability] = probabilities;
        ImpairmentsConfig {
            drop_numbers,
            duplicate_numbers,
            reorder_numbers,
            reorder_extra: Duration::from_millis(extra),
            drop_at: times.into_iter().map(ms).collect(),
            loss: match bursts {
                true => Loss::GilbertElliott { to_bad: p, to_good: r, loss_good: 0.0, loss_bad: 0.9 },
                false => Loss::Random { probability: p },
            },
            reorder_probability,
            duplicate_probability,
            delay_spikes: spikes.into_iter().map(|(at, length, keep_order, extra)| DelaySpike {
                at: ms(at), length: Duration::from_millis(length), extra: Duration::from_millis(extra), keep_order,
                moment: Moment::Sent,
            }).collect(),
            outages: outages.into_iter().map(|(at, length, hold, _)| Outage {
                at: ms(at), length: Duration::from_millis(length), hold,
            }).collect(),
            ..ImpairmentsConfig::default()
        }
    }
}

proptest! {
    #[test]
    fn every_packet_arrives_or_is_lost_once_and_never_early(
        config in any_impairments(),
        gaps in prop::collection::vec(0..6_u64, 1..60),
    ) {
        let mut wire = wire(config);
        let (mut now, mut sent, mut duplicated) = (0, Vec::new(), Vec::new());
        let mut found = Story::default();
        for (number, gap) in (0..).zip(gaps) {
            now += gap;
            // What is due is taken before the next is sent, as a driver would.
            while let Some(due) = wire.poll_timeout().filter(|due| *due <= ms(now)) {
                while let Some(lost) = wire.poll_lost(due) {
                    found.lost.push((lost.item, due.as_nanos() / MS, lost.reason));
                }
                while let Some(number) = wire.poll_packet(due) {
                    found.arrived.push((number, due.as_nanos() / MS));
                }
            }
            sent.push(now);
            if wire.push(ms(now), Bytes::new(1500), number) {
                duplicated.push(number);
            }
        }
        let rest = story_of(&mut wire);
        found.arrived.extend(rest.arrived);
        found.lost.extend(rest.lost);
        prop_assert!(found.arrived.is_sorted_by_key(|(_, at)| *at));
        for (number, &at) in (0..).zip(&sent) {
            let came: Vec<u64> = found.arrived.iter().filter(|(n, _)| *n == number).map(|(_, at)| *at).collect();
            let lost = found.lost.iter().filter(|(n, ..)| *n == number).count();
            let copies = 1 + usize::from(duplicated.contains(&number));
            prop_assert_eq!(came.len() + lost, copies, "packet {}", number);
            prop_assert!(came.iter().all(|arrival| *arrival >= at + 10));
        }
    }
}
