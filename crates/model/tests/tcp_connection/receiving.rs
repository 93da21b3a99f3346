//! A receiver under arbitrary segments at arbitrary times, against a bitmap of what arrived: its number, its window, its
//! blocks and its echo.

use std::ops::Range;

use airlink_model::transport::{DelayedAck, Reader, Receiver, Rules, Segment, StallingReader, Stamp, Tcp};
use airlink_model::types::{Bytes, Duration, Rate, Time};
use proptest::prelude::*;

const STREAM: usize = 12_000;

/// What arrived, and what the receiver has promised.
struct Watch {
    config: Tcp,
    receiver: Receiver,
    arrived: Vec<bool>,
    /// The right edge of the window that the sender knows of.
    edge: u64,
    /// What came a second time since the last ACK.
    again: Vec<bool>,
    echo: Stamp,
}

impl Watch {
    fn new(config: Tcp) -> Self {
        let edge = config.first_window().count();
        let (arrived, again) = (vec![false; STREAM], vec![false; STREAM]);
        Self { config, receiver: Receiver::new(&config), arrived, edge, again, echo: Stamp::NONE }
    }

    fn next(&self) -> u64 {
        self.arrived.iter().take_while(|has_arrived| **has_arrived).count() as u64
    }

    fn put_in(&mut self, now: Time, range: Range<u64>) {
        let segment = Segment {
            sequence: range.start,
            length: u32::try_from(range.end - range.start).unwrap(),
            timestamp: Stamp::at(now),
            ..Segment::default()
        };
        // A window that follows the reader at once has moved with the data, told or not.
        let edge = match self.config.reader {
            Reader::Immediate => self.next() + self.config.largest_window().count(),
            Reader::Stalling(_) => self.edge,
        };
        for byte in range.start..range.end.min(edge) {
            let index = usize::try_from(byte).unwrap();
            self.again[index] |= self.arrived[index];
            self.arrived[index] = true;
        }
        self.receiver.handle_packet(now, &segment);
        assert_eq!(
            self.receiver.goodput(),
            Bytes::new(self.next()),
            "each byte once, in order, none beyond the window"
        );
    }

    fn take_ack(&mut self, now: Time) -> bool {
        let Some(ack) = self.receiver.poll_packet(now) else { return false };
        assert_eq!(ack.number, self.next());
        let edge = ack.number + ack.window.count();
        // RFC 7323 §2.4: a scaled window may show less than was offered, by less than its unit.
        assert!(edge + (1 << self.config.window_shift()) > self.edge, "the right edge never moves back");
        assert!(ack.window.count().is_multiple_of(1 << self.config.window_shift()));
        assert!(ack.window <= self.config.largest_window());
        self.edge = self.edge.max(edge);
        self.check_blocks(&ack);
        self.again.fill(false);
        assert!(ack.echo >= self.echo, "the time echoed never goes back");
        self.echo = ack.echo;
        assert!(self.receiver.poll_packet(now).is_none(), "one ACK at a time");
        true
    }

    fn check_blocks(&self, ack: &Segment) {
        let blocks: Vec<Range<u64>> = ack.sack().collect();
        assert!(blocks.len() <= usize::from(self.config.rules.sack_blocks));
        let holds = |what: &[bool], block: &Range<u64>| (block.start..block.end).all(|byte| what[byte as usize]);
        assert!(blocks.iter().all(|block| holds(&self.arrived, block)), "only what has arrived is reported");
        for (index, block) in blocks.iter().enumerate() {
            let is_duplicate = block.end <= ack.number
                || blocks[index + 1..].iter().any(|other| other.start <= block.start && block.end <= other.end);
            if is_duplicate {
                assert!(
                    index == 0 && self.config.rules.dsack && holds(&self.again, block),
                    "a DSACK is first and true"
                );
            } else {
                let (before, after) = (block.start - 1, block.end);
                let is_whole = !self.arrived[before as usize] && !self.arrived[after as usize];
                assert!(block.start > ack.number && is_whole, "a block is all that is contiguous");
            }
        }
    }
}

prop_compose! {
    fn config()(
        every in 1..4_u32,
        quick_segments in 0..4_u32,
        least_ms in prop_oneof![Just(200_u64), Just(40)],
        immediate_on_gap: bool,
        sack_blocks in prop_oneof![Just(0_u8), 2..5_u8], // a DSACK is told by the block after it
        dsack: bool,
        autotuning: bool,
        // With units of 1 to 32 bytes.
        window in prop_oneof![1000..65_000_u64, 65_536..2_000_000_u64],
        reader in prop_oneof![
            Just(Reader::Immediate),
            (prop_oneof![Just(f64::INFINITY), 1e3..1e6_f64], 0..500_u64, 0..2000_u64).prop_map(|(rate, after, long)| Reader::Stalling(StallingReader {
                rate: Rate::from_bps(8.0 * rate),
                stall_after: Duration::from_millis(after),
                stall_for: Duration::from_millis(long), ..StallingReader::default() })),
        ],
    ) -> Tcp {
        Tcp {
            mss: Bytes::new(500),
            delayed_ack: DelayedAck {
                every,
                immediate_on_gap,
                quick_segments,
                least_timer: Duration::from_millis(least_ms),
                ..DelayedAck::default()
            },
            receiver_window: Bytes::new(window),
            receive_autotuning: autotuning,
            reader,
            sack: sack_blocks > 0,
            timestamps: true,
            rules: Rules { sack_blocks, dsack, ..Rules::default() },
            ..Tcp::default()
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn number_window_blocks_and_echo_are_true_whatever_arrives(
        config in config(),
        events in prop::collection::vec((0..80_u64, 0..11_000_u64, 0..700_u64), 1..200),
    ) {
        let mut watch = Watch::new(config);
        let mut now = Time::ZERO;
        for (wait_ms, start, length) in events {
            let arrival = now + Duration::from_millis(wait_ms);
            while let Some(due) = watch.receiver.poll_timeout().filter(|due| *due < arrival) {
                prop_assert!(due >= now, "a timer is not due before it is set");
                now = due;
                watch.receiver.handle_timeout(due);
                watch.take_ack(due);
            }
            now = arrival;
            watch.put_in(now, start..start + length);
            let is_acknowledged = watch.take_ack(now);
            prop_assert!(is_acknowledged || watch.receiver.poll_timeout().is_some(), "every segment has an ACK in the end");
        }
        // Nothing arrives any more: the timers come to an end, and so does a window that was closed.
        for _ in 0..10_000 {
            let Some(due) = watch.receiver.poll_timeout() else { break };
            watch.receiver.handle_timeout(due);
            watch.take_ack(due);
        }
        prop_assert!(watch.receiver.poll_timeout().is_none());
        let offered = watch.edge - watch.next();
        prop_assert!(2 * offered >= config.first_window().count(), "the window opens when all is read");
    }
}
