//! Who sends what, over which path.

use airlink_model::path::ImpairmentsConfig;
use airlink_model::traffic::Traffic;
use airlink_model::transport::Tcp;
use airlink_model::types::declare::{Field, Form, Reader, Rule, Section, Value};
use airlink_model::types::{Direction, Duration, Rate};

/// One group of flows with the same settings: one flow for each listed user, of `poisson` one for each file.
#[derive(Clone, Debug, Section)]
#[section(class = "Flow")]
pub struct Flows {
    /// The users (numbered from 0) that have such a flow; each at most once in the list.
    #[field(
        at_least = 0,
        at_most = 99_999,
        items = 1,
        words("all"),
        default = FlowUsers::All,
        source = "airlink default"
    )]
    pub users: FlowUsers,
    /// When the flow starts.
    #[field(unit = "s", at_least = 0, at_most = 1e6, default = 0.0, source = "airlink default")]
    pub start_s: f64,
    /// Added to `start_s`: a draw, uniform from 0 to this, for each flow and seed.
    #[field(
        unit = "s",
        at_least = 0,
        at_most = 1e6,
        default = 0.0,
        source = "airlink default; profile K3 of [Klein04]: 5"
    )]
    pub start_spread_s: f64,
    /// From then on the flow sends no new data; outstanding data is still retransmitted. Of `poisson`: from then on no
    /// file arrives. Above `start_s` + `start_spread_s`.
    #[field(unit = "s", above = 0, at_most = 1e9, infinite, default = f64::INFINITY, source = "airlink default")]
    pub stop_s: f64,
    /// What the flow sends.
    #[field(default = Traffic::Greedy, source = "airlink default: greedy")]
    pub traffic: Traffic,
    /// Which way the data goes: down to the user, or up from it to the server, over the path's uplink alone.
    #[field(default = Direction::Down, source = "airlink default: down")]
    pub direction: Direction,
    /// The wires (not used by backlogged traffic).
    #[field(default)]
    pub path: Path,
    /// The TCP connection (not used by backlogged traffic and over UDP).
    #[field(default)]
    pub tcp: Tcp,
}

/// Which users a group serves.
#[derive(Clone, Debug, PartialEq)]
pub enum FlowUsers {
    /// All.
    All,
    /// By number.
    Listed(Vec<usize>),
}

impl Field for FlowUsers {
    fn form(rule: &Rule) -> Form {
        Vec::<usize>::form(rule)
    }

    fn read(value: &Value, rule: &Rule, reader: &mut Reader) -> Option<Self> {
        match value {
            Value::Text(text) if text == "all" => Some(Self::All),
            Value::List(_) => Vec::read(value, rule, reader).map(Self::Listed),
            other => reader.not_allowed(other, "\"all\" or a list of user numbers"),
        }
    }

    fn write(&self, rule: &Rule) -> Value {
        match self {
            Self::All => Value::Text("all".to_owned()),
            Self::Listed(users) => users.write(rule),
        }
    }
}

/// The wires of each flow: in each direction a rate-limited link with an unlimited queue, then a constant delay.
#[derive(Clone, Debug, Section)]
pub struct Path {
    /// From the server to the base station's queue.
    #[field(
        name = "downlink_delay_ms",
        unit = "ms",
        at_least = 0,
        at_most = 1e6,
        default = Duration::from_millis(20),
        source = "airlink default: a server in the same country, 40 ms there and back"
    )]
    pub downlink_delay: Duration,
    /// Rate of the wire from the server, a wire per flow.
    #[field(
        name = "downlink_rate_bps",
        unit = "b/s",
        above = 0,
        at_most = 1e15,
        infinite,
        default = Rate::UNLIMITED,
        source = "airlink default: unlimited"
    )]
    pub downlink_rate: Rate,
    /// Hops of `[[hops]]` that packets pass behind that wire, in this order; each at most once.
    #[field(at_least = 1, at_most = 100, default, source = "airlink default: none")]
    pub hops: Vec<String>,
    /// Whether packets pass the queue of `[upstream]`, behind that wire and the hops.
    #[field(default = false, source = "airlink default: they do not")]
    pub upstream: bool,
    /// Hops of `[[hops]]` that packets from users pass, in this order, each at most once: behind the grants of `[uplink]`, if there
    /// are any, and before the flow's own uplink wire.
    #[field(at_least = 1, at_most = 100, default, source = "airlink default: none")]
    pub uplink_hops: Vec<String>,
    /// Of what the user sends, ACKs or data, to the server.
    #[field(
        name = "uplink_delay_ms",
        unit = "ms",
        at_least = 0,
        at_most = 1e6,
        default = Duration::from_millis(20),
        source = "airlink default: a server in the same country, 40 ms there and back"
    )]
    pub uplink_delay: Duration,
    /// Rate of ACKs, a link per flow.
    #[field(
        name = "uplink_rate_bps",
        unit = "b/s",
        above = 0,
        at_most = 1e15,
        infinite,
        default = Rate::UNLIMITED,
        source = "airlink default: unlimited; [Klein04], given: 64 kb/s"
    )]
    pub uplink_rate: Rate,
    /// Impairments of the link from the server, separate for each flow.
    #[field(default = None, source = "airlink default: nothing")]
    pub downlink_impairments: Option<ImpairmentsConfig>,
    /// Impairments of the link for ACKs, separate for each flow.
    #[field(default = None, source = "airlink default: nothing")]
    pub uplink_impairments: Option<ImpairmentsConfig>,
}

impl Flows {
    /// The users of this group, of `users` in the cell.
    pub fn user_numbers(&self, users: usize) -> Vec<usize> {
        match &self.users {
            FlowUsers::All => (0..users).collect(),
            FlowUsers::Listed(listed) => listed.clone(),
        }
    }

    /// How many files may arrive in the mean by `end_s`, for all of the group's users; none if files do not arrive.
    pub(super) fn expected_files(&self, users: usize, end_s: f64) -> Option<f64> {
        let Traffic::Poisson { arrivals_per_s, .. } = self.traffic else { return None };
        let open_s = (self.stop_s.min(end_s) - self.start_s).max(0.0);
        Some(arrivals_per_s * open_s * self.user_numbers(users).len() as f64)
    }
}
