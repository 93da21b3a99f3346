//! The kinds of fast fading that a channel can have.

use super::{Amplitudes, Doppler};
use crate::types::declare::{Section, Words};

/// How a signal varies fast.
#[derive(Clone, Debug, PartialEq, Section)]
#[section(class = "Fading")]
pub enum FadingKind {
    /// The SNR stays at its mean.
    #[section(class = "NoFading", about = "No fast fading")]
    None,
    /// Flat Rayleigh fading of mean power 1 with Jakes spectrum, by a sum of sinusoids, independent for each user.
    #[section(about = "Flat Rayleigh fading")]
    Rayleigh {
        /// Number of sinusoids; with few, deep fades and high peaks are rarer than exact Rayleigh.
        #[field(at_least = 4, at_most = 64, default = 20, source = "Sionna, TDL: 20; ns-3, JakesProcess: 20")]
        terms: usize,
        /// Maximum Doppler shift; "from_motion" = speed / (speed of light) x carrier. 0 = one draw for the run.
        #[field(
            unit = "Hz",
            at_least = 0,
            at_most = 1e6,
            words("from_motion"),
            default = Doppler::FromMotion,
            source = "airlink default"
        )]
        doppler_hz: Doppler,
        /// "equal": every sinusoid is as strong, and a user's mean power over time is 1. "gaussian": complex Gaussian amplitudes
        /// drawn once: exactly Rayleigh over users and seeds, but a user's mean power then varies by 1 / sqrt(terms).
        #[field(default = Amplitudes::Equal, source = "airlink default; [EvdoTcp], given: gaussian")]
        amplitudes: Amplitudes,
    },
    /// Flat fading of mean power 1 as a sum of weighted cosines, the form of [Andrew08], independent for each user.
    ///
    /// Each cosine has a random phase of its own, without which all users would fade alike.
    #[section(about = "Flat fading in the form of [Andrew08]")]
    Jakes {
        /// Number of cosines.
        #[field(at_least = 4, at_most = 32, default = 20, source = "ns-3, JakesProcess: 20; [Andrew08]: 20")]
        terms: usize,
        /// Maximum Doppler shift; "from_motion" = speed / (speed of light) x carrier. 0 = one draw for the run.
        #[field(
            unit = "Hz",
            at_least = 0,
            at_most = 1e6,
            words("from_motion"),
            default = Doppler::FromMotion,
            source = "airlink default; [Andrew08]: 0.6 and 60"
        )]
        doppler_hz: Doppler,
    },
    /// Frequency-selective Rayleigh fading of mean power 1: paths of a power-delay profile, each with Jakes spectrum.
    ///
    /// A subchannel's gain is that at its centre. Paths and users are independent. With one subchannel the paths add
    /// up to flat fading.
    #[section(about = "Frequency-selective Rayleigh fading, with a gain for every subchannel")]
    TappedDelayLine {
        /// "custom": the two lists of this table; the others have lists of their own (leave these out): GSM typical
        /// urban; ITU-R pedestrian and vehicular, LTE extended pedestrian A, vehicular A, typical urban; NR TDL.
        #[field(source = "[Kakuda], given: tu6; TS 36.101, annex B.2: epa, eva, etu")]
        profile: ProfileName,
        /// Root-mean-square delay spread to which the delays of TDL profiles are scaled; other profiles have their own and
        /// don't use it.
        #[field(
            unit = "ns",
            at_least = 0,
            at_most = 1e6,
            default = 100.0,
            source = "TR 38.901, table 7.7.3-1: nominal"
        )]
        delay_spread_ns: f64,
        /// Delay of each path behind the first.
        #[field(
            unit = "ns",
            at_least = 0,
            at_most = 1e6,
            default = Vec::new(),
            source = "airlink default: those of `profile`"
        )]
        delays_ns: Vec<f64>,
        /// Mean power of each path, as many as delays; only their ratios count.
        #[field(
            unit = "dB",
            at_least = -200,
            at_most = 200,
            default = Vec::new(),
            source = "airlink default: those of `profile`"
        )]
        powers_db: Vec<f64>,
        /// Number of sinusoids of each path.
        #[field(at_least = 4, at_most = 64, default = 20, source = "Sionna, TDL: 20")]
        terms: usize,
        /// Maximum Doppler shift of every path; "from_motion" = speed / (speed of light) x carrier. 0 = one draw for the
        /// run.
        #[field(
            unit = "Hz",
            at_least = 0,
            at_most = 1e6,
            words("from_motion"),
            default = Doppler::FromMotion,
            source = "airlink default"
        )]
        doppler_hz: Doppler,
        /// "equal": every sinusoid of a path is as strong. "gaussian": complex Gaussian amplitudes drawn once: exactly Rayleigh over
        /// users and seeds, but the mean power of each path over time then varies by 1 / sqrt(terms).
        #[field(default = Amplitudes::Equal, source = "airlink default; [EvdoTcp], given for one path: gaussian")]
        amplitudes: Amplitudes,
    },
}

/// The name of a power-delay profile; its numbers stand beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum ProfileName {
    /// None that is known: its numbers are the scenario's own.
    Custom,
    /// GSM, typical urban.
    Tu6,
    /// ITU-R, pedestrian, channel A.
    #[word("pedestrian-a")]
    PedestrianA,
    /// ITU-R, pedestrian, channel B.
    #[word("pedestrian-b")]
    PedestrianB,
    /// ITU-R, vehicular, channel A.
    #[word("vehicular-a")]
    VehicularA,
    /// ITU-R, vehicular, channel B.
    #[word("vehicular-b")]
    VehicularB,
    /// LTE, extended pedestrian A.
    Epa,
    /// LTE, extended vehicular A.
    Eva,
    /// LTE, extended typical urban.
    Etu,
    /// NR, TDL-A.
    #[word("tdl-a")]
    TdlA,
    /// NR, TDL-B.
    #[word("tdl-b")]
    TdlB,
    /// NR, TDL-C.
    #[word("tdl-c")]
    TdlC,
}
