//! What happens next: a tournament over the next times of all lanes.
//!
//! A lane is one (class, flow): the arrivals of a link, its acknowledgments, its timers. Links are rings and timers are
//! lazy, so each lane has one next time, and the earliest of n lanes is found and replaced in log2(n) comparisons
//! without a heap. Lanes are numbered class by class, so that among equal times the first lane is the one whose turn it
//! is: arrivals before acknowledgments before timers, each by flow.

use airlink_model::types::Time;

/// What can happen, in the order in which it does at the same nanosecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    flows: usize,
    /// Half of `earliest`: lane k is the leaf `leaves + k`, the node i is the earlier of 2i and 2i + 1.
    leaves: usize,
    earliest: Vec<Time>,
}

impl Events {
    pub(crate) fn new(flows: usize) -> Self {
        let leaves = (CLASSES.len() * flows).next_power_of_two();
        Self { flows, leaves, earliest: vec![Time::NEVER; 2 * leaves] }
    }

    /// Sets when (class, flow) is next looked at; `None` is never.
    pub(crate) fn plan(&mut self, time: Option<Time>, class: Class, flow: usize) {
        let time = time.unwrap_or(Time::NEVER);
        let mut node = self.leaves + class as usize * self.flows + flow;
        if self.earliest[node] == time {
            return;
        }
        self.earliest[node] = time;
        while node > 1 {
            let earlier = self.earliest[node].min(self.earliest[node ^ 1]);
            node /= 2;
            if self.earliest[node] == earlier {
                return;
            }
            self.earliest[node] = earlier;
        }
    }

    /// The next event before `limit`, or at it if `inclusive`. It stays planned until its lane is planned anew.
    pub(crate) fn next(&self, limit: Time, inclusive: bool) -> Option<(Time, Class, usize)> {
        let time = self.earliest[1];
        if time > limit || (time == limit && !inclusive) || time == Time::NEVER {
            return None;
        }
        let mut node = 1;
        while node < self.leaves {
            node = 2 * node + usize::from(self.earliest[2 * node] != time);
        }
        let lane = node - self.leaves;
        let class = usize::from(lane >= self.flows) + usize::from(lane >= 2 * self.flows);
        Some((time, CLASSES[class], lane - class * self.flows))
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
        while let Some((_, class, flow)) = events.next(at(5), true) {
            order.push((class, flow));
            events.plan(None, class, flow);
        }
        let expected = [(Class::Arrival, 1), (Class::Acknowledgment, 0), (Class::Acknowledgment, 1), (Class::Timer, 0)];
        assert_eq!(order, expected);
    }

    #[test]
    fn the_newest_plan_of_a_lane_counts() {
        let mut events = Events::new(1);
        events.plan(Some(at(9)), Class::Timer, 0);
        events.plan(Some(at(4)), Class::Timer, 0);
        events.plan(Some(at(7)), Class::Timer, 0);
        assert_eq!(events.next(at(100), true), Some((at(7), Class::Timer, 0)));
    }

    #[test]
    fn the_limit_is_open_or_closed_as_asked_and_never_never_comes() {
        let mut events = Events::new(1);
        assert_eq!(events.next(Time::NEVER, true), None);
        events.plan(Some(at(4)), Class::Timer, 0);
        assert_eq!(events.next(at(4), false), None);
        assert!(events.next(at(4), true).is_some());
    }

    #[test]
    fn the_earliest_of_many_lanes_is_found_as_by_a_search() {
        let flows = 37;
        let mut events = Events::new(flows);
        let mut times = vec![Time::NEVER; CLASSES.len() * flows];
        let mut state = 1_u64;
        for _ in 0..5000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let lane = usize::try_from(state >> 33).expect("31 bits") % times.len();
            let time = if state & 1 == 0 { Time::NEVER } else { at((state >> 40) % 50) };
            times[lane] = time;
            events.plan(Some(time), CLASSES[lane / flows], lane % flows);
            let earliest = times.iter().min().copied().filter(|&time| time != Time::NEVER);
            let first = earliest.and_then(|time| times.iter().position(|&other| other == time));
            let expected = first.map(|lane| (times[lane], CLASSES[lane / flows], lane % flows));
            assert_eq!(events.next(Time::NEVER, false), expected);
        }
    }
}
