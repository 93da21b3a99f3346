//! The floor: a toy that does the least possible for the same user-slots and the same delivered packets.
//!
//! Fading by two-term recurrences re-derived every 64 slots, the rate ladder, PF's argmax with lazy averages, and TCP as
//! a window that counts, on a constant-delay ring; [`shared`] has the same over many subchannels. It leaves out everything
//! else: eligibility, losses and their recovery, timers, frame errors, reports, statistics, output. It may fuse
//! multiply-adds, which the engine never does.

mod fading;
mod packets;
mod proportional_fair;
mod register;
pub mod shared;

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m256, __m512};
use std::time::Instant;

use fading::Fading;
use packets::{PacketConfig, Packets};
use proportional_fair::ProportionalFair;
use register::{Plain, Register};

/// Slots that each stage computes before the next stage gets them.
const BLOCK: usize = 64;

/// Runs of which the least time counts.
const LOOKS: usize = 5;

/// What the toy is to do.
#[derive(Clone, Debug)]
pub struct Work {
    /// Mean SNR of each user, as a ratio.
    pub mean_snr: Vec<f32>,
    /// Sinusoids of each user's fading.
    pub terms: usize,
    /// Largest Doppler shift times the slot's length.
    pub doppler_per_slot: f64,
    /// SNR from which a rate can be had, as a ratio, rising, and the bytes that a slot has at that rate (of a subchannel, where
    /// there are many).
    pub ladder: Vec<(f32, f32)>,
    /// Slots of the run.
    pub slots: usize,
    /// PF's weight of a slot.
    pub weight: f32,
    /// Size of a packet on air, bytes.
    pub packet_bytes: f32,
    /// Slots from the user to the server and back to the base station.
    pub round_trip_slots: u32,
    /// Packets that the receiver's window holds.
    pub window: u32,
}

impl Work {
    /// The same work with packets of a size such that about `packets` are delivered, of which `run` tells the number.
    pub fn with_packets(mut self, packets: u64, run: impl Fn(&Self, Registers) -> Done) -> Self {
        for _ in 0..4 {
            let done = run(&self, Registers::available()[0]).packets;
            self.packet_bytes *= done as f32 / packets as f32;
        }
        self
    }
}

/// What the toy did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Done {
    /// Packets delivered.
    pub packets: u64,
}

/// Time of each stage.
#[derive(Clone, Copy, Debug, Default)]
pub struct StageSeconds {
    /// Drawing and deriving what the run starts from.
    pub set_up: f64,
    /// Fading and rate ladder.
    pub fading: f64,
    /// PF's decisions and averages.
    pub scheduling: f64,
    /// Packets from server to user and their ACKs.
    pub packets: f64,
}

impl StageSeconds {
    /// The lesser time of each stage.
    pub fn min(self, other: Self) -> Self {
        Self {
            set_up: self.set_up.min(other.set_up),
            fading: self.fading.min(other.fading),
            scheduling: self.scheduling.min(other.scheduling),
            packets: self.packets.min(other.packets),
        }
    }
}

/// Each stage's least time of some runs with a look at the wall clock between stages, since whatever the machine does beside
/// only adds to it, and what was done.
pub fn least_stages(run: impl Fn(&mut StageSeconds) -> Done) -> (StageSeconds, Done) {
    let timed = || {
        let mut stages = StageSeconds::default();
        let done = run(&mut stages);
        (stages, done)
    };
    (1..LOOKS).fold(timed(), |(least, _), _| {
        let (stages, done) = timed();
        (least.min(stages), done)
    })
}

/// A set of vector registers for which the toy is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registers {
    /// 256 bits with fused multiply-add.
    Avx2,
    /// 512 bits.
    Avx512,
    /// Whatever the build's baseline has.
    Baseline,
}

impl Registers {
    /// Those that this machine has, the baseline only when there is no other.
    pub fn available() -> Vec<Self> {
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            let avx512 = avx2 && ["f", "vl", "dq", "bw"].iter().all(|part| has_avx512(part));
            match (avx2, avx512) {
                (_, true) => return vec![Self::Avx512, Self::Avx2],
                (true, false) => return vec![Self::Avx2],
                (false, false) => {}
            }
        }
        vec![Self::Baseline]
    }

    /// The name in the printed tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Avx2 => "AVX2",
            Self::Avx512 => "AVX-512",
            Self::Baseline => "baseline",
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn has_avx512(part: &str) -> bool {
    match part {
        "f" => is_x86_feature_detected!("avx512f"),
        "vl" => is_x86_feature_detected!("avx512vl"),
        "dq" => is_x86_feature_detected!("avx512dq"),
        _ => is_x86_feature_detected!("avx512bw"),
    }
}

/// Runs the toy; `work` has at most 32 users.
pub fn run(work: &Work, registers: Registers, stages: Option<&mut StageSeconds>) -> Done {
    assert!(work.mean_snr.len() <= 32, "the toy's widest kernel has 32 lanes");
    match registers {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: `Registers::available` names only what the CPU has.
        Registers::Avx512 => unsafe { run_avx512(work, stages) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Registers::Avx2 => unsafe { run_avx2(work, stages) },
        _ => by_width::<Plain, 2, false>(work, stages),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512vl,avx512dq,avx512bw")]
fn run_avx512(work: &Work, stages: Option<&mut StageSeconds>) -> Done {
    by_width::<__m512, 4, true>(work, stages)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn run_avx2(work: &Work, stages: Option<&mut StageSeconds>) -> Done {
    by_width::<__m256, 3, true>(work, stages)
}

/// Picks the narrowest kernel that has a lane for each user.
#[inline(always)]
fn by_width<R: Register, const B: usize, const WIDE: bool>(work: &Work, stages: Option<&mut StageSeconds>) -> Done {
    match work.mean_snr.len() {
        0..=16 => run_lanes::<R, B, 16, WIDE>(work, stages),
        17..=24 if R::LANES == 8 => run_lanes::<R, B, 24, WIDE>(work, stages),
        _ => run_lanes::<R, B, 32, WIDE>(work, stages),
    }
}

/// Registers R, B terms at once, W lanes for the users.
#[inline(always)]
fn run_lanes<R: Register, const B: usize, const W: usize, const WIDE: bool>(
    work: &Work,
    stages: Option<&mut StageSeconds>,
) -> Done {
    let mut watch = Watch::new(stages);
    let mut fading = Fading::<R, W>::new(work);
    let mut scheduler = ProportionalFair::<W>::new(work);
    let mut packets = Packets::new(PacketConfig::of(work));
    let mut rates = Box::new([[0.0_f32; W]; BLOCK]);
    let mut grants = [(0_u32, 0.0_f32); BLOCK];
    watch.lap(|stages| &mut stages.set_up);
    let mut checksum = 0.0;
    for first in (0..work.slots).step_by(BLOCK) {
        fading.fill::<B>(&mut rates);
        watch.lap(|stages| &mut stages.fading);
        scheduler.pick::<WIDE>(&rates, &mut grants);
        watch.lap(|stages| &mut stages.scheduling);
        packets.carry(&grants[..BLOCK.min(work.slots - first)]);
        watch.lap(|stages| &mut stages.packets);
        checksum += f64::from(rates[0][0]) + f64::from(grants[0].0);
    }
    std::hint::black_box(checksum);
    Done { packets: packets.delivered() }
}

/// Adds the time since the last look to a stage, if anybody wants to know.
struct Watch<'a> {
    stages: Option<(&'a mut StageSeconds, Instant)>,
}

impl<'a> Watch<'a> {
    fn new(stages: Option<&'a mut StageSeconds>) -> Self {
        Self { stages: stages.map(|stages| (stages, Instant::now())) }
    }

    #[inline(always)]
    fn lap(&mut self, stage: impl Fn(&mut StageSeconds) -> &mut f64) {
        if let Some((stages, last)) = &mut self.stages {
            let now = Instant::now();
            *stage(stages) += now.duration_since(*last).as_secs_f64();
            *last = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 16 users at 0 dB for 20 000 slots, one rate from the median of an exponential SNR on.
    fn small_work(users: usize) -> Work {
        Work {
            mean_snr: vec![1.0; users],
            terms: 20,
            doppler_per_slot: 0.05,
            ladder: vec![(std::f32::consts::LN_2, 400.0)],
            slots: 20_000,
            weight: 0.001,
            packet_bytes: 500.0,
            round_trip_slots: 20,
            window: 64,
        }
    }

    #[test]
    fn every_width_of_registers_does_the_same_work() {
        for users in [5, 16, 21, 32] {
            let done = |registers| run(&small_work(users), registers, None).packets as f64;
            let plain = done(Registers::Baseline);
            assert!(plain > 10_000.0, "{plain} packets of {users} users");
            for registers in Registers::available() {
                assert!((done(registers) / plain - 1.0).abs() < 0.02, "{registers:?} with {users} users");
            }
        }
    }

    #[test]
    fn the_toy_delivers_as_many_packets_as_it_is_told_to() {
        for packets in [3000, 15_000, 40_000] {
            let work = small_work(16).with_packets(packets, |work, registers| run(work, registers, None));
            let done = run(&work, Registers::available()[0], None).packets;
            assert!((done as f64 / packets as f64 - 1.0).abs() < 0.01, "{done} for {packets}");
        }
    }

    #[test]
    fn the_toy_fades_like_rayleigh() {
        let work = small_work(16);
        let mut fading = Fading::<Plain, 16>::new(&work);
        let mut bytes = [[0.0; 16]; BLOCK];
        let blocks = 2000_u16;
        let mut above_median = 0.0;
        for _ in 0..blocks {
            fading.fill::<2>(&mut bytes);
            above_median += bytes.as_flattened().iter().map(|&slot| f64::from(slot > 0.0)).sum::<f64>();
        }
        let share = above_median / (f64::from(blocks) * (16 * BLOCK) as f64);
        // Twenty terms are not quite Gaussian: their share is a little above one half.
        assert!((0.48..0.54).contains(&share), "{share}");
    }
}
