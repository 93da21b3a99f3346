//! One user's grant of a slot, cut into code blocks that span its subchannels.
//!
//! It leaves out: interleaving over the grant; blocks lie one after the other, in the order of the subchannels.

use crate::types::SubchannelGrant;

/// Bits that are too few to be sent: what rounding leaves.
const SLIVER: f64 = 1e-3;

/// What single precision may take from a sum of whole numbers, relative to it.
const ROUNDING: f64 = 1e-7;

/// What is left of a grant.
#[derive(Debug)]
pub(super) struct Grant<'a> {
    /// The subchannel that is being filled, and those behind it.
    ahead: &'a [SubchannelGrant],
    /// Bits of the first of them that are left.
    left: f64,
    /// Bits that the whole grant had.
    pub(super) bits: f64,
    /// Whole bytes that are left of it.
    pub(super) bytes: u64,
    /// What the block being cut spans.
    pub(super) spanned: Vec<SubchannelGrant>,
}

impl<'a> Grant<'a> {
    /// A grant of `subchannels`, the first of them longer by `carried` bits; `spanned` is memory to be used again.
    pub(super) fn new(subchannels: &'a [SubchannelGrant], carried: f64, spanned: Vec<SubchannelGrant>) -> Self {
        let bits = if subchannels.is_empty() { 0.0 } else { carried + sum_of_bits(subchannels) };
        let left = if bits > 0.0 { bits_of_first(subchannels) + carried } else { 0.0 };
        let bytes = (bits * (1.0 + ROUNDING) / 8.0) as u64;
        Self { ahead: subchannels, left, bits, bytes, spanned }
    }

    /// Goes on behind as many blocks of `bytes` as arrive, at most `most`, all of which are left. A block does if it `arrives`, by
    /// its number, and every subchannel that it spans `is_fair`. Returns how many did before the first that does not.
    #[inline(always)]
    pub(super) fn pass(
        &mut self,
        bytes: u64,
        most: u64,
        arrives: impl Fn(u64) -> bool,
        is_fair: impl Fn(&SubchannelGrant) -> bool,
    ) -> u64 {
        let mut passed = 0;
        'blocks: while passed < most && arrives(passed) {
            let (mut bits, mut ahead, mut left) = ((bytes * 8) as f64, self.ahead, self.left);
            while bits > SLIVER {
                let [current, behind @ ..] = ahead else { break 'blocks };
                if left > SLIVER {
                    if !is_fair(current) {
                        break 'blocks;
                    }
                    (bits, left) = if bits <= left { (0.0, left - bits) } else { (bits - left, 0.0) };
                } else {
                    (ahead, left) = (behind, bits_of_first(behind));
                }
            }
            (self.ahead, self.left) = (ahead, left);
            passed += 1;
        }
        self.bytes -= passed * bytes;
        passed
    }

    /// Cuts a block of `bytes`, at most those that are left, into `spanned`.
    pub(super) fn cut(&mut self, bytes: u64) {
        self.spanned.clear();
        self.cut_more(bytes);
    }

    /// Cuts `bytes` more for the block in `spanned`.
    pub(super) fn cut_more(&mut self, bytes: u64) {
        debug_assert!(bytes <= self.bytes, "the grant holds what is cut from it");
        self.bytes -= bytes;
        let mut bits = (bytes * 8) as f64;
        while bits > SLIVER
            && let [current, behind @ ..] = self.ahead
        {
            if self.left > SLIVER {
                let part = bits.min(self.left);
                bits -= part;
                self.left -= part;
                // A grant has single precision.
                self.spanned.push(SubchannelGrant { bits: part as f32, ..*current });
            } else {
                (self.ahead, self.left) = (behind, bits_of_first(behind));
            }
        }
    }
}

/// The bits of the first of `subchannels`; none without any.
#[inline]
fn bits_of_first(subchannels: &[SubchannelGrant]) -> f64 {
    subchannels.first().map_or(0.0, |first| f64::from(first.bits))
}

/// The sum in four lanes, lane l having elements l, l + 4, ..: added as (0 + 1) + (2 + 3).
fn sum_of_bits(subchannels: &[SubchannelGrant]) -> f64 {
    let mut lanes = [0.0_f64; 4];
    let (fours, rest) = subchannels.as_chunks::<4>();
    for four in fours {
        for (lane, grant) in lanes.iter_mut().zip(four) {
            *lane += f64::from(grant.bits);
        }
    }
    for (lane, grant) in lanes.iter_mut().zip(rest) {
        *lane += f64::from(grant.bits);
    }
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
}
