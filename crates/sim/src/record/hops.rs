//! What a hop between flows' wires and the network is remembered by: counts, waits, and its queue over time.

use airlink_model::path::Sent;
use airlink_model::types::{Bytes, Duration, Time};

use super::Distribution;
use super::passed::Passed;
use super::series::{HopRow, number};

/// The record of a hop.
#[derive(Clone, Debug, Default)]
pub(crate) struct HopRecord {
    pub(crate) passed: Passed,
    /// Bytes whose last bit has left the queue.
    bytes_sent: u64,
    /// Both before the measured time.
    before_warmup: (Passed, u64),
    waits: Distribution,
    pub(crate) queue: QueueOverTime,
}

/// The integral of a queue over time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct QueueOverTime {
    changed_at: Time,
    packets: u64,
    bytes: Bytes,
    packet_seconds: f64,
    byte_seconds: f64,
}

impl QueueOverTime {
    /// From `now` on so many packets and bytes wait or are being sent.
    pub(crate) fn on_change(&mut self, now: Time, packets: u64, bytes: Bytes) {
        let seconds = now.since(self.changed_at).as_secs();
        self.packet_seconds += self.packets as f64 * seconds;
        self.byte_seconds += self.bytes.count() as f64 * seconds;
        *self = Self { changed_at: now, packets, bytes, ..*self };
    }
}

impl HopRecord {
    /// A packet has left the queue.
    pub(crate) fn on_sent(&mut self, sent: &Sent) {
        self.bytes_sent += sent.bytes.count();
        self.waits.add(sent.at.since(sent.queued_at));
    }

    /// Discards the warm-up, which ends now.
    pub(crate) fn start_measuring(&mut self, now: Time) {
        self.before_warmup = (self.passed, self.bytes_sent);
        self.waits.clear();
        self.queue.on_change(now, self.queue.packets, self.queue.bytes);
        (self.queue.packet_seconds, self.queue.byte_seconds) = (0.0, 0.0);
    }

    /// The row of the measured time, with so many packets in the queue or on the wire at its end.
    pub(crate) fn row(&self, hop: usize, packets_held: u64, rate_bps: f64, measured: Duration) -> HopRow {
        let (before, bytes_before) = &self.before_warmup;
        let seconds = measured.as_secs();
        let [wait_p95_s] = self.waits.quantiles_s([0.95]);
        HopRow {
            hop: number(hop),
            passed: self.passed.minus(before),
            packets_held,
            packets_held_at_start: before.waiting().0,
            queue_mean_packets: self.queue.packet_seconds / seconds,
            queue_mean_bytes: self.queue.byte_seconds / seconds,
            wait_mean_s: if self.waits.count() == 0 { f64::NAN } else { self.waits.mean_s() },
            wait_p95_s,
            utilisation: (self.bytes_sent - bytes_before) as f64 * 8.0 / (rate_bps * seconds),
        }
    }
}
