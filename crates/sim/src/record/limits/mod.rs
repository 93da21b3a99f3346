//! What held each flow back, interval by interval.
//!
//! A flow's time is a row of stays and waits. In a stay data of it, or an ACK, is at a place that serves it: at the base
//! station or in the queue of a bottleneck, or else at an uplink where it waits for a grant, or on a wire of its own that has a
//! rate (or, if it is impaired, holds it or makes it late). In a wait nothing is, and what keeps the sender is the cause. Two things are only known afterwards: that a
//! wait was the silence before a timeout, and that a stay passed quickly beside what came after it (see `timeline`).
//!
//! A flow over UDP paces itself: its application is what it waits for, always. So it has a second account, of where its packets
//! are: there a constant delay counts as the wire, and no stay is charged to anything else.
//!
//! It leaves out: which of several flows of one user is on air, and constant delays, which nobody can shorten.

mod account;
mod timeline;

use airlink_model::probe::Service;
use airlink_model::types::{Direction, Time, UserId};

use account::Account;
use timeline::Timeline;
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

/// What keeps a flow's sender, and the direction of the data that is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Standing {
    pub(crate) cause: Cause,
    pub(crate) direction: Direction,
}

/// Which account of a flow, by its number, a piece is of.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Told {
    /// What held it back.
    Limits(usize),
    /// Where its packets were.
    Waits(usize),
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
    /// True if nothing is to be sent until its user asks.
    pub(crate) is_asked: bool,
    /// Of its data, or of that which it begins with.
    pub(crate) direction: Direction,
    /// True if it goes over UDP.
    pub(crate) has_datagrams: bool,
}

/// The accounts of all flows.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    /// Packets queue at a base station; else at a bottleneck, whose wire tells how long they do.
    has_cell: bool,
    /// A flow's by its number; behind them those of packets.
    accounts: Vec<Account>,
    /// Flows over UDP in their order, each with its account of packets.
    of_packets: Vec<(usize, usize)>,
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
    /// Writes the time down to `now` of the flows that have started: of thousands of files most are over or still to come.
    fn settle(&mut self, accounts: &mut [Account], now: Time) {
        while let Some(flow) = self.later.pop_if(|flow| accounts[*flow].start() <= now) {
            self.flows.push(flow);
        }
        let mut has_closed = false;
        for &flow in &self.flows {
            let account = &mut accounts[flow];
            account.settle(now, self.service);
            has_closed |= account.is_closed();
        }
        if has_closed {
            self.flows.retain(|flow| !accounts[*flow].is_closed());
        }
    }
}

impl Limits {
    pub(crate) fn new(has_cell: bool, users: usize, spans: impl Iterator<Item = Span>) -> Self {
        let spans: Vec<Span> = spans.collect();
        let over_udp = spans.iter().enumerate().filter(|(_, span)| span.has_datagrams);
        let of_packets = over_udp.enumerate().map(|(place, (flow, _))| (flow, spans.len() + place)).collect();
        let mut limits = Self { has_cell, accounts: Vec::new(), of_packets, users: vec![Served::default(); users] };
        let twice = spans.iter().filter(|span| span.has_datagrams);
        limits.accounts.extend(spans.iter().map(|span| Account::new(*span)));
        limits.accounts.extend(twice.map(|span| Account::of_packets(*span)));
        for (number, account) in limits.accounts.iter().enumerate() {
            limits.users[account.user()].later.push(number);
        }
        for user in &mut limits.users {
            user.later.sort_by_key(|flow| std::cmp::Reverse(limits.accounts[*flow].start()));
        }
        limits
    }

    /// That account, written down to `now`.
    #[inline]
    fn account(&mut self, account: usize, now: Time) -> &mut Account {
        let account = &mut self.accounts[account];
        account.settle(now, self.users[account.user()].service);
        account
    }

    /// The account of the packets of `flow`, if it goes over UDP.
    #[inline]
    fn of_packets(&self, flow: usize) -> Option<usize> {
        if self.of_packets.is_empty() {
            return None;
        }
        let place = self.of_packets.binary_search_by_key(&flow, |(own, _)| *own).ok()?;
        Some(self.of_packets[place].1)
    }

    /// Writes in each account of `flow`, down to `now`.
    #[inline]
    fn each(&mut self, flow: usize, now: Time, act: impl Fn(&mut Account)) {
        act(self.account(flow, now));
        if let Some(own) = self.of_packets(flow) {
            act(self.account(own, now));
        }
    }

    /// A packet of `flow` with data in `direction` set out.
    pub(crate) fn on_sent(&mut self, flow: usize, now: Time, direction: Direction) {
        self.accounts[flow].on_sent(now, direction);
        if let Some(own) = self.of_packets(flow) {
            self.account(own, now).on_copy();
        }
    }

    /// There is one more copy of a packet of `flow` that is under way.
    pub(crate) fn on_duplicated(&mut self, flow: usize) {
        if let Some(own) = self.of_packets(flow) {
            self.accounts[own].on_copy();
        }
    }

    /// A copy of a packet of `flow` has arrived or is lost.
    pub(crate) fn on_ended(&mut self, flow: usize, now: Time) {
        if let Some(own) = self.of_packets(flow) {
            self.account(own, now).on_ended();
        }
    }

    /// A bottleneck serves or holds a packet of `flow` until then.
    pub(crate) fn on_bottleneck(&mut self, flow: usize, now: Time, until: Time) {
        self.each(flow, now, |account| account.on_bottleneck(until));
    }

    /// A wire of `flow` serves or holds a packet or an ACK until then.
    pub(crate) fn on_held(&mut self, flow: usize, now: Time, until: Time) {
        self.each(flow, now, |account| account.on_held(until));
    }

    /// What the user sends of `flow` waits for a grant of the uplink.
    pub(crate) fn on_grant_awaited(&mut self, flow: usize, now: Time) {
        self.each(flow, now, Account::on_grant_awaited);
    }

    /// So much of `flow` has left with a grant.
    pub(crate) fn on_granted(&mut self, flow: usize, now: Time) {
        self.each(flow, now, Account::on_granted);
    }

    /// What keeps the sender of `flow` from now on; none if all is done.
    pub(crate) fn on_sender(&mut self, flow: usize, now: Time, standing: Option<Standing>) {
        self.account(flow, now).on_sender(standing);
        if standing.is_none()
            && let Some(own) = self.of_packets(flow)
        {
            self.account(own, now).close();
        }
    }

    /// The retransmission timer of the sender of data of `flow` in `direction` expired.
    pub(crate) fn on_timeout(&mut self, flow: usize, now: Time, direction: Direction) {
        self.account(flow, now).on_timeout(direction);
    }

    /// The last byte of `flow` is there.
    pub(crate) fn on_completed(&mut self, flow: usize, now: Time) {
        self.account(flow, now).close();
    }

    /// A packet of `flow` entered the queue of the network.
    pub(crate) fn on_queued(&mut self, flow: usize, now: Time) {
        if self.has_cell {
            self.each(flow, now, Account::on_queued);
        }
    }

    /// A packet of `flow` left the base station, or was dropped there.
    pub(crate) fn on_departure(&mut self, flow: usize, now: Time, is_dropped: bool) {
        self.each(flow, now, |account| account.on_departure(now));
        if is_dropped {
            self.on_ended(flow, now);
        }
    }

    pub(crate) fn on_service(&mut self, now: Time, user: UserId, service: Service) {
        let served = &mut self.users[user.index()];
        if served.service == service {
            return;
        }
        served.settle(&mut self.accounts, now);
        served.service = service;
    }

    /// The whole of each flow's time from `from` on, and `tell` hears of the pieces of all of it: the run is over at `end`.
    pub(crate) fn finish(mut self, from: Time, end: Time, mut tell: impl FnMut(Told, &Piece)) -> Vec<Shares> {
        let flows = self.accounts.len() - self.of_packets.len();
        let mut shares = Vec::with_capacity(flows);
        for flow in 0..flows {
            let timeline = self.close(flow, end);
            shares.push(timeline.finish(from, |piece| tell(Told::Limits(flow), piece)));
        }
        for (flow, account) in std::mem::take(&mut self.of_packets) {
            let whole = self.close(account, end).finish_as_it_is(from, |piece| tell(Told::Waits(flow), piece)).whole;
            assert!(whole == shares[flow].whole, "both accounts of a flow are of the same time");
        }
        shares
    }

    fn close(&mut self, account: usize, end: Time) -> Timeline {
        self.account(account, end).close();
        self.accounts[account].take_timeline()
    }
}
