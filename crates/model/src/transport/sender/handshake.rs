//! Opening a connection: at once, or by a SYN and its answer (RFC 9293 §3.5).
//!
//! The SYN is a segment without bytes, and the answer an ACK of nothing: it shows the first round trip. Left out: the SYN
//! takes no sequence number, options are agreed on beforehand, and the receiver's SYN is not repeated (its ACK of data
//! opens the connection as well).

use crate::transport::{InitialWindow, LostSynWindow, Tcp};
use crate::types::Time;

/// How many repetitions of a SYN Linux sends before it backs off ("tcp_syn_linear_timeouts").
const LINUX_STEADY_REPETITIONS: u32 = 4;

/// The state of the handshake.
#[derive(Clone, Copy, Debug)]
pub(super) struct Handshake {
    state: State,
    syn_is_due: bool,
    /// When the first SYN was sent; never before it is.
    first_sent_at: Time,
    sent_at: Time,
    /// SYNs sent after the first.
    repeated: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Closed,
    Opening,
    Open,
}

/// What the answer to a SYN shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    /// When the answered SYN was sent; none if there are several and no timestamp.
    pub(super) sent_at: Option<Time>,
    repeated: u32,
    /// A timestamp shows that it answers the first SYN, so that none was lost.
    answers_first: bool,
}

impl Handshake {
    pub(super) const CLOSED: Self =
        Self { state: State::Closed, syn_is_due: false, first_sent_at: Time::NEVER, sent_at: Time::NEVER, repeated: 0 };

    /// Opens the connection: at once or, `by_syn`, with the answer to a SYN.
    pub(super) fn open(&mut self, by_syn: bool) {
        if self.state == State::Closed {
            self.state = if by_syn { State::Opening } else { State::Open };
            self.syn_is_due = by_syn;
        }
    }

    #[inline]
    pub(super) fn is_open(&self) -> bool {
        self.state == State::Open
    }

    pub(super) fn is_opening(&self) -> bool {
        self.state == State::Opening
    }

    /// True when a SYN is to be sent.
    #[inline]
    pub(super) const fn syn_is_due(&self) -> bool {
        self.syn_is_due
    }

    /// The other end's SYN came in place of an answer, or again: this end's SYN answers it. One that answers for the first time
    /// does not count as repeated.
    pub(super) const fn answer(&mut self, is_first: bool) {
        if matches!(self.state, State::Opening) {
            self.syn_is_due = true;
            if is_first {
                self.first_sent_at = Time::NEVER;
            }
        }
    }

    /// A SYN is sent. Returns whether it is a repetition.
    pub(super) fn on_syn_sent(&mut self, now: Time) -> bool {
        let is_repeated = self.first_sent_at != Time::NEVER;
        self.syn_is_due = false;
        self.first_sent_at = self.first_sent_at.min(now);
        self.sent_at = now;
        self.repeated += u32::from(is_repeated);
        is_repeated
    }

    /// The timer expired, so the SYN is repeated. Returns whether the RTO backs off; Linux does so only after some repetitions.
    pub(super) const fn on_timeout(&mut self, is_linux: bool) -> bool {
        self.syn_is_due = true;
        !is_linux || self.repeated >= LINUX_STEADY_REPETITIONS
    }

    /// An ACK with the timestamp echo `echo` opens the connection; returns none if no SYN was sent.
    pub(super) fn on_answer(&mut self, echo: Option<Time>) -> Option<Answer> {
        if !self.is_opening() || self.first_sent_at == Time::NEVER {
            return None;
        }
        self.state = State::Open;
        self.syn_is_due = false;
        Some(Answer {
            sent_at: echo.or((self.repeated == 0).then_some(self.sent_at)),
            repeated: self.repeated,
            answers_first: echo == Some(self.first_sent_at),
        })
    }
}

impl Answer {
    /// The congestion window that is left after a lost SYN; none if no SYN was repeated.
    pub(super) fn window_after_loss(&self, config: &Tcp) -> Option<f64> {
        let (usual, is_first) = (config.initial_window, self.repeated == 1);
        let window = match config.rules.initial_window_after_lost_syn {
            // Linux, `tcp_try_undo_spurious_syn`: the first SYN was answered, so none was lost.
            LostSynWindow::ForgivesFirst if is_first || self.answers_first => config.window_by(usual),
            LostSynWindow::FallsBack if is_first && usual != InitialWindow::Segments => {
                config.window_by(InitialWindow::Segments)
            }
            _ => config.mss.count() as f64,
        };
        (self.repeated > 0).then_some(window)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::Rules;

    fn at(milliseconds: u64) -> Time {
        Time::from_nanos(milliseconds * 1_000_000)
    }

    /// A handshake whose SYN was sent at each of these moments.
    fn after_syns(milliseconds: &[u64]) -> Handshake {
        let mut handshake = Handshake::CLOSED;
        handshake.open(true);
        for &sent_at in milliseconds {
            handshake.on_syn_sent(at(sent_at));
        }
        handshake
    }

    #[test]
    fn without_a_syn_the_connection_is_open_at_once() {
        let mut handshake = Handshake::CLOSED;
        handshake.open(false);
        assert!(handshake.is_open() && !handshake.syn_is_due());
    }

    #[test]
    fn an_ack_before_any_syn_opens_nothing() {
        assert_eq!(after_syns(&[]).on_answer(None), None);
        let mut closed = Handshake::CLOSED;
        assert_eq!(closed.on_answer(None), None);
    }

    #[test]
    fn a_single_syn_gives_a_round_trip_and_a_repeated_one_only_with_an_echo() {
        let sent_at = |syns: &[u64], echo| after_syns(syns).on_answer(echo).and_then(|answer| answer.sent_at);
        assert_eq!(sent_at(&[10], None), Some(at(10)));
        assert_eq!(sent_at(&[10, 1010], None), None);
        assert_eq!(sent_at(&[10, 1010], Some(at(1010))), Some(at(1010)));
    }

    #[test]
    fn linux_backs_off_from_the_fifth_repetition_on() {
        let mut handshake = after_syns(&[0]);
        let backs_off: Vec<bool> = (1..=6)
            .map(|second| {
                let backs_off = handshake.on_timeout(true);
                assert!(handshake.syn_is_due());
                handshake.on_syn_sent(at(1000 * second));
                backs_off
            })
            .collect();
        assert_eq!(backs_off, [false, false, false, false, true, true]);
        assert!(after_syns(&[0]).on_timeout(false));
    }

    #[test]
    fn a_lost_syn_leaves_one_segment_unless_a_rule_forgives_it() {
        let window = |syns: &[u64], echo, initial_window_after_lost_syn| {
            let config = Tcp {
                initial_window: InitialWindow::Segments,
                initial_window_segments: 10,
                rules: Rules { initial_window_after_lost_syn, ..Rules::default() },
                ..Tcp::default()
            };
            let answer = after_syns(syns).on_answer(echo).expect("a SYN was sent");
            answer.window_after_loss(&config).map(|window| window / config.mss.count() as f64)
        };
        assert_eq!(window(&[0], None, LostSynWindow::OneSegment), None);
        assert_eq!(window(&[0, 1000], None, LostSynWindow::OneSegment), Some(1.0));
        assert_eq!(window(&[0, 1000], None, LostSynWindow::ForgivesFirst), Some(10.0));
        assert_eq!(window(&[0, 1000, 2000], None, LostSynWindow::ForgivesFirst), Some(1.0));
        assert_eq!(window(&[0, 1000, 2000], Some(at(0)), LostSynWindow::ForgivesFirst), Some(10.0));
    }
}
