//! What a flow has to send, step by step: one trait for what is built in and for what comes from outside.

use std::fmt::Debug;

use super::session::Visit;
use super::{Datagrams, Dialogue, Requests, Session, Stream};
use crate::types::{Bytes, Time};

/// A source on its way: it hands data to the transport when its time has come.
///
/// Each flow has one of its own. Draws come from named streams, so that the same seed gives the same traffic.
pub trait TrafficSource: Debug + Send + Sync {
    /// What it hands over at `now`, which is the flow's start or the time that it last named.
    fn hand_over(&mut self, now: Time) -> Handed;

    /// True if what it hands over are downloads, one at a time: each ends when the user has all of it.
    fn has_downloads(&self) -> bool {
        false
    }

    /// The user has had the last byte of the download under way at `now`: when the server has the next to send.
    fn on_download_end(&mut self, _now: Time) -> Time {
        Time::NEVER
    }

    /// True once it never hands over more, whatever happens.
    fn is_over(&self) -> bool {
        false
    }

    /// A copy in the same state, so that a running simulation can be cloned.
    fn boxed_clone(&self) -> Box<dyn TrafficSource>;
}

impl Clone for Box<dyn TrafficSource> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}

/// What a source hands over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handed {
    /// So much; [`Bytes::UNLIMITED`] is more than can ever be sent.
    pub bytes: Bytes,
    /// When it hands over more, later than now; [`Time::NEVER`] if not by itself.
    pub next_at: Time,
}

impl Handed {
    /// `bytes`, and no more by itself.
    pub const fn last(bytes: Bytes) -> Self {
        Self { bytes, next_at: Time::NEVER }
    }
}

/// What a flow sends, before it starts.
#[derive(Clone, Debug)]
pub enum Source {
    /// TCP with more to send, always.
    Greedy,
    /// TCP with this many bytes to send.
    File(Bytes),
    /// TCP with messages to send as time goes by.
    Stream(Stream),
    /// TCP with page after page to send, each asked for when the one before is there.
    Session(Session),
    /// TCP with downloads that the caller asks for one by one.
    Asked,
    /// TCP both ways: the user's requests, each with its answer.
    Requests(Requests),
    /// TCP both ways: requests, mostly of this size, with their answers that the caller asks for one by one.
    Exchanges(Bytes),
    /// TCP with what a source from outside has to send.
    Own(Box<dyn TrafficSource>),
    /// No TCP: the queue never runs empty of packets of this size.
    Backlogged(Bytes),
    /// No TCP: packets over the wires that nobody acknowledges.
    Datagrams(Box<Datagrams>),
}

impl Source {
    /// True if what it hands over are downloads: a file, pages, what is asked for, or those of a source from outside.
    pub fn has_downloads(&self) -> bool {
        match self {
            Self::File(_) | Self::Session(_) | Self::Asked | Self::Requests(_) | Self::Exchanges(_) => true,
            Self::Own(source) => source.has_downloads(),
            Self::Greedy | Self::Stream(_) | Self::Backlogged(_) | Self::Datagrams(_) => false,
        }
    }

    /// True if one download may follow another when that has ended.
    pub fn has_pauses(&self) -> bool {
        matches!(self, Self::Session(_) | Self::Requests(_) | Self::Exchanges(_))
            || matches!(self, Self::Own(source) if source.has_downloads())
    }

    /// The applications of a flow that begins at `start` and has data both ways; none if only the server has some.
    pub fn dialogue(&self, start: Time) -> Option<Dialogue> {
        match self {
            Self::Requests(requests) => Some(Dialogue::new(*requests, start)),
            Self::Exchanges(_) => Some(Dialogue::asked()),
            _ => None,
        }
    }

    /// The source of a flow that begins at `start`; none without a transport, or while nothing is asked for.
    pub(super) fn begin(self, start: Time) -> Option<Box<dyn TrafficSource>> {
        Some(match self {
            Self::Greedy => Box::new(Once::data(Bytes::UNLIMITED)),
            Self::File(size) => Box::new(Once::download(size)),
            Self::Stream(stream) => Box::new(Messages { stream, start, handed: 0 }),
            Self::Session(session) => Box::new(Visit::new(session)),
            Self::Own(source) => source,
            Self::Asked | Self::Requests(_) | Self::Exchanges(_) | Self::Backlogged(_) | Self::Datagrams(_) => {
                return None;
            }
        })
    }
}

/// All at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Once {
    bytes: Bytes,
    is_download: bool,
}

impl Once {
    const fn data(bytes: Bytes) -> Self {
        Self { bytes, is_download: false }
    }

    pub(super) const fn download(bytes: Bytes) -> Self {
        Self { bytes, is_download: true }
    }
}

impl TrafficSource for Once {
    fn hand_over(&mut self, _now: Time) -> Handed {
        Handed::last(self.bytes)
    }

    fn is_over(&self) -> bool {
        true
    }

    fn has_downloads(&self) -> bool {
        self.is_download
    }

    fn boxed_clone(&self) -> Box<dyn TrafficSource> {
        Box::new(*self)
    }
}

/// A stream on its way.
#[derive(Clone, Copy, Debug)]
struct Messages {
    stream: Stream,
    start: Time,
    handed: u64,
}

impl TrafficSource for Messages {
    fn hand_over(&mut self, _now: Time) -> Handed {
        self.handed += 1;
        Handed { bytes: self.stream.message(), next_at: self.start + self.stream.time_of(self.handed) }
    }

    fn boxed_clone(&self) -> Box<dyn TrafficSource> {
        Box::new(*self)
    }
}

impl TrafficSource for Visit {
    fn hand_over(&mut self, _now: Time) -> Handed {
        Handed::last(self.next_page())
    }

    fn has_downloads(&self) -> bool {
        true
    }

    fn on_download_end(&mut self, now: Time) -> Time {
        now + self.next_pause()
    }

    fn boxed_clone(&self) -> Box<dyn TrafficSource> {
        Box::new(self.clone())
    }
}
