//! Frames at a constant rate: a video, or a scene that is rendered elsewhere and shown on a headset (XR).
//!
//! Frame k leaves at
//!
//!   k / f + m + J,   J normal with standard deviation s, cut off at -m and m,
//!
//! after the flow's start, but never before the frame before it; f is the frame rate. Its size is drawn from a law and cut
//! into packets of at most the MTU, headers included; all leave at once. It leaves out: sizes that depend on one another
//! (groups of pictures), frames that are left out when the network is slow, a sender that paces.

use super::SizeLaw;
use super::burst::Burst;
use super::size::truncated_normal;
use crate::types::{Bytes, Duration, Purpose, RandomStream};

/// What frames are made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FramesConfig {
    /// f, 1/s.
    pub frames_per_s: f64,
    /// How large they are, without headers.
    pub size: SizeLaw,
    /// The most that a packet has, headers included.
    pub mtu: Bytes,
    /// Of each packet; below the MTU.
    pub header: Bytes,
    /// s, s.
    pub jitter_sd_s: f64,
    /// m, s.
    pub jitter_most_s: f64,
}

/// Frames on their way.
#[derive(Clone, Debug)]
pub struct FrameTrain {
    config: FramesConfig,
    sizes: RandomStream,
    jitter: RandomStream,
    number: u64,
    latest: Duration,
}

impl FrameTrain {
    /// One before its first frame; `seed` and `index` name the draws.
    pub fn new(config: FramesConfig, seed: u64, index: u64) -> Self {
        let stream = |purpose| RandomStream::new(seed, purpose, index);
        let (sizes, jitter) = (stream(Purpose::FrameSize), stream(Purpose::FrameJitter));
        Self { config, sizes, jitter, number: 0, latest: Duration::ZERO }
    }

    pub(super) fn next_burst(&mut self) -> Burst {
        let FramesConfig { frames_per_s, size, mtu, header, jitter_sd_s, jitter_most_s } = self.config;
        let share = self.jitter.uniform();
        let jitter_s = truncated_normal(0.0, jitter_sd_s, -jitter_most_s, jitter_most_s, share);
        let after_s = self.number as f64 / frames_per_s + jitter_most_s + jitter_s;
        self.number += 1;
        self.latest = self.latest.max(Duration::from_secs(after_s));
        let bytes = size.draw(&mut self.sizes).count();
        let room = mtu.count() - header.count();
        let packets = bytes.div_ceil(room);
        let last = Bytes::new(bytes - (packets - 1) * room) + header;
        Burst { after: self.latest, packets, full: mtu, last }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> FramesConfig {
        FramesConfig {
            frames_per_s: 60.0,
            size: SizeLaw::Constant { bytes: 3000 },
            mtu: Bytes::new(1500),
            header: Bytes::new(40),
            jitter_sd_s: 0.0,
            jitter_most_s: 0.0,
        }
    }

    fn bursts(config: FramesConfig, index: u64, count: usize) -> Vec<Burst> {
        let mut frames = FrameTrain::new(config, 9, index);
        (0..count).map(|_| frames.next_burst()).collect()
    }

    #[test]
    fn a_frame_is_cut_into_full_packets_and_what_is_left() {
        let cut = |bytes| {
            let burst = bursts(FramesConfig { size: SizeLaw::Constant { bytes }, ..config() }, 0, 1)[0];
            assert_eq!(burst.bytes().count(), bytes + 40 * burst.packets);
            (burst.packets, burst.last.count())
        };
        assert_eq!([1, 1460, 1461, 2920, 3000].map(cut), [(1, 41), (1, 1500), (2, 41), (2, 1500), (3, 120)]);
    }

    #[test]
    fn without_jitter_frames_are_evenly_spaced() {
        let found: Vec<u64> = bursts(config(), 0, 61).iter().map(|burst| burst.after.as_nanos()).collect();
        assert_eq!((found[0], found[1], found[60]), (0, 16_666_667, 1_000_000_000));
    }

    #[test]
    fn jitter_has_its_law_and_its_bounds() {
        let (sd, most) = (0.002, 0.004);
        let found = bursts(FramesConfig { jitter_sd_s: sd, jitter_most_s: most, ..config() }, 0, 20_000);
        let offset = |(k, burst): (usize, &Burst)| burst.after.as_secs() - k as f64 / 60.0 - most;
        let mut jitter: Vec<f64> = found.iter().enumerate().map(offset).collect();
        jitter.sort_by(f64::total_cmp);
        assert!(jitter[0] >= -most - 1e-9 && jitter[jitter.len() - 1] <= most + 1e-9);
        let phi = |x: f64| 0.5 * libm::erfc(-x / 2.0_f64.sqrt());
        let law = |x: f64| (phi(x / sd) - phi(-2.0)) / (phi(2.0) - phi(-2.0));
        let count = jitter.len() as f64;
        let distance = |(rank, &x): (usize, &f64)| (law(x) - (rank as f64 + 0.5) / count).abs() + 0.5 / count;
        let furthest = jitter.iter().enumerate().map(distance).fold(0.0, f64::max);
        // Kolmogorov and Smirnov: one in 10^6 is further away.
        assert!(furthest < 2.69 / count.sqrt(), "{furthest}");
    }

    #[test]
    fn no_frame_overtakes_the_one_before() {
        let wild = FramesConfig { jitter_sd_s: 0.1, jitter_most_s: 0.2, ..config() };
        let found = bursts(wild, 1, 5000);
        assert!(found.windows(2).all(|pair| pair[0].after <= pair[1].after));
        assert!(found.windows(2).any(|pair| pair[0].after == pair[1].after));
    }

    #[test]
    fn jitter_changes_no_sizes() {
        let size = SizeLaw::Exponential { mean: 50_000.0 };
        let sizes = |jitter_sd_s| {
            let found = bursts(FramesConfig { size, jitter_sd_s, jitter_most_s: 0.004, ..config() }, 2, 100);
            found.iter().map(Burst::bytes).collect::<Vec<_>>()
        };
        assert_eq!(sizes(0.0), sizes(0.002));
    }
}
