//! Which compiled form of the hot loops runs: for the baseline of the architecture, or for 256-bit registers.
//!
//! Every such loop is one body, compiled twice. Operations and their order are the same in both and never fused, so the
//! bits are too (tested beside each loop). Which one runs is therefore no part of a scenario but of the process: the
//! best that the CPU has, unless a driver chose otherwise before it built anything.
//!
//! Left out: AVX-512 and arm64's own forms (the compiler vectorises the portable body there).

use std::fmt;
use std::sync::atomic::{AtomicU8, Ordering};

/// A compiled form of the hot loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum VectorPath {
    /// The baseline of the architecture: 128-bit registers on x86-64.
    Portable = 1,
    /// 256-bit registers of x86-64.
    Avx2 = 2,
}

/// 0 until a driver chooses.
static CHOSEN: AtomicU8 = AtomicU8::new(0);

impl VectorPath {
    /// The widest that this CPU has.
    pub fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            return Self::Avx2;
        }
        Self::Portable
    }

    /// What runs: the driver's choice, else the best.
    pub fn current() -> Self {
        match CHOSEN.load(Ordering::Relaxed) {
            1 => Self::Portable,
            2 => Self::Avx2,
            _ => Self::best(),
        }
    }

    /// Takes `path` for what is built from now on; `None` leaves it to the CPU again.
    pub fn choose(path: Option<Self>) -> Result<(), NotOnThisCpu> {
        if path == Some(Self::Avx2) && Self::best() != Self::Avx2 {
            return Err(NotOnThisCpu);
        }
        CHOSEN.store(path.map_or(0, |path| path as u8), Ordering::Relaxed); // the discriminant, as it stands above
        Ok(())
    }

    /// True where loops compiled for 256-bit registers may be called, and are to be.
    #[inline]
    pub fn is_wide() -> bool {
        Self::current() == Self::Avx2
    }
}

/// The CPU lacks what was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotOnThisCpu;

impl fmt::Display for NotOnThisCpu {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("this CPU has no AVX2")
    }
}

impl std::error::Error for NotOnThisCpu {}
