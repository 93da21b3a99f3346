//! What the scoreboard says is lost, and what to send again: IsLost and NextSeg of RFC 6675 §4.
//!
//! NextSeg's rule 1 is [`Scoreboard::next_waiting`], its rule 2 the sender's usual way to new data. Left out: sequences
//! that a block covers in part, which this scoreboard does not know.

use crate::transport::scoreboard::Scoreboard;

/// Marks every segment lost of which RFC 6675 §4 IsLost is true: above it `threshold` separate sequences are SACKed, or
/// more than (`threshold` - 1) `mss` bytes. What is true of a segment is true of all below it.
pub(in crate::transport) fn mark_lost(scoreboard: &mut Scoreboard, threshold: u32, mss: u32) {
    if scoreboard.sacked().segments == 0 {
        return;
    }
    let mut index = lost_below(scoreboard, threshold, mss);
    // From the top down: below one that was found lost before, all were.
    while index > 0 {
        index -= 1;
        let sent = scoreboard.get(index).expect("it is below one that is there");
        if sent.lost {
            return;
        }
        scoreboard.mark_original_lost(index);
    }
}

/// Index below which IsLost is true of everything not SACKed.
fn lost_below(scoreboard: &Scoreboard, threshold: u32, mss: u32) -> usize {
    let enough = u64::from(threshold - 1) * u64::from(mss);
    let (mut sequences, mut bytes, mut was_sacked) = (0, 0, false);
    let mut index = scoreboard.index_of(scoreboard.highest_sacked());
    while index > 0 {
        index -= 1;
        let sent = scoreboard.get(index).expect("it is below one that is there");
        if sent.sacked {
            sequences += u32::from(!was_sacked);
            bytes += u64::from(sent.length);
            if sequences >= threshold || bytes > enough {
                return index;
            }
        }
        was_sacked = sent.sacked;
    }
    0
}

/// RFC 6675 §4 NextSeg rule 3: the lowest segment neither SACKed nor sent again that lies below the highest one SACKed.
pub(in crate::transport) fn next_unsacked(scoreboard: &Scoreboard) -> Option<usize> {
    let end = scoreboard.index_of(scoreboard.highest_sacked());
    (0..end).find(|&index| scoreboard.get(index).is_some_and(|sent| !sent.sacked && !sent.resent))
}

/// RFC 6675 §4 NextSeg rule 4: the highest segment not SACKed.
pub(in crate::transport) fn highest_unsacked(scoreboard: &Scoreboard) -> Option<usize> {
    (0..scoreboard.len()).rev().find(|&index| scoreboard.get(index).is_some_and(|sent| !sent.sacked))
}
