//! Trajectories that can be computed on paper, packet by packet.

use airlink_model::transport::Algorithm::Reno;
use airlink_model::transport::{DelayedAck, Segment, Sender, Tcp};
use airlink_model::types::{Bytes, Rate, Time};

use super::wire::{Connection, Fate, Lossless, MSS, Observer, at, milliseconds, receiving, sending};

/// When each segment left the sender.
#[derive(Default)]
struct Departures(Vec<(Time, u64)>);

impl Observer for Departures {
    fn on_sent(&mut self, now: Time, segment: &Segment, _sender: &Sender) {
        self.0.push((now, segment.sequence / MSS));
    }
}

#[test]
fn a_window_limited_flow_carries_a_window_per_round_trip() {
    for segments in [1, 7, 40] {
        let window = Bytes::new(segments * MSS);
        let config = Tcp { initial_window_segments: 40, receiver_window: window, ..sending(Reno) };
        let mut connection = Connection::new(config, receiving(&config), Rate::UNLIMITED, milliseconds(100));
        connection.start(Bytes::UNLIMITED, &mut Lossless);
        connection.run_until(at(60_000), &mut Lossless);
        // The windows sent at 0, 100, ..., 59 900 ms were delivered 50 ms later.
        assert_eq!(connection.receiver.goodput(), Bytes::new(600 * segments * MSS));
        assert_eq!(connection.sender.statistics().timeouts, 0);
    }
}

#[test]
fn slow_start_on_a_fixed_link_sends_each_packet_when_computed_by_hand() {
    // 10 ms per segment, 20 ms each way. Segment k arrives when the link has sent it; its ACK, 40 ms after that
    // end of sending, makes room for two segments.
    let config = sending(Reno);
    let rate = Rate::from_bps(MSS as f64 * 8.0 / 0.010);
    let mut connection = Connection::new(config, receiving(&config), rate, milliseconds(40));
    let mut departures = Departures::default();
    connection.start(Bytes::new(9 * MSS), &mut departures);
    connection.run_until(at(1000), &mut departures);
    // link busy  0-10 | 50-60 60-70 | 100-110 110-120 (120-130 130-140)
    // ACKs at      50 | 100     110 | 150     160      170     180
    let expected = [(0, 0), (50, 1), (50, 2), (100, 3), (100, 4), (110, 5), (110, 6), (150, 7), (150, 8)];
    let expected: Vec<(Time, u64)> = expected.map(|(millis, number)| (at(millis), number)).into();
    assert_eq!(departures.0, expected);
    assert!(connection.sender.is_complete());
}

#[test]
fn slow_start_with_delayed_acks_grows_by_half() {
    // An ACK for every two segments adds one segment: 2, 3 (one waits for the timer), ...
    let config = Tcp { initial_window_segments: 2, ..sending(Reno) };
    let receiver = Tcp { delayed_ack: DelayedAck { every: 2, ..DelayedAck::default() }, ..receiving(&config) };
    let mut connection = Connection::new(config, receiver, Rate::UNLIMITED, milliseconds(100));
    let mut departures = Departures::default();
    connection.start(Bytes::UNLIMITED, &mut departures);
    connection.run_until(at(350), &mut departures);
    let sent_at = |millis| departures.0.iter().filter(|(time, _)| *time == at(millis)).count();
    // 100: 2 ACKed, window 3. 200: 2 of 3 ACKed, window 4, so 3 leave behind the one that waits. At 250 the waiting
    // one is joined by the first of those: acknowledged together, at 300, and the other two, too.
    assert_eq!((sent_at(0), sent_at(100), sent_at(200), sent_at(300)), (2, 3, 3, 6));
}

/// Drops every n-th transmission and notes ssthresh at each fast retransmit, in segments.
struct EveryNth {
    n: u64,
    ssthresh: Vec<f64>,
    recoveries: u64,
}

impl Observer for EveryNth {
    fn fate_of_data(&mut self, segment: &Segment) -> Fate {
        if (segment.transmission + 1).is_multiple_of(self.n) { Fate::Drop } else { Fate::Deliver }
    }

    fn on_ack(&mut self, _now: Time, _ack: &airlink_model::transport::Segment, sender: &mut Sender) {
        if sender.statistics().fast_retransmits > self.recoveries {
            self.recoveries += 1;
            self.ssthresh.push(sender.ssthresh() / MSS as f64);
        }
    }
}

/// The sawtooth on paper, in segments, with scalars only: no packets, no time.
///
/// Congestion avoidance from window `w` after `sent` transmissions: each ACK adds 1/w and sends one segment, two
/// when floor(w) rises. When transmission number k n is sent, it is lost; the ACKs of the flight before it still
/// grow w. The flight f = floor(w) is then known: ssthresh = f/2, the f - 1 duplicate ACKs send the lost segment
/// and floor(f/2) - 1 new ones, the ACK that ends recovery sends one more.
fn paper_sawtooth(n: u64, initial_window: f64, cycles: usize) -> Vec<f64> {
    let (mut w, mut sent) = (initial_window, initial_window as u64);
    let mut lost = n;
    let mut tops = Vec::new();
    while tops.len() < cycles {
        let mut flight = w as u64;
        let mut acks_before_loss = None;
        while acks_before_loss != Some(0) {
            // The flight in front of the lost segment, if it has just been sent, is what will still be ACKed.
            w += 1.0 / w;
            acks_before_loss = acks_before_loss.map(|acks| acks - 1);
            let arrivals = 1 + w as u64 - flight;
            if (sent + 1..=sent + arrivals).contains(&lost) {
                let behind = sent + arrivals - lost;
                acks_before_loss = Some(w as u64 - 1 - behind);
            }
            flight = w as u64;
            sent += arrivals;
        }
        let ssthresh = flight as f64 / 2.0;
        tops.push(ssthresh);
        sent += 1 + (ssthresh as u64 - 1) + 1;
        w = ssthresh;
        lost += n;
    }
    tops
}

#[test]
fn reno_with_every_nth_packet_dropped_follows_the_sawtooth_exactly() {
    for n in [150, 400, 1000, 3001] {
        let config = Tcp { initial_window_segments: 10, initial_ssthresh_segments: 10.0, ..sending(Reno) };
        let mut connection = Connection::new(config, receiving(&config), Rate::UNLIMITED, milliseconds(100));
        let mut observer = EveryNth { n, ssthresh: Vec::new(), recoveries: 0 };
        connection.start(Bytes::UNLIMITED, &mut observer);
        while observer.ssthresh.len() < 60 {
            connection.run_until(connection.now + milliseconds(1000), &mut observer);
        }
        observer.ssthresh.truncate(60);
        assert_eq!(observer.ssthresh, paper_sawtooth(n, 10.0, 60), "n = {n}");
        assert_eq!(connection.sender.statistics().timeouts, 0);
        // The fixed point W: 3/8 W^2 - W transmissions grow the window from W/2 to the loss, and 3/2 W follow it
        // until recovery ends. Flights are whole segments and grow by a little less than one in a round.
        let top = 2.0 * observer.ssthresh[59];
        let fixed_point = ((0.25 + 1.5 * n as f64).sqrt() - 0.5) / 0.75;
        assert!(fixed_point - 2.0 < top && top <= fixed_point, "n = {n}: {top} of {fixed_point}");
    }
}
