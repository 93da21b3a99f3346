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
    subchannels: std::slice::Iter<'a, SubchannelGrant>,
    current: SubchannelGrant,
    /// Bits of `current` that are left.
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
        let mut subchannels = subchannels.iter();
        let current =
            subchannels.next().copied().unwrap_or(SubchannelGrant { bits: 0.0, true_db: f32::NEG_INFINITY, mcs: 0 });
        let left = if bits > 0.0 { f64::from(current.bits) + carried } else { 0.0 };
        let bytes = (bits * (1.0 + ROUNDING) / 8.0) as u64;
        Self { subchannels, current, left, bits, bytes, spanned }
    }

    /// Cuts a block of `bytes`, at most those that are left, into `spanned`.
    #[inline]
    pub(super) fn cut(&mut self, bytes: u64) {
        self.spanned.clear();
        let bits = (bytes * 8) as f64;
        if self.left >= bits {
            self.bytes -= bytes;
            self.left -= bits;
            self.spanned.push(SubchannelGrant { bits: bits as f32, ..self.current });
        } else {
            self.cut_more(bytes);
        }
    }

    /// Cuts `bytes` more for the block in `spanned`.
    pub(super) fn cut_more(&mut self, bytes: u64) {
        debug_assert!(bytes <= self.bytes, "the grant holds what is cut from it");
        self.bytes -= bytes;
        let mut bits = (bytes * 8) as f64;
        while bits > SLIVER {
            if self.left > SLIVER {
                let part = bits.min(self.left);
                bits -= part;
                self.left -= part;
                // A grant has single precision.
                self.spanned.push(SubchannelGrant { bits: part as f32, ..self.current });
            } else {
                let Some(next) = self.subchannels.next() else { break };
                self.current = *next;
                self.left = f64::from(next.bits);
            }
        }
    }
}

/// The sum in four lanes, lane l having elements l, l + 4, ..: added as (0 + 1) + (2 + 3).
fn sum_of_bits(subchannels: &[SubchannelGrant]) -> f64 {
    let mut lanes = [0.0_f64; 4];
    for four in subchannels.chunks(4) {
        for (lane, grant) in lanes.iter_mut().zip(four) {
            *lane += f64::from(grant.bits);
        }
    }
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
}
