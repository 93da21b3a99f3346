//! Web pages of several objects over parallel connections.
//!
//! A page is a main object; when the user has it and its browser has read it, the objects that it names follow. Each is a request and
//! its answer. The browser keeps up to n connections to the server and gives each idle one the next object, in the order of their
//! numbers. The page is there with the last byte of its last object; the user reads it, then the next page is asked for.
//!
//! It leaves out: requests ahead of an answer (pipelining), streams within a connection (HTTP/2), objects that name further objects,
//! several servers, what a browser has stored, connections that end.

use std::collections::VecDeque;

use super::dialogue::Exchange;
use super::session::Visit;
use super::{Session, SizeLaw};
use crate::types::declare::Section;
use crate::types::{Bytes, Duration, Purpose, RandomStream, Time};

/// How many objects a page has beside its main object.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
#[section(class = "Objects")]
pub enum ObjectCount {
    /// Always as many.
    #[section(class = "ConstantObjects", about = "As many objects on every page")]
    Constant {
        /// Objects beside the main one.
        #[field(at_least = 0, at_most = 10_000)]
        objects: u32,
    },
    /// A Pareto law clipped at its end: min(X, max) - min, rounded; P(X > x) = (min/x)^shape.
    #[section(class = "ParetoObjects", about = "Objects by a clipped Pareto law")]
    Pareto {
        /// The smaller, the more pages with very many objects.
        #[field(at_least = 1e-3, at_most = 1e3, default = 1.1, source = "[Ngmn08]: 1.1")]
        shape: f64,
        /// Where the law begins; a page with so many has none beside its main object.
        #[field(at_least = 1, at_most = 10_000, default = 2.0, source = "[Ngmn08]: 2")]
        min: f64,
        /// Where it is clipped; above `min`.
        #[field(at_least = 1, at_most = 10_000, default = 55.0, source = "[Ngmn08]: 55, a mean of 5.64 objects")]
        max: f64,
    },
}

impl ObjectCount {
    fn draw(&self, stream: &mut RandomStream) -> u64 {
        match *self {
            Self::Constant { objects } => objects.into(),
            Self::Pareto { shape, min, max } => {
                let value = min * libm::pow(1.0 - stream.uniform(), -1.0 / shape);
                // A whole number of at most 10 000.
                libm::round(value.min(max) - min) as u64
            }
        }
    }
}

/// What the pages of a user are made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pages {
    /// Main objects and times to think.
    pub main: Session,
    /// How many further objects.
    pub objects: ObjectCount,
    /// How large they are.
    pub object: SizeLaw,
    /// From the main object's last byte to the requests for the others.
    pub parsing: Duration,
    /// The size of a request.
    pub request: Bytes,
    /// Most connections at once.
    pub connections: usize,
}

/// A request that a connection is to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask {
    /// The connection, from 0.
    pub connection: usize,
    /// When.
    pub at: Time,
    /// The request and its answer.
    pub exchange: Exchange,
}

/// A user's browser, page by page.
#[derive(Clone, Debug)]
pub struct Browser {
    pages: Pages,
    visit: Visit,
    counts: RandomStream,
    sizes: RandomStream,
    /// Objects that no connection has been given.
    waiting: VecDeque<Bytes>,
    /// By connection.
    is_busy: Vec<bool>,
    /// The page's main object is on its way.
    awaits_main: bool,
    /// Earliest moment for the requests of further objects.
    parsed_at: Time,
    /// What is to be sent next.
    asks: VecDeque<Ask>,
}

impl Browser {
    /// One before its first page.
    pub fn new(pages: Pages) -> Self {
        assert!(pages.connections > 0, "a page needs a connection");
        let stream = |purpose| RandomStream::new(pages.main.seed, purpose, pages.main.index);
        Self {
            visit: Visit::new(pages.main),
            counts: stream(Purpose::ObjectCount),
            sizes: stream(Purpose::ObjectSize),
            waiting: VecDeque::new(),
            is_busy: vec![false; pages.connections],
            awaits_main: false,
            parsed_at: Time::ZERO,
            asks: VecDeque::new(),
            pages,
        }
    }

    /// Most connections at once.
    pub const fn connections(&self) -> usize {
        self.pages.connections
    }

    /// Asks for a page at `at`.
    pub fn open_page(&mut self, at: Time) {
        let main = self.visit.next_page();
        let count = self.pages.objects.draw(&mut self.counts);
        self.waiting = (0..count).map(|_| self.pages.object.draw(&mut self.sizes)).collect();
        let begins = self.waiting.iter().fold(main, |sum, size| sum + *size);
        self.awaits_main = true;
        self.give(0, at, Exchange { request: self.pages.request, answer: main, begins });
    }

    /// The next request to send.
    pub fn poll_ask(&mut self) -> Option<Ask> {
        self.asks.pop_front()
    }

    /// A connection has brought its object; true if that ends the page.
    pub fn on_answer(&mut self, now: Time, connection: usize) -> bool {
        self.is_busy[connection] = false;
        if self.awaits_main {
            self.awaits_main = false;
            self.parsed_at = now + self.pages.parsing;
        }
        let at = self.parsed_at.max(now);
        while let Some(idle) = self.is_busy.iter().position(|busy| !busy)
            && let Some(answer) = self.waiting.pop_front()
        {
            self.give(idle, at, Exchange { request: self.pages.request, answer, begins: Bytes::ZERO });
        }
        !self.is_busy.contains(&true)
    }

    /// The time to think after a page that ended at `now`, until the next is asked for.
    pub fn next_page_at(&mut self, now: Time) -> Time {
        now + self.visit.next_pause()
    }

    fn give(&mut self, connection: usize, at: Time, exchange: Exchange) {
        self.is_busy[connection] = true;
        self.asks.push_back(Ask { connection, at, exchange });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::Think;

    const fn at(seconds: u64) -> Time {
        Time::from_nanos(seconds * 1_000_000_000)
    }

    fn browser(objects: ObjectCount, connections: usize) -> Browser {
        let size = |bytes| SizeLaw::Constant { bytes };
        let main = Session {
            size: size(9000),
            think: Think::Constant,
            think_s: 30.0,
            request: Duration::ZERO,
            seed: 1,
            index: 2,
        };
        let (object, parsing, request) = (size(700), Duration::from_secs(1.0), Bytes::new(300));
        Browser::new(Pages { main, objects, object, parsing, request, connections })
    }

    fn asks(browser: &mut Browser) -> Vec<(usize, Time, u64)> {
        std::iter::from_fn(|| browser.poll_ask())
            .map(|ask| (ask.connection, ask.at, ask.exchange.answer.count()))
            .collect()
    }

    #[test]
    fn objects_follow_the_main_one_on_idle_connections_and_the_last_one_ends_the_page() {
        let mut browser = browser(ObjectCount::Constant { objects: 3 }, 2);
        browser.open_page(at(1));
        let first = browser.poll_ask().expect("the main object");
        let sizes = (first.exchange.request.count(), first.exchange.answer.count(), first.exchange.begins.count());
        assert_eq!((first.connection, first.at, sizes), (0, at(1), (300, 9000, 11_100)));
        assert!(!browser.on_answer(at(5), 0));
        assert_eq!(asks(&mut browser), [(0, at(6), 700), (1, at(6), 700)]);
        assert!(!browser.on_answer(at(8), 1));
        assert_eq!(asks(&mut browser), [(1, at(8), 700)]);
        assert!(!browser.on_answer(at(9), 0));
        assert!(asks(&mut browser).is_empty() && browser.on_answer(at(10), 1));
        assert_eq!(browser.next_page_at(at(10)), at(40));
    }

    #[test]
    fn a_page_of_one_object_ends_with_it() {
        let mut browser = browser(ObjectCount::Constant { objects: 0 }, 6);
        browser.open_page(at(1));
        assert_eq!(asks(&mut browser).len(), 1);
        assert!(browser.on_answer(at(2), 0));
    }

    #[test]
    fn the_number_of_objects_has_the_mean_of_its_law() {
        let law = ObjectCount::Pareto { shape: 1.1, min: 2.0, max: 55.0 };
        let mut stream = RandomStream::new(4, Purpose::ObjectCount, 0);
        let draws: Vec<f64> = (0..40_000).map(|_| law.draw(&mut stream) as f64).collect();
        let count = draws.len() as f64;
        let mean = draws.iter().sum::<f64>() / count;
        let variance = draws.iter().map(|draw| (draw - mean) * (draw - mean)).sum::<f64>() / (count - 1.0);
        // E[round(min(X, m) - k)] = the sum over n of P(X > k + n - 1/2), n up to m - k.
        let expected: f64 = (1..=53).map(|n| libm::pow(2.0 / (1.5 + f64::from(n)), 1.1)).sum();
        assert!((mean - expected).abs() < 4.5 * libm::sqrt(variance / count), "{mean} and {expected}");
        assert!((expected - 5.64).abs() < 0.1, "{expected}");
        assert!(draws.iter().all(|&draw| (0.0..=53.0).contains(&draw)));
    }
}
