//! What a congestion control of the user's hears: one record for every event, as Python and compiled code see it.

use airlink_model::transport::congestion::{AckEvent, IdleEvent, LossEvent, LostEvent, SentEvent, Windows};
use airlink_model::types::{Duration, Time};
use pyo3::prelude::*;

/// An event of a sender; what it does not have is NaN, 0 or false.
#[pyclass(frozen, get_all, module = "airlink._rust")]
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct ControlEvent {
    pub(super) now_s: f64,
    pub(super) acked_bytes: f64,
    pub(super) delivered_bytes: f64,
    pub(super) marked_bytes: f64,
    pub(super) acked_segments: f64,
    pub(super) flight_bytes: f64,
    pub(super) in_flight_bytes: f64,
    pub(super) receiver_window_bytes: f64,
    pub(super) bytes: f64,
    pub(super) rtt_s: f64,
    pub(super) newest_rtt_s: f64,
    pub(super) smoothed_rtt_s: f64,
    pub(super) delivery_rate_bps: f64,
    pub(super) idle_s: f64,
    pub(super) window_bytes: f64,
    pub(super) slow_start_threshold_bytes: f64,
    pub(super) is_window_limited: bool,
    pub(super) is_retransmission: bool,
    pub(super) is_repeated: bool,
    pub(super) may_raise: bool,
    pub(super) is_validated: bool,
}

impl ControlEvent {
    pub(super) const NONE: Self = Self {
        now_s: f64::NAN,
        acked_bytes: 0.0,
        delivered_bytes: 0.0,
        marked_bytes: 0.0,
        acked_segments: 0.0,
        flight_bytes: f64::NAN,
        in_flight_bytes: f64::NAN,
        receiver_window_bytes: f64::NAN,
        bytes: 0.0,
        rtt_s: f64::NAN,
        newest_rtt_s: f64::NAN,
        smoothed_rtt_s: f64::NAN,
        delivery_rate_bps: f64::NAN,
        idle_s: 0.0,
        window_bytes: f64::NAN,
        slow_start_threshold_bytes: f64::NAN,
        is_window_limited: false,
        is_retransmission: false,
        is_repeated: false,
        may_raise: false,
        is_validated: false,
    };

    pub(super) fn of_ack(ack: &AckEvent) -> Self {
        Self {
            now_s: seconds(ack.now),
            acked_bytes: ack.acked.count() as f64,
            delivered_bytes: ack.delivered.count() as f64,
            marked_bytes: ack.marked.count() as f64,
            acked_segments: f64::from(ack.acked_segments),
            flight_bytes: ack.flight.count() as f64,
            in_flight_bytes: ack.flight.count() as f64,
            rtt_s: lasting(ack.rtt),
            newest_rtt_s: lasting(ack.newest_rtt),
            smoothed_rtt_s: lasting(ack.srtt),
            delivery_rate_bps: ack.rate.and_then(|sample| sample.rate).map_or(f64::NAN, |rate| rate.bps()),
            is_window_limited: ack.is_window_limited,
            ..Self::NONE
        }
    }

    pub(super) fn of_loss(loss: &LossEvent) -> Self {
        Self {
            now_s: seconds(loss.now),
            flight_bytes: loss.flight.count() as f64,
            in_flight_bytes: loss.in_flight.count() as f64,
            receiver_window_bytes: loss.receiver_window.count() as f64,
            is_repeated: loss.is_repeated,
            may_raise: loss.may_raise,
            is_validated: loss.is_validated,
            ..Self::NONE
        }
    }

    pub(super) fn of_sent(sent: &SentEvent) -> Self {
        Self {
            now_s: seconds(sent.now),
            bytes: sent.bytes.count() as f64,
            in_flight_bytes: sent.in_flight.count() as f64,
            is_retransmission: sent.is_retransmission,
            ..Self::NONE
        }
    }

    pub(super) fn of_lost(lost: &LostEvent) -> Self {
        Self { now_s: seconds(lost.now), bytes: lost.bytes.count() as f64, ..Self::NONE }
    }

    pub(super) fn of_idle(idle: &IdleEvent) -> Self {
        Self { now_s: seconds(idle.now), idle_s: idle.idle.as_secs(), ..Self::of_windows(idle.windows) }
    }

    pub(super) fn of_windows(windows: Windows) -> Self {
        Self { window_bytes: windows.window, slow_start_threshold_bytes: windows.slow_start_threshold, ..Self::NONE }
    }
}

fn seconds(time: Time) -> f64 {
    time.as_secs()
}

fn lasting(time: Option<Duration>) -> f64 {
    time.map_or(f64::NAN, Duration::as_secs)
}
