//! Times in which a sender sends nothing and its queue waits.
//!
//! A freeze is [at, at + length): no packet begins in it. The packet that is being sent when it begins either ends as it
//! would have, as with a transmitter that is stopped between packets, or pauses and sends the rest of its bits afterwards,
//! as with a channel that goes silent. One whose last bit has left when the freeze begins has been sent.
//!
//! The times are known beforehand, so when a packet ends is known when it comes: no event is needed.
//!
//! It leaves out: a packet that is sent anew after a freeze.

use crate::types::declare::{Section, Words};
use crate::types::{Duration, Time};

/// An interval in which the bottleneck sends nothing and its queue waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Section)]
pub struct Freeze {
    /// When it begins.
    #[field(name = "at_s", unit = "s", at_least = 0, at_most = 1e6)]
    pub at: Time,
    /// How long it lasts.
    #[field(name = "for_s", unit = "s", above = 0, at_most = 1e6)]
    pub length: Duration,
    /// The packet in service when the freeze begins. pauses: its remaining bits are sent after the freeze; ends: it is
    /// sent completely, and no other begins.
    #[field(default = WhenFrozen::Pauses, source = "airlink default")]
    pub in_service: WhenFrozen,
}

/// What becomes of a packet that is being sent when a freeze begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum WhenFrozen {
    /// The rest of it goes afterwards.
    Pauses,
    /// It ends as it would have.
    Ends,
}

impl Freeze {
    fn until(&self) -> Time {
        self.at + self.length
    }
}

/// Freezes of one sender, in order, apart.
#[derive(Clone, Debug, Default)]
pub(super) struct Freezes(Box<[Freeze]>);

impl Freezes {
    pub(super) fn new(mut freezes: Vec<Freeze>) -> Self {
        freezes.sort_by_key(|freeze| freeze.at);
        Self(freezes.into())
    }

    /// True if nothing begins at `now`.
    pub(super) fn holds(&self, now: Time) -> bool {
        self.begin(now) > now
    }

    /// When a packet begins that could at `ready`.
    #[inline]
    pub(super) fn begin(&self, ready: Time) -> Time {
        if self.0.is_empty() { ready } else { self.begin_among(ready) }
    }

    /// When a packet has been sent that began at `begun` and takes `span`.
    #[inline]
    pub(super) fn end(&self, begun: Time, span: Duration) -> Time {
        if self.0.is_empty() { begun + span } else { self.end_among(begun, span) }
    }

    #[inline(never)]
    fn begin_among(&self, ready: Time) -> Time {
        let mut begun = ready;
        // One may begin at the moment at which another ends.
        for freeze in &self.0[self.first_after(ready)..] {
            if freeze.at > begun {
                break;
            }
            begun = freeze.until();
        }
        begun
    }

    #[inline(never)]
    fn end_among(&self, begun: Time, span: Duration) -> Time {
        let mut end = begun + span;
        for freeze in &self.0[self.first_after(begun)..] {
            if freeze.at >= end {
                break;
            }
            if freeze.in_service == WhenFrozen::Pauses {
                end = end + freeze.length;
            }
        }
        end
    }

    /// The first freeze that ends after `time`.
    fn first_after(&self, time: Time) -> usize {
        self.0.partition_point(|freeze| freeze.until() <= time)
    }
}
