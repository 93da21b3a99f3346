//! The two ends of a flow's connection. A download has a sender at the server and a receiver at the user, and nothing for the
//! silent direction.

use airlink_model::transport::{Endpoint, Receiver, Sender, Statistics};
use airlink_model::types::{Direction, Time};

use super::FlowConfig;

/// One end.
#[derive(Clone, Debug)]
pub(super) enum End {
    /// It has data and hears ACKs.
    Sends(Sender),
    /// It hears data and acknowledges it.
    Receives(Receiver),
    /// Both, in one connection.
    Both(Box<Endpoint>),
}

/// The server's end and the user's.
#[derive(Clone, Debug)]
pub(super) struct Ends {
    server: End,
    user: End,
}

impl Ends {
    pub(super) fn new(config: &FlowConfig) -> Self {
        let sender = || match &config.control {
            Some(control) => Sender::with_control(config.tcp.clone(), control.clone()),
            None => Sender::new(config.tcp.clone()),
        };
        if config.has_two_ways() {
            let end = || End::Both(Box::new(Endpoint::new(config.tcp.clone())));
            return Self { server: end(), user: end() };
        }
        Self { server: End::Sends(sender()), user: End::Receives(Receiver::new(&config.tcp)) }
    }

    /// The end that sends packets of `direction`.
    #[inline]
    pub(super) const fn at_start_of(&mut self, direction: Direction) -> &mut End {
        match direction {
            Direction::Down => &mut self.server,
            Direction::Up => &mut self.user,
        }
    }

    /// The sender of the data to the user.
    #[inline]
    pub(super) fn sender(&self) -> &Sender {
        match &self.server {
            End::Sends(sender) => sender,
            End::Both(endpoint) => endpoint.sender(),
            End::Receives(_) => unreachable!("the server has data for the user"),
        }
    }

    /// The user's sender, if it has one.
    pub(super) fn user_sender(&self) -> Option<&Sender> {
        match &self.user {
            End::Both(endpoint) => Some(endpoint.sender()),
            End::Sends(sender) => Some(sender),
            End::Receives(_) => None,
        }
    }

    /// The counts so far of the sender at the user.
    pub(super) fn user_statistics(&self) -> Statistics {
        self.user_sender().map_or_else(Statistics::default, Sender::statistics)
    }

    /// The next timer of either end.
    #[inline]
    pub(super) fn poll_timeout(&self) -> Time {
        let of = |end: &End| match end {
            End::Sends(sender) => sender.poll_timeout(),
            End::Receives(receiver) => receiver.poll_timeout(),
            End::Both(endpoint) => endpoint.poll_timeout(),
        };
        let or_never = |time: Option<Time>| time.unwrap_or(Time::NEVER);
        or_never(of(&self.server)).min(or_never(of(&self.user)))
    }

    /// Checks that as many packets set out down and up as the ends sent.
    pub(super) fn check_sent(&self, packets: [u64; 2]) {
        for (end, packets) in [(&self.server, packets[0]), (&self.user, packets[1])] {
            if let End::Sends(sender) = end {
                let sent = sender.statistics().segments_sent;
                assert!(packets == sent, "{sent} segments were sent, but {packets} packets");
            }
        }
    }

    /// The receiver of the data to the user.
    #[inline]
    pub(super) fn receiver(&self) -> &Receiver {
        match &self.user {
            End::Receives(receiver) => receiver,
            End::Both(endpoint) => endpoint.receiver(),
            End::Sends(_) => unreachable!("the user gets data from the server"),
        }
    }
}
