//! Who has the largest rate x weight on each of many subchannels, when a user's weight is the same on all of them.
//!
//! Users are taken one after the other, each along its row of rates. Mostly no two users have the same metric: then one pass
//! that keeps a few subchannels in registers finds who is ahead. Where it meets equals, a first pass finds the largest metric of each
//! subchannel, a second who has it and how many they are, and only where several have it a third counts down to the one
//! that is drawn: neither ties nor many users bring a branch into these passes.
//! Metrics are double precision; a rate is a single, so the product rounds once. What this leaves out: metrics of
//! another form, which go subchannel by subchannel.

use std::ops::{Range, RangeInclusive};

use super::SlotView;
use crate::types::VectorPath;

/// How many subchannels are decided at once: what is kept of them stays in the nearest cache, and little is done anew
/// when a user leaves among them.
pub(super) const PIECE: usize = 128;

/// Weights in this range times any rate above 0 are above 0 and finite, so a product of 0 tells who cannot be served.
const PLAIN_WEIGHTS: RangeInclusive<f64> = 1e-250..=1e250;

/// Subchannels that stay in registers while all who compete are looked at.
const CHUNK: usize = 16;

/// What an equal counts for beside its number: a sum of both tells how many there are, and of a single one who it is. It
/// is exact in a double for 2^20 equals whose numbers add up to less than this.
const ONE_EQUAL: f64 = 4_294_967_296.0;

/// A user that competes, and what its rates are multiplied by: not negative, perhaps infinite, or not a number if the
/// user is never to win.
#[derive(Clone, Copy, Debug)]
pub(super) struct Competitor {
    pub(super) user: usize,
    pub(super) weight: f64,
    /// The user's number + 1.
    number: f64,
    /// Where its row of rates begins.
    row: usize,
}

impl Competitor {
    pub(super) fn new(view: &SlotView<'_>, user: usize, weight: f64) -> Self {
        Self { user, weight, number: (user + 1) as f64, row: user * view.subchannels }
    }
}

/// One number per subchannel of a piece. All are doubles, so that lanes have one width; counts are exact in them.
type Lanes = [f64; PIECE];

/// The winners on the subchannels of a piece, and what leads to them.
#[derive(Clone, Debug)]
pub(super) struct LargestWeighted {
    largest: Lanes,
    equals: Lanes,
    /// The winner's number + 1, or 0.
    winners: Lanes,
    /// The same as integers.
    numbers: [u32; PIECE],
    wide: bool,
}

/// Who competes for which subchannels.
struct Piece<'a, 'b> {
    view: &'a SlotView<'b>,
    competitors: &'a [Competitor],
    subchannels: Range<usize>,
}

impl LargestWeighted {
    pub(super) fn new() -> Self {
        let zeros = [0.0; PIECE];
        Self { largest: zeros, equals: zeros, winners: zeros, numbers: [0; PIECE], wide: VectorPath::is_wide() }
    }

    /// Finds the winners on `subchannels`, at most [`PIECE`] of them. Of c users with the largest metric on a subchannel
    /// the one of rank `rank(subchannel, c)` in the order of `competitors` wins.
    pub(super) fn decide(
        &mut self,
        view: &SlotView<'_>,
        competitors: &[Competitor],
        subchannels: Range<usize>,
        rank: impl FnMut(usize, u64) -> u64,
    ) {
        debug_assert!(!competitors.iter().any(|competitor| competitor.weight < 0.0), "no weight is negative");
        let piece = Piece { view, competitors, subchannels };
        #[cfg(target_arch = "x86_64")]
        if self.wide {
            // SAFETY: the registers are there.
            unsafe { self.decide_wide(&piece, rank) };
            return;
        }
        self.decide_portable(&piece, rank);
    }

    /// Who won the first `count` of the subchannels decided last: the winner's number + 1; 0 when nobody could be served.
    #[inline]
    pub(super) fn numbers(&self, count: usize) -> &[u32] {
        &self.numbers[..count]
    }

    /// The same operations in wider registers: the bits are equal.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn decide_wide(&mut self, piece: &Piece<'_, '_>, rank: impl FnMut(usize, u64) -> u64) {
        self.decide_portable(piece, rank);
    }

    #[inline(always)]
    fn decide_portable(&mut self, piece: &Piece<'_, '_>, rank: impl FnMut(usize, u64) -> u64) {
        if !piece.competitors.iter().all(|competitor| PLAIN_WEIGHTS.contains(&competitor.weight)) {
            self.decide_in_passes::<false>(piece, rank);
        } else if !self.find_who_is_ahead(piece) {
            self.decide_in_passes::<true>(piece, rank);
        }
        for (number, winner) in self.numbers.iter_mut().zip(&self.winners) {
            // A whole number below 2^32 stands in the low bits of its sum with 2^52.
            *number = (winner + 4_503_599_627_370_496.0).to_bits() as u32;
        }
    }

    /// Finds the winners in one pass if all weights are [`PLAIN_WEIGHTS`] and nobody has an equal; false if somebody may have.
    #[inline(always)]
    fn find_who_is_ahead(&mut self, piece: &Piece<'_, '_>) -> bool {
        let (view, count, competitors) = (piece.view, piece.subchannels.len(), piece.competitors);
        let begin = piece.subchannels.start;
        // Users of one weight are equals wherever their rates are.
        if count < CHUNK || competitors.windows(2).any(|pair| pair[0].weight == pair[1].weight) {
            return false;
        }
        let mut met_equals = [0.0; CHUNK];
        for chunk in 0..count.div_ceil(CHUNK) {
            // The last chunk may begin within the one before: it finds the same again.
            let first = (chunk * CHUNK).min(count - CHUNK);
            // Below every metric above 0.
            let (mut largest, mut winners) = ([f64::MIN_POSITIVE; CHUNK], [0.0; CHUNK]);
            for competitor in competitors {
                let (rates, number) = (&view.rate_bps[competitor.row + begin + first..][..CHUNK], competitor.number);
                for lane in 0..CHUNK {
                    let metric = metric::<true>(rates[lane], competitor.weight);
                    met_equals[lane] = if metric == largest[lane] { 1.0 } else { met_equals[lane] };
                    winners[lane] = if metric > largest[lane] { number } else { winners[lane] };
                    largest[lane] = if metric > largest[lane] { metric } else { largest[lane] };
                }
            }
            self.winners[first..first + CHUNK].copy_from_slice(&winners);
        }
        met_equals == [0.0; CHUNK]
    }

    /// With `PLAIN`, all weights are [`PLAIN_WEIGHTS`].
    #[inline(always)]
    fn decide_in_passes<const PLAIN: bool>(&mut self, piece: &Piece<'_, '_>, rank: impl FnMut(usize, u64) -> u64) {
        self.find_largest::<PLAIN>(piece);
        self.find_equals::<PLAIN>(piece);
        if self.name_single_ones::<PLAIN>(piece) {
            self.draw_ranks(piece, rank);
            self.name_drawn_ones::<PLAIN>(piece);
        }
    }

    /// A metric that is not a number is below all.
    #[inline(always)]
    fn find_largest<const PLAIN: bool>(&mut self, piece: &Piece<'_, '_>) {
        self.largest = [metric_of_nobody::<PLAIN>(); PIECE];
        for competitor in piece.competitors {
            for (largest, &rate) in self.largest.iter_mut().zip(piece.rates(competitor)) {
                *largest = largest.max(metric::<PLAIN>(rate, competitor.weight));
            }
        }
    }

    #[inline(always)]
    fn find_equals<const PLAIN: bool>(&mut self, piece: &Piece<'_, '_>) {
        self.equals = [0.0; PIECE];
        for competitor in piece.competitors {
            let one = ONE_EQUAL + competitor.number;
            let kept = self.equals.iter_mut().zip(&self.largest);
            for ((equals, &largest), &rate) in kept.zip(piece.rates(competitor)) {
                *equals += if metric::<PLAIN>(rate, competitor.weight) == largest { one } else { 0.0 };
            }
        }
    }

    /// Names the winners that have no equal; true if others have: of those, and of those alone, something of
    /// [`ONE_EQUAL`] is left.
    #[inline(always)]
    fn name_single_ones<const PLAIN: bool>(&mut self, piece: &Piece<'_, '_>) -> bool {
        let count = piece.subchannels.len();
        let mut most = 0.0_f64;
        for ((winner, &equals), &largest) in self.winners.iter_mut().zip(&self.equals).zip(&self.largest[..count]) {
            *winner = if largest > metric_of_nobody::<PLAIN>() { equals - ONE_EQUAL } else { 0.0 };
            most = most.max(*winner);
        }
        most >= ONE_EQUAL
    }

    /// Puts how many are to be passed over in the place of `equals`.
    #[inline(always)]
    fn draw_ranks(&mut self, piece: &Piece<'_, '_>, mut rank: impl FnMut(usize, u64) -> u64) {
        for (lane, subchannel) in piece.subchannels.clone().enumerate() {
            let tied = self.winners[lane] >= ONE_EQUAL;
            let count = (self.equals[lane] * (1.0 / ONE_EQUAL)) as u64;
            self.equals[lane] = if tied { rank(subchannel, count) as f64 } else { 0.0 };
        }
    }

    /// Counts the equals down; the one at which none is left to pass over wins.
    #[inline(always)]
    fn name_drawn_ones<const PLAIN: bool>(&mut self, piece: &Piece<'_, '_>) {
        self.winners = [0.0; PIECE];
        for competitor in piece.competitors {
            let number = competitor.number;
            let kept = self.winners.iter_mut().zip(&mut self.equals).zip(&self.largest);
            for (((winner, to_pass), &largest), &rate) in kept.zip(piece.rates(competitor)) {
                let equal = metric::<PLAIN>(rate, competitor.weight) == largest;
                *winner += if equal & (*to_pass == 0.0) { number } else { 0.0 };
                *to_pass -= if equal { 1.0 } else { 0.0 };
            }
        }
        for (winner, &largest) in self.winners.iter_mut().zip(&self.largest) {
            *winner = if largest > metric_of_nobody::<PLAIN>() { *winner } else { 0.0 };
        }
    }
}

impl Piece<'_, '_> {
    #[inline(always)]
    fn rates(&self, competitor: &Competitor) -> &[f32] {
        &self.view.rate_bps[competitor.row..][self.subchannels.clone()]
    }
}

#[inline(always)]
fn metric<const PLAIN: bool>(rate: f32, weight: f64) -> f64 {
    let product = f64::from(rate) * weight;
    // Zero times infinity is no number.
    if PLAIN || rate > 0.0 { product } else { metric_of_nobody::<false>() }
}

/// The metric of who cannot be served: below all that can win.
#[inline(always)]
const fn metric_of_nobody<const PLAIN: bool>() -> f64 {
    if PLAIN { 0.0 } else { f64::NEG_INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Purpose, RandomStream, Slot};

    fn view<'a>(users: usize, subchannels: usize, rate_bps: &'a [f32]) -> SlotView<'a> {
        SlotView { slot: Slot::ZERO, slot_s: 1e-3, users, subchannels, rate_bps, ..SlotView::default() }
    }

    /// The definition: the equal of this rank among the largest products of those who can be served.
    fn plainly(view: &SlotView<'_>, competitors: &[Competitor], subchannel: usize, draw: u64) -> Option<usize> {
        let metric = |competitor: &&Competitor| {
            let rate = view.rate_bps[competitor.user * view.subchannels + subchannel];
            let product = f64::from(rate) * competitor.weight;
            (rate > 0.0 && !product.is_nan()).then_some(product)
        };
        let largest = competitors.iter().filter_map(|competitor| metric(&competitor)).reduce(f64::max)?;
        let equals: Vec<_> = competitors.iter().filter(|competitor| metric(competitor) == Some(largest)).collect();
        Some(equals[usize::try_from(draw).expect("small") % equals.len()].user)
    }

    fn draw(subchannel: usize) -> u64 {
        subchannel as u64 * 7 + 3
    }

    #[test]
    fn both_compiled_paths_find_the_winners_of_the_definition() {
        let mut draws = RandomStream::new(1, Purpose::Traffic, 0);
        let peculiar = [0.0, f64::INFINITY, f64::NAN, 1e-300, 1e300, 1.0, 1.0, 0.5];
        for case in 0..400 {
            let (users, subchannels) = (1 + case % 23, 2 + case * 7 % 300);
            let ladder = [0.0, 1.0, 2.0, 4.0, 8.0, f32::MIN_POSITIVE, 1e-44, f32::MAX];
            let rates: Vec<f32> = (0..users * subchannels).map(|_| ladder[(draws.uniform() * 8.0) as usize]).collect();
            let view = view(users, subchannels, &rates);
            let mut weight = || match case % 3 {
                0 => peculiar[(draws.uniform() * 8.0) as usize],
                1 => [0.25, 0.5, 1.0][(draws.uniform() * 3.0) as usize],
                _ => draws.uniform_in(0.1, 2.0),
            };
            let competitors: Vec<_> =
                (0..users).step_by(1 + case % 2).map(|user| Competitor::new(&view, user, weight())).collect();
            for wide in [false, VectorPath::best() == VectorPath::Avx2] {
                let mut found = LargestWeighted { wide, ..LargestWeighted::new() };
                for first in (case % 5..subchannels).step_by(PIECE) {
                    let piece = first..subchannels.min(first + PIECE);
                    found.decide(&view, &competitors, piece.clone(), |subchannel, equals| draw(subchannel) % equals);
                    for (position, subchannel) in piece.enumerate() {
                        let expected = plainly(&view, &competitors, subchannel, draw(subchannel));
                        let winner = (found.numbers(position + 1)[position] as usize).checked_sub(1);
                        assert_eq!(winner, expected, "case {case}, wide {wide}, {subchannel}");
                    }
                }
            }
        }
    }
}
