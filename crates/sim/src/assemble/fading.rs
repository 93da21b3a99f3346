//! Each user's fast fading.

use std::sync::Arc;

use airlink_model::channel::{
    Amplitudes, Beam, Beamformed, Beamforming, DelayProfile, Doppler, DrawFading, Fading, FadingConfig, FadingKind,
    Motion, Steering, Subchannels, SumOfSinusoids, TappedDelayLine,
};
use airlink_model::types::{Purpose, RandomStream};

use crate::scenario::Radio;

/// Draws one user's sinusoids.
type Sum = fn(FadingConfig, &mut RandomStream) -> SumOfSinusoids;

/// The fading of a cell's users.
#[derive(Debug)]
pub(super) struct CellFading {
    common: Common,
    motion: Motion,
    slot_s: f64,
    seed: u64,
}

/// What all users of a cell have in common.
#[derive(Debug)]
enum Common {
    None,
    Flat(Waves, Sum),
    Beamformed(Waves, Sum, Arc<Beam>),
    Selective(Waves, Arc<Steering>),
}

/// The sinusoids of a path.
#[derive(Clone, Copy, Debug)]
struct Waves {
    terms: usize,
    doppler: Doppler,
    amplitudes: Amplitudes,
}

impl CellFading {
    pub(super) fn of(radio: &Radio, seed: u64) -> Arc<dyn DrawFading> {
        let slot_s = radio.clock().slot_secs();
        let flat = |waves: Waves, sum: Sum| match radio.channel.beamforming {
            Beamforming::None => Common::Flat(waves, sum),
            Beamforming::Opportunistic { antennas, turn_hz, terms: turning_terms } => {
                let turning = FadingConfig { terms: turning_terms, doppler_hz: turn_hz, slot_s };
                Common::Beamformed(waves, sum, Beam::new(antennas, turning, seed))
            }
        };
        let common = match radio.channel.fading {
            FadingKind::None => Common::None,
            FadingKind::Rayleigh { terms, doppler_hz: doppler, amplitudes } => {
                flat(Waves { terms, doppler, amplitudes }, SumOfSinusoids::new)
            }
            FadingKind::Jakes { terms, doppler_hz: doppler } => {
                flat(Waves { terms, doppler, amplitudes: Amplitudes::Equal }, SumOfSinusoids::jakes)
            }
            FadingKind::TappedDelayLine {
                ref delays_ns,
                ref powers_db,
                terms,
                doppler_hz: doppler,
                amplitudes,
                ..
            } => {
                let profile = DelayProfile::new(delays_ns, powers_db);
                let subchannels =
                    Subchannels { count: radio.carrier.subchannels, width_hz: radio.carrier.subchannel_hz };
                Common::Selective(Waves { terms, doppler, amplitudes }, Steering::new(&profile, subchannels))
            }
        };
        Arc::new(Self { common, motion: radio.channel.motion.clone(), slot_s, seed })
    }
}

impl DrawFading for CellFading {
    fn draw(&self, user: usize) -> Fading {
        let mut stream = RandomStream::new(self.seed, Purpose::Fading, user as u64);
        let config = |waves: &Waves| FadingConfig {
            terms: waves.terms,
            doppler_hz: waves.doppler.hz(&self.motion, user),
            slot_s: self.slot_s,
        };
        // A stream of their own: users have the same angles and phases with either kind of amplitudes.
        let mut amplitudes = RandomStream::new(self.seed, Purpose::FadingAmplitude, user as u64);
        let mut flat = |waves: &Waves, sum: &Sum| {
            let fading = sum(config(waves), &mut stream);
            match waves.amplitudes {
                Amplitudes::Equal => fading,
                Amplitudes::Gaussian => fading.with_gaussian_amplitudes(&mut amplitudes),
            }
        };
        match &self.common {
            Common::None => Fading::None,
            Common::Flat(waves, sum) => Fading::Flat(flat(waves, sum)),
            Common::Beamformed(waves, sum, beam) => {
                let paths = (0..beam.antennas()).map(|_| flat(waves, sum));
                Fading::Beamformed(Beamformed::new(beam, paths.collect()))
            }
            Common::Selective(waves, steering) => {
                let line = TappedDelayLine::new(steering, config(waves), &mut stream);
                Fading::Selective(match waves.amplitudes {
                    Amplitudes::Equal => line,
                    Amplitudes::Gaussian => line.with_gaussian_amplitudes(&mut amplitudes),
                })
            }
        }
    }
}
