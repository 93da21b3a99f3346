//! Every field of both ends, drawn from the whole range that a scenario allows.
//!
//! Where a range has no end, it ends far beyond what anybody would choose, but where a run would end before a case does.

use airlink_model::transport::{
    Algorithm, Estimator, Growth, InitialWindow, LostSynWindow, Pacing, RateReduction, Reader, RecoveryEnd,
    ReductionOf, RestartAfterIdle, SackPipe, SlowStartExit, SpuriousResponse, VegasDifference, VegasRoundTrip,
    VegasSlowStart, VegasSlowStartEnd, WestwoodSets, WindowValidation,
};
use airlink_model::types::{Bytes, Duration, Rate};

use super::case::Change;

macro_rules! changes {
    ($($name:literal: $make:expr,)*) => { &[$(Change { name: $name, make: $make }),*] };
}

pub const FIELDS: &[Change] = changes! {
    "mss": |case, draw| {
        let any = draw.size(1, 65_535);
        case.sender.mss = Bytes::new(draw.pick(&[1, 2, 7, 100, 536, 1448, 1460, 8948, 65_535, any]));
    },
    "congestion_control": |case, draw| {
        let all = [Algorithm::Tahoe, Algorithm::Reno, Algorithm::NewReno, Algorithm::Cubic, Algorithm::Westwood, Algorithm::Vegas];
        case.sender.congestion_control = draw.pick(&all);
    },
    "growth": |case, draw| {
        case.sender.byte_counting_limit_segments = draw.size(1, 1000) as u32;
        case.sender.growth = draw.pick(&[Growth::PerAck, Growth::ByteCounting, Growth::WholeSegments]);
    },
    "slow_start_exit": |case, draw| {
        let all = [SlowStartExit::Loss, SlowStartExit::HyStartPlusPlus, SlowStartExit::HyStart];
        case.sender.slow_start_exit = draw.pick(&all);
    },
    "reduction_of": |case, draw| {
        let all = [ReductionOf::Flight, ReductionOf::Window, ReductionOf::CongestionWindow];
        case.sender.reduction_of = draw.pick(&all);
    },
    "reduction_in_whole_segments": |case, draw| case.sender.reduction_in_whole_segments = draw.coin(),
    "cubic": |case, draw| {
        let cubic = &mut case.sender.cubic;
        cubic.beta = draw.pick(&[1e-9, 0.1, 0.5, 0.7, 0.999_999]);
        cubic.c = draw.logarithmic(1e-6, 1e6);
        cubic.fast_convergence = draw.coin();
        cubic.reno_friendly = draw.coin();
    },
    "westwood": |case, draw| {
        let any = draw.milliseconds(0.001, 6e4);
        let westwood = &mut case.sender.westwood;
        westwood.filter_memory = draw.pick(&[0.0, 0.1, 0.875, 0.9, 0.999_999]);
        westwood.filter_stages = draw.pick(&[1, 2]);
        westwood.least_window = draw.pick(&[Duration::ZERO, any]);
        westwood.sets = draw.pick(&[WestwoodSets::AtLoss, WestwoodSets::AfterRecovery]);
        westwood.forgets_least_rtt = draw.coin();
    },
    "vegas": |case, draw| {
        let vegas = &mut case.sender.vegas;
        vegas.alpha_segments = draw.pick(&[0.0, 0.5, 1.0, 2.0, 1e6]);
        vegas.beta_segments = vegas.alpha_segments + draw.pick(&[0.0, 2.0, 1e6]);
        vegas.gamma_segments = draw.pick(&[0.0, 1.0, 1e6]);
        vegas.slow_start = draw.pick(&[VegasSlowStart::EveryOtherRound, VegasSlowStart::EveryRound]);
        vegas.slow_start_end = draw.pick(&[VegasSlowStartEnd::AtActualRate, VegasSlowStartEnd::EighthLess]);
        vegas.difference = draw.pick(&[VegasDifference::OverRtt, VegasDifference::OverBaseRtt]);
        vegas.round_trip = draw.pick(&[VegasRoundTrip::Least, VegasRoundTrip::Mean]);
        vegas.least_samples = draw.pick(&[1, 3, 100, u32::MAX]);
        vegas.forgets_base_rtt = draw.coin();
    },
    "initial_window": |case, draw| {
        case.sender.initial_window_segments = draw.pick(&[1, 2, 3, 10, 100, 10_000, u32::MAX]);
        case.sender.initial_window = draw.pick(&[InitialWindow::Segments, InitialWindow::Rfc3390, InitialWindow::Rfc6928]);
    },
    "initial_window_after_lost_syn": |case, draw| {
        case.sender.initial_window_segments = draw.pick(&[1, 2, 10_000, u32::MAX]);
        case.sender.initial_window_after_lost_syn =
            draw.pick(&[LostSynWindow::OneSegment, LostSynWindow::ForgivesFirst, LostSynWindow::FallsBack]);
    },
    "initial_ssthresh": |case, draw| {
        let any = draw.logarithmic(0.01, 1000.0);
        case.sender.initial_ssthresh_segments = draw.pick(&[1e-9, 1.0, 2.0, 1e300, f64::INFINITY, any]);
    },
    "restart_after_idle": |case, draw| {
        let all = [RestartAfterIdle::Off, RestartAfterIdle::InitialWindow, RestartAfterIdle::Decay];
        case.sender.restart_after_idle = draw.pick(&all);
    },
    "window_validation": |case, draw| {
        let all = [WindowValidation::Off, WindowValidation::Rfc7661, WindowValidation::Linux];
        case.sender.window_validation = draw.pick(&all);
    },
    "duplicate_ack_threshold": |case, draw| {
        case.sender.duplicate_ack_threshold = draw.pick(&[1, 2, 3, 4, 10, 100, u32::MAX]);
    },
    "guard_after_timeout": |case, draw| case.sender.guard_after_timeout = draw.coin(),
    "guard_after_recovery": |case, draw| case.sender.guard_after_recovery = draw.coin(),
    "forgets_recovery_point": |case, draw| case.sender.forgets_recovery_point = draw.coin(),
    "first_loss_unguarded": |case, draw| case.sender.first_loss_unguarded = draw.coin(),
    "less_careful": |case, draw| case.sender.less_careful = draw.coin(),
    "impatient": |case, draw| case.sender.impatient = draw.coin(),
    "restart_timer": |case, draw| case.sender.restart_timer_on_retransmission = draw.coin(),
    "recovery_end": |case, draw| {
        case.sender.recovery_end = draw.pick(&[RecoveryEnd::Flight, RecoveryEnd::Threshold, RecoveryEnd::Deflated]);
    },
    "growth_at_recovery_end": |case, draw| case.sender.growth_at_recovery_end = draw.coin(),
    "partial_window_deflation": |case, draw| case.sender.partial_window_deflation = draw.coin(),
    "max_burst": |case, draw| case.sender.max_burst_segments = draw.pick(&[0, 1, 2, 3, u32::MAX]),
    "recovery_burst": |case, draw| case.sender.recovery_burst_segments = draw.pick(&[0, 1, 2, 3, u32::MAX]),
    "limited_transmit": |case, draw| case.sender.limited_transmit = draw.coin(),
    "limited_transmit_resends": |case, draw| case.sender.limited_transmit_resends = draw.coin(),
    "sack": |case, draw| case.sender.sack = draw.coin(),
    "sack_pipe": |case, draw| case.sender.sack_pipe = draw.pick(&[SackPipe::Scoreboard, SackPipe::Counted]),
    "sack_of_old_acks": |case, draw| case.sender.sack_of_old_acks = draw.coin(),
    "forget_sack": |case, draw| case.sender.forget_sack_on_timeout = draw.coin(),
    "rescue": |case, draw| case.sender.rescue_retransmission = draw.coin(),
    "rate_reduction": |case, draw| {
        let all = [RateReduction::Off, RateReduction::Proportional, RateReduction::Linux];
        case.sender.rate_reduction = draw.pick(&all);
    },
    "rack": |case, draw| case.sender.rack = draw.coin(),
    "tail_loss_probe": |case, draw| case.sender.tail_loss_probe = draw.coin(),
    "probe_ack_allowance": |case, draw| {
        let any = draw.milliseconds(0.001, 1e6);
        case.sender.probe_ack_allowance = draw.pick(&[Duration::ZERO, any]);
    },
    "timer_slack": |case, draw| {
        let any = draw.milliseconds(0.001, 1e6);
        case.sender.timer_slack = draw.pick(&[Duration::ZERO, any]);
    },
    "timestamps": |case, draw| case.sender.timestamps = draw.coin(),
    "forward_rto": |case, draw| case.sender.forward_rto = draw.coin(),
    "forward_rto_at_once": |case, draw| case.sender.forward_rto_at_once = draw.coin(),
    "eifel_detection": |case, draw| case.sender.eifel_detection = draw.coin(),
    "dsack_detection": |case, draw| case.sender.dsack_detection = draw.coin(),
    "spurious_response": |case, draw| {
        let all = [SpuriousResponse::Off, SpuriousResponse::Eifel, SpuriousResponse::Undo];
        case.sender.spurious_response = draw.pick(&all);
    },
    "handshake": |case, draw| case.sender.handshake = draw.coin(),
    "timeout_in_recovery_reduces": |case, draw| case.sender.timeout_in_recovery_reduces = draw.coin(),
    "timeout_raises_threshold": |case, draw| case.sender.timeout_raises_threshold = draw.coin(),
    "pacing": |case, draw| {
        let (slow_start_gain, avoidance_gain) = (draw.logarithmic(0.05, 100.0), draw.logarithmic(0.05, 100.0));
        case.sender.pacing = draw.pick(&[Pacing::Off, Pacing::Window { slow_start_gain, avoidance_gain }]);
    },
    "rto_min": |case, draw| case.sender.rto.min = draw.milliseconds(0.1, 1e5),
    "rto_initial": |case, draw| case.sender.rto.initial = draw.milliseconds(0.1, 1e5),
    "rto_max": |case, draw| case.sender.rto.max = draw.milliseconds(0.1, 1e6),
    "rto_tick": |case, draw| {
        let any = draw.milliseconds(0.1, 1e4);
        case.sender.rto.tick = draw.pick(&[Duration::ZERO, any]);
        case.sender.rto.tick_offset = draw.milliseconds(0.001, 1e5);
    },
    "rto_timer_tick": |case, draw| {
        let any = draw.milliseconds(0.1, 1e3);
        case.sender.rto.timer_tick = draw.pick(&[Duration::ZERO, any]);
    },
    "rto_next_tick": |case, draw| case.sender.rto.next_tick = draw.coin(),
    "rto_backoff": |case, draw| case.sender.rto.backoff_factor = draw.pick(&[1.0, 1.1, 1.5, 2.0, 3.7, 64.0]),
    "rto_karn": |case, draw| case.sender.rto.karn = draw.coin(),
    "rto_variance_floor": |case, draw| case.sender.rto.variance_floor = draw.coin(),
    "rto_sample_every_ack": |case, draw| case.sender.rto.sample_every_ack = draw.coin(),
    "rto_estimator": |case, draw| {
        case.sender.rto.estimator = draw.pick(&[Estimator::Rfc6298, Estimator::Linux, Estimator::Ns2]);
    },
    "rto_min_bounds_variance": |case, draw| case.sender.rto.min_bounds_variance = draw.coin(),
    "window": |case, draw| {
        let (mss, segments) = (case.sender.mss.count(), draw.size(1, 1_000_000));
        let bytes = mss.saturating_mul(segments).min(1 << 40) + draw.below(mss);
        case.receiver.receiver_window = Bytes::new(draw.pick(&[mss, mss + 1, 2 * mss - 1, 3 * mss, 65_535, 1 << 30, bytes]));
    },
    "window_scaling": |case, draw| case.receiver.window_scaling = draw.coin(),
    "autotuning": |case, draw| case.receiver.receive_autotuning = draw.coin(),
    "reader": |case, draw| {
        let slow = draw.logarithmic(1.0, 1e8);
        let after = draw.milliseconds(0.01, 1e4);
        case.receiver.reader = Reader::Stalling {
            rate: Rate::from_bps(8.0 * draw.pick(&[slow, f64::INFINITY])),
            stall_after: draw.pick(&[Duration::ZERO, Duration::FOREVER, after]),
            stall_for: draw.milliseconds(0.01, 1e5),
        };
    },
    "sack_blocks": |case, draw| case.receiver.sack_blocks = draw.within(1, 4) as u8,
    "dsack": |case, draw| case.receiver.dsack = draw.coin(),
    "delayed_ack_every": |case, draw| case.receiver.delayed_ack.every = draw.pick(&[1, 2, 3, 10, 1000, u32::MAX]),
    "delayed_ack_timer": |case, draw| case.receiver.delayed_ack.timer = draw.milliseconds(0.0001, 1e4),
    "delayed_ack_least_timer": |case, draw| case.receiver.delayed_ack.least_timer = draw.milliseconds(0.0001, 1e4),
    "immediate_on_gap": |case, draw| case.receiver.delayed_ack.immediate_on_gap = draw.coin(),
    "repetition_waits": |case, draw| case.receiver.delayed_ack.repetition_waits = draw.coin(),
    "merge_bytes": |case, draw| case.receiver.delayed_ack.merge_bytes = draw.pick(&[0, 1, 3000, 65_535]),
    "quick_segments": |case, draw| case.receiver.delayed_ack.quick_segments = draw.pick(&[0, 1, 3, 16, u32::MAX]),
};
