//! The application at the server, that hands its transport what there is to send.

use super::Source;
use crate::types::{Bytes, Time};

/// An application on its way through its source.
#[derive(Clone, Copy, Debug)]
pub struct Application {
    source: Source,
    start: Time,
    /// How often it has handed something over.
    supplies: u64,
    next_at: Time,
}

impl Application {
    /// One that begins at `start`; without a transport it never does.
    pub fn new(source: Source, start: Time) -> Self {
        let next_at = if matches!(source, Source::Backlogged(_)) { Time::NEVER } else { start };
        Self { source, start, supplies: 0, next_at }
    }

    /// When it next hands something over; never, if there is nothing more to come.
    #[inline]
    pub const fn poll_timeout(&self) -> Time {
        self.next_at
    }

    /// What it hands over by `now`, and has not before.
    pub fn supply(&mut self, now: Time) -> Bytes {
        let mut supplied = Bytes::ZERO;
        while self.next_at <= now {
            self.supplies += 1;
            let (bytes, next_at) = match self.source {
                Source::Greedy => (Bytes::UNLIMITED, Time::NEVER),
                Source::File(size) => (size, Time::NEVER),
                Source::Stream(stream) => (stream.message(), self.start + stream.time_of(self.supplies)),
                Source::Backlogged(_) => (Bytes::ZERO, Time::NEVER),
            };
            supplied += bytes;
            self.next_at = next_at;
        }
        supplied
    }

    /// Hands nothing over from now on.
    pub fn stop(&mut self) {
        self.next_at = Time::NEVER;
    }

    /// True while there is more to come than what its transport has.
    pub fn may_supply_more(&self) -> bool {
        self.next_at != Time::NEVER
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::Stream;
    use crate::types::Rate;

    #[test]
    fn what_is_due_is_handed_over_once() {
        let stream = Stream::new(Bytes::new(1000), Rate::from_bps(8e6));
        let mut application = Application::new(Source::Stream(stream), Time::from_nanos(500));
        assert_eq!(application.supply(Time::from_nanos(499)), Bytes::ZERO);
        assert_eq!(application.supply(Time::from_nanos(500)), Bytes::new(1000));
        assert_eq!(application.poll_timeout(), Time::from_nanos(1_000_500));
        assert_eq!(application.supply(Time::from_nanos(3_000_500)), Bytes::new(3000));
        application.stop();
        assert_eq!((application.poll_timeout(), application.may_supply_more()), (Time::NEVER, false));
    }

    #[test]
    fn all_else_comes_at_the_start_and_is_all() {
        for (source, bytes) in [(Source::Greedy, Bytes::UNLIMITED), (Source::File(Bytes::new(7)), Bytes::new(7))] {
            let mut application = Application::new(source, Time::ZERO);
            assert_eq!((application.supply(Time::ZERO), application.may_supply_more()), (bytes, false));
        }
        assert!(!Application::new(Source::Backlogged(Bytes::new(7)), Time::ZERO).may_supply_more());
    }
}
