//! Who sends what, over which path.

use serde::Deserialize;

use super::{Extended, Impairments, Tcp};

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
    /// A control that no sender could run: timeouts that are held because they would be spurious.
    pub hold_timeouts: HoldTimeouts,
}

/// Which timeouts are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HoldTimeouts {
    /// None.
    Off,
    /// All that would be spurious.
    Spurious,
    /// Of these, those in the initial slow start.
    Initial,
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
    /// Messages at a constant rate.
    Stream {
        /// The rate, b/s.
        rate_bps: f64,
        /// Size of each message.
        message_bytes: u64,
    },
    /// Files that arrive at random, each a connection of its own.
    Poisson {
        /// The rate of each user's arrivals, 1/s.
        arrivals_per_s: f64,
        /// How large they are.
        size: Size,
    },
    /// Page after page, with pauses to think, on one connection.
    Sessions {
        /// How large pages are.
        size: Size,
        /// The mean of the pauses, s.
        think_s: f64,
        /// Their law.
        think: Think,
    },
    /// Without a transport: the queue never runs empty.
    Backlogged {
        /// Size of each packet.
        packet_bytes: u64,
    },
}

/// How large files or pages are, bytes.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Size {
    /// All alike.
    Constant {
        /// The size.
        bytes: f64,
    },
    /// Exponential.
    Exponential {
        /// Its mean.
        mean_bytes: f64,
    },
    /// The logarithm is normal.
    Lognormal {
        /// Half are smaller.
        median_bytes: f64,
        /// Standard deviation of the natural logarithm.
        sigma: f64,
    },
    /// Pareto's law within bounds.
    Pareto {
        /// How fast large ones become rare.
        shape: f64,
        /// The smallest.
        min_bytes: f64,
        /// The largest.
        max_bytes: f64,
    },
    /// A triangle.
    Triangular {
        /// The smallest.
        min_bytes: f64,
        /// The most likely.
        mode_bytes: f64,
        /// The largest.
        max_bytes: f64,
    },
}

/// The law of pauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Think {
    /// All alike.
    Constant,
    /// Exponential.
    Exponential,
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
    /// Whether packets pass the queue upstream.
    pub upstream: bool,
    /// What befalls packets on their way to the network.
    pub downlink_impairments: Option<Impairments>,
    /// What befalls acknowledgments.
    pub uplink_impairments: Option<Impairments>,
}

impl Flows {
    /// The users of this group, of `users` in the cell.
    pub fn user_numbers(&self, users: usize) -> Vec<usize> {
        match &self.users {
            FlowUsers::Named(_) => (0..users).collect(),
            FlowUsers::Listed(listed) => listed.clone(),
        }
    }

    /// How many files may arrive in the mean by `end_s`, for all of the group's users; none if files do not arrive.
    pub(super) fn expected_files(&self, users: usize, end_s: f64) -> Option<f64> {
        let Traffic::Poisson { arrivals_per_s, .. } = self.traffic else { return None };
        let open_s = (self.stop_s.0.min(end_s) - self.start_s).max(0.0);
        Some(arrivals_per_s * open_s * self.user_numbers(users).len() as f64)
    }
}

impl Tcp {
    /// Reads and checks the fields of one connection.
    pub(crate) fn from_json(text: &str) -> Result<Self, Vec<super::Problem>> {
        let tcp: Self = serde_json::from_str(text).map_err(|error| vec![super::nowhere(error.to_string())])?;
        let problems = super::check::of_tcp(&tcp);
        if problems.is_empty() { Ok(tcp) } else { Err(problems) }
    }
}
