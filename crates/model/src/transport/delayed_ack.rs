//! When an ACK of data in order leaves: RFC 5681 §4.2, and Linux's quick ACKs and adaptive timer ("ato") where asked for.
//!
//! Left out: the ACK that an application's read sends early, and the bound that the receiver's own round trip puts
//! on the timer (Linux, `tcp_send_delayed_ack`), which needs data both ways.

use crate::types::declare::Section;
use crate::types::{Bytes, Duration, Time};

/// The smallest RTO of Linux (`TCP_RTO_MIN`), which its rule for silence adds to the round trip at least.
const LINUX_LEAST_RTO: Duration = Duration::from_millis(200);
/// Linux, `TCP_MAX_QUICKACKS`.
const LINUX_QUICK_AGAIN: u32 = 16;
/// Its RTO while no round trip is known (`TCP_TIMEOUT_INIT`).
const LINUX_FIRST_RTO: Duration = Duration::from_millis(1000);

/// The receiver acknowledges every n-th segment or after a time (RFC 5681 section 4.2).
#[derive(Clone, Copy, Debug, PartialEq, Section)]
pub struct DelayedAck {
    /// Segments in order per ACK; 1 = an ACK for each.
    #[field(
        unit = "segments",
        at_least = 1,
        at_most = 1000,
        default = 2,
        source = "RFC 9293 section 3.8.6.3: every second; [EvdoTcp], [Klein04]: 1"
    )]
    pub every: u32,
    /// Longest wait of an ACK; not used when `every` is 1.
    #[field(name = "timer_ms", unit = "ms", above = 0, at_most = 10_000, default = Duration::from_millis(200), source = "RFC 5681: at most 500")]
    pub timer: Duration,
    /// The wait adapts down to this while segments arrive faster (Linux: 40); "inf" = it is always `timer_ms`.
    #[field(
        name = "least_timer_ms",
        unit = "ms",
        above = 0,
        at_most = 10_000,
        infinite,
        default = Duration::FOREVER,
        source = "airlink default: fixed",
    )]
    pub least_timer: Duration,
    /// Segments at the start of a connection that are acknowledged one by one (Linux: 16, quick ACKs).
    #[field(unit = "segments", at_least = 0, at_most = 1_000_000, default = 0, source = "airlink default: none")]
    pub quick_segments: u32,
    /// A segment that fills a part of a gap is acknowledged at once; false: it waits like new data (ns-2:
    /// RFC2581_immediate_ack_ false). One out of order, or that fills all of a gap, never waits.
    #[field(default = true, source = "RFC 5681 section 4.2")]
    pub immediate_on_gap: bool,
    /// The ACK of a duplicate of the last segment in order is delayed like that of a new segment (ns-2).
    #[field(default = false, source = "RFC 9293 section 3.10.7.4: it is acknowledged at once")]
    pub repetition_waits: bool,
    /// If the timer expires at the nanosecond at which a segment arrives, its ACK is sent first (ns-2).
    #[field(default = false, source = "airlink default: the segment's arrival ends it")]
    pub timer_first: bool,
    /// Segments that follow one another and arrive in one moment, as those of a slot do, have one ACK, up to so many
    /// bytes (Linux: 65535, generic receive offload); 0 = each is acknowledged by itself.
    #[field(unit = "bytes", at_least = 0, at_most = 65_535, default = 0, source = "airlink default: none")]
    pub merge_bytes: u32,
}

/// The data in order that no ACK has covered yet, and until when it may wait.
#[derive(Clone, Debug)]
pub(super) struct AckDelay {
    config: DelayedAck,
    /// More bytes than these are an ACK at once: all but one of the full segments that one ACK may cover.
    most_waiting: u64,
    waiting: u64,
    /// When the wait is over; never if nothing waits.
    timer: Time,
    /// Only with quick ACKs or a timer that adapts.
    adaptive: Option<Adaptive>,
}

/// What Linux's receiver keeps in mind about the pace of its segments.
#[derive(Clone, Copy, Debug)]
struct Adaptive {
    /// ACKs that still leave at once.
    quick: u32,
    /// The wait that the pace of segments suggests; none before the first.
    ato: Option<Duration>,
    last_arrival: Time,
    opened_at: Option<Time>,
    /// A silence longer than this starts the quick ACKs again.
    rto: Duration,
}

impl AckDelay {
    pub(super) fn new(config: DelayedAck, mss: Bytes) -> Self {
        assert!(config.every >= 1, "an ACK follows after at least one segment");
        let config = DelayedAck { least_timer: config.least_timer.min(config.timer), ..config };
        let is_adaptive = config.quick_segments > 0 || config.least_timer != config.timer;
        let adaptive =
            Adaptive { quick: 0, ato: None, last_arrival: Time::ZERO, opened_at: None, rto: LINUX_FIRST_RTO };
        Self {
            config,
            most_waiting: u64::from(config.every - 1) * mss.count(),
            waiting: 0,
            timer: Time::NEVER,
            adaptive: is_adaptive.then_some(adaptive),
        }
    }

    /// What it follows.
    pub(super) const fn rules(&self) -> &DelayedAck {
        &self.config
    }

    pub(super) const fn timer(&self) -> Time {
        self.timer
    }

    /// A SYN arrived: the next segment will show a round trip.
    pub(super) const fn on_open(&mut self, now: Time) {
        if let Some(adaptive) = &mut self.adaptive {
            adaptive.opened_at = Some(now);
        }
    }

    /// Data arrived in order, all the next or a part of it: the pace is known by it.
    #[inline]
    pub(super) fn on_arrival(&mut self, now: Time) {
        if let Some(adaptive) = &mut self.adaptive {
            adaptive.on_arrival(&self.config, now);
        }
    }

    /// The window has grown: its next ACK is quick (Linux, `tcp_grow_window`).
    pub(super) const fn on_window_growth(&mut self) {
        if let Some(adaptive) = &mut self.adaptive {
            adaptive.quick |= 1;
        }
    }

    /// `bytes` arrived in order; true if their ACK must not wait. RFC 5681 §4.2: an ACK for every n-th full segment,
    /// or when the timer of the first one waiting expires.
    #[inline]
    pub(super) fn on_in_order(&mut self, now: Time, bytes: u64) -> bool {
        self.waiting += bytes;
        let is_quick = self.adaptive.as_ref().is_some_and(|adaptive| adaptive.quick > 0);
        is_quick || self.waiting > self.most_waiting || self.start_timer(now)
    }

    /// True if an ACK is due because the wait is over.
    pub(super) fn on_timeout(&mut self, now: Time) -> bool {
        let is_over = now >= self.timer;
        if is_over {
            self.timer = Time::NEVER;
            // Linux, `tcp_delack_timer_handler`: a wait in vain doubles the next.
            if let Some(Adaptive { ato: Some(ato), rto, .. }) = &mut self.adaptive {
                *ato = (*ato * 2).min(*rto).min(self.config.timer);
            }
        }
        is_over
    }

    /// An ACK left; it covers all that waited.
    pub(super) const fn on_ack_sent(&mut self) {
        self.waiting = 0;
        self.timer = Time::NEVER;
        if let Some(adaptive) = &mut self.adaptive
            && adaptive.quick > 0
        {
            adaptive.quick -= 1;
            if adaptive.quick == 0 {
                adaptive.ato = Some(self.config.least_timer);
            }
        }
    }

    /// Data arrived that had arrived before, or beyond the window: Linux answers quickly from here on
    /// (`tcp_enter_quickack_mode`).
    pub(super) fn on_useless_data(&mut self) {
        if let Some(adaptive) = &mut self.adaptive {
            adaptive.quick = adaptive.quick.max(self.config.quick_segments.min(LINUX_QUICK_AGAIN));
            adaptive.ato = adaptive.ato.map(|_| self.config.least_timer);
        }
    }

    /// True if the ACK had better leave at once: the timer would expire all too soon.
    fn start_timer(&mut self, now: Time) -> bool {
        let Some(Adaptive { ato: Some(ato), .. }) = self.adaptive else {
            if self.timer == Time::NEVER {
                self.timer = now + self.config.timer;
            }
            return false;
        };
        // Linux, `tcp_send_delayed_ack`.
        let wait = ato.min(self.config.timer);
        let is_running = self.timer != Time::NEVER;
        if is_running && self.timer <= now + Duration::from_nanos(wait.as_nanos() / 4) {
            return true;
        }
        self.timer = self.timer.min(now + wait);
        false
    }
}

impl Adaptive {
    /// Linux, `tcp_event_data_recv`: the wait follows the time between segments, half the old and half the new, within
    /// its bounds; the first segment, and one after a long silence, start quick ACKs.
    fn on_arrival(&mut self, config: &DelayedAck, now: Time) {
        let half = |span: Duration| Duration::from_nanos(span.as_nanos() / 2);
        let Some(ato) = self.ato else {
            if let Some(opened_at) = self.opened_at {
                let round_trip = now.since(opened_at);
                self.rto = round_trip + (round_trip * 2).max(LINUX_LEAST_RTO);
            }
            self.ato = Some(config.least_timer);
            self.quick = self.quick.max(config.quick_segments);
            self.last_arrival = now;
            return;
        };
        let gap = now.since(self.last_arrival);
        self.last_arrival = now;
        if gap <= half(config.least_timer) {
            self.ato = Some(half(ato) + half(config.least_timer));
        } else if gap < ato {
            self.ato = Some((half(ato) + gap).min(self.rto).min(config.timer));
        } else if gap > self.rto {
            self.quick = self.quick.max(config.quick_segments.min(LINUX_QUICK_AGAIN));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    fn delay(config: DelayedAck) -> AckDelay {
        AckDelay::new(config, Bytes::new(MSS))
    }

    impl AckDelay {
        fn arrive(&mut self, now: Time, bytes: u64) -> bool {
            self.on_arrival(now);
            self.on_in_order(now, bytes)
        }
    }

    fn linux(quick_segments: u32) -> AckDelay {
        let least_timer = Duration::from_millis(40);
        delay(DelayedAck { every: 2, quick_segments, least_timer, ..DelayedAck::default() })
    }

    #[test]
    fn small_segments_wait_until_they_are_more_than_a_full_one() {
        let mut delay = delay(DelayedAck { every: 2, ..DelayedAck::default() });
        assert!(!delay.arrive(at(0), 600));
        assert!(!delay.arrive(at(10), 400));
        assert_eq!(delay.timer(), at(200));
        assert!(delay.arrive(at(20), 1));
    }

    #[test]
    fn the_first_acks_are_quick_and_then_every_second_segment_has_one() {
        let mut delay = linux(3);
        for at_ms in 0..3 {
            assert!(delay.arrive(at(at_ms), MSS));
            delay.on_ack_sent();
        }
        assert!(!delay.arrive(at(3), MSS));
        assert!(delay.arrive(at(4), MSS));
    }

    #[test]
    fn the_wait_follows_the_time_between_segments() {
        let mut delay = linux(0);
        assert!(!delay.arrive(at(0), MSS));
        assert_eq!(delay.timer(), at(40));
        assert!(delay.on_timeout(at(40))); // in vain: 80
        delay.on_ack_sent();
        assert!(!delay.arrive(at(100), 10)); // 100 since the last, no less than 80: unchanged
        assert_eq!(delay.timer(), at(180));
        assert!(!delay.arrive(at(130), 10)); // 80 / 2 + 30 = 70: the timer does not move away
        assert_eq!(delay.timer(), at(180));
        delay.on_ack_sent();
        assert!(!delay.arrive(at(150), 10)); // 20 is the fastest: 70 / 2 + 20 = 55
        assert_eq!(delay.timer(), at(205));
        assert!(delay.arrive(at(195), 10)); // 55 / 2 + 45 = 72.5; a quarter of it is not left: at once
    }

    #[test]
    fn a_silence_longer_than_the_rto_starts_quick_acks_again() {
        let mut delay = linux(1);
        delay.on_open(at(0));
        assert!(delay.arrive(at(60), MSS)); // RTT 60, RTO 60 + 200
        delay.on_ack_sent();
        assert!(!delay.arrive(at(320), MSS)); // 260 is not longer
        delay.on_ack_sent();
        assert!(delay.arrive(at(581), MSS));
    }

    #[test]
    fn data_of_no_use_starts_quick_acks_again() {
        let mut delay = linux(1);
        assert!(delay.arrive(at(0), MSS));
        delay.on_ack_sent();
        delay.on_useless_data();
        delay.on_ack_sent(); // the duplicate ACK uses it up
        assert!(!delay.arrive(at(1), MSS));
    }

    #[test]
    fn however_many_there_are_at_first_there_are_16_again() {
        let mut delay = linux(100);
        delay.on_useless_data();
        assert_eq!(delay.adaptive.expect("Linux's adapts").quick, 16);
    }
}
