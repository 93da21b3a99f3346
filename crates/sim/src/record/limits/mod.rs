//! What held each flow back, interval by interval.
//!
//! A flow's time is a row of stays and waits. In a stay data of it, or an ACK, is at a place that serves it: at the base
//! station or in the queue of a bottleneck, or else at an uplink where it waits for a grant, or on a wire of its own that has a
//! rate (or, if it is impaired, holds it or makes it late). In a wait nothing is, and what keeps the sender is the cause. Two things are only known afterwards: that a
//! wait was the silence before a timeout, and that a stay passed quickly beside what came after it (see `timeline`).
//!
//! It leaves out: which of several flows of one user is on air, and constant delays, which nobody can shorten.

mod account;
mod timeline;

use airlink_model::probe::Service;
use airlink_model::types::{Time, UserId};

use account::Account;
pub(crate) use timeline::{Piece, Shares};

/// What holds a flow back, as the column `cause` writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// Everything supplied was sent, and more may come.
    Application = 0,
    /// The receiver's window.
    ReceiverWindow = 1,
    /// cwnd, or another rule of congestion control.
    CongestionWindow = 2,
    /// The silence before a timeout.
    Timeout = 3,
    /// A wire or bottleneck that is busy, and what has nothing but its way before it.
    Wire = 4,
    /// The base station serves others.
    Scheduler = 5,
    /// It is on air.
    Air = 6,
    /// The link repeats, or waits to.
    Repetition = 7,
    /// It waits for a grant of the uplink.
    Grant = 8,
}

impl Cause {
    pub(crate) const ALL: [Self; 9] = [
        Self::Application,
        Self::ReceiverWindow,
        Self::CongestionWindow,
        Self::Timeout,
        Self::Wire,
        Self::Scheduler,
        Self::Air,
        Self::Repetition,
        Self::Grant,
    ];

    /// The cause's name in results.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Application => "application",
            Self::ReceiverWindow => "receiver_window",
            Self::CongestionWindow => "congestion_window",
            Self::Timeout => "rto",
            Self::Wire => "wire",
            Self::Scheduler => "scheduler",
            Self::Air => "air",
            Self::Repetition => "arq",
            Self::Grant => "grant",
        }
    }

    /// What it is, after "held back by".
    pub(super) const fn meaning(self) -> &'static str {
        match self {
            Self::Application => "the application, which had supplied nothing more yet",
            Self::ReceiverWindow => "the receiver's window",
            Self::CongestionWindow => "the congestion window, or another rule of congestion control",
            Self::Timeout => "the silence before a retransmission timeout",
            Self::Wire => "a wire or bottleneck that was busy or held packets or ACKs, or nothing but the way to go",
            Self::Scheduler => "waiting for the base station's scheduler or for a slot's start",
            Self::Air => "being on air",
            Self::Repetition => "retransmission on air, or waiting for it",
            Self::Grant => "waiting for a grant of the uplink",
        }
    }

    const fn of(service: Service) -> Self {
        match service {
            Service::Waits => Self::Scheduler,
            Service::Stalls | Service::Repairs => Self::Repetition,
            Service::Sends => Self::Air,
        }
    }
}

/// Whose flow it is, and the times between which it may send.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) user: UserId,
    pub(crate) start: Time,
    pub(crate) stop: Time,
    /// True if a transport decides when to send; else there is data as long as it may send.
    pub(crate) has_sender: bool,
    /// True if its application waits for its user, who thinks, and for nothing else.
    pub(crate) thinks: bool,
}

/// The accounts of all flows.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    /// Packets queue at a base station; else at a bottleneck, whose wire tells how long they do.
    has_cell: bool,
    accounts: Vec<Account>,
    users: Vec<Served>,
}

/// A user at the base station.
#[derive(Clone, Debug, Default)]
struct Served {
    service: Service,
    /// Flows that start later, the next one last.
    later: Vec<usize>,
    /// Flows that have started, but not those found to have ended.
    flows: Vec<usize>,
}

impl Served {
    /// The flows whose time the service is of at `now`: of thousands of files most are over or still to come.
    fn open_flows(&mut self, accounts: &[Account], now: Time) -> &[usize] {
        while let Some(flow) = self.later.pop_if(|flow| accounts[*flow].start() <= now) {
            self.flows.push(flow);
        }
        self.flows.retain(|flow| !accounts[*flow].is_closed());
        &self.flows
    }
}

impl Limits {
    pub(crate) fn new(has_cell: bool, users: usize, spans: impl Iterator<Item = Span>) -> Self {
        let mut limits = Self { has_cell, accounts: Vec::new(), users: vec![Served::default(); users] };
        for (flow, span) in spans.enumerate() {
            limits.users[span.user.index()].later.push(flow);
            limits.accounts.push(Account::new(span));
        }
        for user in &mut limits.users {
            user.later.sort_by_key(|flow| std::cmp::Reverse(limits.accounts[*flow].start()));
        }
        limits
    }

    /// The account of `flow`, written down to `now`.
    fn account(&mut self, flow: usize, now: Time) -> &mut Account {
        let account = &mut self.accounts[flow];
        account.settle(now, self.users[account.user()].service);
        account
    }

    /// A packet of `flow` set out.
    pub(crate) fn on_sent(&mut self, flow: usize, now: Time) {
        self.accounts[flow].on_sent(now);
    }

    /// A bottleneck serves or holds a packet of `flow` until then.
    pub(crate) fn on_bottleneck(&mut self, flow: usize, now: Time, until: Time) {
        self.account(flow, now).on_bottleneck(until);
    }

    /// A wire of `flow` serves or holds a packet or an ACK until then.
    pub(crate) fn on_held(&mut self, flow: usize, now: Time, until: Time) {
        self.account(flow, now).on_held(until);
    }

    /// What the user sends of `flow` waits for a grant of the uplink.
    pub(crate) fn on_grant_awaited(&mut self, flow: usize, now: Time) {
        self.account(flow, now).on_grant_awaited();
    }

    /// So much of `flow` has left with a grant.
    pub(crate) fn on_granted(&mut self, flow: usize, now: Time) {
        self.account(flow, now).on_granted();
    }

    /// What keeps the sender of `flow` from now on; none if all is done.
    pub(crate) fn on_sender(&mut self, flow: usize, now: Time, cause: Option<Cause>) {
        self.account(flow, now).on_sender(cause);
    }

    /// The retransmission timer of `flow` expired.
    pub(crate) fn on_timeout(&mut self, flow: usize, now: Time) {
        self.account(flow, now).on_timeout();
    }

    /// The last byte of `flow` is there.
    pub(crate) fn on_completed(&mut self, flow: usize, now: Time) {
        self.account(flow, now).close();
    }

    /// A packet of `flow` entered the queue of the network.
    pub(crate) fn on_queued(&mut self, flow: usize, now: Time) {
        if self.has_cell {
            self.account(flow, now).on_queued();
        }
    }

    /// A packet of `flow` left the base station.
    pub(crate) fn on_departure(&mut self, flow: usize, now: Time) {
        self.account(flow, now).on_departure(now);
    }

    pub(crate) fn on_service(&mut self, now: Time, user: UserId, service: Service) {
        let served = &mut self.users[user.index()];
        if served.service == service {
            return;
        }
        let before = served.service;
        for &flow in served.open_flows(&self.accounts, now) {
            self.accounts[flow].settle(now, before);
        }
        served.service = service;
    }

    /// The whole of each flow's time from `from` on, and `tell` hears of the pieces of all of it: the run is over at `end`.
    pub(crate) fn finish(mut self, from: Time, end: Time, mut tell: impl FnMut(usize, &Piece)) -> Vec<Shares> {
        let flows = 0..self.accounts.len();
        flows
            .map(|flow| {
                self.account(flow, end).close();
                let timeline = self.accounts[flow].take_timeline();
                timeline.finish(from, |piece| tell(flow, piece))
            })
            .collect()
    }
}
