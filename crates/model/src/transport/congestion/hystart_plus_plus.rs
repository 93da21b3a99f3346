//! HyStart++ (RFC 9406): the first slow start watches the round-trip time of each round. When it rises, slow start goes on
//! four times slower; if it falls again, that was an error and slow start resumes; if not, after five rounds
//! congestion avoidance begins.
//!
//! A mark (ECN) ends slow start as a loss does.

use super::AckEvent;
use crate::transport::Pacing;
use crate::types::Duration;

/// RFC 9406 §4.3: the least and the most that an increase of the round-trip time must be.
const MIN_RTT_THRESH: Duration = Duration::from_millis(4);
const MAX_RTT_THRESH: Duration = Duration::from_millis(16);
/// RFC 9406 §4.3: between them, one eighth of the round-trip time.
const MIN_RTT_DIVISOR: u64 = 8;
/// RFC 9406 §4.3: samples that a round needs before it is judged.
const N_RTT_SAMPLE: u32 = 8;
/// RFC 9406 §4.3: how many times slower conservative slow start (CSS) is.
const CSS_GROWTH_DIVISOR: u32 = 4;
/// RFC 9406 §4.3: how many rounds it lasts.
const CSS_ROUNDS: u32 = 5;
/// RFC 9406 §4.3: L, segments an ACK may open the window by, without pacing.
const L_UNPACED: f64 = 8.0;

/// The rounds of a slow start.
#[derive(Clone, Debug)]
pub(super) struct HyStartPlusPlus {
    /// windowEnd: the round ends when this is acknowledged. The first round is what was sent before the first ACK.
    window_end: Option<u64>,
    last_round_min_rtt: Option<Duration>,
    current_round_min_rtt: Option<Duration>,
    rtt_sample_count: u32,
    conservative: Option<Conservative>,
    is_over: bool,
}

/// Conservative slow start.
#[derive(Clone, Copy, Debug)]
struct Conservative {
    /// cssBaselineMinRtt: what the round-trip time rose to.
    baseline_min_rtt: Duration,
    /// Rounds begun in it, the one in which it began included.
    rounds: u32,
}

impl HyStartPlusPlus {
    pub(super) const fn new() -> Self {
        Self {
            window_end: None,
            last_round_min_rtt: None,
            current_round_min_rtt: None,
            rtt_sample_count: 0,
            conservative: None,
            is_over: false,
        }
    }

    /// RFC 9406 §4.3: L is infinite for a sender that paces, 8 for one that does not.
    pub(super) const fn limit_segments(pacing: Pacing) -> f64 {
        if matches!(pacing, Pacing::Off) { L_UNPACED } else { f64::INFINITY }
    }

    /// What growth is divided by now.
    pub(super) const fn growth_divisor(&self) -> u32 {
        if self.conservative.is_some() { CSS_GROWTH_DIVISOR } else { 1 }
    }

    /// An ACK during slow start has opened the window. True, once, when congestion avoidance is to begin.
    pub(super) fn on_ack(&mut self, ack: &AckEvent) -> bool {
        if self.is_over {
            return false;
        }
        self.take_sample(ack.rtt);
        match self.conservative {
            None => self.look_for_increase(),
            Some(conservative) => self.look_for_decrease(conservative),
        }
        if ack.number >= *self.window_end.get_or_insert(ack.sent_end) {
            self.end_round(ack.sent_end);
        }
        self.is_over
    }

    /// RFC 9406 §4.2: currentRoundMinRTT = min(currentRoundMinRTT, currRTT).
    fn take_sample(&mut self, rtt: Option<Duration>) {
        if let Some(rtt) = rtt {
            self.current_round_min_rtt = Some(self.current_round_min_rtt.map_or(rtt, |least| least.min(rtt)));
            self.rtt_sample_count += 1;
        }
    }

    /// RFC 9406 §4.2: RttThresh = clamp(MIN_RTT_THRESH, lastRoundMinRTT / MIN_RTT_DIVISOR, MAX_RTT_THRESH).
    fn threshold(last: Duration) -> Duration {
        let part = Duration::from_nanos(last.as_nanos() / MIN_RTT_DIVISOR);
        part.min(MAX_RTT_THRESH).max(MIN_RTT_THRESH)
    }

    /// RFC 9406 §4.2: currentRoundMinRTT >= lastRoundMinRTT + RttThresh leads to conservative slow start.
    fn look_for_increase(&mut self) {
        if let (Some(current), Some(last)) = (self.judged(), self.last_round_min_rtt)
            && current >= last + Self::threshold(last)
        {
            self.conservative = Some(Conservative { baseline_min_rtt: current, rounds: 1 });
        }
    }

    /// RFC 9406 §4.2: currentRoundMinRTT < cssBaselineMinRtt shows that the increase was a passing one.
    fn look_for_decrease(&mut self, conservative: Conservative) {
        if self.judged().is_some_and(|current| current < conservative.baseline_min_rtt) {
            self.conservative = None;
        }
    }

    /// The least round-trip time of this round, once it has enough samples.
    fn judged(&self) -> Option<Duration> {
        self.current_round_min_rtt.filter(|_| self.rtt_sample_count >= N_RTT_SAMPLE)
    }

    /// RFC 9406 §4.2: the next round lasts until what is sent by now is acknowledged. After CSS_ROUNDS rounds, the
    /// first one perhaps only a part, conservative slow start is over.
    fn end_round(&mut self, sent_end: u64) {
        self.window_end = Some(sent_end);
        self.last_round_min_rtt = self.current_round_min_rtt.take();
        self.rtt_sample_count = 0;
        if let Some(conservative) = &mut self.conservative {
            self.is_over = conservative.rounds == CSS_ROUNDS;
            conservative.rounds += 1;
        }
    }
}
