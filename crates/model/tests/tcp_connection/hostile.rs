//! Arbitrary losses, duplicates and delays both ways, then a network that heals; and packets that make no sense.

use airlink_model::transport::{
    Algorithm, DelayedAck, InitialWindow, Receiver, RtoConfig, Rules, Segment, Sender, Tcp,
};
use airlink_model::types::{Bytes, Duration, Rate, Time};
use proptest::prelude::*;

use super::wire::{Connection, Fate, MSS, Observer, at, milliseconds, receiving, sending};

/// Plays the fates it was given, then delivers everything; checks both ends at every packet.
struct Watch {
    data_fates: std::vec::IntoIter<Fate>,
    ack_fates: std::vec::IntoIter<Fate>,
    supplied: u64,
    window: u64,
    acknowledged: u64,
    highest_sent: u64,
    transmissions: u64,
    /// Which bytes of the stream have arrived: the simplest reassembly there is.
    arrived: Vec<bool>,
}

impl Observer for Watch {
    fn fate_of_data(&mut self, _segment: &Segment) -> Fate {
        self.data_fates.next().unwrap_or(Fate::Deliver)
    }

    fn fate_of_ack(&mut self, _ack: &Segment) -> Fate {
        self.ack_fates.next().unwrap_or(Fate::Deliver)
    }

    fn on_sent(&mut self, now: Time, segment: &Segment, sender: &Sender) {
        assert_eq!(segment.transmission, self.transmissions, "transmissions are numbered without a gap");
        self.transmissions += 1;
        assert!(segment.length > 0 && u64::from(segment.length) <= MSS);
        assert!(segment.sequence >= self.acknowledged, "what is acknowledged is never sent again");
        assert!(segment.end() <= self.supplied, "only what was supplied is sent");
        assert!(segment.end() <= self.acknowledged + self.window, "nothing beyond the receiver's window");
        assert_eq!(segment.retransmission, segment.sequence < self.highest_sent);
        let is_oldest = segment.sequence == self.acknowledged;
        let within = segment.end() - self.acknowledged <= sender.cwnd() as u64;
        assert!(is_oldest || within, "nothing beyond cwnd but the oldest segment");
        self.highest_sent = self.highest_sent.max(segment.end());
        assert!(sender.poll_timeout().is_some_and(|timer| timer >= now), "with data out the timer runs");
        assert!(sender.cwnd() >= MSS as f64 && sender.ssthresh() >= 2.0 * MSS as f64);
    }

    fn on_received(&mut self, _now: Time, segment: &Segment, receiver: &Receiver) {
        let (start, end) = (usize::try_from(segment.sequence).unwrap(), usize::try_from(segment.end()).unwrap());
        self.arrived[start..end].fill(true);
        let in_order = self.arrived.iter().take_while(|has_arrived| **has_arrived).count();
        assert_eq!(receiver.goodput(), Bytes::new(in_order as u64), "each byte once, in order");
    }

    fn on_ack(&mut self, _now: Time, ack: &Segment, sender: &mut Sender) {
        self.acknowledged = self.acknowledged.max(ack.number);
        assert_eq!(sender.acknowledged(), Bytes::new(self.acknowledged));
        assert!(sender.take_rtt_sample().is_none_or(|rtt| rtt >= milliseconds(40)), "no round trip below the wires'");
    }
}

fn fate() -> impl Strategy<Value = Fate> {
    let span = (0..400_u64).prop_map(milliseconds);
    prop_oneof![
        5 => Just(Fate::Deliver),
        3 => Just(Fate::Drop),
        1 => span.clone().prop_map(Fate::Duplicate),
        2 => span.prop_map(Fate::Delay),
    ]
}

fn rto() -> impl Strategy<Value = RtoConfig> {
    let tick = prop_oneof![Just(0_u64), Just(10), Just(200)];
    (any::<(bool, bool, bool)>(), tick, 1_u64..1000, 1.0..3.0_f64).prop_map(|(switches, tick, min, backoff_factor)| {
        let (karn, variance_floor, sample_every_ack) = switches;
        RtoConfig {
            min: milliseconds(min),
            initial: milliseconds(1000),
            max: milliseconds(4000),
            tick: milliseconds(tick),
            backoff_factor,
            karn,
            variance_floor,
            sample_every_ack,
            ..RtoConfig::default()
        }
    })
}

prop_compose! {
    fn sender_config()(
        algorithm in prop_oneof![Just(Algorithm::Reno), Just(Algorithm::NewReno)],
        initial_window_segments in 1..12_u32,
        ssthresh in prop_oneof![Just(f64::INFINITY), 2.0..20.0_f64],
        window in MSS..40 * MSS,
        duplicate_ack_threshold in 1..5_u32,
        guard_after_timeout: bool,
        rto in rto(),
    ) -> Tcp {
        Tcp {
            initial_window: InitialWindow::Segments,
            initial_window_segments,
            initial_ssthresh_segments: ssthresh,
            receiver_window: Bytes::new(window),
            duplicate_ack_threshold,
            rto,
            rules: Rules {
                careful_fast_retransmit: guard_after_timeout,
                ..sending(algorithm).rules
            },
            ..sending(algorithm)
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn once_the_network_heals_every_byte_arrives_exactly_once_and_in_order(
        config in sender_config(),
        ack_every in 1..4_u32,
        bytes in 1..80 * MSS,
        rate_kbps in prop_oneof![Just(f64::INFINITY), 100.0..5000.0_f64],
        data_fates in prop::collection::vec(fate(), 0..300),
        ack_fates in prop::collection::vec(fate(), 0..300),
    ) {
        let receiver = Tcp { delayed_ack: DelayedAck { every: ack_every, ..DelayedAck::default() }, ..receiving(&config) };
        let mut connection = Connection::new(config, receiver, Rate::from_bps(1e3 * rate_kbps), milliseconds(40));
        let mut watch = Watch {
            data_fates: data_fates.into_iter(),
            ack_fates: ack_fates.into_iter(),
            supplied: bytes,
            window: config.receiver_window.count(),
            acknowledged: 0,
            highest_sent: 0,
            transmissions: 0,
            arrived: vec![false; usize::try_from(bytes).unwrap()],
        };
        connection.start(Bytes::new(bytes), &mut watch);
        // At most 600 hostile packets, each worth at most one timeout of 4 s; then 80 segments.
        connection.run_until(at(3_000_000), &mut watch);
        prop_assert!(connection.sender.is_complete());
        prop_assert_eq!(connection.receiver.goodput(), Bytes::new(bytes));
        prop_assert!(connection.sender.poll_timeout().is_none() && connection.receiver.poll_timeout().is_none());
    }

    #[test]
    fn a_sender_survives_any_acks_at_any_time(
        config in sender_config(),
        events in prop::collection::vec((0..3000_u64, 0..60_000_u64, 0..100_000_u64, any::<bool>()), 1..200),
    ) {
        let mut sender = Sender::new(config);
        sender.supply(Bytes::UNLIMITED);
        sender.open(Time::ZERO);
        let mut now = Time::ZERO;
        let mut offered = config.receiver_window.count();
        let mut furthest = offered;
        for (wait, number, window, stands_for_window) in events {
            while let Some(segment) = sender.poll_packet(now) {
                prop_assert!(segment.end() <= furthest);
                prop_assert!(sender.flight().count() <= furthest);
            }
            now = now + Duration::from_millis(wait);
            let window = if stands_for_window { offered } else { window };
            let may_count = number >= sender.acknowledged().count();
            sender.handle_packet(now, &Segment::ack(number, Bytes::new(window)));
            if may_count && sender.acknowledged().count() == number {
                offered = window;
                furthest = furthest.max(number + window);
            }
            sender.handle_timeout(now);
        }
    }

    #[test]
    fn a_receiver_delivers_whatever_arrives_once_and_in_order(
        segments in prop::collection::vec((0..4000_u64, 1..500_u32), 1..200),
        ack_every in 1..4_u32,
    ) {
        let mut receiver = Receiver::new(&Tcp {
            delayed_ack: DelayedAck { every: ack_every, ..DelayedAck::default() },
            ..Tcp::default()
        });
        let mut arrived = vec![false; 5000];
        for (sequence, length) in segments {
            let segment = Segment::data(sequence, length);
            receiver.handle_packet(Time::ZERO, &segment);
            let start = usize::try_from(sequence).unwrap();
            arrived[start..start + length as usize].fill(true);
            let in_order = arrived.iter().take_while(|has_arrived| **has_arrived).count() as u64;
            prop_assert_eq!(receiver.goodput(), Bytes::new(in_order));
            let ack = receiver.poll_packet(Time::ZERO);
            prop_assert!(ack.is_none_or(|ack| ack.number == in_order));
            prop_assert!(ack.is_some() || receiver.poll_timeout().is_some());
        }
    }
}
