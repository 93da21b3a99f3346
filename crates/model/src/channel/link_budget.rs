//! Mean SNR at a distance from a link budget, all in dB:
//! SNR(d) = P + G - L - 10 n log10(d / 1 km) - 10 g log10(f_c / 1 GHz) - (N0 + 10 log10 B + F) - I.
//!
//! Left out: antenna patterns and heights, line of sight near the antenna, other cells (I stands for all of them,
//! everywhere the same), a distance that changes with time.

use crate::types::Decibel;
use crate::types::declare::Section;

/// Mean SNR(d) = power + gains - path loss(d) - noise - interference margin, in place of `[channel.path_loss]`.
///
/// Path loss(d) = loss_at_1_km_db + 10 distance_exponent log10(d / 1 km) + 10 frequency_exponent log10(carrier / 1 GHz),
/// with the carrier of `[channel.motion]`. Noise = -174 dBm/Hz + 10 log10 bandwidth_hz + noise figure.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
pub struct LinkBudget {
    /// Transmit power over the whole bandwidth.
    #[field(
        unit = "dBm",
        at_least = -100,
        at_most = 200,
        default = 46.0,
        source = "TR 36.814, table A.2.1.1-2: macro cell, 10 MHz"
    )]
    pub power_dbm: f64,
    /// Gains of both antennas, less losses in cables, bodies and walls.
    #[field(
        unit = "dB",
        at_least = -200,
        at_most = 200,
        default = 14.0,
        source = "TR 36.814, table A.2.1.1-2: 14 dBi with cables, 0 dBi of the user, outdoors"
    )]
    pub gain_db: f64,
    /// Path loss at 1 km and 1 GHz.
    #[field(
        unit = "dB",
        at_least = -200,
        at_most = 400,
        default = 121.8,
        source = "TR 36.942, section 4.5.2: urban macro cell, 15 m above roofs; 128.1 at 2 GHz"
    )]
    pub loss_at_1_km_db: f64,
    /// Exponent of the distance in the path loss.
    #[field(above = 0, at_most = 20, default = 3.76, source = "TR 36.942, section 4.5.2: 37.6 dB a decade")]
    pub distance_exponent: f64,
    /// Exponent of the carrier frequency in the path loss.
    #[field(at_least = 0, at_most = 20, default = 2.1, source = "TR 36.942, section 4.5.2: 21 dB a decade")]
    pub frequency_exponent: f64,
    /// Noise figure of the user's receiver.
    #[field(unit = "dB", at_least = 0, at_most = 100, default = 9.0, source = "TR 36.942")]
    pub noise_figure_db: f64,
    /// Bandwidth over which power and noise are spread.
    #[field(unit = "Hz", above = 0, at_most = 1e12)]
    pub bandwidth_hz: f64,
    /// What interference of other cells adds to the noise, the same at every distance.
    #[field(unit = "dB", at_least = 0, at_most = 200, default = 0.0, source = "airlink default: no other cells")]
    pub interference_margin_db: f64,
}

impl LinkBudget {
    /// Density of thermal noise, dBm/Hz: k T at 290 K, rounded as 3GPP does.
    const NOISE_DBM_PER_HZ: f64 = -174.0;

    /// The mean SNR at `distance_m`, above 0, on a carrier at `carrier_hz`.
    pub fn mean_snr(&self, distance_m: f64, carrier_hz: f64) -> Decibel {
        assert!(distance_m > 0.0, "a user is some distance away");
        let loss_db = self.loss_at_1_km_db
            + 10.0 * self.distance_exponent * libm::log10(distance_m / 1e3)
            + 10.0 * self.frequency_exponent * libm::log10(carrier_hz / 1e9);
        let noise_dbm = Self::NOISE_DBM_PER_HZ + 10.0 * libm::log10(self.bandwidth_hz) + self.noise_figure_db;
        Decibel::new(self.power_dbm + self.gain_db - loss_db - noise_dbm - self.interference_margin_db)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::declare::{Value, read};

    /// The fields, all written, with one of them changed.
    fn with(name: &str, value: f64) -> Result<LinkBudget, String> {
        let fields = [
            ("power_dbm", 46.0),
            ("gain_db", 14.0),
            ("loss_at_1_km_db", 121.8),
            ("distance_exponent", 3.76),
            ("frequency_exponent", 2.1),
            ("noise_figure_db", 9.0),
            ("bandwidth_hz", 9e6),
            ("interference_margin_db", 0.0),
        ];
        let changed = |(own, old)| (String::from(own), Value::Number(if own == name { value } else { old }));
        let written = Value::Table(fields.map(changed).into());
        read(&written, "channel.link_budget").map_err(|problems| problems[0].to_string())
    }

    #[test]
    fn a_budget_of_lte_is_what_a_sheet_of_paper_says() {
        // 46 dBm + 14 dB = 60 dBm. Loss at 1 km and 2 GHz: 121.8 + 21 x 0.30103 = 128.1216 dB.
        // Noise over 9 MHz: -174 + 69.5424 + 9 = -95.4576 dBm. So 60 - 128.1216 + 95.4576 = 27.3360 dB.
        let budget = with("", 0.0).expect("allowed");
        let snr_db = |distance_m, carrier_hz| budget.mean_snr(distance_m, carrier_hz).db();
        assert!((snr_db(1e3, 2e9) - 27.336).abs() < 1e-4);
        // Half the distance: 37.6 x 0.30103 = 11.3187 dB more. At 900 MHz: 21 log10(2 / 0.9) = 7.2825 dB more.
        assert!((snr_db(500.0, 2e9) - 38.6547).abs() < 1e-4);
        assert!((snr_db(1e3, 0.9e9) - 34.6185).abs() < 1e-4);
        let crowded = with("interference_margin_db", 3.5).expect("allowed");
        assert!((crowded.mean_snr(1e3, 2e9).db() - 23.836).abs() < 1e-4);
    }

    #[test]
    fn each_field_is_allowed_up_to_its_bounds_and_not_beyond() {
        let bounds = [
            ("power_dbm", -100.0, 200.0),
            ("gain_db", -200.0, 200.0),
            ("loss_at_1_km_db", -200.0, 400.0),
            ("distance_exponent", 1e-9, 20.0),
            ("frequency_exponent", 0.0, 20.0),
            ("noise_figure_db", 0.0, 100.0),
            ("bandwidth_hz", 1e-9, 1e12),
            ("interference_margin_db", 0.0, 200.0),
        ];
        for (name, least, most) in bounds {
            assert!(with(name, least).is_ok() && with(name, most).is_ok(), "{name}");
            for beyond in [least - 1e-6, most * (1.0 + 1e-12)] {
                let problem = with(name, beyond).expect_err(name);
                assert!(
                    problem.starts_with(&format!("channel.link_budget.{name}: {beyond} is not allowed")),
                    "{problem}"
                );
            }
        }
    }
}
