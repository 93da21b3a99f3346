//! SRTT and RTTVAR in whole ticks of a coarse clock, as ns-2 keeps them: Jacobson's integers of BSD.
//!
//! ns-2.35, `tcp/tcp.cc`: `TcpAgent::rtt_update` (samples), `rtt_backoff` (what a timeout forgets). It leaves out what
//! `T_SRTT_BITS`, `T_RTTVAR_BITS` and `rttvar_exp_` could change there: 3, 2 and 2 are built in, as in BSD.

/// 8 SRTT and 4 RTTVAR, in ticks; both 0 before the first sample.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WholeTicks {
    eight_srtt: u64,
    four_variance: u64,
    /// SRTT + 4 RTTVAR as of the latest sample.
    timeout: u64,
    /// Back-offs in a row.
    back_offs: u32,
}

impl WholeTicks {
    /// Back-offs in a row after which SRTT is forgotten.
    const BACK_OFFS_TO_FORGET: u32 = 4;

    /// The smoothed round-trip time in ticks, unless there is none or it was forgotten.
    pub(super) fn srtt(self) -> Option<u64> {
        (self.eight_srtt > 0).then_some(self.eight_srtt / 8)
    }

    /// SRTT + 4 RTTVAR in ticks, as of the latest sample; none before the first.
    pub(super) fn timeout(self) -> Option<u64> {
        (self.timeout > 0).then_some(self.timeout)
    }

    /// Takes a sample of so many ticks, at least one; the first one gives SRTT and half of it RTTVAR.
    pub(super) const fn on_sample(&mut self, ticks: u64) {
        self.back_offs = 0;
        if self.eight_srtt == 0 {
            self.eight_srtt = 8 * ticks;
            self.four_variance = 2 * ticks;
        } else {
            let srtt = self.eight_srtt / 8;
            self.eight_srtt = above_zero(self.eight_srtt + ticks - srtt);
            self.four_variance = above_zero(self.four_variance + srtt.abs_diff(ticks) - self.four_variance / 4);
        }
        self.timeout = self.four_variance + self.eight_srtt / 8;
    }

    /// RFC 6298 §5 (the last paragraph): after several back-offs SRTT is forgotten and the next sample is the first.
    pub(super) const fn on_back_off(&mut self) {
        self.back_offs += 1;
        if self.back_offs >= Self::BACK_OFFS_TO_FORGET {
            self.eight_srtt = 0;
        }
    }

    /// An ACK ended the back-off without a sample.
    pub(super) const fn end_back_off(&mut self) {
        self.back_offs = 0;
    }
}

const fn above_zero(ticks: u64) -> u64 {
    if ticks == 0 { 1 } else { ticks }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_of_3_then_5_ticks_give_the_integers_computed_by_hand() {
        let mut ticks = WholeTicks::default();
        ticks.on_sample(3);
        assert_eq!((ticks.eight_srtt, ticks.four_variance, ticks.timeout()), (24, 6, Some(9)));
        // SRTT 3, error 2: 24 + 2 = 26; 6 + 2 - 6/4 = 7; timeout 7 + 26/8.
        ticks.on_sample(5);
        assert_eq!((ticks.eight_srtt, ticks.four_variance, ticks.timeout()), (26, 7, Some(10)));
    }

    #[test]
    fn a_steady_round_trip_comes_down_to_a_variance_that_a_quarter_rounds_away() {
        let mut ticks = WholeTicks::default();
        (0..50).for_each(|_| ticks.on_sample(6));
        // 4 RTTVAR falls from 12 by a quarter of itself rounded down, and stops at 3.
        assert_eq!((ticks.eight_srtt, ticks.four_variance, ticks.timeout()), (48, 3, Some(9)));
    }

    #[test]
    fn the_fourth_back_off_in_a_row_forgets_srtt_but_not_the_third() {
        let mut ticks = WholeTicks::default();
        ticks.on_sample(7);
        (0..3).for_each(|_| ticks.on_back_off());
        assert_eq!(ticks.srtt(), Some(7));
        ticks.on_back_off();
        assert_eq!((ticks.srtt(), ticks.timeout()), (None, Some(21)));
        ticks.on_sample(2);
        assert_eq!((ticks.eight_srtt, ticks.four_variance), (16, 4));
    }
}
