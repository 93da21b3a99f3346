//! What a PDU costs.

use std::time::Instant;

use airlink_model::rlc::Entity;
use airlink_model::types::{Bytes, Slot, SoftInformation, SubchannelGrant};

use super::bench::{packet, pdus};

/// 800 PDUs of 42 bytes in each slot over 400 subchannels, a twentieth of them lost: `cargo test --release -p airlink-model --test
/// all rlc_harq:: -- --ignored --nocapture`.
#[test]
#[ignore = "prints times of a release build"]
fn nanoseconds_for_each_pdu() {
    for (users, loss_percent) in [(1, 0), (1, 5), (10, 5), (10, 30)] {
        let grants = vec![SubchannelGrant { bits: 672.0, true_db: 10.0, mcs: 8 }; 400 / users];
        let mut entities = vec![Entity::new(pdus()); users];
        let (mut id, mut left, mut pdus, mut state) = (0, 0_u64, 0_u64, 1_u64);
        let start = Instant::now();
        for slot in (0..20_000).map(Slot::new) {
            for entity in &mut entities {
                let pull = || {
                    id += 1;
                    Some(packet(id, 1500))
                };
                let fate = |grants: &[SubchannelGrant], SoftInformation(earlier): SoftInformation, _: u32| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    let lost = (state >> 33) % 100 < loss_percent && earlier == 0.0;
                    (SoftInformation(earlier + grants[0].true_db), lost)
                };
                let filled = entity.fill_code_blocks(slot, &grants, pull, fate);
                pdus += u64::from(filled.blocks.sent);
            }
            for entity in &mut entities {
                entity.finish_blocks(slot, |_, _| left += 1);
            }
        }
        let nanoseconds = start.elapsed().as_nanos() as f64 / pdus as f64;
        println!("{users} users, {loss_percent} % lost: {nanoseconds:.2} ns a PDU");
        let held: u64 = entities.iter().map(|entity| entity.held().0).sum();
        assert_eq!((pdus, id), (20_000 * 800, left + held));
        assert!(entities.iter().all(|entity| entity.bytes_to_send() < Bytes::new(1_000_000)));
    }
}
