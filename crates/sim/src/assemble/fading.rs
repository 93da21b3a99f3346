//! Each user's fast fading.

use std::sync::Arc;

use airlink_model::channel::{
    Beam, Beamformed, Beamforming, DelayProfile, Doppler, FadingConfig, FadingKind, Steering, Subchannels,
    SumOfSinusoids, TappedDelayLine, UserChannel,
};
use airlink_model::types::{Purpose, RandomStream};

use crate::scenario::Radio;

/// Draws one user's sinusoids.
type Sum = fn(FadingConfig, &mut RandomStream) -> SumOfSinusoids;

/// What all users of a cell have in common.
pub(super) enum Fading {
    None,
    Flat(FadingConfig, Sum),
    Beamformed(FadingConfig, Sum, Arc<Beam>),
    Selective(FadingConfig, Arc<Steering>),
}

impl Fading {
    pub(super) fn of(radio: &Radio, seed: u64) -> Self {
        let config = |terms: usize, doppler: Doppler| FadingConfig {
            terms,
            doppler_hz: doppler.hz(&radio.channel.motion),
            slot_s: radio.clock().slot_secs(),
        };
        let flat = |config: FadingConfig, sum: Sum| match radio.channel.beamforming {
            Beamforming::None => Self::Flat(config, sum),
            Beamforming::Opportunistic { antennas, turn_hz, terms } => {
                let turning = FadingConfig { terms, doppler_hz: turn_hz, slot_s: config.slot_s };
                Self::Beamformed(config, sum, Beam::new(antennas, turning, seed))
            }
        };
        match radio.channel.fading {
            FadingKind::None => Self::None,
            FadingKind::Rayleigh { terms, doppler_hz } => flat(config(terms, doppler_hz), SumOfSinusoids::new),
            FadingKind::Jakes { terms, doppler_hz } => flat(config(terms, doppler_hz), SumOfSinusoids::jakes),
            FadingKind::TappedDelayLine { ref delays_ns, ref powers_db, terms, doppler_hz, .. } => {
                let profile = DelayProfile::new(delays_ns, powers_db);
                let subchannels =
                    Subchannels { count: radio.carrier.subchannels, width_hz: radio.carrier.subchannel_hz };
                let steering = Steering::new(&profile, subchannels);
                Self::Selective(config(terms, doppler_hz), steering)
            }
        }
    }

    /// The channel with the fading of user number `user`.
    pub(super) fn on(&self, channel: UserChannel, user: usize, seed: u64) -> UserChannel {
        let mut stream = RandomStream::new(seed, Purpose::Fading, user as u64);
        match self {
            Self::None => channel,
            Self::Flat(config, sum) => channel.with_fading(sum(*config, &mut stream)),
            Self::Beamformed(config, sum, beam) => {
                let paths = (0..beam.antennas()).map(|_| sum(*config, &mut stream));
                channel.with_beamforming(Beamformed::new(beam, paths.collect()))
            }
            Self::Selective(config, steering) => {
                channel.with_tapped_delay_line(TappedDelayLine::new(steering, *config, &mut stream))
            }
        }
    }
}
