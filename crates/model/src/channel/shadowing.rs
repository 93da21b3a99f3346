//! Log-normal shadowing along the way a user travels: a Gauss-Markov process in dB with the correlation
//! exp(-distance / decorrelation) of [Gudmundson91].
//!
//! x(n + 1) = rho x(n) + sd sqrt(1 - rho^2) g(n), rho = exp(-v T / decorrelation), x(0) of variance sd^2, g standard
//! normal: exact at slot instants, stationary from the first slot.
//!
//! Left out: correlation between users, maps.

use std::ops::Range;

use crate::types::declare::Section;
use crate::types::{BLOCK_SLOTS, CounterStream, Purpose, RandomStream, Slot};

/// A Gauss-Markov process in dB: correlation exp(-v T / decorrelation_m) from slot to slot.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
pub struct ShadowingConfig {
    /// Standard deviation of log-normal shadowing; 0 = none.
    #[field(unit = "dB", at_least = 0, at_most = 50, default = 0.0, source = "airlink default: none")]
    pub sd_db: f64,
    /// Decorrelation distance (1/e); at speed 0 shadowing does not change.
    #[field(unit = "m", above = 0, at_most = 1e6, default = 50.0, source = "airlink default")]
    pub decorrelation_m: f64,
}

/// The shadowing of one user.
#[derive(Clone, Debug)]
pub struct Shadowing {
    correlation: f64,
    innovation_db: f64,
    innovations: CounterStream,
    next: Slot,
    value_db: f64,
}

impl Shadowing {
    /// The shadowing of user number `user`, who moves with `speed_mps`, in slots of `slot_s` of the run of `seed`.
    pub fn new(config: &ShadowingConfig, speed_mps: f64, slot_s: f64, seed: u64, user: u64) -> Self {
        assert!(config.decorrelation_m > 0.0, "the decorrelation distance is above 0");
        let step = speed_mps * slot_s / config.decorrelation_m;
        Self {
            correlation: libm::exp(-step),
            // 1 - rho^2 by expm1, because rho is within 1e-5 of 1 for walkers.
            innovation_db: config.sd_db * libm::sqrt(-libm::expm1(-2.0 * step)),
            innovations: CounterStream::new(seed, Purpose::Shadowing, user),
            next: Slot::ZERO,
            value_db: config.sd_db * RandomStream::new(seed, Purpose::Shadowing, user).normal(),
        }
    }

    /// Adds the shadowing in dB of the slots from `first`, a multiple of [`BLOCK_SLOTS`] that never goes back.
    pub fn add_to(&mut self, first: Slot, signal_db: &mut [f32; BLOCK_SLOTS]) {
        assert!(self.next <= first, "shadowing only goes forward");
        let mut shadowing_db = [0.0; BLOCK_SLOTS];
        // A block that nobody asked for still moves the process: what is seen must not depend on who looks.
        while self.next < first {
            self.advance(&mut shadowing_db);
        }
        self.advance(&mut shadowing_db);
        for (signal, shadowing) in signal_db.iter_mut().zip(&shadowing_db) {
            *signal += shadowing;
        }
    }

    /// The mean over these slots in dB, of which none has passed.
    pub fn mean_db(&self, slots: Range<u64>) -> f64 {
        if self.correlation == 1.0 {
            return self.value_db;
        }
        let (mut ahead, mut sum_db) = (self.clone(), 0.0);
        while ahead.next.number() < slots.end {
            let first = ahead.next.number();
            let mut shadowing_db = [0.0; BLOCK_SLOTS];
            ahead.advance(&mut shadowing_db);
            let inside = (first..).zip(shadowing_db).filter(|(slot, _)| slots.contains(slot));
            sum_db += inside.map(|(_, value)| f64::from(value)).sum::<f64>();
        }
        sum_db / (slots.end - slots.start) as f64
    }

    fn advance(&mut self, shadowing_db: &mut [f32; BLOCK_SLOTS]) {
        let mut normals = [0.0; BLOCK_SLOTS];
        self.innovations.fill_normal(self.next, &mut normals);
        for (shadowing, normal) in shadowing_db.iter_mut().zip(&normals) {
            *shadowing = self.value_db as f32; // the state keeps double precision
            self.value_db = self.correlation * self.value_db + self.innovation_db * f64::from(*normal);
        }
        self.next = Slot::new(self.next.number() + BLOCK_SLOTS as u64);
    }
}
