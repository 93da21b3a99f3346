//! A flow's time as a row of pieces, and what is only known afterwards.
//!
//! **The silence before a timeout** is what was waited since the sender last sent anything. Stays are no part of it: data
//! that waits at the base station, or is held on a wire, is not silent.
//!
//! **A short stay** is charged to what came after it: a bottleneck is where a flow's data spends most of a cycle, and
//! packets that pass quickly while a window is full tell of the window. So a stay shorter than what follows takes the
//! largest cause of that. First stays on wires of the flow's own are held against the waits that follow them; then stays in
//! the network against all that follows until the next one, so that packets which a slow wire brings one by one to a fast
//! cell tell of the wire. The silence before a timeout takes no stay: it is as long as the timer says, whatever came before.
//! Nor does the time that a user thinks between two pages: the page before it has come as slowly as it has.

use airlink_model::types::{Direction, Duration, Time};

use super::Cause;

/// Time with one cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) from: Time,
    pub(crate) to: Time,
    pub(crate) cause: Cause,
    /// Of the data that is waited for.
    pub(crate) direction: Direction,
}

/// Time by cause, and the whole of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shares {
    pub(crate) whole: Duration,
    pub(crate) by_cause: [Duration; Cause::ALL.len()],
}

/// Where data of the flow was, the first of these that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// At the base station or in the bottleneck's queue.
    Network,
    /// Served or held by a wire of the flow's own, or an ACK was; or what the user sends waits for a grant.
    Wire,
    /// At no place that serves it: the sender waits.
    Nowhere,
    /// The user has all that was asked for, and thinks.
    Away,
}

/// The end of a piece that begins where the one before ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    to: Time,
    cause: Cause,
    place: Place,
    direction: Direction,
}

/// Pieces without gaps.
#[derive(Clone, Debug)]
pub(super) struct Timeline {
    start: Time,
    /// Up to when it is written.
    end: Time,
    entries: Vec<Entry>,
}

impl Timeline {
    pub(super) const fn new(start: Time) -> Self {
        Self { start, end: start, entries: Vec::new() }
    }

    /// Up to when it is written.
    #[inline]
    pub(super) const fn end(&self) -> Time {
        self.end
    }

    /// When entry `index` begins.
    fn start_of(&self, index: usize) -> Time {
        index.checked_sub(1).map_or(self.start, |before| self.entries[before].to)
    }

    /// From its end to `to` data was at `place`, and `cause` held back what goes in `direction`.
    #[inline]
    pub(super) fn push(&mut self, to: Time, place: Place, cause: Cause, direction: Direction) {
        if to <= self.end {
            return;
        }
        self.end = to;
        match self.entries.last_mut() {
            Some(last) if (last.cause, last.place, last.direction) == (cause, place, direction) => last.to = to,
            _ => self.entries.push(Entry { to, cause, place, direction }),
        }
    }

    /// What was waited since `from` was the silence before a timeout.
    pub(super) fn silence(&mut self, from: Time) {
        let first = self.entries.partition_point(|entry| entry.to <= from);
        let begins = self.start_of(first);
        if let Some(&entry) = self.entries.get(first).filter(|entry| begins < from && entry.place == Place::Nowhere) {
            self.entries.insert(first, Entry { to: from, ..entry });
            return self.silence(from);
        }
        for entry in self.entries[first..].iter_mut().filter(|entry| entry.place == Place::Nowhere) {
            entry.cause = Cause::Timeout;
        }
    }

    /// Charges short stays, tells of the pieces, and adds up what lies after `from`.
    pub(super) fn finish(mut self, from: Time, tell: impl FnMut(&Piece)) -> Shares {
        self.charge_short_stays(Place::Wire);
        self.charge_short_stays(Place::Network);
        self.finish_as_it_is(from, tell)
    }

    /// Tells of the pieces, and adds up what lies after `from`.
    pub(super) fn finish_as_it_is(self, from: Time, mut tell: impl FnMut(&Piece)) -> Shares {
        let mut shares = Shares { whole: self.end().since(from.max(self.start)), ..Shares::default() };
        let mut open: Option<Piece> = None;
        for index in 0..self.entries.len() {
            let Entry { to, cause, direction, .. } = self.entries[index];
            let piece = Piece { from: self.start_of(index), to, cause, direction };
            shares.by_cause[piece.cause as usize] += piece.to.since(piece.from.max(from));
            match &mut open {
                Some(before) if (before.cause, before.direction) == (cause, direction) => before.to = to,
                _ => open.replace(piece).iter().for_each(&mut tell),
            }
        }
        open.iter().for_each(tell);
        let sum = shares.by_cause.into_iter().fold(Duration::ZERO, |sum, share| sum + share);
        assert!(sum == shares.whole, "of {:?} of a flow {sum:?} are accounted for", shares.whole);
        shares
    }

    /// Charges stays at `place` to what follows them until data is there, or nearer to the user, again.
    fn charge_short_stays(&mut self, place: Place) {
        let mut first = 0;
        while first < self.entries.len() {
            let wait = self.run_end(first, |here| here == place);
            let next = self.run_end(wait, |here| here > place && here != Place::Away).max(first + 1);
            if first < wait && self.length(first, wait) < self.length(wait, next) {
                let cause = self.largest(wait, next);
                if cause != Cause::Timeout {
                    self.entries[first..wait].iter_mut().for_each(|entry| entry.cause = cause);
                }
            }
            first = next;
        }
    }

    /// The end of the run from entry `first` on whose places are as asked.
    fn run_end(&self, first: usize, is_wanted: impl Fn(Place) -> bool) -> usize {
        let rest = &self.entries[first..];
        first + rest.iter().position(|entry| !is_wanted(entry.place)).unwrap_or(rest.len())
    }

    fn length(&self, first: usize, next: usize) -> Duration {
        self.start_of(next).since(self.start_of(first))
    }

    /// The cause of most of the entries' time; of equal ones that with the lowest number.
    fn largest(&self, first: usize, next: usize) -> Cause {
        if first + 1 == next {
            return self.entries[first].cause;
        }
        let mut times = [Duration::ZERO; Cause::ALL.len()];
        for index in first..next {
            times[self.entries[index].cause as usize] += self.length(index, index + 1);
        }
        let most = times.into_iter().fold(Duration::ZERO, Duration::max);
        Cause::ALL.into_iter().find(|cause| times[*cause as usize] == most).expect("one of them is the largest")
    }
}
