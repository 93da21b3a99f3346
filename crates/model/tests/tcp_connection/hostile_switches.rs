//! Every switch there is, drawn at random, with an application that stalls: handshakes, closed windows, timers and ns-2's
//! habits beside the recoveries.

use airlink_model::transport::{
    Algorithm, DelayedAck, Estimator, Growth, InitialWindow, Pacing, RateReduction, Reader, RecoveryEnd, ReductionOf,
    RestartAfterIdle, RtoConfig, Rules, SackPipe, SlowStartExit, SpuriousResponse, StallingReader, Tcp, WindowPacing,
    WindowValidation,
};
use airlink_model::types::{Bytes, Rate};
use proptest::prelude::*;
use proptest::sample::select;

use super::hostile_watch::{Watch, fate};
use super::wire::{Connection, MSS, at, milliseconds, sending};

prop_compose! {
    fn rto()(
        estimator in select(Estimator::ALL),
        min in 1..1000_u64,
        tick in prop_oneof![Just(0_u64), Just(10), Just(200)],
        timer_tick in prop_oneof![Just(0_u64), Just(4)],
        backoff_factor in 1.0..3.0_f64,
        switches in any::<[bool; 4]>(),
    ) -> RtoConfig {
        let [karn, variance_floor, sample_every_ack, min_bounds_variance] = switches;
        RtoConfig {
            min: milliseconds(min),
            initial: milliseconds(1000),
            max: milliseconds(4000),
            tick: milliseconds(if estimator == Estimator::Ns2 { tick.max(10) } else { tick }),
            backoff_factor,
            karn,
            variance_floor,
            sample_every_ack,
            estimator,
            min_bounds_variance,
            timer_tick: milliseconds(timer_tick),
            ..RtoConfig::default()
        }
    }
}

prop_compose! {
    fn windows()(
        congestion_control in select(Algorithm::ALL),
        growth in select(Growth::ALL),
        slow_start_exit in select(SlowStartExit::ALL),
        reduction_of in select(ReductionOf::ALL),
        initial_window in select(InitialWindow::ALL),
        restart_after_idle in select(RestartAfterIdle::ALL),
        window_validation in select(WindowValidation::ALL),
        pacing in prop_oneof![
            Just(Pacing::Off), Just(Pacing::Window(WindowPacing { slow_start_gain: 2.0, avoidance_gain: 1.2, ..WindowPacing::default() })),
        ],
        receiver_window in MSS..40 * MSS,
    ) -> Tcp {
        Tcp {
            initial_window,
            restart_after_idle,
            pacing,
            receiver_window: Bytes::new(receiver_window),
            rules: Rules {
                growth,
                slow_start_exit,
                reduction_of,
                window_validation,
                ..sending(congestion_control).rules
            },
            ..sending(congestion_control)
        }
    }
}

prop_compose! {
    pub fn sender_config()(
        windows in windows(),
        rto in rto(),
        losses in any::<[bool; 10]>(),
        spurious in any::<[bool; 6]>(),
        habits in any::<[bool; 6]>(),
        rate_reduction in select(RateReduction::ALL),
        spurious_response in select(SpuriousResponse::ALL),
        recovery_end in select(RecoveryEnd::ALL),
        duplicate_ack_threshold in 1..5_u32,
        recovery_burst_segments in 0..3_u32,
        max_burst_segments in 0..3_u32,
        ns2 in any::<[bool; 5]>(),
    ) -> Tcp {
        let [sack, rack, tail_loss_probe, limited_transmit, rescue_retransmission, restart, reduces, guard, impatient,
            handshake] = losses;
        let [timestamps, forward_rto, forward_rto_at_once, eifel_detection, dsack_detection, _] = spurious;
        let [guard_after_recovery, growth_at_recovery_end, resends, counted, forget_sack_on_timeout, raises] = habits;
        let [less_careful, forgets_recovery_point, first_loss_unguarded, ..] = ns2;
        let [.., partial_window_deflation, reduction_in_whole_segments] = ns2;
        Tcp {
            sack,
            handshake,
            timestamps,
            duplicate_ack_threshold,
            rto,
            rules: Rules {
                rack: rack && sack,
                tail_loss_probe: tail_loss_probe && rack && sack,
                limited_transmit,
                sack_rescue: rescue_retransmission,
                restart_timer_on_retransmission: restart,
                timeout_in_recovery_reduces: reduces,
                timeout_raises_threshold: raises,
                careful_fast_retransmit: guard,
                guard_after_recovery,
                growth_at_recovery_end,
                limited_transmit_resends: resends,
                sack_pipe: if counted { SackPipe::Ns2Sack1 } else { SackPipe::Scoreboard },
                forget_sack_on_timeout,
                recovery_end,
                recovery_burst_segments,
                max_burst_segments,
                less_careful,
                forgets_recovery_point,
                first_loss_unguarded,
                partial_window_deflation,
                reduction_in_whole_segments,
                impatient,
                frto: forward_rto,
                frto_at_once: forward_rto_at_once,
                eifel_detection: eifel_detection && timestamps,
                dsack_detection,
                prr: rate_reduction,
                spurious_response,
                ..windows.rules
            },
            ..windows
        }
    }
}

/// A receiver that answers what `sender` makes use of, and an application that may stall for a while.
pub fn answering(sender: &Tcp, every: u32, stalls: Option<(u64, u64)>) -> Tcp {
    Tcp {
        mss: sender.mss,
        receiver_window: sender.receiver_window,
        delayed_ack: DelayedAck { every, ..DelayedAck::default() },
        sack: sender.sack,
        timestamps: sender.timestamps,
        reader: stalls.map_or(Reader::Immediate, |(after, span)| {
            Reader::Stalling(StallingReader {
                rate: Rate::from_bps(400_000.0),
                stall_after: milliseconds(after),
                stall_for: milliseconds(span),
                ..StallingReader::default()
            })
        }),
        rules: Rules { dsack: sender.sack, ..Rules::default() },
        ..Tcp::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn whatever_is_switched_on_every_byte_arrives_once_the_network_heals_and_the_application_reads(
        config in sender_config(),
        every in 1..3_u32,
        stalls in prop::option::of((0..2000_u64, 0..20_000_u64)),
        bytes in 1..120 * MSS,
        data_fates in prop::collection::vec(fate(), 0..200),
        ack_fates in prop::collection::vec(fate(), 0..200),
    ) {
        let receiver = answering(&config, every, stalls);
        let mut connection = Connection::new(config, receiver, Rate::from_bps(2e6), milliseconds(40));
        let mut watch = Watch::new(&config, bytes, data_fates, ack_fates);
        connection.start(Bytes::new(bytes), &mut watch);
        connection.run_until(at(4_000_000), &mut watch);
        prop_assert!(connection.sender.is_complete());
        prop_assert!(connection.sender.poll_timeout().is_none());
    }
}
