//! What happens next: one small heap keyed (time, class, flow).
//!
//! Links are rings, so each has at most one entry here: that of its next arrival. An entry may be early (a
//! timer that moved on): it is looked at, found not due and put back; it is never late. It costs about 30 ns per entry.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use airlink_model::types::Time;

/// What can happen, in the order in which it does at the same nanosecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    /// A packet reaches the base station.
    Arrival,
    /// An acknowledgment reaches the server.
    Acknowledgment,
    /// A flow starts or stops, or a timer of its sender or receiver runs out.
    Timer,
}

const CLASSES: [Class; 3] = [Class::Arrival, Class::Acknowledgment, Class::Timer];

/// The next event of each (class, flow).
#[derive(Clone, Debug)]
pub(crate) struct Events {
    heap: BinaryHeap<Reverse<(Time, Class, usize)>>,
    /// The earliest entry of each lane, so that a lane has one entry that counts.
    planned: Vec<[Time; CLASSES.len()]>,
}

impl Events {
    pub(crate) fn new(flows: usize) -> Self {
        Self { heap: BinaryHeap::with_capacity(4 * flows), planned: vec![[Time::NEVER; CLASSES.len()]; flows] }
    }

    /// Plans a look at (class, flow) at `time`, unless an earlier one is planned.
    pub(crate) fn plan(&mut self, time: Option<Time>, class: Class, flow: usize) {
        let Some(time) = time else { return };
        let planned = &mut self.planned[flow][class as usize];
        if time < *planned {
            *planned = time;
            self.heap.push(Reverse((time, class, flow)));
        }
    }

    /// The next event before `limit`, or at it if `inclusive`.
    pub(crate) fn pop(&mut self, limit: Time, inclusive: bool) -> Option<(Time, Class, usize)> {
        loop {
            let Reverse((time, class, flow)) = *self.heap.peek()?;
            if time > limit || (time == limit && !inclusive) {
                return None;
            }
            self.heap.pop();
            let planned = &mut self.planned[flow][class as usize];
            if *planned == time {
                *planned = Time::NEVER;
                return Some((time, class, flow));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(nanoseconds: u64) -> Time {
        Time::from_nanos(nanoseconds)
    }

    #[test]
    fn at_the_same_nanosecond_arrivals_come_before_acks_before_timers_each_by_flow() {
        let mut events = Events::new(2);
        for (class, flow) in
            [(Class::Timer, 0), (Class::Acknowledgment, 1), (Class::Arrival, 1), (Class::Acknowledgment, 0)]
        {
            events.plan(Some(at(5)), class, flow);
        }
        let mut order = Vec::new();
        while let Some((_, class, flow)) = events.pop(at(5), true) {
            order.push((class, flow));
        }
        let expected = [(Class::Arrival, 1), (Class::Acknowledgment, 0), (Class::Acknowledgment, 1), (Class::Timer, 0)];
        assert_eq!(order, expected);
    }

    #[test]
    fn an_earlier_plan_replaces_a_later_one_and_a_later_one_is_ignored() {
        let mut events = Events::new(1);
        events.plan(Some(at(9)), Class::Timer, 0);
        events.plan(Some(at(4)), Class::Timer, 0);
        events.plan(Some(at(7)), Class::Timer, 0);
        assert_eq!(events.pop(at(100), true), Some((at(4), Class::Timer, 0)));
        assert_eq!(events.pop(at(100), true), None);
    }

    #[test]
    fn the_limit_is_open_or_closed_as_asked() {
        let mut events = Events::new(1);
        events.plan(Some(at(4)), Class::Timer, 0);
        assert_eq!(events.pop(at(4), false), None);
        assert!(events.pop(at(4), true).is_some());
    }
}
