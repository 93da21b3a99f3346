//! What a hop between flows' wires and the network is remembered by: counts, waits, and its queue over time.

use airlink_model::path::Sent;
use airlink_model::types::{Bytes, DropReason, Duration, Time};

use super::Distribution;
use super::series::{HopRow, number};

/// Packets and bytes that came to a hop, and what became of them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HopCounts {
    pub(crate) packets_in: u64,
    pub(crate) bytes_in: u64,
    pub(crate) packets_duplicated: u64,
    /// Packets on which the queue wrote a congestion mark (CE).
    pub(crate) packets_marked: u64,
    pub(crate) bytes_duplicated: u64,
    pub(crate) packets_delivered: u64,
    pub(crate) bytes_delivered: u64,
    pub(crate) packets_dropped: [u64; DropReason::ALL.len()],
    pub(crate) bytes_dropped: u64,
    /// Bytes whose last bit has left the queue.
    pub(crate) bytes_sent: u64,
}

impl HopCounts {
    pub(crate) fn on_arrival(&mut self, bytes: Bytes) {
        self.packets_in += 1;
        self.bytes_in += bytes.count();
    }

    pub(crate) fn on_duplicated(&mut self, bytes: Bytes) {
        self.packets_duplicated += 1;
        self.bytes_duplicated += bytes.count();
    }

    pub(crate) fn on_delivery(&mut self, bytes: Bytes) {
        self.packets_delivered += 1;
        self.bytes_delivered += bytes.count();
    }

    pub(crate) fn on_drop(&mut self, bytes: Bytes, reason: DropReason) {
        // The enum's order is that of `DropReason::ALL`.
        self.packets_dropped[reason as usize] += 1;
        self.bytes_dropped += bytes.count();
    }

    /// Packets and bytes that came in and have not left.
    pub(crate) fn waiting(&self) -> (u64, u64) {
        let gone = self.packets_delivered + self.packets_dropped.iter().sum::<u64>();
        let packets = self.packets_in + self.packets_duplicated - gone;
        (packets, self.bytes_in + self.bytes_duplicated - self.bytes_delivered - self.bytes_dropped)
    }
}

/// The record of a hop.
#[derive(Clone, Debug, Default)]
pub(crate) struct HopRecord {
    pub(crate) counts: HopCounts,
    before_warmup: HopCounts,
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
        self.counts.bytes_sent += sent.bytes.count();
        self.waits.add(sent.at.since(sent.queued_at));
    }

    /// Discards the warm-up, which ends now.
    pub(crate) fn start_measuring(&mut self, now: Time) {
        self.before_warmup = self.counts;
        self.waits.clear();
        self.queue.on_change(now, self.queue.packets, self.queue.bytes);
        (self.queue.packet_seconds, self.queue.byte_seconds) = (0.0, 0.0);
    }

    /// The row of the measured time, with so many packets in the queue or on the wire at its end.
    pub(crate) fn row(&self, hop: usize, packets_held: u64, rate_bps: f64, measured: Duration) -> HopRow {
        let (now, before) = (&self.counts, &self.before_warmup);
        let seconds = measured.as_secs();
        let [wait_p95_s] = self.waits.quantiles_s([0.95]);
        HopRow {
            hop: number(hop),
            packets_in: now.packets_in - before.packets_in,
            bytes_in: now.bytes_in - before.bytes_in,
            packets_duplicated: now.packets_duplicated - before.packets_duplicated,
            packets_marked: now.packets_marked - before.packets_marked,
            packets_delivered: now.packets_delivered - before.packets_delivered,
            bytes_delivered: now.bytes_delivered - before.bytes_delivered,
            packets_dropped: std::array::from_fn(|reason| now.packets_dropped[reason] - before.packets_dropped[reason]),
            packets_held,
            queue_mean_packets: self.queue.packet_seconds / seconds,
            queue_mean_bytes: self.queue.byte_seconds / seconds,
            wait_mean_s: if self.waits.count() == 0 { f64::NAN } else { self.waits.mean_s() },
            wait_p95_s,
            utilisation: (now.bytes_sent - before.bytes_sent) as f64 * 8.0 / (rate_bps * seconds),
        }
    }
}
