//! How large files, pages and frames are: six laws, each by inversion of one draw.
//!
//! | law | distribution | mean |
//! | --- | --- | --- |
//! | constant | all of B bytes | B |
//! | exponential | 1 - exp(-x / m) | m |
//! | lognormal | ln x normal about ln(median) with sd sigma | median exp(sigma^2 / 2) |
//! | Pareto, bounded | (1 - (L/x)^a) / (1 - (L/H)^a) from L to H | L^a / (1 - (L/H)^a) a / (a - 1) (L^(1-a) - H^(1-a)) |
//! | triangular | density rising from min to mode, falling to max | (min + mode + max) / 3 |
//! | normal, cut off | normal about m with sd s, from L to H alone | m + s (phi(a) - phi(b)) / (Phi(b) - Phi(a)), a = (L - m) / s, b = (H - m) / s |
//!
//! What is drawn is rounded up to whole bytes, at least 1: half a byte more in the mean. The larger the draw the larger the
//! size, so two laws on one seed are paired. It leaves out: sizes that depend on one another or on time.

use crate::types::declare::Section;
use crate::types::{Bytes, RandomStream};

/// No file is larger, bytes: what a scenario allows of a given one.
const MOST_BYTES: f64 = 1e15;

/// How large files or pages are.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
#[section(class = "Sizes")]
pub enum SizeLaw {
    /// All of one size.
    #[section(class = "ConstantSize", about = "All of one size")]
    Constant {
        /// The size, payload only.
        #[field(unit = "bytes", at_least = 1, at_most = MOST_BYTES)]
        bytes: u64,
    },
    /// Exponential sizes: P(size > x) = exp(-x / mean).
    #[section(class = "ExponentialSize", about = "Exponential sizes")]
    Exponential {
        /// The mean, before sizes are rounded up.
        #[field(name = "mean_bytes", unit = "bytes", at_least = 1, at_most = MOST_BYTES)]
        mean: f64,
    },
    /// Sizes whose natural logarithm is normal: median x exp(sigma z) with z standard normal.
    ///
    /// Their mean is median x exp(sigma^2 / 2).
    #[section(class = "LognormalSize", about = "Lognormal sizes")]
    Lognormal {
        /// Half of the sizes are smaller.
        #[field(name = "median_bytes", unit = "bytes", at_least = 1, at_most = MOST_BYTES)]
        median: f64,
        /// Standard deviation of the natural logarithm of the size.
        #[field(at_least = 0, at_most = 10)]
        sigma: f64,
    },
    /// Sizes of a Pareto law cut off at both ends: P(size > x) = ((L/x)^a - (L/H)^a) / (1 - (L/H)^a) from L to H.
    ///
    /// Their mean is a L^a / (1 - (L/H)^a) x (H^(1-a) - L^(1-a)) / (1 - a), at a = 1 it is L H / (H - L) x ln(H/L). Sizes
    /// beyond H are left out of the law, not set to H.
    #[section(class = "ParetoSize", about = "Sizes of a bounded Pareto law")]
    Pareto {
        /// a: the smaller, the more of all bytes is in few files.
        #[field(at_least = 1e-3, at_most = 1e3)]
        shape: f64,
        /// L, the smallest size.
        #[field(name = "min_bytes", unit = "bytes", at_least = 1, at_most = MOST_BYTES)]
        min: f64,
        /// H, the largest size; above `min_bytes`.
        #[field(name = "max_bytes", unit = "bytes", at_least = 1, at_most = MOST_BYTES)]
        max: f64,
    },
    /// Sizes whose density rises linearly from min to mode and falls linearly to max.
    #[section(class = "TriangularSize", about = "Sizes with a triangular density")]
    Triangular {
        /// The smallest size.
        #[field(name = "min_bytes", unit = "bytes", at_least = 0, at_most = MOST_BYTES)]
        min: f64,
        /// The most likely size, from `min_bytes` to `max_bytes`.
        #[field(name = "mode_bytes", unit = "bytes", at_least = 0, at_most = MOST_BYTES)]
        mode: f64,
        /// The largest size; above `min_bytes`.
        #[field(name = "max_bytes", unit = "bytes", at_least = 1, at_most = MOST_BYTES)]
        max: f64,
    },
    /// Normal sizes, cut off at both ends: what would lie outside is drawn again.
    #[section(class = "TruncatedNormalSize", about = "Normal sizes between two bounds")]
    TruncatedNormal {
        /// The mean before the law is cut off, from `min_bytes` to `max_bytes`.
        #[field(name = "center_bytes", unit = "bytes", at_least = 1, at_most = MOST_BYTES)]
        center: f64,
        /// Standard deviation before the law is cut off.
        #[field(name = "sd_bytes", unit = "bytes", at_least = 0, at_most = MOST_BYTES)]
        sd: f64,
        /// The smallest size.
        #[field(name = "min_bytes", unit = "bytes", at_least = 1, at_most = MOST_BYTES)]
        min: f64,
        /// The largest size; above `min_bytes`.
        #[field(name = "max_bytes", unit = "bytes", at_least = 1, at_most = MOST_BYTES)]
        max: f64,
    },
}

impl SizeLaw {
    /// The size that is next in the stream.
    pub fn draw(&self, stream: &mut RandomStream) -> Bytes {
        let size = match *self {
            Self::Constant { bytes } => bytes as f64, // below 2^53
            Self::Exponential { mean } => stream.exponential(mean),
            Self::Lognormal { median, sigma } => median * libm::exp(sigma * stream.normal()),
            Self::Pareto { shape, min, max } => bounded_pareto(shape, min, max, stream.uniform()),
            Self::Triangular { min, mode, max } => triangular(min, mode, max, stream.uniform()),
            Self::TruncatedNormal { center, sd, min, max } => truncated_normal(center, sd, min, max, stream.uniform()),
        };
        // A whole number below 2^53.
        Bytes::new(libm::ceil(size).clamp(1.0, MOST_BYTES) as u64)
    }

    /// The mean before sizes are rounded up, bytes.
    pub fn mean(&self) -> f64 {
        match *self {
            Self::Constant { bytes } => bytes as f64, // below 2^53
            Self::Exponential { mean } => mean,
            Self::Lognormal { median, sigma } => median * libm::exp(0.5 * sigma * sigma),
            Self::Pareto { shape, min, max } => bounded_pareto_mean(shape, min, max),
            Self::Triangular { min, mode, max } => (min + mode + max) / 3.0,
            Self::TruncatedNormal { center, sd, min, max } => truncated_normal_mean(center, sd, min, max),
        }
    }
}

fn bounded_pareto(shape: f64, min: f64, max: f64, share: f64) -> f64 {
    let beyond = libm::pow(min / max, shape);
    (min * libm::pow(1.0 - share * (1.0 - beyond), -1.0 / shape)).clamp(min, max)
}

/// With v = ln(H/L): L (e^((1-a)v) - 1) / ((1-a)v) x av / (1 - e^(-av)), written so that a = 1 is no exception but a limit, and
/// bounds that are close together cancel nothing.
fn bounded_pareto_mean(shape: f64, min: f64, max: f64) -> f64 {
    let octaves = libm::log1p((max - min) / min);
    let (rising, falling) = ((1.0 - shape) * octaves, shape * octaves);
    let growth = if rising == 0.0 { 1.0 } else { libm::expm1(rising) / rising };
    min * growth * falling / -libm::expm1(-falling)
}

fn triangular(min: f64, mode: f64, max: f64, share: f64) -> f64 {
    let below = (mode - min) / (max - min);
    if share < below {
        min + libm::sqrt(share * (max - min) * (mode - min))
    } else {
        max - libm::sqrt((1.0 - share) * (max - min) * (max - mode))
    }
}

/// Phi, the distribution function of the standard normal law.
fn normal_share(x: f64) -> f64 {
    0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
}

/// The value below which a `share` of a normal law about `center` lies that is cut off at `min` and `max`; `center` itself
/// without a deviation. By halving, so that it is within the bounds whatever they are.
pub(super) fn truncated_normal(center: f64, sd: f64, min: f64, max: f64, share: f64) -> f64 {
    if sd == 0.0 {
        return center;
    }
    let (low, high) = (normal_share((min - center) / sd), normal_share((max - center) / sd));
    let wanted = low + share * (high - low);
    let (mut below, mut above) = (min, max);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (below + above);
        if normal_share((middle - center) / sd) < wanted { below = middle } else { above = middle }
    }
    0.5 * (below + above)
}

/// Enough that what is left of an interval is beyond a double's digits.
const HALVINGS: u32 = 54;

fn truncated_normal_mean(center: f64, sd: f64, min: f64, max: f64) -> f64 {
    let bounds = [(min - center) / sd, (max - center) / sd];
    if sd == 0.0 {
        return center;
    }
    let density = bounds.map(|x| libm::exp(-0.5 * x * x) / libm::sqrt(2.0 * std::f64::consts::PI));
    let share = normal_share(bounds[1]) - normal_share(bounds[0]);
    if share > 0.0 { (center + sd * (density[0] - density[1]) / share).clamp(min, max) } else { 0.5 * (min + max) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Purpose;

    const LAWS: [SizeLaw; 10] = [
        SizeLaw::Constant { bytes: 700_000 },
        SizeLaw::Exponential { mean: 50_000.0 },
        SizeLaw::Lognormal { median: 20_000.0, sigma: 1.0 },
        SizeLaw::Pareto { shape: 1.2, min: 1000.0, max: 1e6 },
        SizeLaw::Pareto { shape: 1.0, min: 1000.0, max: 1e6 },
        SizeLaw::Pareto { shape: 0.5, min: 100.0, max: 1e6 },
        SizeLaw::Triangular { min: 1460.0, mode: 2_920_000.0, max: 5_840_000.0 },
        SizeLaw::Triangular { min: 0.0, mode: 0.0, max: 9000.0 },
        SizeLaw::TruncatedNormal { center: 62_500.0, sd: 6562.5, min: 31_250.0, max: 93_750.0 },
        SizeLaw::TruncatedNormal { center: 2000.0, sd: 3000.0, min: 1500.0, max: 20_000.0 },
    ];

    fn draws(law: SizeLaw, count: usize) -> Vec<f64> {
        let mut stream = RandomStream::new(5, Purpose::FileSize, 0);
        (0..count).map(|_| law.draw(&mut stream).count() as f64).collect()
    }

    /// The share of sizes up to `size`, before they are rounded up.
    fn share_up_to(law: SizeLaw, size: f64) -> f64 {
        match law {
            SizeLaw::Constant { bytes } => f64::from(u8::from(size >= bytes as f64)),
            SizeLaw::Exponential { mean } => 1.0 - libm::exp(-size / mean),
            SizeLaw::Lognormal { median, sigma } => {
                0.5 * libm::erfc(-libm::log(size / median) / (sigma * 2.0_f64.sqrt()))
            }
            SizeLaw::Pareto { shape, min, max } => {
                (1.0 - libm::pow(min / size, shape)) / (1.0 - libm::pow(min / max, shape))
            }
            SizeLaw::Triangular { min, mode, max } if size <= mode => {
                (size - min) * (size - min) / ((max - min) * (mode - min))
            }
            SizeLaw::Triangular { min, mode, max } => 1.0 - (max - size) * (max - size) / ((max - min) * (max - mode)),
            SizeLaw::TruncatedNormal { center, sd, min, max } => {
                let up_to = |x: f64| libm::erf((x - center) / (sd * 2.0_f64.sqrt()));
                (up_to(size) - up_to(min)) / (up_to(max) - up_to(min))
            }
        }
    }

    #[test]
    fn sizes_follow_their_laws() {
        let count = 40_000;
        for law in LAWS {
            let mut sizes = draws(law, count);
            sizes.sort_by(f64::total_cmp);
            if matches!(law, SizeLaw::Constant { .. }) {
                assert!(sizes.iter().all(|&size| size == law.mean()));
                continue;
            }
            // Kolmogorov and Smirnov: one in 10^6 is further away than 2.69 / sqrt(n); whole bytes blur it by a part in 100.
            let distance = |(rank, &size): (usize, &f64)| (share_up_to(law, size) - rank as f64 / count as f64).abs();
            let furthest = sizes.iter().enumerate().map(distance).fold(0.0, f64::max);
            assert!(furthest < 2.69 / (count as f64).sqrt() + 2e-3, "{law:?}: {furthest}");
        }
    }

    #[test]
    fn means_are_those_of_the_closed_forms() {
        let count = 200_000;
        for law in LAWS {
            let sizes = draws(law, count);
            let mean = sizes.iter().sum::<f64>() / count as f64;
            let variance = sizes.iter().map(|size| (size - mean) * (size - mean)).sum::<f64>() / count as f64;
            // Rounding up adds at most a byte.
            let bound = 4.5 * (variance / count as f64).sqrt() + 1.0;
            assert!((mean - law.mean()).abs() <= bound, "{law:?}: {mean} for {}", law.mean());
        }
    }

    #[test]
    fn the_mean_of_a_bounded_pareto_is_that_of_the_textbook() {
        let mean = |shape: f64, min: f64, max: f64| {
            let power = |exponent: f64| libm::pow(max, exponent) - libm::pow(min, exponent);
            shape * libm::pow(min, shape) / (1.0 - libm::pow(min / max, shape)) * power(1.0 - shape) / (1.0 - shape)
        };
        for (shape, min, max) in [(1.1, 81.5, 66_666.0), (2.5, 1000.0, 2000.0), (0.3, 1.0, 1e9)] {
            let law = SizeLaw::Pareto { shape, min, max };
            assert!((law.mean() / mean(shape, min, max) - 1.0).abs() < 1e-12);
        }
        let at_one = SizeLaw::Pareto { shape: 1.0, min: 10.0, max: 1000.0 }.mean();
        assert!((at_one / (10.0 * 1000.0 / 990.0 * libm::log(100.0)) - 1.0).abs() < 1e-12);
        let beside = SizeLaw::Pareto { shape: 1.0 + 1e-9, min: 10.0, max: 1000.0 }.mean();
        assert!((beside / at_one - 1.0).abs() < 1e-8);
    }

    #[test]
    fn the_mean_of_a_narrow_pareto_lies_between_its_bounds() {
        for (min, max) in [(1e14, 1e14 + 1.0), (1.0, 1.0 + f64::EPSILON), (1e6, 1e6 + 1.0)] {
            let mean = SizeLaw::Pareto { shape: 1e-3, min, max }.mean();
            assert!((min..=max).contains(&mean), "{mean} from {min} to {max}");
        }
        let halfway = SizeLaw::Pareto { shape: 1e-3, min: 1e6, max: 1e6 + 1.0 }.mean();
        assert!((halfway - 1e6 - 0.5).abs() < 1e-6, "{halfway}");
    }

    #[test]
    fn sizes_are_whole_within_their_bounds_and_never_nothing() {
        let within = |law, low: f64, high: f64| {
            assert!(draws(law, 10_000).iter().all(|&size| (low..=high).contains(&size)), "{law:?}");
        };
        within(SizeLaw::Exponential { mean: 0.01 }, 1.0, 2.0);
        within(SizeLaw::Pareto { shape: 1e-3, min: 1.0, max: 3.0 }, 1.0, 3.0);
        within(SizeLaw::Triangular { min: 0.0, mode: 2.0, max: 2.0 }, 1.0, 2.0);
        within(SizeLaw::Lognormal { median: 1e12, sigma: 10.0 }, 1.0, MOST_BYTES);
        within(SizeLaw::TruncatedNormal { center: 5.0, sd: 1e9, min: 5.0, max: 9.0 }, 5.0, 9.0);
        within(SizeLaw::TruncatedNormal { center: 5.0, sd: 0.0, min: 1.0, max: 9.0 }, 5.0, 5.0);
    }
}
