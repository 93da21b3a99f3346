//! Who sends what, over which path, with which TCP.

use serde::Deserialize;

use super::Extended;

/// A group of equal flows, one for each user that it names.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flows {
    /// "all" or user numbers.
    pub users: FlowUsers,
    /// Earliest start, s.
    pub start_s: f64,
    /// The start is drawn uniformly over this much more, s.
    pub start_spread_s: f64,
    /// No new data from here on, s.
    pub stop_s: Extended,
    /// What there is to send.
    pub traffic: Traffic,
    /// The wires.
    pub path: Path,
    /// The transport.
    pub tcp: Tcp,
}

/// Which users a group serves.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum FlowUsers {
    /// "all".
    Named(String),
    /// By number.
    Listed(Vec<usize>),
}

/// What there is to send.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Traffic {
    /// Without end.
    Greedy {},
    /// N bytes.
    File {
        /// N.
        bytes: u64,
    },
    /// Without a transport: the queue never runs empty.
    Backlogged {
        /// Size of each packet.
        packet_bytes: u64,
    },
}

/// The wires.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Path {
    /// Server to base station, ms.
    pub downlink_delay_ms: f64,
    /// Server to base station, b/s.
    pub downlink_rate_bps: Extended,
    /// User to server, ms.
    pub uplink_delay_ms: f64,
    /// User to server, b/s.
    pub uplink_rate_bps: Extended,
}

/// The transport.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tcp {
    /// The algorithm.
    pub congestion_control: CongestionControl,
    /// Payload of a full segment.
    pub mss_bytes: u64,
    /// Headers of a data packet.
    pub header_bytes: u64,
    /// Size of an ACK.
    pub ack_bytes: u64,
    /// Initial window.
    pub initial_window_segments: u32,
    /// Initial ssthresh.
    pub initial_ssthresh_segments: Extended,
    /// Receiver's window.
    pub receiver_window_bytes: u64,
    /// Duplicates that start fast retransmit.
    pub duplicate_ack_threshold: u32,
    /// RFC 6582's guard against fast retransmit after a timeout.
    pub guard_after_timeout: bool,
    /// The retransmission timer.
    pub rto: Rto,
    /// Delayed ACK.
    pub delayed_ack: DelayedAck,
}

/// The algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CongestionControl {
    /// RFC 5681.
    Reno,
    /// RFC 6582.
    NewReno,
}

/// RFC 6298's parameters.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rto {
    /// Minimum, ms.
    pub min_ms: f64,
    /// Before any sample, ms.
    pub initial_ms: f64,
    /// Maximum, ms.
    pub max_ms: f64,
    /// Clock tick, ms; 0 is exact.
    pub tick_ms: f64,
    /// Factor of each back-off.
    pub backoff_factor: f64,
    /// Karn's rule.
    pub karn: bool,
    /// max(G, 4 RTTVAR).
    pub variance_floor: bool,
    /// A sample of every ACK.
    pub sample_every_ack: bool,
}

/// Delayed ACK.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DelayedAck {
    /// An ACK every so many segments; 1 is off.
    pub every: u32,
    /// Longest delay, ms.
    pub timer_ms: f64,
}

impl Flows {
    /// The users of this group, of `users` in the cell.
    pub fn user_numbers(&self, users: usize) -> Vec<usize> {
        match &self.users {
            FlowUsers::Named(_) => (0..users).collect(),
            FlowUsers::Listed(listed) => listed.clone(),
        }
    }
}

impl Tcp {
    /// Reads the fields of one connection.
    pub(crate) fn from_json(text: &str) -> Result<Self, Vec<super::Problem>> {
        serde_json::from_str(text).map_err(|error| vec![super::Problem::of_json(&error)])
    }
}

impl Path {
    /// Both delays are whole nanoseconds; the rates become links in `assemble`.
    pub(crate) fn delays_s(&self) -> (f64, f64) {
        (self.downlink_delay_ms / 1e3, self.uplink_delay_ms / 1e3)
    }
}
