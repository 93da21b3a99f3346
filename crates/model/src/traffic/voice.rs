//! Voice: somebody who talks and is silent, and a codec that sends accordingly.
//!
//! Talk and silence are independent and exponential with means T and S, so the source talks for a share
//!
//!   a = T / (T + S)
//!
//! of the time, and does so at the flow's start with that probability. The codec has a frame every p from the flow's start
//! on: a packet if somebody talks at that moment; in a silence a small descriptor of the background noise with its first
//! frame, then every d, or none. It leaves out: what the other side says, headers that are compressed, hangover of a voice
//! activity detector, rates that a codec adapts.

use super::burst::Burst;
use crate::types::{Bytes, Duration, Purpose, RandomStream};

/// What a voice is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VoiceConfig {
    /// p: between two frames of the codec.
    pub period: Duration,
    /// A packet of talk.
    pub packet: Bytes,
    /// A descriptor of silence; of no bytes, there are none.
    pub descriptor: Bytes,
    /// d: between two descriptors.
    pub descriptor_every: Duration,
    /// T, s.
    pub talk_s: f64,
    /// S, s.
    pub silence_s: f64,
}

/// A voice on its way.
#[derive(Clone, Debug)]
pub struct Voice {
    config: VoiceConfig,
    turns: RandomStream,
    is_talking: bool,
    /// The codec's latest frame had talk.
    had_talk: bool,
    /// When the talk or silence ends, from the flow's start, s.
    until_s: f64,
    /// The codec's next frame.
    frame: u64,
    /// The frame of the next descriptor.
    descriptor_at: u64,
}

impl Voice {
    /// One at its start; `seed` and `index` name the draws.
    pub fn new(config: VoiceConfig, seed: u64, index: u64) -> Self {
        let mut turns = RandomStream::new(seed, Purpose::Talk, index);
        let is_talking = turns.uniform() * (config.talk_s + config.silence_s) < config.talk_s;
        let mut voice = Self { config, turns, is_talking, had_talk: true, until_s: 0.0, frame: 0, descriptor_at: 0 };
        voice.until_s = voice.draw_turn();
        voice
    }

    fn draw_turn(&mut self) -> f64 {
        self.turns.exponential(if self.is_talking { self.config.talk_s } else { self.config.silence_s })
    }

    pub(super) fn next_burst(&mut self) -> Burst {
        loop {
            let after = self.config.period * self.frame;
            while after.as_secs() >= self.until_s {
                self.is_talking = !self.is_talking;
                self.until_s += self.draw_turn();
            }
            if self.is_talking {
                self.had_talk = true;
                self.frame += 1;
                return Burst::single(after, self.config.packet);
            }
            // A talk between two frames is none for the codec.
            if std::mem::take(&mut self.had_talk) {
                self.descriptor_at = self.frame;
            }
            if self.descriptor_at == self.frame && !self.config.descriptor.is_zero() {
                let every = self.config.descriptor_every.as_nanos().div_ceil(self.config.period.as_nanos());
                self.descriptor_at += every.max(1);
                self.frame += 1;
                return Burst::single(after, self.config.descriptor);
            }
            self.skip();
        }
    }

    /// To the next frame at which something may leave.
    fn skip(&mut self) {
        let talks_at = libm::ceil(self.until_s / self.config.period.as_secs()) as u64; // a positive number
        let next = if self.config.descriptor.is_zero() { talks_at } else { talks_at.min(self.descriptor_at) };
        self.frame = next.max(self.frame + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TALK: Bytes = Bytes::new(72);
    const DESCRIPTOR: Bytes = Bytes::new(47);

    fn config(descriptor: Bytes) -> VoiceConfig {
        VoiceConfig {
            period: Duration::from_millis(20),
            packet: TALK,
            descriptor,
            descriptor_every: Duration::from_millis(160),
            talk_s: 1.004,
            silence_s: 1.587,
        }
    }

    /// The frames of the codec up to `end_s`, with what each of them sends.
    fn frames(descriptor: Bytes, index: u64, end_s: f64) -> Vec<(u64, Bytes)> {
        let mut voice = Voice::new(config(descriptor), 4, index);
        let bursts = std::iter::from_fn(|| Some(voice.next_burst())).take_while(|burst| burst.after.as_secs() < end_s);
        bursts.map(|burst| (burst.after.as_nanos() / 20_000_000, burst.last)).collect()
    }

    #[test]
    fn packets_leave_on_the_frames_of_the_codec_one_each() {
        let found = frames(DESCRIPTOR, 0, 200.0);
        assert!(found.windows(2).all(|pair| pair[0].0 < pair[1].0));
        let mut voice = Voice::new(config(DESCRIPTOR), 4, 0);
        assert!((0..1000).all(|_| voice.next_burst().after.as_nanos().is_multiple_of(20_000_000)));
    }

    #[test]
    fn it_talks_as_often_as_the_means_say() {
        // A turn and a silence are a cycle; of n cycles the share talked has sd a (1 - a) sqrt(2 / n).
        let (end_s, (talk_s, silence_s)) = (20_000.0, (1.004, 1.587));
        let talked = frames(Bytes::ZERO, 1, end_s).len() as f64 * 0.02;
        let (share, cycles) = (talk_s / (talk_s + silence_s), end_s / (talk_s + silence_s));
        let sd = share * (1.0 - share) * (2.0 / cycles).sqrt();
        assert!((talked / end_s - share).abs() < 4.5 * sd, "{} for {share}", talked / end_s);
    }

    #[test]
    fn turns_of_talk_have_the_mean_of_an_exponential_on_a_grid() {
        let found = frames(Bytes::ZERO, 2, 20_000.0);
        // Turns that hold at least one frame: a grid of p sees ones of x with probability min(1, x/p), so their mean is
        // that of a geometric law, p / (1 - exp(-p/T)); silences below p join two turns.
        let mut turns = vec![1_u32];
        for pair in found.windows(2) {
            if pair[1].0 == pair[0].0 + 1 { *turns.last_mut().expect("one") += 1 } else { turns.push(1) }
        }
        let (p, talk_s, silence_s) = (0.02, 1.004, 1.587_f64);
        // From frame to frame: a two-state chain in continuous time, seen every p.
        let leave = silence_s / (talk_s + silence_s) * (1.0 - libm::exp(-p * (1.0 / talk_s + 1.0 / silence_s)));
        let (mean, count) = (turns.iter().map(|&turn| f64::from(turn)).sum::<f64>() / turns.len() as f64, turns.len());
        let expected = 1.0 / leave;
        assert!((mean / expected - 1.0).abs() < 4.5 / (count as f64).sqrt(), "{mean} for {expected}");
    }

    #[test]
    fn a_silence_begins_with_a_descriptor_and_has_one_every_eight_frames() {
        let found = frames(DESCRIPTOR, 3, 500.0);
        let first = found.iter().position(|(_, bytes)| *bytes == TALK).expect("somebody talks");
        let mut descriptors = 0;
        for pair in found[first..].windows(2) {
            let ((before, what), (frame, bytes)) = (pair[0], pair[1]);
            if bytes == DESCRIPTOR {
                assert_eq!(frame - before, if what == TALK { 1 } else { 8 });
                descriptors += 1;
            } else {
                assert!(frame - before <= 8);
            }
        }
        assert!(descriptors > 500, "{descriptors}");
    }

    #[test]
    fn descriptors_change_no_talk() {
        let talk = |descriptor| {
            let found = frames(descriptor, 7, 300.0).into_iter();
            found.filter(|(_, bytes)| *bytes == TALK).collect::<Vec<_>>()
        };
        assert_eq!(talk(Bytes::ZERO), talk(DESCRIPTOR));
        assert_ne!(frames(Bytes::ZERO, 7, 300.0), frames(Bytes::ZERO, 8, 300.0));
    }
}
