//! The four profiles of docs/models/tcp-profiles.md, where every case starts.

use airlink_model::transport::{
    Algorithm, CubicConfig, DelayedAck, Estimator, Growth, InitialWindow, LostSynWindow, RateReduction, RecoveryEnd,
    ReductionOf, RestartAfterIdle, RtoConfig, Rules, SackPipe, SlowStartExit, SpuriousResponse, Tcp, WindowValidation,
};
use airlink_model::types::{Bytes, Duration};

pub const NAMES: [&str; 4] = ["classic", "ns2", "rfc", "linux"];

pub fn named(name: &str) -> Tcp {
    match name {
        "ns2" => ns2(),
        "rfc" => rfc(),
        "linux" => linux(),
        _ => Tcp::default(),
    }
}

fn ns2() -> Tcp {
    Tcp {
        mss: Bytes::new(1000),
        handshake: true,
        initial_window: InitialWindow::Segments,
        initial_window_segments: 2,
        initial_ssthresh_segments: 20.0,
        restart_after_idle: RestartAfterIdle::InitialWindow,
        rto: RtoConfig {
            estimator: Estimator::Ns2,
            min: Duration::from_millis(200),
            initial: Duration::from_millis(3000),
            tick: Duration::from_millis(100),
            variance_floor: false,
            ..RtoConfig::default()
        },
        receiver_window: Bytes::new(20_000),
        delayed_ack: DelayedAck { repetition_waits: true, ..DelayedAck::default() },
        rules: Rules {
            initial_window_after_lost_syn: LostSynWindow::FallsBack,
            reduction_of: ReductionOf::Window,
            guard_after_recovery: true,
            first_loss_unguarded: true,
            restart_timer_on_retransmission: true,
            recovery_end: RecoveryEnd::Deflated,
            growth_at_recovery_end: true,
            recovery_burst_segments: 2,
            limited_transmit: true,
            limited_transmit_resends: true,
            sack_pipe: SackPipe::Ns2Sack1,
            sack_of_old_acks: true,
            forget_sack_on_timeout: true,
            sack_blocks: 3,
            ..Rules::default()
        },
        ..Tcp::default()
    }
}

fn rfc() -> Tcp {
    Tcp {
        congestion_control: Algorithm::NewReno,
        handshake: true,
        initial_window: InitialWindow::Rfc3390,
        restart_after_idle: RestartAfterIdle::InitialWindow,
        sack: true,
        delayed_ack: DelayedAck { every: 2, ..DelayedAck::default() },
        rules: Rules {
            growth: Growth::ByteCounting,
            byte_counting_limit_segments: 1,
            limited_transmit: true,
            sack_of_old_acks: true,
            sack_rescue: true,
            frto: true,
            spurious_response: SpuriousResponse::Eifel,
            sack_blocks: 4,
            dsack: true,
            ..Rules::default()
        },
        ..Tcp::default()
    }
}

fn linux() -> Tcp {
    Tcp {
        congestion_control: Algorithm::Cubic,
        mss: Bytes::new(1448),
        handshake: true,
        initial_window: InitialWindow::Segments,
        initial_window_segments: 10,
        cubic: CubicConfig { beta: 717.0 / 1024.0, c: 410.0 / 1024.0, ..CubicConfig::default() },
        restart_after_idle: RestartAfterIdle::Decay,
        sack: true,
        timestamps: true,
        rto: RtoConfig {
            estimator: Estimator::Linux,
            min: Duration::from_millis(200),
            min_bounds_variance: true,
            max: Duration::from_millis(120_000),
            timer_tick: Duration::from_millis(4),
            sample_every_ack: true,
            ..RtoConfig::default()
        },
        receiver_window: Bytes::new(3_145_728),
        receive_autotuning: true,
        delayed_ack: DelayedAck {
            every: 2,
            quick_segments: 16,
            least_timer: Duration::from_millis(40),
            ..DelayedAck::default()
        },
        rules: Rules {
            initial_window_after_lost_syn: LostSynWindow::ForgivesFirst,
            growth: Growth::WholeSegments,
            slow_start_exit: SlowStartExit::HyStart,
            reduction_of: ReductionOf::CongestionWindow,
            window_validation: WindowValidation::Linux,
            timeout_in_recovery_reduces: false,
            restart_timer_on_retransmission: true,
            limited_transmit: true,
            sack_of_old_acks: true,
            prr: RateReduction::Linux,
            rack: true,
            tail_loss_probe: true,
            timer_slack: Duration::from_millis(2),
            frto: true,
            frto_at_once: true,
            eifel_detection: true,
            dsack_detection: true,
            spurious_response: SpuriousResponse::Undo,
            sack_blocks: 3,
            dsack: true,
            ..Rules::default()
        },
        ..Tcp::default()
    }
}
