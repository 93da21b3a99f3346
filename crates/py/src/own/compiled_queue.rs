//! Compiled management of a queue: one C function, which is asked about each packet that comes or is to be sent.

use std::ptr;

use airlink_model::queue::{Header, Occupancy, QueueManagement, Verdict};
use airlink_model::types::{Bytes, RandomStream, Time, UserId};

use super::kind::Kind;
use super::queue::QueuePacket;
use super::stream::own_draws;

/// Numbers that a queue keeps; all 0 at the start but the limit.
const STATE_OF_QUEUE: usize = 32;

/// Place of the most bytes that may wait or be in service beside the limits of `[queue]`, infinite at the start.
const LIMIT: usize = 0;

/// Place of a number from 0 to below 1, drawn anew for each packet that comes or is to be sent.
const DRAW: usize = 1;

/// Given the event's kind, the packet and the state; answers 1 to mark the packet, 2 to drop it, else it passes.
type QueueFunction = unsafe extern "C" fn(i64, *const QueuePacket, *mut f64) -> i64;

/// The management of one user's queue.
#[derive(Clone, Debug)]
pub(super) struct CompiledQueue {
    function: QueueFunction,
    user: UserId,
    state: [f64; STATE_OF_QUEUE],
    of_arrivals: RandomStream,
    of_heads: RandomStream,
}

impl CompiledQueue {
    /// That of `user` in the run of a seed. Its draws are those of the streams 0 and 1 of a queue in Python.
    pub(super) fn at(address: usize, user: UserId, seed: u64) -> Self {
        // SAFETY: as for metrics.
        let function = unsafe { std::mem::transmute::<usize, QueueFunction>(address) };
        let draws = |index| own_draws(seed, ((1 << 31) + user.index() as u64) << 32 | index);
        let mut state = [0.0; STATE_OF_QUEUE];
        state[LIMIT] = f64::INFINITY;
        let mut queue = Self { function, user, state, of_arrivals: draws(0), of_heads: draws(1) };
        queue.tell(Kind::Start, f64::NAN);
        queue
    }

    fn ask(&mut self, kind: Kind, packet: &QueuePacket) -> Verdict {
        // SAFETY: the function has this type; packet and state live until it returns.
        match unsafe { (self.function)(kind as i64, ptr::from_ref(packet), self.state.as_mut_ptr()) } {
            1 => Verdict::Mark,
            2 => Verdict::Drop,
            _ => Verdict::Pass,
        }
    }

    /// Tells of what is no packet's.
    fn tell(&mut self, kind: Kind, now_s: f64) {
        self.ask(kind, &QueuePacket::none(now_s, self.user));
    }
}

impl QueueManagement for CompiledQueue {
    fn limit(&self) -> Bytes {
        // Also where it is no number.
        if self.state[LIMIT] < 1e18 { Bytes::new(self.state[LIMIT].max(0.0) as u64) } else { Bytes::UNLIMITED }
    }

    fn on_arrival(&mut self, now: Time, packet: &Header, waiting: Occupancy, in_service: Occupancy) -> Verdict {
        self.state[DRAW] = self.of_arrivals.uniform();
        self.ask(Kind::Arrival, &QueuePacket::of(now, packet, waiting, in_service))
    }

    fn on_refused(&mut self) {
        self.tell(Kind::Refused, f64::NAN);
    }

    fn on_head(&mut self, now: Time, packet: &Header, behind: Occupancy) -> Verdict {
        self.state[DRAW] = self.of_heads.uniform();
        self.ask(Kind::Head, &QueuePacket::of(now, packet, behind, Occupancy::default()))
    }

    fn on_empty(&mut self) {
        self.tell(Kind::Empty, f64::NAN);
    }

    fn on_idle(&mut self, now: Time) {
        self.tell(Kind::Idle, now.as_secs());
    }

    fn chooses_drops(&self) -> bool {
        true
    }

    fn boxed_clone(&self) -> Box<dyn QueueManagement> {
        Box::new(self.clone())
    }
}
