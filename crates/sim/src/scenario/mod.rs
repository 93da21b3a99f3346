//! The scenario as complete data: every field explicit, unknown or missing ones refused, ranges checked.
//!
//! Each field is declared once, beside the struct field that the model uses. Infinity is the string "inf".

mod bottleneck;
mod check;
mod declaration;
mod experimental;
mod flows;
mod hops;
mod json;
mod link;
mod network;
mod slot;
mod upstream;

pub use crate::flow::Hold;
pub use airlink_model::traffic::Traffic;
pub use airlink_model::types::declare::Problem;
pub use bottleneck::Bottleneck;
pub use declaration::declaration;
pub use experimental::Experimental;
pub use flows::{FlowUsers, Flows, Path};
pub use hops::{Hop, Management};
pub use link::Link;
pub use network::{Carrier, Network, Radio};
pub use slot::{Slot, SlotLength};
pub use upstream::Upstream;

use airlink_model::path::UplinkConfig;
use airlink_model::transport::Tcp;
use airlink_model::types::declare::read;

/// One experiment, whole.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// A label.
    pub name: String,
    /// Measurement ends here, s; so does the run, unless it drains.
    pub duration_s: f64,
    /// Measurement starts here, s.
    pub warmup_s: f64,
    /// How much longer the run may go on until the downloads requested in the measured time have ended, s.
    pub drain_s: f64,
    /// Number of users.
    pub users: usize,
    /// What lies between the servers and the users.
    pub network: Network,
    /// A queue in front of it, for some.
    pub upstream: Option<Upstream>,
    /// Requests and grants of the users' uplink.
    pub uplink: Option<UplinkConfig>,
    /// Queues that flows pass before the network, or on their way back.
    pub hops: Vec<Hop>,
    /// Who sends what.
    pub flows: Vec<Flows>,
    /// Controls that no network could run.
    pub experimental: Experimental,
}

/// A recorded SNR (dB) or rate (b/s) that users replay, as arrays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// When each value begins, s, increasing from 0.
    pub times_s: Vec<f64>,
    /// The values; with `value_columns` those of each row one after the other, one for each subchannel.
    pub values: Vec<f64>,
}

/// A mistake of a text that is no scenario at all.
fn nowhere(message: String) -> Problem {
    Problem { path: String::new(), message: format!("not a complete scenario: {message}") }
}

/// Reads and checks the fields of one connection.
pub(crate) fn tcp_from_json(text: &str) -> Result<Tcp, Vec<Problem>> {
    let json = serde_json::from_str(text).map_err(|error| vec![nowhere(error.to_string())])?;
    let tcp: Tcp = read(&json::value_of(json), "tcp")?;
    let problems = check::of_tcp(&tcp);
    if problems.is_empty() { Ok(tcp) } else { Err(problems) }
}

impl Scenario {
    /// The longest that the run may take, s.
    pub fn longest_s(&self) -> f64 {
        self.duration_s + self.drain_s
    }

    /// Reads and checks a scenario; all range mistakes are reported together.
    pub fn from_json(text: &str) -> Result<Self, Vec<Problem>> {
        let json = serde_json::from_str(text).map_err(|error| vec![nowhere(error.to_string())])?;
        let written: network::Written = read(&json::value_of(json), "")?;
        let scenario = written.scenario().map_err(|message| vec![nowhere(message)])?;
        let problems = check::problems(&scenario);
        if problems.is_empty() { Ok(scenario) } else { Err(problems) }
    }

    /// Checks the arrays of the traces that the placement names.
    pub fn check_traces(&self, traces: &[Trace]) -> Result<(), Vec<Problem>> {
        let problems = check::trace_problems(self, traces);
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }

    /// The cell, if there is one.
    pub fn radio(&self) -> Option<&Radio> {
        match &self.network {
            Network::Radio(radio) => Some(radio),
            Network::Bottleneck(_) => None,
        }
    }

    /// The same, to be changed.
    pub fn radio_mut(&mut self) -> Option<&mut Radio> {
        match &mut self.network {
            Network::Radio(radio) => Some(radio),
            Network::Bottleneck(_) => None,
        }
    }
}
