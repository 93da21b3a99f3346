//! Draws for one purpose of one case.

use airlink_model::types::{Duration, Purpose, RandomStream};

/// A stream named by the case's seed and a purpose: what others draw does not move it.
pub struct Draw(RandomStream);

impl Draw {
    pub fn new(seed: u64, purpose: &str) -> Self {
        // FNV-1a.
        let hash = purpose
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        Self(RandomStream::new(seed, Purpose::Traffic, hash))
    }

    /// Uniform from 0 to below `count`.
    pub fn below(&mut self, count: u64) -> u64 {
        if count == 0 { 0 } else { self.0.bits() % count }
    }

    /// Uniform, both ends included.
    pub fn within(&mut self, least: u64, most: u64) -> u64 {
        least + self.below(most.saturating_sub(least).saturating_add(1))
    }

    pub fn chance(&mut self, probability: f64) -> bool {
        self.0.uniform() < probability
    }

    pub fn coin(&mut self) -> bool {
        self.chance(0.5)
    }

    pub fn pick<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len() as u64) as usize]
    }

    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        self.0.uniform_in(low, high)
    }

    /// As likely in each decade.
    pub fn logarithmic(&mut self, low: f64, high: f64) -> f64 {
        libm::exp(libm::log(low) + libm::log(high / low) * self.0.uniform())
    }

    /// A whole number, as likely in each decade.
    pub fn size(&mut self, least: u64, most: u64) -> u64 {
        (self.logarithmic(least as f64, most as f64 + 0.999) as u64).clamp(least, most)
    }

    /// A span, as likely in each decade.
    pub fn milliseconds(&mut self, low: f64, high: f64) -> Duration {
        Duration::from_secs(self.logarithmic(low, high) / 1e3)
    }

    /// `low` to `high` times `unit`, as likely in each decade.
    pub fn times(&mut self, unit: Duration, low: f64, high: f64) -> Duration {
        Duration::from_secs(unit.as_secs() * self.logarithmic(low, high))
    }
}
