//! The application at the server, that hands its transport what there is to send, and the user's who asks for it.
//!
//! A file or a page is a download: it ends when the user has all that was handed over. What a session hands over next
//! waits for that. It leaves out: applications that wait for the other side in any other way.

use super::source::{Handed, Once, Source, TrafficSource};
use crate::types::{Bytes, Time};

/// An application on its way through its source.
#[derive(Clone, Debug)]
pub struct Application {
    /// None while there is none.
    source: Option<Box<dyn TrafficSource>>,
    has_downloads: bool,
    /// How much it has handed over in all, of downloads.
    supplied: Bytes,
    next_at: Time,
    /// The end of the download under way; none between two.
    download_end: Option<Bytes>,
    is_stopped: bool,
}

impl Application {
    /// One that begins at `start`; without a transport it never does.
    pub fn new(source: Source, start: Time) -> Self {
        let has_downloads = source.has_downloads();
        let source = source.begin(start);
        let next_at = if source.is_some() { start } else { Time::NEVER };
        Self { source, has_downloads, supplied: Bytes::ZERO, next_at, download_end: None, is_stopped: false }
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
            let due = self.next_at;
            let Handed { bytes, next_at } =
                self.source.as_mut().map_or(Handed::last(Bytes::ZERO), |source| source.hand_over(due));
            assert!(next_at > due, "a source hands over more later, not at the same moment");
            supplied += bytes;
            self.next_at = next_at;
        }
        if self.has_downloads && !supplied.is_zero() {
            self.supplied += supplied;
            self.download_end = Some(self.supplied);
        }
        supplied
    }

    /// Of a source that waits to be asked: hands over a download of `bytes` at `at`.
    pub fn ask(&mut self, at: Time, bytes: Bytes) {
        self.next_at = at;
        self.source = Some(Box::new(Once::download(bytes)));
    }

    /// The user has so many bytes in order; true if that ends a download.
    #[inline]
    pub fn on_received(&mut self, now: Time, bytes: Bytes) -> bool {
        let ends = self.download_end.is_some_and(|end| bytes >= end);
        if ends {
            self.end_download(now);
        }
        ends
    }

    fn end_download(&mut self, now: Time) {
        self.download_end = None;
        if let Some(source) = &mut self.source
            && !self.is_stopped
        {
            self.next_at = source.on_download_end(now);
        }
    }

    /// Hands nothing over from now on.
    pub fn stop(&mut self) {
        self.next_at = Time::NEVER;
        self.is_stopped = true;
    }

    /// True while there is more to come than what its transport has.
    pub fn may_supply_more(&self) -> bool {
        self.next_at != Time::NEVER
    }

    /// True if what it hands over are downloads: a file, pages, or what is asked for.
    pub const fn has_downloads(&self) -> bool {
        self.has_downloads
    }

    /// True if nothing follows what it has handed over: neither by itself nor when a download has ended.
    pub fn has_handed_over_all(&self) -> bool {
        self.is_stopped || (!self.may_supply_more() && self.source.as_ref().is_some_and(|source| source.is_over()))
    }

    /// True while nothing is asked for, but will be: a page is read.
    pub fn is_thinking(&self) -> bool {
        self.has_downloads && !self.supplied.is_zero() && self.may_supply_more()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::{Session, SizeLaw, Stream, Think};
    use crate::types::{Duration, Rate};

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

    #[test]
    fn a_file_ends_once() {
        let mut application = Application::new(Source::File(Bytes::new(7)), Time::ZERO);
        application.supply(Time::ZERO);
        let ends = [6, 7, 7].map(|bytes| application.on_received(Time::ZERO, Bytes::new(bytes)));
        assert_eq!(ends, [false, true, false]);
    }

    /// Pages of 1000 bytes, 3 s to think, 1 s for a request.
    fn session() -> Application {
        let (size, think) = (SizeLaw::Constant { bytes: 1000 }, Think::Constant);
        let request = Duration::from_secs(1.0);
        Application::new(Source::Session(Session { size, think, think_s: 3.0, request, seed: 0, index: 0 }), at(10))
    }

    const fn at(seconds: u64) -> Time {
        Time::from_nanos(seconds * 1_000_000_000)
    }

    #[test]
    fn the_next_page_is_asked_for_when_the_one_before_is_there_and_read() {
        let mut session = session();
        assert!(!session.is_thinking());
        assert_eq!(session.supply(at(10)), Bytes::new(1000));
        assert_eq!((session.poll_timeout(), session.is_thinking()), (Time::NEVER, false));
        assert!(!session.on_received(at(12), Bytes::new(999)));
        assert!(session.on_received(at(13), Bytes::new(1000)));
        assert_eq!((session.poll_timeout(), session.is_thinking()), (at(17), true));
        assert_eq!(session.supply(at(16)), Bytes::ZERO);
        assert_eq!(session.supply(at(17)), Bytes::new(1000));
        assert!(!session.on_received(at(18), Bytes::new(1999)) && session.on_received(at(18), Bytes::new(2000)));
    }

    #[test]
    fn after_a_stop_no_page_is_asked_for() {
        let mut session = session();
        session.supply(at(10));
        session.stop();
        assert!(session.on_received(at(12), Bytes::new(1000)));
        assert_eq!((session.poll_timeout(), session.is_thinking()), (Time::NEVER, false));
    }
}
