//! The two ends of a flow's connection. A download has a sender at the server and a receiver at the user, and nothing for the
//! silent direction.

use airlink_model::transport::{Endpoint, Receiver, Segment, Sender};
use airlink_model::types::{Bytes, Direction, Ecn, Time};

use super::FlowConfig;

/// One end.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a download's sender is met with every ACK: no pointer stands before it")]
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
    /// Where data goes, of both ways the one whose sender is recorded.
    data: Direction,
}

impl Ends {
    pub(super) fn new(config: &FlowConfig) -> Self {
        let sender = || match &config.control {
            Some(control) => Sender::with_control(config.tcp.clone(), control.clone()),
            None => Sender::new(config.tcp.clone()),
        };
        if config.has_endpoints() {
            let end = |way| match &config.control {
                Some(control) if way == config.data() => Endpoint::with_control(config.tcp.clone(), control.clone()),
                _ => Endpoint::new(config.tcp.clone()),
            };
            let (server, user) = (end(Direction::Down), end(Direction::Up));
            let data = config.data();
            return Self { server: End::Both(Box::new(server)), user: End::Both(Box::new(user)), data };
        }
        let (server, user) = (End::Sends(sender()), End::Receives(Receiver::new(&config.tcp)));
        Self { server, user, data: Direction::Down }
    }

    /// The end that sends packets of `direction`.
    #[inline]
    pub(super) const fn at_start_of(&mut self, direction: Direction) -> &mut End {
        match direction {
            Direction::Down => &mut self.server,
            Direction::Up => &mut self.user,
        }
    }

    /// The ECN field of the packet that carries `segment` this way.
    pub(super) fn ecn_field(&self, direction: Direction, segment: &Segment) -> Ecn {
        let end = if direction == Direction::Down { &self.server } else { &self.user };
        end.sender().map_or(Ecn::NotEct, |sender| sender.ecn_field(segment))
    }

    /// True if `segment`, which goes this way, has the last bytes that there are to send.
    pub(super) fn is_last(&self, direction: Direction, segment: &Segment) -> bool {
        let end = if direction == Direction::Down { &self.server } else { &self.user };
        end.sender().is_some_and(|sender| sender.is_last(segment))
    }

    /// Where data goes; of data both ways that of the server.
    #[inline]
    pub(super) const fn data(&self) -> Direction {
        self.data
    }

    /// The sender of the data, once there is one.
    #[inline]
    pub(super) fn sender(&self) -> Option<&Sender> {
        match self.data {
            Direction::Down => self.server.sender(),
            Direction::Up => self.user.sender(),
        }
    }

    /// The sender at the user, once there is one.
    pub(super) fn user_sender(&self) -> Option<&Sender> {
        self.user.sender()
    }

    /// The receiver of the data, once there is one.
    #[inline]
    pub(super) fn receiver(&self) -> Option<&Receiver> {
        match self.data {
            Direction::Down => self.user.receiver(),
            Direction::Up => self.server.receiver(),
        }
    }

    /// Bytes of the data that are acknowledged.
    #[inline]
    pub(super) fn acknowledged(&self) -> Bytes {
        self.sender().map_or(Bytes::ZERO, Sender::acknowledged)
    }

    /// Bytes of the data that have arrived in order.
    #[inline]
    pub(super) fn goodput(&self) -> Bytes {
        self.receiver().map_or(Bytes::ZERO, Receiver::goodput)
    }

    /// The next timer of either end.
    #[inline]
    pub(super) fn poll_timeout(&self) -> Time {
        let (End::Sends(sender), End::Receives(receiver)) = (&self.server, &self.user) else {
            return self.poll_timeout_of_both();
        };
        let or_never = |time: Option<Time>| time.unwrap_or(Time::NEVER);
        or_never(sender.poll_timeout()).min(or_never(receiver.poll_timeout()))
    }

    #[cold]
    #[inline(never)]
    fn poll_timeout_of_both(&self) -> Time {
        self.server.poll_timeout().min(self.user.poll_timeout())
    }

    /// Checks that as many packets set out down and up as the ends sent.
    pub(super) fn check_sent(&self, packets: [u64; 2]) {
        for (end, packets) in [(&self.server, packets[0]), (&self.user, packets[1])] {
            let sent = match end {
                End::Sends(sender) => sender.statistics().segments_sent,
                End::Receives(_) => continue,
                End::Both(endpoint) => endpoint.segments_sent(),
            };
            assert!(packets == sent, "{sent} segments were sent, but {packets} packets");
        }
    }
}

impl End {
    fn sender(&self) -> Option<&Sender> {
        match self {
            Self::Sends(sender) => Some(sender),
            Self::Both(endpoint) => endpoint.sender(),
            Self::Receives(_) => None,
        }
    }

    #[inline]
    fn receiver(&self) -> Option<&Receiver> {
        match self {
            Self::Receives(receiver) => Some(receiver),
            Self::Both(endpoint) => endpoint.receiver(),
            Self::Sends(_) => None,
        }
    }

    fn poll_timeout(&self) -> Time {
        let timeout = match self {
            Self::Sends(sender) => sender.poll_timeout(),
            Self::Receives(receiver) => receiver.poll_timeout(),
            Self::Both(endpoint) => endpoint.poll_timeout(),
        };
        timeout.unwrap_or(Time::NEVER)
    }
}
