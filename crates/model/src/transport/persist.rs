//! When a closed window is probed (RFC 9293 §3.8.6.1, RFC 1122 §4.2.2.17): first after a retransmission timeout, then after
//! twice as long each time, for as long as it stays closed. The ACK that opened it may have been lost.

use crate::types::Duration;

/// How long until the next probe.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Persist {
    probes: u32,
}

impl Persist {
    /// The wait before the next probe, with `timeout` the RTO without back-off; at most `most`.
    pub(super) fn wait(self, timeout: Duration, most: Duration) -> Duration {
        (timeout * (1 << self.probes.min(32))).min(most)
    }

    /// A probe was sent.
    pub(super) const fn on_probe(&mut self) {
        self.probes = self.probes.saturating_add(1);
    }

    /// The window has opened.
    pub(super) const fn on_open(&mut self) {
        self.probes = 0;
    }
}
