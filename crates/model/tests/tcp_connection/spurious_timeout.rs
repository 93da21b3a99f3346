//! The cascade of [Klein04], section II: an outage without a loss, a timeout, go-back-N, duplicate ACKs.
//!
//! Its server: 536 B segments, 64 kB window, RTT in ticks of 200 ms, min RTO 250 ms, plain Reno. The link is a
//! wire of 240 kb/s with an unlimited buffer that stands still for 2 s while a full window is out. Nothing is lost.

use airlink_model::transport::Algorithm::Reno;
use airlink_model::transport::{RtoConfig, Rules, Segment, Sender, Statistics, Tcp};
use airlink_model::types::{Bytes, Rate, Time};

use super::wire::{Connection, Observer, at, milliseconds, receiving, sending};

fn server(guard_after_timeout: bool) -> Tcp {
    let rto = RtoConfig {
        min: milliseconds(250),
        initial: milliseconds(3000),
        tick: milliseconds(200),
        ..RtoConfig::default()
    };
    let window = Bytes::new(65_535);
    Tcp {
        mss: Bytes::new(536),
        receiver_window: window,
        rto,
        rules: Rules { careful_fast_retransmit: guard_after_timeout, ..sending(Reno).rules },
        ..sending(Reno)
    }
}

/// What was sent again, in order, as segment numbers.
#[derive(Default)]
struct Resent(Vec<(Time, u64)>);

impl Observer for Resent {
    fn on_sent(&mut self, now: Time, segment: &Segment, _sender: &Sender) {
        if segment.retransmission {
            self.0.push((now, segment.sequence / 536));
        }
    }
}

/// Sends 700 kB over an outage from 4 to 6 s.
fn after_an_outage(guard_after_timeout: bool) -> (Statistics, Vec<(Time, u64)>) {
    let config = server(guard_after_timeout);
    let mut connection = Connection::new(config, receiving(&config), Rate::from_bps(240e3), milliseconds(45));
    let mut resent = Resent::default();
    connection.start(Bytes::new(700_000), &mut resent);
    connection.run_until(at(4000), &mut resent);
    assert_eq!(connection.sender.flight(), Bytes::new(122 * 536), "a full window is out");
    assert_eq!(connection.sender.statistics().retransmissions, 0);
    connection.data.stand_still(at(4000), milliseconds(2000));
    connection.run_until(at(60_000), &mut resent);
    assert!(connection.sender.is_complete());
    assert_eq!(connection.receiver.goodput(), Bytes::new(700_000));
    (connection.sender.statistics(), resent.0)
}

#[test]
fn after_a_spurious_timeout_the_guard_leaves_it_at_go_back_n() {
    let (statistics, resent) = after_an_outage(true);
    assert_eq!((statistics.timeouts, statistics.fast_retransmits), (1, 0));
    // Everything that was out is sent again, once and in order: the ACKs of the originals clock it out.
    let numbers: Vec<u64> = resent.iter().map(|(_, number)| *number).collect();
    let first = numbers[0];
    assert_eq!(numbers, (first..first + 122).collect::<Vec<_>>());
    // And each of them arrives at a receiver that has it already.
    assert_eq!(statistics.duplicate_acks, statistics.retransmissions);
}

#[test]
fn without_the_guard_the_duplicates_are_taken_for_losses() {
    let (guarded, of_go_back_n) = after_an_outage(true);
    let (statistics, resent) = after_an_outage(false);
    assert_eq!(statistics.timeouts, guarded.timeouts);
    assert!(statistics.fast_retransmits >= 1, "{statistics:?}");
    assert!(statistics.duplicate_acks > guarded.duplicate_acks, "the repair makes more duplicates");
    // The same go-back-N first; then a segment that was sent once, and not lost.
    let (same, more) = resent.split_at(of_go_back_n.len());
    assert_eq!(same, of_go_back_n);
    assert_eq!(more[0].1, same[same.len() - 1].1 + 1);
}
