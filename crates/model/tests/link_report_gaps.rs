//! Reports of a user who is looked at now and then: those of one who is looked at in every slot, bit by bit.

use airlink_model::link::{Report, ReportConfig, ReportRow, ReportedSnr, TrueSnr};
use airlink_model::types::{BLOCK_SLOTS, Purpose, RandomStream, Slot};

use super::link_report::exact;

const BLOCKS: u64 = 60;
const SUBCHANNELS: usize = 5;
const LATE_OR_SELDOM: [(usize, u64); 10] =
    [(0, 1), (3, 1), (0, 7), (5, 8), (64, 1), (70, 3), (130, 64), (3, 100), (200, 300), (1, 1000)];

fn configs() -> impl Iterator<Item = ReportConfig> {
    let noisy =
        ReportConfig { error_sd_db: 0.7, quantisation_db: 0.5, backoff_db: 0.3, group_subchannels: 2, ..exact() };
    LATE_OR_SELDOM.into_iter().map(move |(delay_slots, period_slots)| ReportConfig {
        delay_slots,
        period_slots,
        ..noisy
    })
}

fn truth(slot: u64, subchannel: usize) -> f32 {
    ((slot * 37 + subchannel as u64 * 101) % 331) as f32 * 0.1 - 15.0
}

/// Whether each of `count` blocks or slots is looked at: for a while each, then none for a while.
fn looked_at(count: u64, seed: u64) -> Vec<bool> {
    let mut draws = RandomStream::new(seed, Purpose::Traffic, 0);
    let mut now = true;
    let mut look = || {
        now ^= draws.uniform() < 0.2;
        now
    };
    (0..count).map(|_| look()).collect()
}

fn block(reports: &mut ReportedSnr, first: u64) -> [u32; BLOCK_SLOTS] {
    let mut report = Report::default();
    let true_snr = TrueSnr { db: std::array::from_fn(|slot| truth(first + slot as u64, 0)) };
    reports.fill(Slot::new(first), &true_snr, &mut report);
    report.db.map(f32::to_bits)
}

#[test]
fn blocks_that_were_left_out_are_made_up_for() {
    let mut skipped = 0;
    for (seed, config) in (0..).zip(configs()) {
        let (mut every, mut some) = (ReportedSnr::new(config, 1, 0), ReportedSnr::new(config, 1, 0));
        for (number, is_looked_at) in looked_at(BLOCKS, seed).into_iter().enumerate() {
            let first = number as u64 * BLOCK_SLOTS as u64;
            let expected = block(&mut every, first);
            if is_looked_at {
                let from = some.resume(Slot::new(first)).number();
                let made_up = (from..first).step_by(BLOCK_SLOTS).map(|missed| block(&mut some, missed)).count();
                assert_eq!(block(&mut some, first), expected, "block {number}, {config:?}");
                skipped += usize::from(made_up == 0);
            }
        }
    }
    assert!(skipped > 100, "{skipped} blocks needed no other");
}

#[test]
fn slots_that_were_left_out_are_made_up_for() {
    let row = |slot| std::array::from_fn::<_, SUBCHANNELS, _>(|subchannel| truth(slot, subchannel));
    for (seed, config) in (0..).zip(configs()) {
        let (mut every, mut some) =
            (ReportRow::new(config, SUBCHANNELS, 1, 0), ReportRow::new(config, SUBCHANNELS, 1, 0));
        let (mut made_up, mut left_out, mut room) = (0, 0, [0.0; SUBCHANNELS]);
        for (slot, is_looked_at) in (0..).zip(looked_at(2000, seed)) {
            let (mut expected, mut found) = ([0.0; SUBCHANNELS], [0.0; SUBCHANNELS]);
            every.advance(Slot::new(slot), &row(slot), &mut expected);
            left_out += usize::from(!is_looked_at);
            if is_looked_at {
                some.catch_up(Slot::new(slot), &mut room, |missed, true_db| {
                    made_up += 1;
                    true_db.copy_from_slice(&row(missed.number()));
                });
                some.advance(Slot::new(slot), &row(slot), &mut found);
                assert_eq!(found.map(f32::to_bits), expected.map(f32::to_bits), "slot {slot}, {config:?}");
            }
        }
        assert!(made_up <= left_out, "{made_up} of {left_out} slots");
    }
}
