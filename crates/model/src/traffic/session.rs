//! A web session: a page is requested, it comes, it is read, the next one is requested.
//!
//! A closed loop on one connection: the next request waits for the last byte of the page before it. With S the size of a
//! page, D(S) what the network takes, Z the time to think and u the way of a request,
//!
//!   one cycle = D(S) + Z + u.
//!
//! It leaves out: embedded objects and parallel connections, what a browser has stored, the bytes of a request on its way,
//! users who give up.

use super::SizeLaw;
use crate::types::declare::Words;
use crate::types::{Bytes, Duration, Purpose, RandomStream};

/// How times to think are distributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum Think {
    /// Exponential.
    Exponential,
    /// Always as long.
    Constant,
}

/// What a session is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Session {
    /// S.
    pub size: SizeLaw,
    /// The law of Z.
    pub think: Think,
    /// The mean of Z, s.
    pub think_s: f64,
    /// u: from the user to the server.
    pub request: Duration,
    /// With `index` the name of its draws.
    pub seed: u64,
    /// The number of its flow.
    pub index: u64,
}

/// A session on its way, page by page.
#[derive(Clone, Debug)]
pub struct Visit {
    session: Session,
    sizes: RandomStream,
    thoughts: RandomStream,
}

impl Visit {
    /// One before its first page.
    pub fn new(session: Session) -> Self {
        let stream = |purpose| RandomStream::new(session.seed, purpose, session.index);
        Self { session, sizes: stream(Purpose::PageSize), thoughts: stream(Purpose::ThinkTime) }
    }

    /// The size of the next page.
    pub fn next_page(&mut self) -> Bytes {
        self.session.size.draw(&mut self.sizes)
    }

    /// From the last byte of a page at the user to the next request at the server.
    pub fn next_pause(&mut self) -> Duration {
        let think_s = match self.session.think {
            Think::Constant => self.session.think_s,
            Think::Exponential => self.thoughts.exponential(self.session.think_s),
        };
        Duration::from_secs(think_s) + self.session.request
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visit(think: Think, think_s: f64, index: u64) -> Visit {
        let size = SizeLaw::Exponential { mean: 10_000.0 };
        Visit::new(Session { size, think, think_s, request: Duration::from_nanos(20_000_000), seed: 2, index })
    }

    #[test]
    fn pauses_are_the_time_to_think_and_the_way_of_the_request() {
        let mut constant = visit(Think::Constant, 1.5, 0);
        assert_eq!(constant.next_pause(), Duration::from_nanos(1_520_000_000));
        let mut exponential = visit(Think::Exponential, 3.0, 0);
        let count = 20_000;
        let mut thoughts: Vec<f64> = (0..count).map(|_| exponential.next_pause().as_secs() - 0.02).collect();
        thoughts.sort_by(f64::total_cmp);
        let distance =
            |(rank, &time): (usize, &f64)| (1.0 - libm::exp(-time / 3.0) - (rank as f64 + 0.5) / count as f64).abs();
        let furthest = thoughts.iter().enumerate().map(distance).fold(0.0, f64::max);
        // Kolmogorov and Smirnov: one in 10^6 is further away.
        assert!(furthest < 2.69 / f64::from(count).sqrt(), "{furthest}");
    }

    #[test]
    fn think_times_change_no_sizes() {
        let sizes = |think, think_s| {
            let mut visit = visit(think, think_s, 3);
            (0..50).map(move |_| (visit.next_page(), visit.next_pause()).0).collect::<Vec<_>>()
        };
        let exponential = sizes(Think::Exponential, 5.0);
        assert_eq!(exponential, sizes(Think::Constant, 0.0));
        assert_ne!(exponential[0], visit(Think::Constant, 0.0, 4).next_page());
    }
}
