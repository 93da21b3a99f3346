//! The two ends of a TCP connection, as the scenario describes them.

use airlink_model::transport::{
    Algorithm, ClampConfig, CubicConfig, DelayedAck, Estimator, Growth, InitialWindowRule, LostSynWindow, Pacing,
    RateReduction, Reader, ReceiverConfig, RecoveryEnd, ReductionOf, RestartAfterIdle, RtoConfig, SackPipe,
    SenderConfig, SlowStartExit, SpuriousResponse, WindowValidation,
};
use airlink_model::types::{Bytes, Duration};

use super::congestion;
use crate::scenario::congestion::Cubic;
use crate::scenario::{Tcp, transport};

/// The sending end.
#[allow(clippy::needless_update)] // a rule that the scenario has no switch for yet is off
pub(super) fn sender(tcp: &Tcp) -> SenderConfig {
    SenderConfig {
        mss: Bytes::new(tcp.mss_bytes),
        congestion_control: algorithm(tcp),
        growth: growth(tcp),
        slow_start_exit: slow_start_exit(tcp),
        reduction_of: reduction_of(tcp),
        reduction_in_whole_segments: tcp.reduction_in_whole_segments,
        cubic: cubic(tcp),
        westwood: congestion::westwood(&tcp.westwood),
        vegas: congestion::vegas(&tcp.vegas),
        initial_window: initial_window(tcp),
        initial_window_after_lost_syn: lost_syn_window(tcp),
        initial_ssthresh_segments: tcp.initial_ssthresh_segments.0,
        receiver_window: receiver(tcp).first_window(),
        restart_after_idle: restart_after_idle(tcp),
        window_validation: window_validation(tcp),
        duplicate_ack_threshold: tcp.duplicate_ack_threshold,
        guard_after_timeout: tcp.guard_after_timeout,
        guard_after_recovery: tcp.guard_after_recovery,
        less_careful: tcp.less_careful,
        forgets_recovery_point: tcp.forgets_recovery_point,
        first_loss_unguarded: tcp.first_loss_unguarded,
        timeout_keeps_duplicates: tcp.timeout_keeps_duplicates,
        impatient: tcp.impatient,
        restart_timer_on_retransmission: tcp.restart_timer_on_retransmission,
        recovery_end: recovery_end(tcp),
        growth_at_recovery_end: tcp.growth_at_recovery_end,
        partial_window_deflation: tcp.partial_window_deflation,
        recovery_burst_segments: tcp.recovery_burst_segments,
        max_burst_segments: tcp.max_burst_segments,
        limited_transmit: tcp.limited_transmit,
        limited_transmit_resends: tcp.limited_transmit_resends,
        sack: tcp.sack,
        sack_pipe: sack_pipe(tcp),
        sack_of_old_acks: tcp.sack_of_old_acks,
        forget_sack_on_timeout: tcp.forget_sack_on_timeout,
        rescue_retransmission: tcp.rescue_retransmission,
        rate_reduction: rate_reduction(tcp),
        rack: tcp.rack,
        tail_loss_probe: tcp.tail_loss_probe,
        probe_ack_allowance: milliseconds(tcp.probe_ack_allowance_ms),
        timer_slack: milliseconds(tcp.timer_slack_ms),
        timestamps: tcp.timestamps,
        forward_rto: tcp.forward_rto,
        forward_rto_at_once: tcp.forward_rto_at_once,
        eifel_detection: tcp.eifel_detection,
        dsack_detection: tcp.dsack_detection,
        spurious_response: spurious_response(tcp),
        pacing: pacing(tcp),
        handshake: tcp.handshake,
        timeout_in_recovery_reduces: tcp.timeout_in_recovery_reduces,
        timeout_raises_threshold: tcp.timeout_raises_threshold,
        rto: rto(&tcp.rto),
        clamp: match &tcp.clamp {
            transport::Clamp::Sender(window) => Some(clamp(window)),
            transport::Clamp::Off {} | transport::Clamp::On(_) => None,
        },
        header: Bytes::new(tcp.header_bytes),
        ..SenderConfig::default()
    }
}

/// The receiving end.
#[allow(clippy::needless_update)] // as above
pub(super) fn receiver(tcp: &Tcp) -> ReceiverConfig {
    let ack = &tcp.delayed_ack;
    let window = Bytes::new(tcp.receiver_window_bytes);
    ReceiverConfig {
        mss: Bytes::new(tcp.mss_bytes),
        delayed_ack: DelayedAck {
            every: ack.every,
            timer: milliseconds(ack.timer_ms),
            immediate_on_gap: ack.immediate_on_gap,
            repetition_waits: ack.repetition_waits,
            timer_first: ack.timer_first,
            quick_segments: ack.quick_segments,
            least_timer: milliseconds(ack.least_timer_ms.0.min(ack.timer_ms)),
            merge_bytes: ack.merge_bytes,
        },
        window,
        window_shift: if tcp.window_scaling { ReceiverConfig::window_shift_for(window) } else { 0 },
        autotuning: tcp.receive_autotuning,
        reader: match tcp.reader {
            transport::Reader::Immediate {} => Reader::Immediate,
            transport::Reader::Stalling { rate_bps, stall_after_s, stall_for_s } => Reader::Stalling {
                bytes_per_second: rate_bps.0 / 8.0,
                stall_after: Duration::from_secs(stall_after_s.0),
                stall_for: Duration::from_secs(stall_for_s),
            },
        },
        sack_blocks: if tcp.sack { tcp.sack_blocks } else { 0 },
        dsack: tcp.sack && tcp.dsack,
        timestamps: tcp.timestamps,
        clamp: match &tcp.clamp {
            transport::Clamp::On(window) => Some(clamp(window)),
            transport::Clamp::Off {} | transport::Clamp::Sender(_) => None,
        },
        ..ReceiverConfig::default()
    }
}

fn clamp(window: &transport::ClampWindow) -> ClampConfig {
    ClampConfig {
        additive_bytes: window.additive_bytes,
        rate_packets: window.rate_packets,
        delay_weight: window.delay_weight,
        most_increase: Bytes::new(window.most_increase_bytes),
        slow_start_threshold: Bytes::new(window.slow_start_threshold_bytes.0),
    }
}

fn algorithm(tcp: &Tcp) -> Algorithm {
    match tcp.congestion_control {
        transport::CongestionControl::Tahoe => Algorithm::Tahoe,
        transport::CongestionControl::Cubic => Algorithm::Cubic,
        transport::CongestionControl::Westwood => Algorithm::Westwood,
        transport::CongestionControl::Vegas => Algorithm::Vegas,
        transport::CongestionControl::Reno => Algorithm::Reno,
        transport::CongestionControl::NewReno => Algorithm::NewReno,
    }
}

fn growth(tcp: &Tcp) -> Growth {
    match tcp.growth {
        transport::Growth::PerAck => Growth::PerAck,
        transport::Growth::ByteCounting => Growth::ByteCounting { limit_segments: tcp.byte_counting_limit_segments },
        transport::Growth::WholeSegments => Growth::WholeSegments,
    }
}

fn slow_start_exit(tcp: &Tcp) -> SlowStartExit {
    match tcp.slow_start_exit {
        transport::SlowStartExit::Loss => SlowStartExit::Loss,
        transport::SlowStartExit::HystartPlusPlus => SlowStartExit::HyStartPlusPlus,
        transport::SlowStartExit::Hystart => SlowStartExit::HyStart,
    }
}

fn reduction_of(tcp: &Tcp) -> ReductionOf {
    match tcp.reduction_of {
        transport::ReductionOf::Flight => ReductionOf::Flight,
        transport::ReductionOf::Window => ReductionOf::Window,
        transport::ReductionOf::CongestionWindow => ReductionOf::CongestionWindow,
    }
}

fn cubic(tcp: &Tcp) -> CubicConfig {
    let Cubic { beta, c, fast_convergence, reno_friendly } = tcp.cubic;
    CubicConfig { beta, c, fast_convergence, reno_friendly }
}

fn initial_window(tcp: &Tcp) -> InitialWindowRule {
    match tcp.initial_window {
        transport::InitialWindow::Segments => InitialWindowRule::Segments(tcp.initial_window_segments),
        transport::InitialWindow::Rfc3390 => InitialWindowRule::Rfc3390,
        transport::InitialWindow::Rfc6928 => InitialWindowRule::Rfc6928,
    }
}

fn lost_syn_window(tcp: &Tcp) -> LostSynWindow {
    match tcp.initial_window_after_lost_syn {
        transport::LostSynWindow::OneSegment => LostSynWindow::OneSegment,
        transport::LostSynWindow::ForgivesFirst => LostSynWindow::ForgivesFirst,
        transport::LostSynWindow::FallsBack => LostSynWindow::FallsBack(tcp.initial_window_segments),
    }
}

fn restart_after_idle(tcp: &Tcp) -> RestartAfterIdle {
    match tcp.restart_after_idle {
        transport::RestartAfterIdle::Off => RestartAfterIdle::Off,
        transport::RestartAfterIdle::InitialWindow => RestartAfterIdle::InitialWindow,
        transport::RestartAfterIdle::Decay => RestartAfterIdle::Decay,
    }
}

fn window_validation(tcp: &Tcp) -> WindowValidation {
    match tcp.window_validation {
        transport::WindowValidation::Off => WindowValidation::Off,
        transport::WindowValidation::Rfc7661 => WindowValidation::Rfc7661,
        transport::WindowValidation::Linux => WindowValidation::Linux,
    }
}

fn recovery_end(tcp: &Tcp) -> RecoveryEnd {
    match tcp.recovery_end {
        transport::RecoveryEnd::Flight => RecoveryEnd::Flight,
        transport::RecoveryEnd::Threshold => RecoveryEnd::Threshold,
        transport::RecoveryEnd::Deflated => RecoveryEnd::Deflated,
    }
}

fn sack_pipe(tcp: &Tcp) -> SackPipe {
    match tcp.sack_pipe {
        transport::SackPipe::Scoreboard => SackPipe::Scoreboard,
        transport::SackPipe::Counted => SackPipe::Counted,
    }
}

fn rate_reduction(tcp: &Tcp) -> RateReduction {
    match tcp.rate_reduction {
        transport::RateReduction::Off => RateReduction::Off,
        transport::RateReduction::Proportional => RateReduction::Proportional,
        transport::RateReduction::Linux => RateReduction::Linux,
    }
}

fn spurious_response(tcp: &Tcp) -> SpuriousResponse {
    match tcp.spurious_response {
        transport::SpuriousResponse::Off => SpuriousResponse::Off,
        transport::SpuriousResponse::Eifel => SpuriousResponse::Eifel,
        transport::SpuriousResponse::Undo => SpuriousResponse::Undo,
    }
}

fn pacing(tcp: &Tcp) -> Pacing {
    match tcp.pacing {
        transport::Pacing::Off {} => Pacing::Off,
        transport::Pacing::Window { slow_start_gain, avoidance_gain } => {
            Pacing::Window { slow_start_gain, avoidance_gain }
        }
    }
}

#[allow(clippy::needless_update)] // as above
fn rto(rto: &transport::Rto) -> RtoConfig {
    RtoConfig {
        min: milliseconds(rto.min_ms),
        initial: milliseconds(rto.initial_ms),
        max: milliseconds(rto.max_ms),
        tick: milliseconds(rto.tick_ms),
        tick_offset: milliseconds(rto.tick_offset_ms),
        backoff_factor: rto.backoff_factor,
        karn: rto.karn,
        variance_floor: rto.variance_floor,
        sample_every_ack: rto.sample_every_ack,
        estimator: match rto.estimator {
            transport::Estimator::Rfc6298 => Estimator::Rfc6298,
            transport::Estimator::Linux => Estimator::Linux,
            transport::Estimator::Ns2 => Estimator::Ns2,
        },
        min_bounds_variance: rto.min_bounds_variance,
        timer_tick: milliseconds(rto.timer_tick_ms),
        next_tick: rto.next_tick,
        ..RtoConfig::default()
    }
}

fn milliseconds(value: f64) -> Duration {
    Duration::from_secs(value / 1e3)
}
