//! A power-delay profile: the paths by which a signal arrives, with their delays and mean powers.
//!
//! Powers are normalised to the sum 1, so that a channel of this profile has the mean power 1 at every frequency.
//! Profiles with a name (GSM, ITU-R, 3GPP) are numbers of the scenario; here is what follows from the numbers.
//!
//! Left out: Doppler spectra of single paths (all have that of isotropic scattering), lines of sight.

/// One path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tap {
    /// Behind the first path, in seconds, at least 0.
    pub delay_s: f64,
    /// Its share of the mean power.
    pub power: f64,
}

/// The paths of a channel.
#[derive(Clone, Debug, PartialEq)]
pub struct DelayProfile {
    taps: Vec<Tap>,
}

impl DelayProfile {
    /// The most paths of a profile.
    pub const MOST_TAPS: usize = 64;

    /// Paths with these delays in nanoseconds and mean powers in dB, relative to any level; order and equal delays
    /// are as given.
    pub fn new(delays_ns: &[f64], powers_db: &[f64]) -> Self {
        assert_eq!(delays_ns.len(), powers_db.len(), "each path has a delay and a power");
        assert!((1..=Self::MOST_TAPS).contains(&delays_ns.len()), "1 to 64 paths");
        // Relative to the strongest, so that no power overflows.
        let strongest_db = powers_db.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let powers: Vec<f64> = powers_db.iter().map(|db| libm::pow(10.0, (db - strongest_db) / 10.0)).collect();
        let total: f64 = powers.iter().sum();
        let tap = |(delay_ns, power): (&f64, &f64)| Tap { delay_s: delay_ns * 1e-9, power: power / total };
        Self { taps: delays_ns.iter().zip(&powers).map(tap).collect() }
    }

    /// The paths, as given.
    pub fn taps(&self) -> &[Tap] {
        &self.taps
    }

    /// The power-weighted standard deviation of the delays, in seconds.
    pub fn rms_delay_spread_s(&self) -> f64 {
        let mean = |value: &dyn Fn(&Tap) -> f64| self.taps.iter().map(|tap| tap.power * value(tap)).sum::<f64>();
        let mean_delay_s = mean(&|tap| tap.delay_s);
        libm::sqrt(mean(&|tap| (tap.delay_s - mean_delay_s) * (tap.delay_s - mean_delay_s)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_shares_whatever_level_they_refer_to() {
        let (near, far) =
            (DelayProfile::new(&[0.0, 100.0], &[0.0, -3.0]), DelayProfile::new(&[0.0, 100.0], &[9e3, 8_997.0]));
        let shares = |profile: &DelayProfile| profile.taps().iter().map(|tap| tap.power).collect::<Vec<_>>();
        assert!((shares(&near).iter().sum::<f64>() - 1.0).abs() < 1e-15);
        assert!((shares(&near)[0] / shares(&near)[1] - 1.995_262_314_968_88).abs() < 1e-12);
        assert!((shares(&near)[0] - shares(&far)[0]).abs() < 1e-12);
    }

    #[test]
    fn two_equal_paths_have_half_their_distance_as_spread() {
        let profile = DelayProfile::new(&[300.0, 1_300.0], &[-7.0, -7.0]);
        assert!((profile.rms_delay_spread_s() - 0.5e-6).abs() < 1e-18);
    }
}
