//! Cosine and sine of an integer phase, on basic arithmetic only, so that loops over them vectorise and the
//! bits are the same everywhere.
//!
//! A phase is a fraction of a turn in units of 2^-64: it wraps by itself and adding never loses precision. The
//! top 32 bits are split into a quadrant and a remainder within an eighth of a turn, for which the Taylor series
//! to x^9 and x^8 are exact to 3e-8. Largest error of either component: 1.2e-7 (tested against libm).

use std::f64::consts::TAU;

/// A fraction of a turn as a phase; any finite number of turns.
pub(super) fn phase_of_turns(turns: f64) -> u64 {
    let fraction = turns - libm::floor(turns);
    // A fraction that rounds up to 1.0 saturates one unit below a full turn.
    (fraction * 18_446_744_073_709_551_616.0) as u64
}

/// The angle of a phase in radians, in [-pi, pi), to double precision.
pub(super) fn radians(phase: u64) -> f64 {
    phase.cast_signed() as f64 * (TAU / 18_446_744_073_709_551_616.0)
}

/// (cos, sin) of a phase.
pub(super) fn phasor(phase: u64) -> (f32, f32) {
    phasor_of_top(top_of(phase))
}

/// The bits of a phase that its phasor is of.
#[inline(always)]
pub(super) fn top_of(phase: u64) -> u32 {
    (phase >> 32) as u32
}

/// (cos, sin) of a phase of which these are the top 32 bits.
#[inline(always)]
pub(super) fn phasor_of_top(top: u32) -> (f32, f32) {
    const RADIANS_PER_UNIT: f32 = (TAU / 4_294_967_296.0) as f32;
    let quadrant = top.wrapping_add(1 << 29) >> 30;
    let rest = top.wrapping_sub(quadrant << 30).cast_signed();
    let x = rest as f32 * RADIANS_PER_UNIT;
    let y = x * x;
    let sine = x * (1.0 + y * (-1.0 / 6.0 + y * (1.0 / 120.0 + y * (-1.0 / 5_040.0 + y * (1.0 / 362_880.0)))));
    let cosine = 1.0 + y * (-0.5 + y * (1.0 / 24.0 + y * (-1.0 / 720.0 + y * (1.0 / 40_320.0))));
    let (c, s) = if quadrant & 1 == 0 { (cosine, sine) } else { (sine, cosine) };
    // Quarter turns: (c, s), (-s, c), (-c, -s), (s, -c).
    let c = if quadrant.wrapping_add(1) & 2 == 0 { c } else { -c };
    let s = if quadrant & 2 == 0 { s } else { -s };
    (c, s)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phasors_match_libm_around_the_whole_turn() {
        let worst = (0..1_000_003_u64)
            .map(|n| n.wrapping_mul(18_446_688_733_551))
            .map(|phase| {
                let (c, s) = phasor(phase);
                let angle = radians(phase);
                (f64::from(c) - libm::cos(angle)).abs().max((f64::from(s) - libm::sin(angle)).abs())
            })
            .fold(0.0, f64::max);
        assert!((1e-9..1.2e-7).contains(&worst), "{worst}");
    }

    #[test]
    fn phases_wrap_to_the_fraction_of_a_turn() {
        assert_eq!(phase_of_turns(0.25), 1 << 62);
        assert_eq!(phase_of_turns(-0.25), 3 << 62);
        assert_eq!(phase_of_turns(17.5), 1 << 63);
        assert_eq!(phase_of_turns(-0.0), 0);
    }
}
