//! Arrivals and services as a script, and what a queue made of it.

use airlink_model::queue::{InService, Queue, QueueConfig};
use airlink_model::types::{Bytes, Direction, Ecn, FlowId, Marks, Packet, PacketFields, Time, UserId};
use proptest::prelude::*;

pub(crate) const MS: u64 = 1_000_000;
pub(crate) const SEED: u64 = 7;

/// What happens at a moment, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// A packet of so many bytes comes.
    Comes(u64),
    /// So many packets are pulled.
    Pulled(u64),
}

/// What became of packets, by number, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fates {
    /// With when they were pulled.
    pub(crate) sent: Vec<(u64, u64)>,
    /// With when they were dropped, at the head or as they came.
    pub(crate) dropped: Vec<(u64, u64)>,
    /// Of those sent, the ones that carried CE, with when they were pulled.
    pub(crate) marked: Vec<(u64, u64)>,
}

/// So many cases; failures are shrunk and shown, not written beside the tests.
pub(crate) fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

pub(crate) fn packet(id: u64, bytes: u64) -> Packet<()> {
    let (flow, user, bytes) = (FlowId::default(), UserId::default(), Bytes::new(bytes));
    Box::new(PacketFields {
        id,
        flow,
        user,
        bytes,
        sent_at: Time::ZERO,
        queued_at: Time::ZERO,
        direction: Direction::Down,
        hop: 0,
        marks: Marks::default(),
        payload: (),
    })
}

/// A queue without limits of its own.
pub(crate) fn unlimited(config: &QueueConfig) -> Queue<()> {
    Queue::new(config, SEED, UserId::default())
}

/// Runs the script on a queue with packets whose sender knows no ECN; they are numbered as they come.
pub(crate) fn play(queue: &mut Queue<()>, script: &[(u64, Step)]) -> Fates {
    play_with(queue, script, |_| Ecn::NotEct)
}

/// Runs the script on a queue; `ecn` of a packet by its number.
pub(crate) fn play_with(queue: &mut Queue<()>, script: &[(u64, Step)], ecn: impl Fn(u64) -> Ecn) -> Fates {
    let (mut fates, mut dropped, mut number) = (Fates::default(), Vec::new(), 0);
    for &(at, step) in script {
        let now = Time::from_nanos(at);
        match step {
            Step::Comes(bytes) => {
                let marks = Marks { ecn: ecn(number), ..Marks::default() };
                if let Err(refused) =
                    queue.push(now, Box::new(PacketFields { marks, ..*packet(number, bytes) }), InService::default())
                {
                    fates.dropped.push((refused.packet.id, at));
                }
                number += 1;
            }
            Step::Pulled(count) => {
                for _ in 0..count {
                    let waited = queue.occupancy().packets;
                    let sent = queue.pop(now, &mut dropped);
                    fates.dropped.extend(dropped.drain(..).map(|packet| (packet.id, at)));
                    fates.sent.extend(sent.iter().map(|packet| (packet.id, at)));
                    let carries_mark = sent.iter().filter(|packet| packet.marks.ecn == Ecn::Ce);
                    fates.marked.extend(carries_mark.map(|packet| (packet.id, at)));
                    assert_eq!(sent.is_some(), waited > 0, "a queue that holds something hands something out");
                }
            }
        }
        let gone = (fates.sent.len() + fates.dropped.len()) as u64;
        assert_eq!(queue.occupancy().packets + gone, number, "in = out + dropped + waiting");
    }
    fates
}

/// Any script of so many steps: spells in which more comes than goes, spells in which less does, rests.
pub(crate) fn any_script(steps: usize) -> impl Strategy<Value = Vec<(u64, Step)>> {
    let gap_us = prop_oneof![4 => Just(0_u64), 8 => 1..3_000_u64, 1 => 3_000..400_000_u64];
    let step = prop_oneof![
        3 => prop::sample::select(vec![40_u64, 576, 1500]).prop_map(Step::Comes),
        2 => (1..4_u64).prop_map(Step::Pulled),
    ];
    prop::collection::vec((gap_us, step), 1..steps).prop_map(|steps| {
        let mut now = 0;
        let timed = steps.into_iter().map(|(gap_us, step)| {
            now += gap_us * 1000;
            (now, step)
        });
        timed.collect()
    })
}

/// A packet of `bytes` every `every_ns` from 0 on, and one pulled every `served_ns`, until `until_ns`; at one moment it comes
/// before it is pulled.
pub(crate) fn steady(bytes: u64, every_ns: u64, served_ns: u64, until_ns: u64) -> Vec<(u64, Step)> {
    let comes = (0..).map(|n| (n * every_ns, Step::Comes(bytes))).take_while(|&(at, _)| at < until_ns);
    let pulled = (1..).map(|n| (n * served_ns, Step::Pulled(1))).take_while(|&(at, _)| at < until_ns);
    let mut script: Vec<_> = comes.chain(pulled).collect();
    script.sort_by_key(|&(at, step)| (at, matches!(step, Step::Pulled(_))));
    script
}
