//! What happens next: a tournament over the flows' next events.
//!
//! Links are rings and timers are lazy, so each flow has one next event, and the earliest of n flows is found and
//! replaced in log2(n) comparisons without a heap. A key is the time with the class in its two lowest bits, so at one
//! nanosecond arrivals come before ACKs before timers; among equal keys the lowest flow number wins.

use airlink_model::types::Time;

/// What can happen, in the order in which it does at the same nanosecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    /// A packet reaches the base station.
    Arrival,
    /// An ACK reaches the server.
    Ack,
    /// A flow starts or stops, or a timer of its sender or receiver runs out.
    Timer,
}

const CLASSES: [Class; 3] = [Class::Arrival, Class::Ack, Class::Timer];

/// The key of what never happens: two bits go to the class, so a time beyond 2^62 ns, 146 years, never comes.
const NEVER: u64 = u64::MAX;

/// When and what comes next in a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Next(u64);

impl Next {
    /// The earliest of a flow's next arrival, ACK and timer; [`Time::NEVER`] for what does not come.
    pub(crate) fn of(times: [Time; CLASSES.len()]) -> Self {
        let [arrival, ack, timer] = times;
        let earliest = arrival.min(ack).min(timer);
        let class = u64::from(arrival > earliest) * (1 + u64::from(ack > earliest));
        let nanoseconds = earliest.as_nanos();
        Self(if nanoseconds < NEVER >> 2 { nanoseconds << 2 | class } else { NEVER })
    }
}

/// The next event of each flow.
#[derive(Clone, Debug)]
pub(crate) struct Events {
    /// Half of `earliest`: flow k is the leaf `leaves + k`, the node i is the earlier of 2i and 2i + 1.
    leaves: usize,
    earliest: Vec<u64>,
}

impl Events {
    pub(crate) fn new(flows: usize) -> Self {
        let leaves = flows.next_power_of_two();
        Self { leaves, earliest: vec![NEVER; 2 * leaves] }
    }

    /// Sets what comes next in `flow`.
    pub(crate) fn plan(&mut self, next: Next, flow: usize) {
        let mut node = self.leaves + flow;
        if self.earliest[node] == next.0 {
            return;
        }
        self.earliest[node] = next.0;
        while node > 1 {
            let earlier = self.earliest[node].min(self.earliest[node ^ 1]);
            node /= 2;
            if self.earliest[node] == earlier {
                return;
            }
            self.earliest[node] = earlier;
        }
    }

    /// The next event before `limit`, or at it if `inclusive`. It stays planned until its flow is planned anew.
    pub(crate) fn next(&self, limit: Time, inclusive: bool) -> Option<(Time, Class, usize)> {
        let key = self.earliest[1];
        let time = Time::from_nanos(key >> 2);
        if time > limit || (time == limit && !inclusive) || key == NEVER {
            return None;
        }
        let mut node = 1;
        while node < self.leaves {
            node = 2 * node + usize::from(self.earliest[2 * node] != key);
        }
        let class = if key & 3 == 0 { CLASSES[0] } else { CLASSES[1 + usize::from(key & 3 == 2)] };
        Some((time, class, node - self.leaves))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOT: Time = Time::NEVER;

    const fn at(nanoseconds: u64) -> Time {
        Time::from_nanos(nanoseconds)
    }

    #[test]
    fn at_the_same_nanosecond_arrivals_come_before_acks_before_timers_each_by_flow() {
        let mut events = Events::new(3);
        events.plan(Next::of([NOT, NOT, at(5)]), 0);
        events.plan(Next::of([NOT, at(5), at(5)]), 1);
        events.plan(Next::of([at(5), at(5), NOT]), 2);
        let mut order = Vec::new();
        let mut left = [[NOT, NOT, at(5)], [NOT, at(5), at(5)], [at(5), at(5), NOT]];
        while let Some((_, class, flow)) = events.next(Time::from_nanos(5), true) {
            order.push((class, flow));
            left[flow][class as usize] = NOT;
            events.plan(Next::of(left[flow]), flow);
        }
        use Class::{Ack, Arrival, Timer};
        assert_eq!(order, [(Arrival, 2), (Ack, 1), (Ack, 2), (Timer, 0), (Timer, 1)]);
    }

    #[test]
    fn the_newest_plan_of_a_flow_counts() {
        let mut events = Events::new(1);
        events.plan(Next::of([NOT, NOT, at(4)]), 0);
        events.plan(Next::of([NOT, NOT, at(7)]), 0);
        assert_eq!(events.next(Time::from_nanos(100), true), Some((Time::from_nanos(7), Class::Timer, 0)));
    }

    #[test]
    fn the_limit_is_open_or_closed_as_asked_and_never_never_comes() {
        let mut events = Events::new(1);
        assert_eq!(events.next(Time::NEVER, true), None);
        events.plan(Next::of([NOT, NOT, NOT]), 0);
        assert_eq!(events.next(Time::NEVER, true), None);
        events.plan(Next::of([at(4), NOT, NOT]), 0);
        assert_eq!(events.next(Time::from_nanos(4), false), None);
        assert!(events.next(Time::from_nanos(4), true).is_some());
    }

    #[test]
    fn the_earliest_of_many_flows_is_found_as_by_a_search() {
        let flows = 37;
        let mut events = Events::new(flows);
        let mut planned = vec![[NOT; 3]; flows];
        let mut state = 1_u64;
        for _ in 0..5000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let lane = usize::try_from(state >> 33).expect("31 bits") % (3 * flows);
            planned[lane / 3][lane % 3] = if state & 1 == 0 { NOT } else { at((state >> 40) % 50) };
            events.plan(Next::of(planned[lane / 3]), lane / 3);
            let all = (0..flows).flat_map(|flow| CLASSES.map(|class| (planned[flow][class as usize], class, flow)));
            let expected = all.filter(|(time, ..)| *time != NOT).min();
            assert_eq!(events.next(Time::NEVER, false), expected);
        }
    }
}
