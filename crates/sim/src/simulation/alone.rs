//! The time that each download takes alone in the network: the denominator of slowdown.
//!
//! One user at a time gets the network to itself, with its own channel, wires and losses: the same draws, slot by slot.
//! Its downloads are asked for when they were, on the connections that they had, but never two at once: one that was
//! asked for while the one before would still have been on its way follows when that is there. It leaves out: greedy
//! flows, streams and packets without a transport of the same user, and what others do to a queue, a hop or a wire.

use std::collections::BTreeMap;

use airlink_model::cell::{Cell, CellConfig, CellUser};
use airlink_model::queue::{QueueConfig, QueueScope};
use airlink_model::scheduler::{RoundRobin, RoundRobinConfig};
use airlink_model::traffic::Source;
use airlink_model::types::{Bytes, Duration, Time, UserId};

use super::Simulation;
use crate::browsing::{Connection, UserBrowser};
use crate::flow::FlowConfig;
use crate::parts::{AloneParts, Parts, UserPlace};
use crate::payload::Payload;
use crate::record::{Downloads, FlowTraits};

/// Steps between two looks at whether to stop.
const STEPS_BETWEEN_LOOKS: u32 = 1 << 12;

/// A download to ask for again.
#[derive(Clone, Copy, Debug)]
struct Request {
    flow: usize,
    at: Time,
    bytes: Bytes,
}

impl AloneParts {
    /// The time that each download takes alone, s, in their order; not a number if it does not end in time even so. None if
    /// cancelled.
    pub(crate) fn times_s(&self, downloads: &Downloads, is_cancelled: &dyn Fn() -> bool) -> Option<Vec<f64>> {
        let mut by_user: BTreeMap<u32, Vec<(usize, Request)>> = BTreeMap::new();
        for (place, row) in downloads.rows().enumerate() {
            let request = Request { flow: row.flow as usize, at: row.requested_at, bytes: row.bytes };
            by_user.entry(row.user).or_default().push((place, request));
        }
        let mut times_s = vec![f64::NAN; downloads.rows().count()];
        for (user, places) in by_user {
            let requests: Vec<Request> = places.iter().map(|(_, request)| *request).collect();
            let alone_s = self.of_user(user as usize, &requests, is_cancelled)?;
            places.iter().zip(alone_s).for_each(|((place, _), alone_s)| times_s[*place] = alone_s);
        }
        Some(times_s)
    }

    fn of_user(&self, user: usize, requests: &[Request], is_cancelled: &dyn Fn() -> bool) -> Option<Vec<f64>> {
        let mut own: Vec<usize> = requests.iter().map(|request| request.flow).collect();
        own.sort_unstable();
        own.dedup();
        let own: Vec<usize> = own.into_iter().flat_map(|flow| self.connections(flow)).collect();
        let mut simulation = Simulation::from_parts(self.parts(user, &own), &[]);
        let (mut times_s, mut free_at) = (Vec::new(), Time::ZERO);
        for request in requests {
            let at = request.at.max(free_at);
            let flow = own.binary_search(&request.flow).expect("it is among its user's");
            simulation.ask(flow, at, request.bytes);
            let mut steps = 0;
            while simulation.completed(flow, times_s.len() + 1).is_none() && !simulation.is_finished() {
                simulation.step();
                steps += 1;
                if steps % STEPS_BETWEEN_LOOKS == 0 && is_cancelled() {
                    return None;
                }
            }
            let Some(done) = simulation.completed(flow, times_s.len() + 1) else { break };
            times_s.push(done.since(at).as_secs());
            // What the slot that starts with the end of one carries can't be of the next.
            free_at = done + Duration::from_nanos(1);
        }
        times_s.resize(requests.len(), f64::NAN);
        Some(times_s)
    }

    /// The flows that a flow's downloads need: of pages all connections.
    fn connections(&self, flow: usize) -> std::ops::Range<usize> {
        let count = |own: Connection| self.browsers[own.browser].browser.connections();
        flow..flow + self.flows[flow].connection.map_or(1, count)
    }

    fn parts(&self, user: usize, own: &[usize]) -> Parts {
        let mut browsers = Vec::new();
        let flows = own.iter().enumerate().map(|(place, &flow)| self.asked(flow, place, &mut browsers)).collect();
        Parts {
            network: self.network.network(|config| cell_of(config, user)),
            hops: self.hops.clone(),
            uplink: self.uplink.map(|origin| origin.of_one(user, own.len())),
            flows,
            browsers,
            flow_traits: FlowTraits::default(),
            places: vec![UserPlace::NOWHERE],
            warmup: Time::ZERO,
            end: self.end,
            drain_end: self.end,
            window_flows: own.len(),
            alone: None,
        }
    }
}

impl AloneParts {
    /// The flow that waits to be asked in the place of `flow`; it comes at `place`, behind its browser's other connections.
    fn asked(&self, flow: usize, place: usize, browsers: &mut Vec<UserBrowser>) -> FlowConfig {
        let config = &self.flows[flow];
        let connection = config.connection.map(|Connection { browser, number }| {
            if number == 0 {
                let (start, stop) = (Time::NEVER, Time::NEVER);
                browsers.push(UserBrowser { first_flow: place, start, stop, ..self.browsers[browser].clone() });
            }
            Connection { browser: browsers.len() - 1, number }
        });
        let source = match &config.source {
            Source::Requests(requests) => Source::Exchanges(requests.request),
            Source::Exchanges(request) => Source::Exchanges(*request),
            _ => Source::Asked,
        };
        let never = Time::NEVER;
        FlowConfig { user: UserId::new(0), source, start: never, stop: never, connection, ..config.clone() }
    }
}

/// The cell with this user alone, who gets all that there is as soon as anything waits.
fn cell_of(config: &CellConfig, user: usize) -> Cell<Payload> {
    let config = CellConfig {
        id: config.id,
        clock: config.clock,
        duplex: config.duplex,
        subchannels: config.subchannels,
        users: vec![CellUser { id: UserId::new(0), ..config.users[user].clone() }],
        coupled: config.coupled,
        rlc: config.rlc,
        queue: QueueConfig { scope: QueueScope::User, ..config.queue },
        queue_management: config.queue_management.clone(),
        seed: config.seed,
        serve_empty_queues: false,
    };
    let round_robin = RoundRobinConfig { skip_unservable: true, ..RoundRobinConfig::default() };
    Cell::new(config, Some(Box::new(RoundRobin::new(round_robin, false))))
}
