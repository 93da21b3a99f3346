//! What a user-slot costs; run by hand:
//! `cargo test --release -p airlink-model --test all link_speed:: -- --ignored --nocapture`.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use airlink_model::channel::{FadingConfig, Shadowing, ShadowingConfig, SumOfSinusoids, UserChannel};
use airlink_model::link::{
    BlockErrorModel, BlockErrors, CapacityRule, EffectiveSnr, LogisticCurve, Mapping, McsConfig, NamedTable, RateRule,
    RateTable, Report, ReportConfig, ReportRow, ReportedSnr, SymbolInput, TrueSnr, worth_choosing,
};
use airlink_model::types::{
    BLOCK_SLOTS, Combining, Decibel, Purpose, RandomStream, Rate, Slot, SoftInformation, SubchannelGrant,
};

use crate::mcs_sets;

use mcs_sets::{code, schemes};

const USERS: u64 = 21;
const BLOCKS: u64 = 79;

struct User {
    channel: UserChannel,
    reported: ReportedSnr,
    truth: TrueSnr,
    report: Report,
    rate_bps: [f32; BLOCK_SLOTS],
}

fn fading(user: u64) -> SumOfSinusoids {
    let config = FadingConfig { terms: 16, doppler_hz: 55.56, slot_s: 0.005 };
    SumOfSinusoids::new(config, &mut RandomStream::new(1, Purpose::Fading, user))
}

fn shadowing(user: u64) -> Shadowing {
    Shadowing::new(
        &ShadowingConfig { sd_db: 4.0, decorrelation_m: 50.0, ..ShadowingConfig::default() },
        8.3,
        0.005,
        1,
        user,
    )
}

fn user(number: u64, error_sd_db: f64, channel: UserChannel) -> User {
    let config = ReportConfig { error_sd_db, ..ReportConfig::default() };
    User {
        channel,
        reported: ReportedSnr::new(config, 1, number),
        truth: TrueSnr::default(),
        report: Report::default(),
        rate_bps: [0.0; BLOCK_SLOTS],
    }
}

/// The least of many rounds, in nanoseconds per user-slot.
fn least_ns(mut round: impl FnMut(Slot)) -> f64 {
    let mut least = f64::INFINITY;
    let mut first = 0;
    for _ in 0..200 {
        let start = Instant::now();
        for _ in 0..BLOCKS {
            round(Slot::new(first));
            first += BLOCK_SLOTS as u64;
        }
        let user_slots = (USERS * BLOCKS * BLOCK_SLOTS as u64) as f64;
        least = least.min(start.elapsed().as_secs_f64() * 1e9 / user_slots);
    }
    least
}

fn whole_ns(error_sd_db: f64, rule: &RateRule, channel: impl Fn(u64) -> UserChannel) -> f64 {
    let mut users: Vec<User> = (0..USERS).map(|number| user(number, error_sd_db, channel(number))).collect();
    least_ns(|first| {
        for user in &mut users {
            user.channel.fill(first, &mut user.truth.db);
            user.reported.fill(first, &user.truth, &mut user.report);
            rule.fill(&user.report, &mut user.rate_bps);
        }
        black_box(&mut users);
    })
}

#[test]
#[ignore = "a measurement"]
fn what_a_user_slot_costs() {
    let table = RateRule::Table(RateTable::named(NamedTable::Klein2004));
    let capacity = RateRule::Capacity(CapacityRule::new(1.25e6, Decibel::new(0.0), Rate::UNLIMITED));
    let mean = Decibel::new(3.0);
    let faded = |number| UserChannel::constant(mean).with_fading(fading(number));
    let fadings: Vec<SumOfSinusoids> = (0..USERS).map(fading).collect();
    let mut gain = [0.0; BLOCK_SLOTS];
    let alone = least_ns(|first| {
        for fading in &fadings {
            fading.fill(first, &mut gain);
            black_box(&mut gain);
        }
    });
    println!("fading alone, 16 terms          {alone:6.2} ns");
    println!("static, table                   {:6.2} ns", whole_ns(0.0, &table, |_| UserChannel::constant(mean)));
    println!("fading, table                   {:6.2} ns", whole_ns(0.0, &table, faded));
    println!("fading, noise, table            {:6.2} ns", whole_ns(0.7, &table, faded));
    println!("fading, noise, capacity         {:6.2} ns", whole_ns(0.7, &capacity, faded));
    let shadowed = whole_ns(0.7, &table, |number| faded(number).with_shadowing(shadowing(number)));
    println!("fading, shadowing, noise, table {shadowed:6.2} ns");
    let start = Instant::now();
    for seed in 0..1000 {
        black_box(faded(seed));
    }
    println!("setting up a user's fading      {:6.0} ns", start.elapsed().as_secs_f64() * 1e6);
}

const SUBCHANNELS: usize = 400;

/// The least of many rounds, in nanoseconds per subchannel of a row.
fn least_row_ns(mut round: impl FnMut(Slot)) -> f64 {
    let mut least = f64::INFINITY;
    for repeat in 0..200_u64 {
        let start = Instant::now();
        for slot in 0..100 {
            round(Slot::new(repeat * 100 + slot));
        }
        least = least.min(start.elapsed().as_secs_f64() * 1e9 / (100 * SUBCHANNELS) as f64);
    }
    least
}

#[test]
#[ignore = "a measurement"]
fn what_a_row_of_subchannels_costs() {
    let truth: Vec<f32> = (0..SUBCHANNELS).map(|s| (s as f32 * 1.37) % 40.0 - 15.0).collect();
    let mut row = vec![0.0; SUBCHANNELS];
    let late = ReportConfig { delay_slots: 3, ..ReportConfig::default() };
    let stepped = ReportConfig { quantisation_db: 0.5, ..late };
    let noisy = ReportConfig { error_sd_db: 1.0, ..late };
    let report_ns = |config, group_subchannels, effective, row: &mut [f32]| {
        let config = ReportConfig { group_subchannels, effective, ..config };
        let mut reports = ReportRow::new(config, SUBCHANNELS, 1, 0);
        least_row_ns(|slot| reports.advance(slot, black_box(&truth), row))
    };
    let (mean, capacity) = (EffectiveSnr::MeanDb, EffectiveSnr::MeanCapacity);
    println!("report, 3 slots late            {:6.3} ns", report_ns(late, 1, mean, &mut row));
    println!("report, late, rounded           {:6.3} ns", report_ns(stepped, 1, mean, &mut row));
    println!("report, late, noisy             {:6.3} ns", report_ns(noisy, 1, mean, &mut row));
    println!("wideband report, mean dB        {:6.3} ns", report_ns(late, SUBCHANNELS, mean, &mut row));
    println!("wideband report, mean capacity  {:6.3} ns", report_ns(late, SUBCHANNELS, capacity, &mut row));
    println!("report per 4, mean capacity     {:6.3} ns", report_ns(late, 4, capacity, &mut row));
    let table = RateRule::Table(RateTable::named(NamedTable::OneXEvDo));
    let shannon = RateRule::Capacity(CapacityRule::new(1.25e6, Decibel::new(0.0), Rate::UNLIMITED));
    let mut mcs = vec![0; SUBCHANNELS];
    println!(
        "rates, table of ten             {:6.3} ns",
        least_row_ns(|_| table.fill_row(black_box(&truth), &mut row))
    );
    println!(
        "rates, capacity                 {:6.3} ns",
        least_row_ns(|_| shannon.fill_row(black_box(&truth), &mut row))
    );
    println!(
        "rows of a table of ten          {:6.3} ns",
        least_row_ns(|_| table.fill_mcs(black_box(&truth), &mut mcs))
    );
    black_box((row, mcs));
}

/// The least of many rounds, in nanoseconds per block that spans `spanned` subchannels.
fn least_block_ns(model: &BlockErrorModel, spanned: usize) -> f64 {
    let errors = BlockErrors::new(Arc::new(model.clone()), 1, 0);
    let grants: Vec<SubchannelGrant> = (0..800 + spanned)
        .map(|place| SubchannelGrant {
            bits: 336.0,
            true_db: (place as f32 * 1.37) % 8.0 + 3.0,
            mcs: (place % 4) as u16,
        })
        .collect();
    let mut least = f64::INFINITY;
    for slot in 0..500 {
        let start = Instant::now();
        let mut lost = 0;
        for ordinal in 0..800_u32 {
            let block = &grants[ordinal as usize..ordinal as usize + spanned];
            lost += u32::from(errors.transmit(Slot::new(slot), ordinal, black_box(block), SoftInformation::NONE).1);
        }
        black_box(lost);
        least = least.min(start.elapsed().as_secs_f64() * 1e9 / 800.0);
    }
    least
}

#[test]
#[ignore = "a measurement"]
fn what_a_block_costs() {
    let (thresholds_db, _) = NamedTable::ImtAdvanced.rows();
    let logistic = BlockErrorModel::logistic(
        LogisticCurve { slope_per_db: 2.0, offset_db: 1.472 },
        thresholds_db.to_vec(),
        Combining::Chase,
    );
    let config = McsConfig { reference_bits: 336.0, ..code(SymbolInput::Modulation, 1.0) };
    let start = Instant::now();
    let rows = worth_choosing(&schemes("nr-mcs-256qam"), &config);
    println!("tables and thresholds of 28 rows {:5.1} ms", start.elapsed().as_secs_f64() * 1e3);
    let exponential = Mapping::exponential(&rows, &config, &[]);
    let coded = |mapping| BlockErrorModel::coded(rows.clone(), mapping, Combining::Chase);
    let models = [
        ("logistic", logistic),
        ("coded, mean dB", coded(Mapping::MeanDb)),
        ("coded, exponential", coded(exponential)),
        ("coded, mutual information", coded(Mapping::MutualInformation)),
    ];
    for (name, model) in &models {
        for spanned in [1, 2, 16] {
            println!("{name:26} {spanned:2} grants {:6.1} ns", least_block_ns(model, spanned));
        }
    }
}
