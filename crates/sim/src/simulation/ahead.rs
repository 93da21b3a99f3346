//! Servers ahead of the network, and users behind it: what a user sends takes its time to its server, so that what the server will
//! hear is known that long before, and nobody sees what the user does until then. So a span of time passes at once; then users hear
//! what has come to them in it, and servers handle the ACKs of the span that follows. Slots, users and servers in turn, each in every
//! slot, would drive one another's code out of the processor's first cache: that was a tenth of the time and more.
//!
//! Nothing else moves. Packets come to the network and all timers run out in the order of time: a user hears all news before one of its
//! flow does, and ACKs that come after the server's wait for it. What it leaves out: flows that `FlowConfig::may_go_ahead` refuses (their
//! servers stay in turn; at a wired bottleneck all do then), and whatever is recorded event by event, since rows are in the order of
//! time.

use airlink_model::rlc::Outcome;
use airlink_model::types::{Duration, Time};

use super::{Simulation, after};
use crate::events::Events;
use crate::flow::Flow;
use crate::record::RecordKind;

/// With so much news users hear it before the span is over, so that what it is about is still near in memory.
const MUCH_NEWS: usize = 64;

/// How far the servers are, and the users.
#[derive(Clone, Debug)]
pub(super) struct Ahead {
    /// When to look at each flow's server again: at its next ACK, or once all may be ahead again.
    pub(super) acks: Events,
    /// The shortest ways from a user to its server, or less, and from a server to the network.
    pub(super) up: Duration,
    pub(super) down: Duration,
    /// Servers that are ahead have handled the ACKs that come before this.
    pub(super) until: Time,
    /// Whatever else comes before this has happened.
    pub(super) done: Time,
    /// Flows hear later what becomes of their packets: it stays in the run's `outcomes`.
    keeps_news: bool,
    /// When something came to users, and how many outcomes there were then.
    moments: Vec<(Time, usize)>,
}

impl Ahead {
    /// Whether flows hear later what becomes of their packets.
    #[inline]
    pub(super) fn keeps_news(ahead: &Option<Box<Self>>) -> bool {
        ahead.as_ref().is_some_and(|ahead| ahead.keeps_news)
    }
}

impl Simulation {
    /// Has servers go ahead of the network where that changes no result.
    pub(super) fn let_servers_go_ahead(&mut self, record: &[RecordKind]) {
        if !record.is_empty() {
            return;
        }
        let (slot, longest) = match self.network.cell() {
            Some(cell) => (cell.next_end().since(cell.poll_timeout()), Duration::FOREVER),
            None => match self.longest_span_of_wires() {
                Some(longest) => (Duration::ZERO, longest),
                None => return,
            },
        };
        let configs = || self.flows.iter().map(Flow::config).filter(|config| config.may_go_ahead(slot));
        let Some(up) = configs().map(|config| config.uplink.delay).min() else { return };
        let Some(down) = configs().map(|config| config.downlink.delay).min() else { return };
        let shows_goodput = self.network.cell().is_some_and(|cell| cell.goodput_shown().is_some());
        self.ahead = Some(Box::new(Ahead {
            acks: Events::new(self.flows.len()),
            up: up.min(longest),
            down,
            until: Time::ZERO,
            done: Time::ZERO,
            keeps_news: !shows_goodput && configs().count() == self.flows.len(),
            moments: Vec::new(),
        }));
        self.flows.iter_mut().for_each(|flow| flow.config_mut().goes_ahead = flow.config().may_go_ahead(slot));
    }

    /// Has all of them wait for their turn again, where servers and users are as far as the network.
    pub(super) fn keep_servers_in_turn(&mut self) {
        self.ahead = None;
        for (id, flow) in self.flows.iter_mut().enumerate() {
            flow.config_mut().goes_ahead = false;
            if let Some(running) = flow.started() {
                running.stay_in_turn();
            }
            self.events.plan(flow.next_event(), id);
        }
    }

    /// A run before its first event in which the goodput of each slot's end is seen at once.
    pub(crate) fn with_goodput_shown(mut self) -> Self {
        let Some(cell) = self.network.cell_mut() else { return self };
        cell.show_goodput();
        if let Some(ahead) = &mut self.ahead {
            ahead.keeps_news = false;
        }
        self
    }

    /// Handles what happens before `limit`, in spans of time.
    pub(super) fn handle_events_in_spans(&mut self, limit: Time) {
        while let Some(&Ahead { up, down, until, done, .. }) = self.ahead.as_deref()
            && done < limit
        {
            if limit > until + down {
                // What happens from now on is heard by no server before.
                self.follow(done, done, (done + up).min(self.watch_from.max(done)));
            }
            if let Some(ahead) = &mut self.ahead {
                ahead.done = limit.min(ahead.until + down);
                let done = ahead.done;
                self.handle_planned(done);
            }
        }
    }

    /// Users and servers do what they do before `limit`, as the network has: all is as if they had taken turns.
    pub(super) fn catch_up(&mut self, limit: Time) {
        self.follow(limit, limit, limit);
        // Timers that ACKs have armed, and what waits for them.
        self.handle_planned(limit);
    }

    /// Users hear what has come to them before `heard` and do what they do before `done`, as the network has; servers handle the ACKs
    /// that reach them before `until`.
    #[inline]
    pub(super) fn follow(&mut self, heard: Time, done: Time, until: Time) {
        self.hear_news(heard);
        self.handle_planned(done);
        self.handle_acks_before(until);
    }

    /// Servers handle the ACKs that reach them before `limit`.
    #[inline(never)]
    fn handle_acks_before(&mut self, limit: Time) {
        let Some(ahead) = &mut self.ahead else { return };
        ahead.until = ahead.until.max(limit);
        while ahead.acks.next_at() < limit {
            let (_, flow) = ahead.acks.next();
            let running = self.flows[flow].running();
            running.handle_acks_before(limit, &mut self.recorder.flow(flow));
            ahead.acks.plan(running.next_ack_ahead(limit), flow);
            self.events.plan(running.next_after_acks(), flow);
        }
    }

    /// A user has sent an ACK of this flow, maybe.
    #[inline]
    pub(super) fn plan_ack_ahead(&mut self, flow: usize) {
        let Some(ahead) = &mut self.ahead else { return };
        let running = self.flows[flow].running();
        if running.is_ahead {
            ahead.acks.plan(running.next_ack_ahead(ahead.until), flow);
        }
    }

    /// Takes over a timer that runs out `now` if it is of a flow whose server goes ahead, and tells whether it is: handles it, or what
    /// has to come before it and may move it, in which case it comes again.
    #[inline(never)]
    pub(super) fn takes_timer(&mut self, now: Time, flow: usize) -> bool {
        let Some(ahead) = self.ahead.as_ref().filter(|_| self.flows[flow].config().goes_ahead) else { return false };
        if self.has_news(now) || ahead.until <= now {
            self.follow(after(now), now, after(now));
        } else {
            self.handle_timer(now, flow);
        }
        true
    }

    /// What came to users `now` is heard of later.
    #[inline]
    pub(super) fn keep_news(&mut self, now: Time) {
        if let Some(ahead) = &mut self.ahead {
            ahead.moments.push((now, self.outcomes.len()));
        }
        if self.outcomes.len() >= MUCH_NEWS {
            self.hear_news(after(now));
        }
    }

    /// Flows hear how their packets have ended, the timers of their users in between: all that a cell has ended, or what comes out of a
    /// wire before `limit`.
    #[inline(never)]
    pub(super) fn hear_news(&mut self, limit: Time) {
        if self.network.cell().is_none() {
            return self.hear_arrivals(limit);
        }
        if self.outcomes.is_empty() {
            return;
        }
        let mut moments = self.ahead.as_mut().map(|ahead| std::mem::take(&mut ahead.moments)).unwrap_or_default();
        let mut outcomes = std::mem::take(&mut self.outcomes);
        let (mut heard, mut news) = (0, outcomes.drain(..));
        for (now, count) in moments.drain(..) {
            for outcome in news.by_ref().take(count - heard) {
                if let Outcome::Delivered(packet) = &outcome {
                    self.handle_user_timers(now, packet.flow.index());
                }
                self.hear(now, outcome);
            }
            heard = count;
            self.end_bursts(now);
        }
        // What queues have dropped since.
        news.for_each(|outcome| self.hear(Time::NEVER, outcome));
        self.outcomes = outcomes;
        if let Some(ahead) = &mut self.ahead {
            ahead.moments = moments;
        }
    }

    /// Handles the timers of a flow's user that run out before a packet reaches it `now`.
    #[inline]
    pub(super) fn handle_user_timers(&mut self, now: Time, flow: usize) {
        while let Some(due) = self.flows[flow].running().user_timer().filter(|due| *due < now) {
            self.handle_timer(due, flow);
        }
    }

    #[inline(never)]
    fn handle_timer(&mut self, now: Time, flow: usize) {
        let running = self.flows[flow].running();
        running.handle_timer_in_spans(now, &mut self.recorder.flow(flow));
        self.events.plan(running.next_event(), flow);
        self.plan_ack_ahead(flow);
    }
}
