//! Requests and answers on one connection: the client asks, the server answers, one exchange after the other.
//!
//! This is HTTP/1.1 without pipelining (RFC 9112 section 9.3.2): a request leaves when the answer before it is there. The server has
//! an answer ready at the moment at which the last byte of its request arrives. It leaves out: a server that computes, requests that are
//! given up, answers whose length is not known when they begin.

use super::Session;
use super::session::Visit;
use crate::types::{Bytes, Time};

/// A request and its answer, payload only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// From the user to the server.
    pub request: Bytes,
    /// From the server to the user.
    pub answer: Bytes,
    /// The size of the download that begins with it: its answer, or all objects of a page; zero if it is a part of one that has begun.
    pub begins: Bytes,
}

impl Exchange {
    /// A request whose answer is a download of its own.
    pub const fn download(request: Bytes, answer: Bytes) -> Self {
        Self { request, answer, begins: answer }
    }
}

/// Requests of one size, each sent when its user has had the answer before it and has thought.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Requests {
    /// The size of a request.
    pub request: Bytes,
    /// Sizes of answers, and times to think.
    pub answers: Session,
}

/// The applications at both ends of a connection.
#[derive(Clone, Debug)]
pub struct Dialogue {
    /// What asks by itself; none if exchanges come from outside.
    source: Option<(Bytes, Visit)>,
    /// When the client next asks.
    next_at: Time,
    /// What it asks then, if that came from outside.
    next: Option<Exchange>,
    /// Bytes of all requests so far.
    requested: Bytes,
    /// Bytes of all answers so far, that of a request on its way included.
    answered: Bytes,
    stage: Stage,
    is_stopped: bool,
}

/// What the connection carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Idle,
    Request { answer: Bytes },
    Answer,
}

impl Dialogue {
    /// One whose client asks from `start` on.
    pub fn new(requests: Requests, start: Time) -> Self {
        let source = Some((requests.request, Visit::new(requests.answers)));
        Self { source, next_at: start, ..Self::asked() }
    }

    /// One that waits to be asked.
    pub const fn asked() -> Self {
        Self {
            source: None,
            next_at: Time::NEVER,
            next: None,
            requested: Bytes::ZERO,
            answered: Bytes::ZERO,
            stage: Stage::Idle,
            is_stopped: false,
        }
    }

    /// Has the client send `exchange` at `at`.
    pub fn ask(&mut self, at: Time, exchange: Exchange) {
        assert!(self.stage == Stage::Idle && self.next.is_none(), "a connection carries one exchange at a time");
        (self.next_at, self.next) = (at, Some(exchange));
    }

    /// When the client next asks; never while an exchange is under way.
    pub const fn poll_timeout(&self) -> Time {
        self.next_at
    }

    /// The exchange that begins by `now`: its request goes to the client's transport.
    pub fn begin(&mut self, now: Time) -> Option<Exchange> {
        if self.next_at > now || self.is_stopped {
            return None;
        }
        let own = || self.source.as_mut().map(|(request, visit)| Exchange::download(*request, visit.next_page()));
        let exchange = self.next.take().or_else(own)?;
        self.next_at = Time::NEVER;
        self.requested += exchange.request;
        self.answered += exchange.answer;
        self.stage = Stage::Request { answer: exchange.answer };
        Some(exchange)
    }

    /// The server has `bytes` in order; returns the answer that goes to its transport.
    #[inline]
    pub fn on_request(&mut self, bytes: Bytes) -> Option<Bytes> {
        let Stage::Request { answer } = self.stage else { return None };
        if bytes < self.requested {
            return None;
        }
        self.stage = Stage::Answer;
        Some(answer)
    }

    /// The user has `bytes` in order; true if that ends an answer.
    #[inline]
    pub fn on_answer(&mut self, now: Time, bytes: Bytes) -> bool {
        let ends = self.stage == Stage::Answer && bytes >= self.answered;
        if ends {
            self.stage = Stage::Idle;
            if let Some((_, visit)) = &mut self.source
                && !self.is_stopped
            {
                self.next_at = now + visit.next_pause();
            }
        }
        ends
    }

    /// No request leaves from now on.
    pub fn stop(&mut self) {
        self.is_stopped = true;
        self.next_at = Time::NEVER;
    }

    /// True while the next request has yet to come: the user thinks, or another connection has to bring something first.
    pub fn is_idle(&self) -> bool {
        self.stage == Stage::Idle
    }

    /// True while the server has not got the whole request.
    pub const fn is_requesting(&self) -> bool {
        matches!(self.stage, Stage::Request { .. })
    }

    /// True if no request will follow by itself.
    pub const fn has_stopped(&self) -> bool {
        self.is_stopped
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::{SizeLaw, Think};
    use crate::types::Duration;

    const fn at(seconds: u64) -> Time {
        Time::from_nanos(seconds * 1_000_000_000)
    }

    fn dialogue() -> Dialogue {
        let (size, think) = (SizeLaw::Constant { bytes: 1000 }, Think::Constant);
        let answers = Session { size, think, think_s: 3.0, request: Duration::ZERO, seed: 0, index: 0 };
        Dialogue::new(Requests { request: Bytes::new(300), answers }, at(10))
    }

    #[test]
    fn an_answer_follows_its_whole_request_and_the_next_request_follows_the_answer_and_a_thought() {
        let mut dialogue = dialogue();
        assert_eq!(dialogue.begin(at(9)), None);
        let exchange = Exchange::download(Bytes::new(300), Bytes::new(1000));
        assert_eq!((dialogue.begin(at(10)), dialogue.poll_timeout()), (Some(exchange), Time::NEVER));
        assert_eq!(dialogue.on_request(Bytes::new(299)), None);
        assert!(!dialogue.on_answer(at(11), Bytes::new(1000)));
        assert_eq!(dialogue.on_request(Bytes::new(300)), Some(Bytes::new(1000)));
        assert_eq!(dialogue.on_request(Bytes::new(300)), None);
        assert!(!dialogue.on_answer(at(12), Bytes::new(999)) && dialogue.on_answer(at(13), Bytes::new(1000)));
        assert_eq!((dialogue.poll_timeout(), dialogue.is_idle()), (at(16), true));
        assert_eq!(dialogue.begin(at(16)), Some(exchange));
        assert_eq!(dialogue.on_request(Bytes::new(600)), Some(Bytes::new(1000)));
        assert!(!dialogue.on_answer(at(17), Bytes::new(1999)) && dialogue.on_answer(at(17), Bytes::new(2000)));
    }

    #[test]
    fn after_a_stop_the_answer_still_comes_and_no_request_follows() {
        let mut dialogue = dialogue();
        dialogue.begin(at(10));
        dialogue.stop();
        assert_eq!(dialogue.on_request(Bytes::new(300)), Some(Bytes::new(1000)));
        assert!(dialogue.on_answer(at(12), Bytes::new(1000)));
        assert_eq!((dialogue.poll_timeout(), dialogue.begin(at(99))), (Time::NEVER, None));
    }
}
