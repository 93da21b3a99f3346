//! What the application has given a sender to send.

use crate::types::Bytes;

/// The stream up to where the application has supplied it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Supply {
    /// `u64::MAX` when endless.
    end: u64,
    is_stopped: bool,
}

impl Supply {
    /// Adds bytes. Returns false if there are none, or if the supply has stopped.
    pub(super) fn add(&mut self, bytes: Bytes) -> bool {
        let is_taken = !self.is_stopped && !bytes.is_zero();
        if is_taken {
            self.end = self.end.saturating_add(bytes.count());
        }
        is_taken
    }

    /// Nothing beyond `sent_end` is sent from now on.
    pub(super) const fn stop(&mut self, sent_end: u64) {
        self.is_stopped = true;
        self.end = sent_end;
    }

    /// The end of the stream so far.
    pub(super) const fn end(&self) -> u64 {
        self.end
    }

    /// A full segment of `mss` or, without waiting for more (Nagle off), all that waits; none if nothing does.
    #[inline]
    pub(super) fn next_length(&self, sent_end: u64, mss: u32) -> Option<u32> {
        let waiting = self.end - sent_end;
        (waiting > 0).then(|| u32::try_from(waiting).map_or(mss, |waiting| waiting.min(mss)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_segment_is_what_is_left_and_after_it_there_is_none() {
        let mut supply = Supply::default();
        assert!(supply.add(Bytes::new(2500)) && !supply.add(Bytes::ZERO));
        assert_eq!(supply.next_length(1000, 1000), Some(1000));
        assert_eq!(supply.next_length(2000, 1000), Some(500));
        assert_eq!(supply.next_length(2500, 1000), None);
    }

    #[test]
    fn a_stopped_supply_ends_with_what_was_sent() {
        let mut supply = Supply::default();
        supply.add(Bytes::UNLIMITED);
        supply.stop(3000);
        assert!(!supply.add(Bytes::new(1)));
        assert_eq!((supply.end(), supply.next_length(3000, 1000)), (3000, None));
    }
}
