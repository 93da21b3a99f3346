//! Two endpoints beside ns-2's Agent/TCP/FullTcp: every segment of either end, with its time.
//!
//! The tables are those of tests/validation/ns2/twoway.py. Each case says how far they are the same; where they part,
//! docs/validation.md says why.

mod network;
mod table;

use std::collections::BTreeSet;

use airlink_model::transport::{
    Algorithm, DelayedAck, InitialWindow, RecoveryEnd, ReductionOf, RestartAfterIdle, RtoConfig, Rules, SackPipe, Tcp,
};
use airlink_model::types::{Bytes, Duration, Time};

use network::{Case, Network, Verb};
use table::{End, Sent, hold, theirs};

const MSS: u64 = 1000;
/// ns-2 writes microseconds.
const SAME_TIME_S: f64 = 1.5e-6;

fn tcp(congestion_control: Algorithm, sack: bool, every: u32) -> Tcp {
    Tcp {
        congestion_control,
        sack,
        mss: Bytes::new(MSS),
        handshake: true,
        initial_window: InitialWindow::Segments,
        initial_window_segments: 2,
        receiver_window: Bytes::new(1000 * MSS),
        delayed_ack: DelayedAck { every, timer: Duration::from_millis(100), ..DelayedAck::default() },
        rto: RtoConfig { tick: Duration::from_millis(10), min: Duration::from_millis(200), ..RtoConfig::default() },
        rules: Rules {
            reduction_of: ReductionOf::Window,
            recovery_end: RecoveryEnd::Threshold,
            growth_at_recovery_end: true,
            timeout_raises_threshold: true,
            partial_window_deflation: false,
            impatient: false,
            recovery_burst_segments: 2,
            sack_pipe: SackPipe::Ns2Sack1,
            ..Rules::default()
        },
        ..Tcp::default()
    }
}

/// A case of `twoway.py`, with the TCP of both ends.
fn case(name: &'static str) -> (Case, Tcp) {
    let send = |at_s, segments| (at_s, Verb::Send(segments * MSS));
    let close = |at_s| (at_s, Verb::Close);
    let of = |client, server| Case { name, client, server, answer: 0, rate_bps: 10e6, back_bps: 1e9, limit: 1000 };
    let asks = |second_s| Case { answer: 30 * MSS, ..of(vec![send(0.1, 2), send(second_s, 1)], vec![]) };
    let forty = || of(vec![send(0.1, 40)], vec![send(0.1, 40)]);
    let long = || Case { limit: 8, back_bps: 17e6, ..of(vec![send(0.1, 400)], vec![send(0.1, 400)]) };
    let reno = |every| tcp(Algorithm::Reno, false, every);
    match name {
        "requests" => (asks(0.3), reno(1)),
        "requests-delayed" => (asks(0.3), reno(2)),
        "requests-after-idle" => (asks(0.7), Tcp { restart_after_idle: RestartAfterIdle::InitialWindow, ..reno(1) }),
        "both-ways" => (forty(), reno(1)),
        "both-ways-delayed" => (forty(), reno(2)),
        "small-queue-reno" => (long(), reno(1)),
        "small-queue-newreno" => (long(), tcp(Algorithm::NewReno, false, 1)),
        "small-queue-sack" => (long(), tcp(Algorithm::Reno, true, 1)),
        "one-after-the-other" => (of(vec![send(0.1, 3), close(0.3)], vec![close(0.5)]), reno(1)),
        "half-close" => {
            let of_both = of(vec![send(0.1, 3), close(0.2)], vec![send(0.1, 80), close(2.0)]);
            (Case { rate_bps: 1e6, ..of_both }, reno(1))
        }
        "both-close" => (of(vec![send(0.1, 3), close(0.3)], vec![send(0.1, 3), close(0.3)]), reno(1)),
        other => panic!("no case is called {other}"),
    }
}

fn ours(case: Case, tcp: &Tcp) -> Vec<Sent> {
    let name = case.name;
    let sent = Network::new(case, tcp).run(Time::ZERO + Duration::from_secs(20.0));
    hold(name, &sent);
    sent
}

/// ns-2's third segment of the handshake leaves twice, as its flag "ACK now" is still set.
fn without_second_ack(sent: Vec<Sent>, end: End) -> Vec<Sent> {
    let mut own: Vec<Sent> = sent.into_iter().filter(|one| one.end == end).collect();
    if end == End::Client {
        assert_eq!(own[1], own[2]);
        own.remove(2);
    }
    own
}

/// How many segments of each end are the same in a row, the times included; and of how many.
fn same(name: &str, sent: &[Sent]) -> [(usize, usize, usize); 2] {
    [End::Client, End::Server].map(|end| {
        let theirs = without_second_ack(theirs(name), end);
        let own: Vec<&Sent> = sent.iter().filter(|one| one.end == end).collect();
        let is_same = |(own, their): &(&&Sent, &Sent)| {
            own.content() == their.content() && (own.at_s - their.at_s).abs() < SAME_TIME_S
        };
        let row = own.iter().zip(&theirs).take_while(is_same).count();
        (row, own.len(), theirs.len())
    })
}

/// Cases in which every segment of both ends is that of ns-2, at its time.
const SAME: [&str; 8] = [
    "requests",
    "requests-delayed",
    "requests-after-idle",
    "both-ways",
    "both-ways-delayed",
    "small-queue-reno",
    "small-queue-newreno",
    "one-after-the-other",
];

#[test]
fn each_segment_of_both_ends_is_that_of_ns_2_and_leaves_when_it_does() {
    for name in SAME {
        let (case, tcp) = case(name);
        for (row, own, theirs) in same(name, &ours(case, &tcp)) {
            assert!(row == own && own == theirs, "{name}: {row} in a row, of {own} and ns-2's {theirs}");
        }
    }
}

/// How many segments of the client and of the server are the same in a row, where not all are.
///
/// FullTcp's pipe does not count an ACK that rides on data, whatever its SACK blocks say. In FIN-WAIT-1 and CLOSING it sets FIN on every ACK, and in CLOSE-WAIT its window does not grow.
const SAME_UNTIL: [(&str, [usize; 2]); 3] =
    [("small-queue-sack", [494, 189]), ("half-close", [15, 26]), ("both-close", [9, 8])];

#[test]
fn where_ns_2_does_something_else_all_before_it_is_the_same() {
    for (name, until) in SAME_UNTIL {
        let (case, tcp) = case(name);
        let found = same(name, &ours(case, &tcp));
        assert_eq!(found.map(|(row, ..)| row), until, "{name}");
        let carried = |sent: &[Sent], end| -> u64 {
            let own: BTreeSet<u64> =
                sent.iter().filter(|one| one.end == end && one.length > 0).map(|one| one.sequence).collect();
            own.len() as u64
        };
        let (kept, theirs) = (table::kept(name), theirs(name));
        for end in [End::Client, End::Server] {
            assert_eq!(carried(&kept, end), carried(&theirs, end), "{name}: both carry the same data");
        }
    }
}
