//! What a flow is built from.

use std::sync::Arc;

use airlink_model::path::{Impairments, LinkConfig};
use airlink_model::traffic::Source;
use airlink_model::transport::congestion::CongestionControl;
use airlink_model::transport::{EcnMode, Reader, Segment, Tcp};
use airlink_model::types::{Bytes, Direction, Time, UserId};

use super::Hold;
use crate::browsing::Connection;
use crate::record::Span;

/// Everything that a flow is built from.
#[derive(Clone, Debug)]
pub(crate) struct FlowConfig {
    /// Which of the scenario's groups it is of.
    pub(crate) group: usize,
    pub(crate) user: UserId,
    pub(crate) source: Source,
    /// Which way packets without TCP go.
    pub(crate) direction: Direction,
    pub(crate) start: Time,
    pub(crate) stop: Time,
    pub(crate) downlink: LinkConfig,
    pub(crate) uplink: LinkConfig,
    /// The hops that its packets pass between its wire and the network, by number.
    pub(crate) hops: Arc<[u8]>,
    /// The hops that packets of its user pass before the uplink.
    pub(crate) uplink_hops: Arc<[u8]>,
    /// What its user sends waits for grants of the uplink.
    pub(crate) asks_for_grants: bool,
    /// Large and rare.
    pub(crate) downlink_impairments: Option<Box<Impairments>>,
    pub(crate) uplink_impairments: Option<Box<Impairments>>,
    /// Which timeouts are held.
    pub(crate) hold: Hold,
    /// Which connection of a browser it is; none if it has no browser.
    pub(crate) connection: Option<Connection>,
    /// The flows of a group share it.
    pub(crate) tcp: Arc<Tcp>,
    /// Its server handles the ACKs of a span of time at once.
    pub(crate) goes_ahead: bool,
    /// In place of the congestion control that it names.
    pub(crate) control: Option<Box<dyn CongestionControl>>,
}

impl FlowConfig {
    /// Whether its wires have impairments.
    pub(crate) fn has_impaired_path(&self) -> bool {
        self.downlink_impairments.is_some() || self.uplink_impairments.is_some()
    }

    /// When its transport starts; never without one, or if it waits to be asked.
    pub(super) fn starts_at(&self) -> Time {
        if matches!(self.source, Source::Backlogged(_) | Source::Exchanges(_)) { Time::NEVER } else { self.start }
    }

    /// True if its packets can be marked (ECN).
    #[inline]
    pub(crate) fn has_ecn(&self) -> bool {
        self.tcp.ecn != EcnMode::Off && !matches!(self.source, Source::Backlogged(_))
    }

    /// True if its TCP may do what only rules beyond RFC 5681 do, or meet a closed window.
    pub(crate) fn has_newer_rules(&self) -> bool {
        let tcp = &self.tcp;
        let detects = tcp.rules.frto || tcp.rules.eifel_detection || tcp.rules.dsack_detection;
        tcp.sack || tcp.rules.limited_transmit || detects || tcp.reader != Reader::Immediate
    }

    /// True if what its user sends passes anything before the flow's own wire.
    #[inline]
    pub(super) fn leaves_by_nodes(&self) -> bool {
        self.asks_for_grants || !self.uplink_hops.is_empty()
    }

    /// Whether its packets pass hops, either way, or wait for grants.
    pub(super) fn passes_hops(&self) -> bool {
        !self.hops.is_empty() || self.leaves_by_nodes()
    }

    /// True if data goes to the user by TCP and nothing but wires carries what the user sends.
    pub(super) fn is_download(&self) -> bool {
        !matches!(self.source, Source::Datagrams(_)) && !self.has_two_ways() && !self.leaves_by_nodes()
    }

    /// True for such a download of more than a file, over wires that lose nothing.
    pub(super) fn is_plain(&self) -> bool {
        let is_short = matches!(self.source, Source::File(_));
        self.is_download() && !is_short && !self.has_endpoints() && !self.has_impaired_path()
    }

    /// RFC 2018 §3, of an ACK with blocks: kind, length and 8 bytes a block.
    #[cold]
    pub(super) fn option_bytes(&self, ack: &Segment) -> Bytes {
        let rules = &self.tcp.rules;
        if rules.count_option_bytes {
            Bytes::new(rules.option_header_bytes + 8 * ack.sack().count() as u64)
        } else {
            Bytes::ZERO
        }
    }

    /// True if its user sends data, too.
    pub(crate) fn has_two_ways(&self) -> bool {
        matches!(self.source, Source::Requests(_) | Source::Exchanges(_))
    }

    /// Where its data goes; of data both ways that of the server.
    pub(crate) const fn data(&self) -> Direction {
        match self.source {
            Source::Greedy | Source::File(_) | Source::Stream(_) | Source::Asked | Source::Own(_) => self.direction,
            _ => Direction::Down,
        }
    }

    /// True if both ends of its connection send and receive; else one sends and the other acknowledges.
    pub(crate) fn has_endpoints(&self) -> bool {
        let has_tcp = !matches!(self.source, Source::Backlogged(_) | Source::Datagrams(_));
        self.has_two_ways() || (has_tcp && (self.tcp.close || self.data() == Direction::Up))
    }

    /// The direction of the packet that opens the connection.
    pub(crate) fn opener(&self) -> Direction {
        if self.has_two_ways() { Direction::Up } else { self.data() }
    }

    /// Whether its user sends data, alone or too.
    pub(crate) fn sends_up(&self) -> bool {
        self.span().direction == Direction::Up
    }

    /// Whose it is, and when it may send.
    pub(crate) fn span(&self) -> Span {
        let has_sender = !matches!(self.source, Source::Backlogged(_));
        let has_datagrams = matches!(self.source, Source::Datagrams(_));
        Span {
            user: self.user,
            start: self.start,
            stop: self.stop,
            has_sender,
            thinks: self.source.has_pauses(),
            is_asked: self.has_two_ways(),
            direction: if has_datagrams { self.direction } else { self.opener() },
            has_datagrams,
        }
    }
}
