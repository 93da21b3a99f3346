//! CLAMP: what its window may never do, and where window and price settle with nothing between them but a link.

use std::collections::VecDeque;

use airlink_model::queue::{ClampPriceConfig, Marker, PriceConfig};
use airlink_model::transport::{ClampConfig, ClampSide, DelayedAck, Reader, Receiver, Segment, StallingReader, Tcp};
use airlink_model::types::{Bytes, Duration, FlowId, Marks, Rate, Time};
use proptest::prelude::*;

const PACKET: u64 = 1000;

/// Marks with this price.
fn priced(price: f32) -> Marks {
    Marks { price, ..Marks::default() }
}

fn clamp(tau_bytes: f64) -> ClampConfig {
    ClampConfig {
        side: ClampSide::Receiver,
        tau_bytes,
        rate_packets: 1000,
        delay_weight: 0.001,
        most_increase: Bytes::new(10_000),
        slow_start_threshold: Bytes::UNLIMITED,
        ..ClampConfig::default()
    }
}

fn segment(sequence: u64, length: u64) -> Segment {
    Segment { sequence, length: u32::try_from(length).unwrap_or(u32::MAX), ..Segment::default() }
}

prop_compose! {
    fn receiver()(
        every in 1..4_u32,
        immediate_on_gap: bool,
        // With units of 1 to 32 bytes.
        window in prop_oneof![1000..65_000_u64, 65_536..2_000_000_u64],
        reader in prop_oneof![
            Just(Reader::Immediate),
            (1e3..1e6_f64, 0..500_u64, 0..2000_u64).prop_map(|(bytes_per_second, after, long)| Reader::Stalling(StallingReader {
                rate: Rate::from_bps(8.0 * bytes_per_second),
                stall_after: Duration::from_millis(after),
                stall_for: Duration::from_millis(long), ..StallingReader::default() })),
        ],
        tau_bytes in 1.0..20_000.0_f64,
        rate_packets in 1..50_usize,
        delay_weight in 0.001..1.0_f64,
        threshold in prop_oneof![Just(Bytes::UNLIMITED), (1..100_000_u64).prop_map(Bytes::new)],
    ) -> Tcp {
        Tcp {
            mss: Bytes::new(PACKET),
            delayed_ack: DelayedAck { every, immediate_on_gap, ..DelayedAck::default() },
            receiver_window: Bytes::new(window),
            reader,
            clamp: Some(ClampConfig {
                rate_packets,
                delay_weight,
                slow_start_threshold: threshold,
                ..clamp(tau_bytes)
            }),
            ..Tcp::default()
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// Segments of the window, in any order, again and again, at any price.
    #[test]
    fn the_right_edge_never_moves_left(
        config in receiver(),
        events in prop::collection::vec((0..80_000_u64, 0..12_000_u64, 1..=PACKET, 0.0..0.2_f32), 1..300),
    ) {
        let mut receiver = Receiver::new(&config);
        let mut edge = config.first_window().count();
        let mut now = Time::ZERO;
        let mut drain = |receiver: &mut Receiver, now| {
            while let Some(ack) = receiver.poll_packet(now) {
                let told = ack.number + ack.window.count();
                prop_assert!(told >= edge, "{told} after {edge}");
                prop_assert!(ack.window.count() % (1 << config.window_shift()) == 0);
                edge = told;
            }
            Ok(())
        };
        for (wait_us, back, length, price) in events {
            let arrival = now + Duration::from_nanos(1000 * wait_us);
            while let Some(due) = receiver.poll_timeout().filter(|due| *due < arrival) {
                receiver.handle_timeout(due);
                drain(&mut receiver, due)?;
            }
            now = arrival;
            let start = receiver.goodput().count().saturating_sub(2000) + back;
            receiver.handle_packet(now, &segment(start, length));
            receiver.follow_marks(now, Bytes::new(length), priced(price));
            drain(&mut receiver, now)?;
        }
    }

    /// RFC 5681 section 2: an ACK with another window is no duplicate.
    #[test]
    fn duplicate_acks_repeat_the_window(
        prices in prop::collection::vec(0.0..0.1_f32, 30),
        missing in 5..20_u64,
    ) {
        let config = Tcp {
            mss: Bytes::new(PACKET),
            receiver_window: Bytes::new(1 << 20),
            clamp: Some(clamp(500.0)),
            delayed_ack: DelayedAck { every: 1, ..DelayedAck::default() },
            ..Tcp::default()
        };
        let mut receiver = Receiver::new(&config);
        let mut windows = Vec::new();
        for (number, price) in (0_u64..).zip(&prices) {
            let now = Time::ZERO + Duration::from_millis(10 * number);
            if number != missing {
                receiver.handle_packet(now, &segment(PACKET * number, PACKET));
                receiver.follow_marks(now, Bytes::new(PACKET), priced(*price));
                let ack = receiver.poll_packet(now).expect("each is acknowledged");
                if number > missing {
                    prop_assert_eq!(ack.number, PACKET * missing);
                }
                if ack.number == PACKET * missing {
                    windows.push(ack.window);
                }
            }
        }
        prop_assert!(windows.len() > 5);
        prop_assert!(windows.iter().all(|window| *window == windows[0]), "{:?}", windows);
    }
}

/// A flow that always has something to send, and sends what the window lets it.
struct Greedy {
    delay: Duration,
    receiver: Receiver,
    sent: u64,
    edge: u64,
    /// ACKs on their way: when they arrive, and the edge that they tell.
    acks: VecDeque<(Time, u64)>,
    /// Packets on their way to the queue.
    packets: VecDeque<Time>,
}

struct Waiting {
    flow: usize,
    came: Time,
}

/// Flows through one queue of a constant rate: what is seen of the queue at arrivals, and each flow's bytes.
struct Link {
    flows: Vec<Greedy>,
    queue: VecDeque<Waiting>,
    marker: Marker,
    free_at: Time,
    bytes_per_s: f64,
    seen: Vec<f64>,
    delivered: Vec<u64>,
}

impl Link {
    fn new(delays_ms: &[u64], bytes_per_s: f64, marker: Marker, tau: f64) -> Self {
        let config = Tcp {
            mss: Bytes::new(PACKET),
            receiver_window: Bytes::new(1 << 20),
            clamp: Some(clamp(tau)),
            delayed_ack: DelayedAck { every: 1, ..DelayedAck::default() },
            ..Tcp::default()
        };
        let flow = |delay_ms: &u64| Greedy {
            delay: Duration::from_millis(*delay_ms),
            receiver: Receiver::new(&config),
            sent: 0,
            edge: config.first_window().count(),
            acks: VecDeque::from([(Time::ZERO, config.first_window().count())]),
            packets: VecDeque::new(),
        };
        Self {
            flows: delays_ms.iter().map(flow).collect(),
            queue: VecDeque::new(),
            marker,
            free_at: Time::ZERO,
            bytes_per_s,
            seen: Vec::new(),
            delivered: vec![0; delays_ms.len()],
        }
    }

    fn run(&mut self, from: Time, until: Time) {
        loop {
            let ack = |flow: &Greedy| flow.acks.front().map(|ack| ack.0);
            let packet = |flow: &Greedy| flow.packets.front().copied();
            let first_ack = self.flows.iter().filter_map(ack).min().unwrap_or(Time::NEVER);
            let first_packet = self.flows.iter().filter_map(packet).min().unwrap_or(Time::NEVER);
            let departure = if self.queue.is_empty() { Time::NEVER } else { self.free_at };
            let now = first_ack.min(first_packet).min(departure);
            if now > until {
                return;
            }
            if now == departure {
                self.depart(now, now >= from);
            } else if now == first_packet {
                self.arrive(now, now >= from);
            } else {
                self.acknowledge(now);
            }
        }
    }

    fn depart(&mut self, now: Time, counts: bool) {
        let Some(head) = self.queue.pop_front() else { return };
        assert!(head.came < now);
        self.marker.on_departure(now, head.came, Bytes::new(PACKET));
        self.free_at = now + Duration::from_secs(PACKET as f64 / self.bytes_per_s);
        let flow = &mut self.flows[head.flow];
        let next = flow.receiver.goodput().count();
        flow.receiver.handle_packet(now, &segment(next, PACKET));
        flow.receiver.follow_marks(now, Bytes::new(PACKET), priced(self.marker.addition()));
        if let Some(ack) = flow.receiver.poll_packet(now) {
            flow.acks.push_back((now + flow.delay, ack.number + ack.window.count()));
        }
        self.delivered[head.flow] += if counts { PACKET } else { 0 };
    }

    fn arrive(&mut self, now: Time, counts: bool) {
        let due = |flow: &Greedy| flow.packets.front() == Some(&now);
        let Some(place) = self.flows.iter().position(due) else { return };
        self.flows[place].packets.pop_front();
        if self.queue.is_empty() {
            self.marker.on_busy(now);
            self.free_at = now + Duration::from_secs(PACKET as f64 / self.bytes_per_s);
        }
        self.queue.push_back(Waiting { flow: place, came: now });
        let waiting = Bytes::new(PACKET * self.queue.len() as u64);
        self.marker.on_arrival(now, FlowId::new(place), waiting);
        if counts {
            self.seen.push(waiting.count() as f64);
        }
    }

    fn acknowledge(&mut self, now: Time) {
        for flow in &mut self.flows {
            while let Some((_, edge)) = flow.acks.front().copied().filter(|ack| ack.0 == now) {
                flow.acks.pop_front();
                flow.edge = flow.edge.max(edge);
                while flow.sent + PACKET <= flow.edge {
                    flow.sent += PACKET;
                    flow.packets.push_back(now);
                }
            }
        }
    }
}

const WITHOUT_PRICE: f64 = 20_000.0;

/// The mean that arrivals see, from 200 s to 400 s, of flows of the delays through a link of 10 Mb/s, which get equal shares of it.
fn settled(delays_ms: &[u64], per_flow_bytes: f64) -> f64 {
    let clamp = ClampPriceConfig { free_a_bytes: WITHOUT_PRICE, per_flow_bytes, ..ClampPriceConfig::default() };
    let marker = Marker::new(&PriceConfig::Clamp(clamp)).expect("a price");
    let mut link = Link::new(delays_ms, 1.25e6, marker, 500.0);
    let at = |seconds| Time::ZERO + Duration::from_secs(seconds);
    link.run(at(200.0), at(400.0));
    let share = 1.25e6 * 200.0 / delays_ms.len() as f64;
    for delivered in &link.delivered {
        assert!((*delivered as f64 / share - 1.0).abs() < 0.02, "{:?} for {share}", link.delivered);
    }
    link.seen.iter().sum::<f64>() / link.seen.len() as f64
}

/// (11): k flows weigh tau each, so the mean that arrivals see is (k tau + a) / b, and the rate is shared alike.
#[test]
fn the_queue_settles_where_the_flows_weigh_it() {
    for delays_ms in [&[20][..], &[20, 60], &[10, 40, 90]] {
        let mean = settled(delays_ms, 0.0);
        let expected = delays_ms.len() as f64 * 500.0 + WITHOUT_PRICE;
        assert!((mean / expected - 1.0).abs() < 0.03, "{mean} for {expected} with {delays_ms:?}");

        let mean = settled(delays_ms, 500.0);
        assert!((mean / WITHOUT_PRICE - 1.0).abs() < 0.03, "{mean} for any number of flows, {delays_ms:?}");
    }
}
