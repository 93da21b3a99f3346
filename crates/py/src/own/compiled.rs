//! Compiled code of the user's, by the addresses of its C functions: it has no state but the numbers that it is handed.
//!
//! Metrics and congestion controls are here, queues in `compiled_queue`.

use std::collections::BTreeMap;
use std::ptr;

use airlink_model::scheduler::{SlotMetric, SlotView};
use airlink_model::transport::Tcp;
use airlink_model::transport::congestion::{
    AckEvent, CongestionControl, IdleEvent, LossEvent, LostEvent, Needs, SentEvent, Windows,
};
use airlink_model::types::{FlowId, RandomStream, Rate};
use airlink_sim::{Components, RawView};
use pyo3::prelude::*;

use super::compiled_queue::CompiledQueue;
use super::event::ControlEvent;
use super::kind::Kind;
use super::stream::own_draws;
use super::view::waits_s;

/// Numbers that a metric keeps for each user, and that a congestion control keeps; most are 0 at the start.
const STATE_OF_USER: usize = 8;
const STATE_OF_FLOW: usize = 32;

/// Place of a number from 0 to below 1 in the state of a congestion control, drawn anew for each event.
const DRAW: usize = STATE_OF_FLOW - 1;

/// The addresses of the user's functions.
#[derive(Clone, Debug, Default, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Compiled {
    scheduler: Option<usize>,
    controls: BTreeMap<usize, usize>,
    queue: Option<usize>,
}

impl Compiled {
    /// The parts of a run with this seed.
    pub(crate) fn components(&self, seed: u64) -> Components {
        let mut components = Components::default();
        if let Some(address) = self.scheduler {
            components = components.metric(move || Box::new(CompiledMetric::at(address, seed)));
        }
        if let Some(address) = self.queue {
            components = components.queues(move |user| Box::new(CompiledQueue::at(address, user, seed)));
        }
        for (&group, &address) in &self.controls {
            components = components
                .congestion_control(group, move |tcp, flow| Box::new(CompiledControl::at(address, tcp, flow, seed)));
        }
        components
    }
}

/// Writes the metric of user u on subchannel s to element u * subchannels + s.
type MetricFunction = unsafe extern "C" fn(*const RawView, *mut f64);

#[derive(Clone)]
struct CompiledMetric {
    function: MetricFunction,
    waits_s: Vec<f64>,
    state: Vec<f64>,
    draws: RandomStream,
}

impl CompiledMetric {
    /// That of the run of a seed. Its draws are those of the stream 0 of a scheduler in Python.
    fn at(address: usize, seed: u64) -> Self {
        // SAFETY: whoever hands the address over says that it is that of such a function; `airlink.own` says so of the user's.
        let function = unsafe { std::mem::transmute::<usize, MetricFunction>(address) };
        Self { function, waits_s: Vec::new(), state: Vec::new(), draws: own_draws(seed, 0) }
    }
}

impl SlotMetric for CompiledMetric {
    fn fill(&mut self, view: &SlotView<'_>, metrics: &mut [f64]) {
        self.waits_s.resize(view.users, 0.0);
        self.state.resize(view.users * STATE_OF_USER, 0.0);
        waits_s(view, &mut self.waits_s);
        let raw = RawView {
            slot: view.slot.number() as i64,
            now_s: view.now.as_secs(),
            slot_s: view.slot_s,
            users: view.users as i64,
            subchannels: view.subchannels as i64,
            rate_bps: view.rate_bps.as_ptr(),
            reported_db: view.reported_db.as_ptr(),
            mean_snr_db: view.mean_snr_db.as_ptr(),
            average_bps: view.average_bps.as_ptr(),
            head_of_line_delay_s: self.waits_s.as_ptr(),
            weight: view.weight.as_ptr(),
            delay_budget_s: view.delay_budget_s.as_ptr(),
            eligible: view.eligible.as_ptr(),
            backlog_bytes: view.backlog_bytes.as_ptr(),
            retransmit_bytes: view.retransmit_bytes.as_ptr(),
            last_won: view.last_won.as_ptr(),
            state: self.state.as_mut_ptr(),
            draw: self.draws.uniform(),
        };
        // SAFETY: the function has this type, and all columns live until it returns.
        unsafe { (self.function)(ptr::from_ref(&raw), metrics.as_mut_ptr()) }
    }

    fn boxed_clone(&self) -> Box<dyn SlotMetric> {
        Box::new(self.clone())
    }
}

/// Given the event's kind, the event and the state, whose first numbers are cwnd and ssthresh in bytes, a pacing rate in b/s (0: none),
/// and the MSS in bytes, and whose last is a draw.
type ControlFunction = unsafe extern "C" fn(i64, *const ControlEvent, *mut f64);

const MSS: usize = 3;

#[derive(Clone, Debug)]
struct CompiledControl {
    function: ControlFunction,
    state: [f64; STATE_OF_FLOW],
    draws: RandomStream,
}

impl CompiledControl {
    /// That of `flow` in the run of a seed. Its draws are those of the stream 0 of a control in Python.
    fn at(address: usize, tcp: &Tcp, flow: FlowId, seed: u64) -> Self {
        // SAFETY: as for metrics.
        let function = unsafe { std::mem::transmute::<usize, ControlFunction>(address) };
        let draws = own_draws(seed, (1 + flow.index() as u64) << 32);
        let mut control = Self { function, state: [0.0; STATE_OF_FLOW], draws };
        let mss = tcp.mss.count() as f64;
        let windows =
            Windows { window: tcp.initial_window_bytes(), slow_start_threshold: mss * tcp.initial_ssthresh_segments };
        (control.state[0], control.state[1], control.state[MSS]) = (windows.window, windows.slow_start_threshold, mss);
        control.tell(Kind::Start, ControlEvent::of_windows(windows));
        control
    }

    fn tell(&mut self, kind: Kind, event: ControlEvent) {
        self.state[DRAW] = self.draws.uniform();
        // SAFETY: the function has this type; event and state live until it returns.
        unsafe { (self.function)(kind as i64, ptr::from_ref(&event), self.state.as_mut_ptr()) }
    }
}

impl CongestionControl for CompiledControl {
    fn needs(&self) -> Needs {
        Needs { round_trips: true, rate_samples: true, pacing: true, ..Needs::default() }
    }

    fn window(&self) -> f64 {
        // A NaN is no window: `max` answers the other number.
        self.state[0].max(self.state[MSS])
    }

    fn slow_start_threshold(&self) -> f64 {
        self.state[1]
    }

    fn pacing_rate(&self) -> Option<Rate> {
        (self.state[2] > 0.0).then(|| Rate::from_bps(self.state[2]))
    }

    fn on_sent(&mut self, sent: &SentEvent) {
        self.tell(Kind::Sent, ControlEvent::of_sent(sent));
    }

    fn on_ack(&mut self, ack: &AckEvent) {
        self.tell(Kind::Ack, ControlEvent::of_ack(ack));
    }

    fn on_lost(&mut self, lost: &LostEvent) {
        self.tell(Kind::Lost, ControlEvent::of_lost(lost));
    }

    fn on_loss(&mut self, loss: &LossEvent) {
        self.tell(Kind::Loss, ControlEvent::of_loss(loss));
    }

    fn on_mark(&mut self, mark: &LossEvent) {
        self.tell(Kind::Mark, ControlEvent::of_loss(mark));
    }

    fn on_recovered(&mut self) {
        self.tell(Kind::Recovered, ControlEvent::NONE);
    }

    fn on_timeout(&mut self, loss: &LossEvent) {
        self.tell(Kind::Timeout, ControlEvent::of_loss(loss));
    }

    fn on_idle(&mut self, idle: &IdleEvent) {
        self.tell(Kind::Idle, ControlEvent::of_idle(idle));
    }

    fn set_window(&mut self, window: f64) {
        self.state[0] = window.max(self.state[MSS]);
        let windows = Windows { window: self.state[0], slow_start_threshold: self.state[1] };
        self.tell(Kind::WindowSet, ControlEvent::of_windows(windows));
    }

    fn restore(&mut self, windows: Windows) {
        (self.state[0], self.state[1]) = (windows.window.max(self.state[MSS]), windows.slow_start_threshold);
        self.tell(Kind::Restored, ControlEvent::of_windows(windows));
    }
}
