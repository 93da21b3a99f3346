//! The account of one flow: where its data is, what limits its sender, and since when.

use airlink_model::probe::Service;
use airlink_model::types::{Direction, Time};

use super::timeline::{Place, Timeline};
use super::{Cause, Span, Standing};

/// One flow's account.
#[derive(Clone, Debug)]
pub(super) struct Account {
    span: Span,
    is_closed: bool,
    /// Packets at the base station.
    waiting: u64,
    /// Until when a bottleneck serves or holds a packet of the flow.
    queued_until: Time,
    /// Until when a wire of the flow's own serves or holds a packet.
    held_until: Time,
    /// What the user sends and the uplink has not granted.
    ungranted: u64,
    /// What limits the sender.
    cause: Cause,
    /// Of the data that is waited for.
    direction: Direction,
    /// Only of an account of packets: copies that have neither arrived nor been lost.
    under_way: u64,
    /// When the senders of data down and up last sent any.
    sent_at: [Time; 2],
    timeline: Timeline,
}

impl Account {
    pub(super) fn new(span: Span) -> Self {
        let (cause, direction) =
            if span.is_asked { (Cause::Application, Direction::Down) } else { (Cause::Wire, span.direction) };
        Self {
            span,
            is_closed: false,
            waiting: 0,
            queued_until: Time::ZERO,
            held_until: Time::ZERO,
            ungranted: 0,
            cause,
            direction,
            under_way: 0,
            sent_at: [span.start; 2],
            timeline: Timeline::new(span.start),
        }
    }

    /// One of packets, of which none is under way yet.
    pub(super) fn of_packets(span: Span) -> Self {
        Self { cause: Cause::Application, ..Self::new(span) }
    }

    pub(super) const fn start(&self) -> Time {
        self.span.start
    }

    pub(super) const fn is_closed(&self) -> bool {
        self.is_closed
    }

    pub(super) fn user(&self) -> usize {
        self.span.user.index()
    }

    /// Records the state until `now`, during which the base station gave the user `service`.
    #[inline]
    pub(super) fn settle(&mut self, now: Time, service: Service) {
        if now > self.timeline.end() && !self.is_closed {
            self.write_to(now, service);
        }
    }

    fn write_to(&mut self, now: Time, service: Service) {
        if self.waiting > 0 {
            self.push(now, Place::Network, self.or_application(Cause::of(service)));
        } else if self.span.has_sender {
            let by_wire = self.or_application(Cause::Wire);
            self.push(now.min(self.queued_until), Place::Network, by_wire);
            if self.span.thinks && self.cause == Cause::Application {
                return self.push(now, Place::Away, self.cause);
            }
            if self.ungranted > 0 {
                return self.push(now, Place::Wire, self.or_application(Cause::Grant));
            }
            self.push(now.min(self.held_until), Place::Wire, by_wire);
            self.push(now, Place::Nowhere, self.cause);
        } else {
            // Data is queued and waits for its slot.
            self.push(now.min(self.span.stop), Place::Network, Cause::Scheduler);
        }
    }

    #[inline]
    fn push(&mut self, to: Time, place: Place, cause: Cause) {
        self.timeline.push(to, place, cause, self.direction);
    }

    /// `cause`, or application-limited if all data of the application is sent: more data would then be carried, wherever the
    /// last data are.
    fn or_application(&self, cause: Cause) -> Cause {
        if self.cause == Cause::Application { Cause::Application } else { cause }
    }

    pub(super) const fn on_sent(&mut self, now: Time, direction: Direction) {
        self.sent_at[direction as usize] = now;
    }

    pub(super) fn on_bottleneck(&mut self, until: Time) {
        self.queued_until = self.queued_until.max(until);
    }

    pub(super) fn on_held(&mut self, until: Time) {
        self.held_until = self.held_until.max(until);
    }

    pub(super) const fn on_grant_awaited(&mut self) {
        self.ungranted += 1;
    }

    pub(super) const fn on_granted(&mut self) {
        self.ungranted -= 1;
    }

    pub(super) const fn on_sender(&mut self, standing: Option<Standing>) {
        match standing {
            Some(Standing { cause, direction }) => (self.cause, self.direction) = (cause, direction),
            None => self.close(),
        }
    }

    /// Of an account of packets: one more copy is under way.
    pub(super) const fn on_copy(&mut self) {
        self.under_way += 1;
        self.cause = Cause::Wire;
    }

    /// Of an account of packets: a copy has arrived or is lost.
    pub(super) const fn on_ended(&mut self) {
        self.under_way -= 1;
        if self.under_way == 0 {
            self.cause = Cause::Application;
        }
    }

    /// The timer of the sender of data in `direction` expired.
    pub(super) fn on_timeout(&mut self, direction: Direction) {
        if !self.is_closed {
            self.timeline.silence(self.sent_at[direction as usize]);
        }
    }

    pub(super) const fn on_queued(&mut self) {
        self.waiting += 1;
    }

    pub(super) fn on_departure(&mut self, now: Time) {
        self.waiting -= 1;
        if !self.span.has_sender && self.waiting == 0 && now >= self.span.stop {
            self.close();
        }
    }

    /// Nothing is accounted from now on.
    pub(super) const fn close(&mut self) {
        self.is_closed = true;
    }

    pub(super) fn take_timeline(&mut self) -> Timeline {
        std::mem::replace(&mut self.timeline, Timeline::new(self.span.start))
    }
}
