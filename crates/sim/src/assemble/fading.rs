//! Each user's fast fading.

use std::sync::Arc;

use airlink_model::channel::{
    DelayProfile, FadingConfig, Steering, Subchannels, SumOfSinusoids, TappedDelayLine, UserChannel,
};
use airlink_model::types::{Purpose, RandomStream};

use crate::scenario::{self, Doppler, Radio};

/// Draws one user's sinusoids.
type Sum = fn(FadingConfig, &mut RandomStream) -> SumOfSinusoids;

/// What all users of a cell have in common.
pub(super) enum Fading {
    None,
    Flat(FadingConfig, Sum),
    Selective(FadingConfig, Arc<Steering>),
}

impl Fading {
    pub(super) fn of(radio: &Radio) -> Self {
        let config = |terms: usize, doppler: &Doppler| FadingConfig {
            terms,
            doppler_hz: radio.channel.doppler_hz(doppler),
            slot_s: radio.clock().slot_secs(),
        };
        match &radio.channel.fading {
            scenario::Fading::None {} => Self::None,
            scenario::Fading::Rayleigh { terms, doppler_hz } => {
                Self::Flat(config(*terms, doppler_hz), SumOfSinusoids::new)
            }
            scenario::Fading::Jakes { terms, doppler_hz } => {
                Self::Flat(config(*terms, doppler_hz), SumOfSinusoids::jakes)
            }
            scenario::Fading::TappedDelayLine { delays_ns, powers_db, terms, doppler_hz, .. } => {
                let profile = DelayProfile::new(delays_ns, powers_db);
                let subchannels =
                    Subchannels { count: radio.carrier.subchannels, width_hz: radio.carrier.subchannel_hz };
                let steering = Steering::new(&profile, subchannels);
                Self::Selective(config(*terms, doppler_hz), steering)
            }
        }
    }

    /// The channel with the fading of user number `user`.
    pub(super) fn on(&self, channel: UserChannel, user: usize, seed: u64) -> UserChannel {
        let mut stream = RandomStream::new(seed, Purpose::Fading, user as u64);
        match self {
            Self::None => channel,
            Self::Flat(config, sum) => channel.with_fading(sum(*config, &mut stream)),
            Self::Selective(config, steering) => {
                channel.with_tapped_delay_line(TappedDelayLine::new(steering, *config, &mut stream))
            }
        }
    }
}
