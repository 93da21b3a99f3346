//! What happens next: a tournament over the flows' next events.
//!
//! Links are rings and timers are lazy, so each flow has one next event, and the earliest of n flows is found and
//! replaced in log4(n) steps without a heap. A key is the time with the class in its two lowest bits, so at one
//! nanosecond arrivals come before ACKs before timers; among equal keys the lowest flow number wins.

use airlink_model::types::Time;

/// What can happen, in the order in which it does at the same nanosecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    /// A packet reaches the base station.
    Arrival,
    /// An ACK reaches the server; or a packet the network, at the moment at which an ACK let it go (`RunningFlow::reaches_at_once`).
    Ack,
    /// A flow starts or stops, or a timer of its sender or receiver runs out.
    Timer,
}

/// The key of what never happens: two bits go to the class, so a time beyond 2^62 ns, 146 years, never comes.
const NEVER: u64 = u64::MAX;

/// When and what comes next in a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Next(u64);

impl Next {
    /// The earliest of a flow's next arrival, ACK and timer; [`Time::NEVER`] for what does not come.
    pub(crate) fn of(times: [Time; 3]) -> Self {
        let [arrival, ack, timer] = times;
        let earliest = arrival.min(ack).min(timer);
        let class = u64::from(arrival > earliest) * (1 + u64::from(ack > earliest));
        let nanoseconds = earliest.as_nanos();
        Self(if nanoseconds < NEVER >> 2 { nanoseconds << 2 | class } else { NEVER })
    }

    /// What comes.
    #[inline(always)]
    pub(crate) fn class(self) -> Class {
        match self.0 & 3 {
            0 => Class::Arrival,
            1 => Class::Ack,
            _ => Class::Timer,
        }
    }
}

/// The next event of each flow.
#[derive(Clone, Debug)]
pub(crate) struct Events {
    /// The earliest of all.
    first: u64,
    /// What is earliest below each of the nodes 4i + 1 to 4i + 4; flow k is the node `quads.len() + k`.
    quads: Vec<[u64; 4]>,
}

impl Events {
    pub(crate) fn new(flows: usize) -> Self {
        let (mut nodes, mut leaves) = (1, 4);
        while leaves < flows {
            (nodes, leaves) = (nodes + leaves, 4 * leaves);
        }
        Self { first: NEVER, quads: vec![[NEVER; 4]; nodes] }
    }

    /// Sets what comes next in `flow`.
    #[inline]
    pub(crate) fn plan(&mut self, next: Next, flow: usize) {
        let (mut node, mut earliest) = (self.quads.len() + flow, next.0);
        while node > 0 {
            let (above, place) = ((node - 1) / 4, (node - 1) % 4);
            let quad = &mut self.quads[above];
            if quad[place] == earliest {
                return;
            }
            quad[place] = earliest;
            earliest = quad[0].min(quad[1]).min(quad[2].min(quad[3]));
            node = above;
        }
        self.first = earliest;
    }

    /// When something happens next; later than any run ends if nothing is planned.
    #[inline(always)]
    pub(crate) fn next_at(&self) -> Time {
        Time::from_nanos(self.first >> 2)
    }

    /// What happens next, and in which flow. It stays planned until its flow is planned anew.
    #[inline(always)]
    pub(crate) fn next(&self) -> (Next, usize) {
        let mut node = 0;
        while let Some(quad) = self.quads.get(node) {
            let is_first = |place: usize| u32::from(quad[place] == self.first) << place;
            let places = is_first(0) | is_first(1) | is_first(2) | is_first(3);
            node = 4 * node + 1 + places.trailing_zeros() as usize;
        }
        (Next(self.first), node - self.quads.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOT: Time = Time::NEVER;

    const fn at(nanoseconds: u64) -> Time {
        Time::from_nanos(nanoseconds)
    }

    fn only(time: Time, class: Class) -> Next {
        let mut times = [NOT; 3];
        times[class as usize] = time;
        Next::of(times)
    }

    #[test]
    fn at_the_same_nanosecond_arrivals_come_before_acks_before_timers_each_by_flow() {
        let mut events = Events::new(3);
        events.plan(Next::of([NOT, NOT, at(5)]), 0);
        events.plan(Next::of([NOT, at(5), at(5)]), 1);
        events.plan(Next::of([at(5), at(5), NOT]), 2);
        let mut order = Vec::new();
        let mut left = [[NOT, NOT, at(5)], [NOT, at(5), at(5)], [at(5), at(5), NOT]];
        while events.next_at() < at(6) {
            let (next, flow) = events.next();
            let class = next.class();
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
        let (next, flow) = events.next();
        assert_eq!((events.next_at(), next.class(), flow), (at(7), Class::Timer, 0));
    }

    #[test]
    fn never_comes_behind_all_that_is_planned() {
        let mut events = Events::new(2);
        let never = events.next_at();
        let last = Time::from_nanos(never.as_nanos() - 1);
        events.plan(Next::of([last, NOT, NOT]), 0);
        assert_eq!(events.next_at(), last);
        events.plan(Next::of([NOT, NOT, NOT]), 0);
        assert_eq!(events.next_at(), never);
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
            let classes = [Class::Arrival, Class::Ack, Class::Timer];
            let all = (0..flows).flat_map(|flow| classes.map(|class| (planned[flow][class as usize], class, flow)));
            let expected = all.filter(|(time, ..)| *time != NOT).min();
            let (next, flow) = events.next();
            assert_eq!(expected.map_or(Next::of([NOT; 3]), |(time, class, _)| only(time, class)), next);
            assert!(
                expected.is_none_or(|(time, class, of)| (time, class, of) == (events.next_at(), next.class(), flow))
            );
        }
    }
}
