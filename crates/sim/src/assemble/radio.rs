//! Each user's place, channel and link.

use std::sync::Arc;

use airlink_model::cell::{RateSource, UserRadio};
use airlink_model::channel::{
    self, DrawFading, Place, Placement, Quantity, RateTrace, Replay, ReplayConfig, Shadowing, TracePlacement,
    UserChannel, place,
};
use airlink_model::link::{BlockErrorModel, BlockErrors, FrameErrors, OuterLoop, ReportConfig};
use airlink_model::types::{Duration, UserId};

use super::UserPlace;
use super::rates::PartRates;
use crate::scenario::{Radio, Trace};

/// A cell and how many users it has.
#[derive(Clone, Copy)]
pub(super) struct Setting<'a> {
    pub(super) radio: &'a Radio,
    pub(super) users: usize,
    /// The first that is measured, and the one after the last.
    pub(super) slots: (u64, u64),
    /// How users fade.
    pub(super) fading: &'a Arc<dyn DrawFading>,
    /// The rates of a subchannel; none if rates are replayed.
    pub(super) rates: Option<&'a PartRates>,
    /// Which code blocks are lost, where a slot has many.
    pub(super) blocks: Option<&'a Arc<BlockErrorModel>>,
}

impl Setting<'_> {
    fn chosen_rates(&self) -> PartRates {
        self.rates.cloned().expect("the scenario was checked: a user with a signal has rates to choose from")
    }
}

/// A user's place and signal, or its replayed rate.
#[allow(clippy::large_enum_variant)] // becomes a radio at once, and most users have a signal
enum User {
    Signal(UserPlace, UserChannel),
    Replayed(UserReplay),
}

/// Each user's radio and where it is.
pub(super) fn radios(setting: Setting<'_>, traces: &[Trace], seed: u64) -> (Vec<UserRadio>, Vec<UserPlace>) {
    let place = |user: &User| match user {
        User::Signal(place, _) => *place,
        User::Replayed(_) => UserPlace::NOWHERE,
    };
    let users = users(setting, traces, seed);
    let places = users.iter().map(place).collect();
    let radio = |(number, user)| match user {
        User::Signal(_, channel) => signal_radio(setting, channel, number, seed),
        User::Replayed(replay) => replayed_radio(setting, &replay, number, seed),
    };
    (users.into_iter().enumerate().map(radio).collect(), places)
}

fn users(setting: Setting<'_>, traces: &[Trace], seed: u64) -> Vec<User> {
    let channel = &setting.radio.channel;
    if let Placement::Trace(trace) = &channel.placement {
        let replays = replays(setting, trace, traces, seed).into_iter().enumerate();
        return replays.map(|(user, replay)| replayed(setting, trace, replay, user, seed)).collect();
    }
    let place_of = |user| place(channel, UserId::new(user), setting.users, seed);
    (0..setting.users).map(|user| placed(setting, place_of(user), user, seed)).collect()
}

/// A user at a place or with a mean SNR.
fn placed(setting: Setting<'_>, place: Place, user: usize, seed: u64) -> User {
    let channel = varying(UserChannel::constant(place.mean_snr), setting, user, seed);
    let (distance_m, mean_snr_db) = (place.distance_m.unwrap_or(f64::NAN), place.mean_snr.db());
    let place = UserPlace { distance_m, mean_snr_db, shadowed_snr_db: shadowed(setting, &channel, mean_snr_db) };
    User::Signal(place, channel)
}

/// A user with a trace.
fn replayed(setting: Setting<'_>, trace: &TracePlacement, user_replay: UserReplay, user: usize, seed: u64) -> User {
    let clock = setting.radio.clock();
    if trace.replays_rates() {
        return User::Replayed(user_replay);
    }
    let replay = Replay::of_snr_db(user_replay.config, clock);
    let channel = varying(UserChannel::replayed(replay), setting, user, seed);
    let mean_snr_db = channel.mean().db();
    let shadowed_snr_db = shadowed(setting, &channel, mean_snr_db);
    let place = UserPlace { distance_m: f64::NAN, mean_snr_db, shadowed_snr_db };
    User::Signal(place, channel)
}

/// A mean SNR in dB with the mean of the user's shadowing.
fn shadowed(setting: Setting<'_>, channel: &UserChannel, mean_snr_db: f64) -> Option<f64> {
    channel.mean_shadowing_db(setting.slots.0..setting.slots.1).map(|shadowing_db| mean_snr_db + shadowing_db)
}

/// Shadowing, fading and an instantaneous ceiling on top of a level.
fn varying(level: UserChannel, setting: Setting<'_>, user: usize, seed: u64) -> UserChannel {
    let channel = &setting.radio.channel;
    let slot_s = setting.radio.clock().slot_secs();
    let mut varying = level;
    if channel.shadowing.sd_db > 0.0 {
        let speed_mps = channel.motion.speed_mps(user);
        let seed = channel.placement_seed.in_run(seed);
        varying = varying.with_shadowing(Shadowing::new(&channel.shadowing, speed_mps, slot_s, seed, user as u64));
    }
    varying.with_fading_of(setting.fading, user).with_instantaneous_ceiling(channel.ceiling.on_slots())
}

/// A user with a signal. The rates of a subchannel are a share of the carrier's.
fn signal_radio(setting: Setting<'_>, channel: UserChannel, user: usize, seed: u64) -> UserRadio {
    let PartRates { rule, peak_bps } = setting.chosen_rates();
    let errors = &setting.radio.link.errors;
    let threshold_rule = errors.threshold_rule.then(|| rule.clone());
    UserRadio {
        mean_snr_db: channel.mean().db(),
        source: RateSource::Signal { channel, rule },
        report: setting.radio.link.report,
        number: user as u64,
        outer_loop: OuterLoop::of(&setting.radio.link.outer_loop),
        errors: FrameErrors::new(errors.probability, threshold_rule, seed, user as u64),
        blocks: setting.blocks.map(|model| BlockErrors::new(model.clone(), seed, user as u64)),
        peak_bps: peak_bps * setting.radio.carrier.subchannels as f64,
    }
}

/// The radio of a replayed rate: report delay and period apply, but a rate has no error in dB.
fn replayed_radio(setting: Setting<'_>, user_replay: &UserReplay, user: usize, seed: u64) -> UserRadio {
    let (errors, report) = (&setting.radio.link.errors, setting.radio.link.report);
    let trace = RateTrace::new(user_replay.config.clone(), setting.radio.clock());
    UserRadio {
        source: RateSource::Trace { trace, loses_above: errors.threshold_rule },
        report: ReportConfig { error_sd_db: 0.0, quantisation_db: 0.0, backoff_db: 0.0, ..report },
        number: user as u64,
        outer_loop: None,
        errors: FrameErrors::new(errors.probability, None, seed, user as u64),
        blocks: None,
        mean_snr_db: f64::NAN,
        peak_bps: user_replay.peak_bps,
    }
}

/// A user's replay of a trace.
struct UserReplay {
    config: ReplayConfig,
    /// The highest value, b/s where the trace is of rates.
    peak_bps: f64,
}

/// Each user's replay of `traces`, of rates or of SNRs. Users of one file share its rows.
fn replays(setting: Setting<'_>, placement: &TracePlacement, traces: &[Trace], seed: u64) -> Vec<UserReplay> {
    let (last_row_s, width) = (placement.last_row_s(), placement.row_width(setting.radio.carrier.subchannels));
    let parse = |trace: &Trace| {
        let peak_bps = trace.values.iter().copied().fold(0.0, f64::max);
        let rows = channel::Trace::of_subchannels(&trace.times_s, &trace.values, width, last_row_s);
        let rows = rows.expect("checked when read");
        let is_converted = placement.quantity == Quantity::RateBps && !placement.replays_rates();
        (if is_converted { rows.equivalent_snr(placement.equivalent_bandwidth_hz) } else { rows }, peak_bps)
    };
    let parsed: Vec<(channel::Trace, f64)> = traces.iter().map(parse).collect();
    let replay_of = |user: usize| {
        let (trace, peak_bps) = parsed[user % parsed.len()].clone();
        let offset = match placement.random_offset {
            true => trace.random_offset(seed, user as u64),
            false => Duration::from_secs(placement.offset_s.of(user)),
        };
        UserReplay {
            config: ReplayConfig { trace, at_end: placement.at_end, between: placement.between, offset },
            peak_bps,
        }
    };
    (0..setting.users).map(replay_of).collect()
}
