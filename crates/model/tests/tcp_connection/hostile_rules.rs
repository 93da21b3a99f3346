//! Every switch of a sender, in any combination, on a network that loses, duplicates and reorders packets, and later delivers all.

use airlink_model::transport::{
    Algorithm, InitialWindow, RateReduction, RtoConfig, Rules, Segment, Sender, SpuriousResponse, Tcp,
};
use airlink_model::types::{Bytes, Duration, Rate, Time};
use proptest::prelude::*;
use proptest::sample::select;

use super::hostile_watch::{Watch, fate};
use super::wire::{Connection, MSS, at, milliseconds, receiving, sending};

prop_compose! {
    fn sender_config()(
        algorithm in select(Algorithm::ALL),
        initial_window in 1..12_u32,
        window in MSS..40 * MSS,
        losses in any::<[bool; 6]>(),
        spurious in any::<[bool; 5]>(),
        rate_reduction in select(RateReduction::ALL),
        spurious_response in select(SpuriousResponse::ALL),
        min_rto in 1..1000_u64,
        timer_tick in prop_oneof![Just(0_u64), Just(4)],
        reduces: bool,
    ) -> Tcp {
        let [sack, rack, tail_loss_probe, limited_transmit, rescue_retransmission, restart] = losses;
        let [timestamps, forward_rto, forward_rto_at_once, eifel_detection, dsack_detection] = spurious;
        Tcp {
            initial_window: InitialWindow::Segments,
            initial_window_segments: initial_window,
            receiver_window: Bytes::new(window),
            sack,
            timestamps,
            rto: RtoConfig {
                min: milliseconds(min_rto),
                max: milliseconds(4000),
                timer_tick: milliseconds(timer_tick),
                ..RtoConfig::default()
            },
            rules: Rules {
                rack: rack && sack,
                tail_loss_probe: tail_loss_probe && rack && sack,
                timer_slack: milliseconds(timer_tick / 2),
                limited_transmit,
                sack_rescue: rescue_retransmission,
                restart_timer_on_retransmission: restart,
                timeout_in_recovery_reduces: reduces,
                frto: forward_rto,
                frto_at_once: forward_rto_at_once,
                eifel_detection: eifel_detection && timestamps,
                dsack_detection,
                prr: rate_reduction,
                spurious_response,
                ..sending(algorithm).rules
            },
            ..sending(algorithm)
        }
    }
}

/// A receiver with the options that `sender` uses.
fn answering(sender: &Tcp) -> Tcp {
    Tcp {
        sack: sender.sack,
        timestamps: sender.timestamps,
        rules: Rules { dsack: sender.sack, ..receiving(sender).rules },
        ..receiving(sender)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn every_byte_arrives_under_any_rules_when_the_network_stops_losing(
        config in sender_config(),
        bytes in 1..120 * MSS,
        rate_kbps in prop_oneof![Just(f64::INFINITY), 100.0..5000.0_f64],
        data_fates in prop::collection::vec(fate(), 0..300),
        ack_fates in prop::collection::vec(fate(), 0..200),
    ) {
        let mut connection =
            Connection::new(config, answering(&config), Rate::from_bps(1e3 * rate_kbps), milliseconds(40));
        let mut watch = Watch::new(&config, bytes, data_fates, ack_fates);
        connection.start(Bytes::new(bytes), &mut watch);
        connection.run_until(at(3_000_000), &mut watch);
        prop_assert!(connection.sender.is_complete());
        prop_assert_eq!(connection.receiver.goodput(), Bytes::new(bytes));
        prop_assert!(connection.sender.poll_timeout().is_none());
    }

    #[test]
    fn a_sender_with_any_rules_survives_any_acks_at_any_time(
        config in sender_config(),
        events in prop::collection::vec(
            (0..1500_u64, 0..60_u64, prop::collection::vec((0..70_u64, 1..9_u64), 0..4), 0..100_000_u64),
            1..200,
        ),
    ) {
        let mut sender = Sender::new(config);
        sender.supply(Bytes::UNLIMITED);
        sender.open(Time::ZERO);
        let mut now = Time::ZERO;
        for (wait, number, blocks, echo) in events {
            let mut sent = 0;
            while sender.poll_packet(now).is_some() {
                sent += 1;
                prop_assert!(sent < 1000, "the sender stops sending within one instant");
            }
            now = now + Duration::from_millis(wait);
            let mut ack = Segment::ack(number * MSS / 2, config.receiver_window);
            ack.echo = config.timestamps.then(|| Time::ZERO + milliseconds(echo)).into();
            for (start, length) in blocks {
                ack.push_sack(start * MSS / 2..(start + length) * MSS / 2);
            }
            sender.handle_packet(now, &ack);
            sender.handle_timeout(now);
        }
    }
}
