//! How many flows share a queue: those of which a packet came within a stretch of time.
//!
//! It leaves out: which of them would send more if they were let, and flows whose packets are further apart than the stretch.

use std::collections::{BTreeMap, BTreeSet};

use crate::types::{Duration, FlowId, Time};

#[derive(Clone, Debug)]
pub(super) struct RecentFlows {
    memory: Duration,
    last: BTreeMap<FlowId, Time>,
    by_age: BTreeSet<(Time, FlowId)>,
}

impl RecentFlows {
    /// None so far; one is forgotten when nothing of it came for longer than `memory`.
    pub(super) const fn new(memory: Duration) -> Self {
        Self { memory, last: BTreeMap::new(), by_age: BTreeSet::new() }
    }

    /// A packet of `flow` came.
    pub(super) fn on_arrival(&mut self, now: Time, flow: FlowId) {
        if let Some(before) = self.last.insert(flow, now) {
            self.by_age.remove(&(before, flow));
        }
        self.by_age.insert((now, flow));
    }

    /// Flows of which nothing came for long are no longer there.
    pub(super) fn forget(&mut self, now: Time) {
        while let Some((_, flow)) = self.by_age.first().copied().filter(|(last, _)| now.since(*last) > self.memory) {
            self.by_age.pop_first();
            self.last.remove(&flow);
        }
    }

    /// How many there are.
    pub(super) fn count(&self) -> u32 {
        u32::try_from(self.last.len()).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Duration;

    #[test]
    fn a_flow_counts_until_nothing_of_it_came_for_longer_than_the_memory() {
        let mut flows = RecentFlows::new(Duration::from_millis(100));
        let at = |milliseconds| Time::ZERO + Duration::from_millis(milliseconds);
        let mut counts = Vec::new();
        for (now, flow) in [(0, 1), (10, 2), (20, 1), (30, 3), (111, 3), (121, 3), (400, 2)] {
            flows.on_arrival(at(now), FlowId::new(flow));
            flows.forget(at(now));
            counts.push(flows.count());
        }
        assert_eq!(counts, [1, 2, 2, 3, 2, 1, 1]);
        flows.forget(at(500));
        assert_eq!(flows.count(), 1, "no longer than the memory");
        flows.forget(at(501));
        assert_eq!(flows.count(), 0);
    }
}
