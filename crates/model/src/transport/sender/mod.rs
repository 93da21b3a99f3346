//! The sending side of a connection: what is sent and when.
//!
//! [`Sender`] holds the parts and passes events between them. Each part has its own state and file and does not know the
//! sender. Here are [`Handshake`], [`Supply`], [`OfferedWindow`], [`BurstLimit`], [`RoundTrips`], [`WindowUse`] and [`Marks`];
//! others stand beside this folder: the scoreboard, recovery, congestion control, delivery rates, the timer and the pacer.
//!
//! How to drive it: after every `handle_packet`, `handle_timeout`, `open` or `supply`, take segments from
//! [`Sender::poll_packet`] until it returns `None`; call [`Sender::handle_timeout`] no earlier than
//! [`Sender::poll_timeout`]. That time moves with almost every ACK: a driver keeps one alarm and sets it again when it
//! rings early.
//!
//! Left out: see the transport module.

use std::sync::Arc;

use crate::types::{Bytes, Duration, Time};

mod acks;
mod burst;
mod fast_path;
mod handshake;
mod marks;
mod offered_window;
mod pipe;
mod rate_samples;
mod round_trips;
mod sending;
mod statistics;
mod supply;
mod timeouts;
mod window_use;

use burst::BurstLimit;
use handshake::Handshake;
use marks::Marks;
use offered_window::OfferedWindow;
use round_trips::RoundTrips;
pub use sending::Limit;
pub use statistics::Statistics;
use supply::Supply;
use window_use::WindowUse;

use super::clamp::SenderClamp;
use super::congestion::{CongestionControl, Controller, LossEvent, Needs, Windows};
use super::delivery_rate::DeliveryRate;
use super::ecn::Response;
use super::pacing::Pacer;
use super::recovery::{Rack, Recovery, Spurious, TailLossProbe};
use super::scoreboard::{Scoreboard, as_last_sent};
use super::timer::Timer;
use super::{EcnMode, Pacing, Segment, Stamp, Tcp};

/// The sending side of a connection.
#[derive(Clone, Debug)]
pub struct Sender {
    config: Arc<Tcp>,
    mss: u32,
    /// No rule that is on looks at every packet.
    has_fast_path: bool,
    /// There is neither pacing nor ECN.
    wakes_by_timer: bool,
    /// Only windows, and what is known of losses, say what may leave.
    may_be_clear: bool,
    /// Nothing is lost or due, and segments of full length may leave up to this offset and no further. Known from an ACK until
    /// anything else happens; 0: not known.
    clear_until: u64,
    /// While it is clear: no rule that looks at every packet has more to find in an ACK of new data without blocks than a round
    /// trip and a count; always so where none is on.
    is_quiet: bool,
    /// New data has left that the loss probe is not planned for yet.
    owes_probe: bool,
    handshake: Handshake,
    supply: Supply,
    window: OfferedWindow,
    /// TS.Recent (RFC 7323 §4.3): the time on the latest ACK.
    recent_time: Stamp,
    scoreboard: Scoreboard,
    control: Controller,
    needs: Needs,
    recovery: Recovery,
    /// Read only if `config.rules.rack`.
    rack: Rack,
    probe: TailLossProbe,
    spurious: Option<Box<Spurious>>,
    burst: BurstLimit,
    round_trips: RoundTrips,
    timer: Timer,
    window_use: WindowUse,
    pacer: Pacer,
    /// Only for a congestion control that asks.
    delivery: Option<Box<DeliveryRate>>,
    marks: Marks,
    /// Only with ECN.
    ecn: Option<Box<Response>>,
    clamp: Option<Box<SenderClamp>>,
    statistics: Statistics,
}

impl Sender {
    /// A sender with nothing to send, not yet open. Connections of one kind share one [`Tcp`].
    pub fn new(config: impl Into<Arc<Tcp>>) -> Self {
        let config = config.into();
        let control = Controller::new(&config);
        Self::with_controller(config, control)
    }

    /// A sender with a congestion control of any type in place of the one that `config` names; how losses are repaired
    /// stays as for the name.
    pub fn with_control(config: impl Into<Arc<Tcp>>, control: Box<dyn CongestionControl>) -> Self {
        Self::with_controller(config.into(), Controller::Boxed(control))
    }

    fn with_controller(config: Arc<Tcp>, control: Controller) -> Self {
        let needs = control.needs();
        let receiver_window = config.first_window();
        assert!(!config.mss.is_zero(), "a segment carries at least one byte");
        assert!(receiver_window >= config.mss, "the receiver's window holds at least one segment");
        let initial_window = config.initial_window_bytes();
        assert!(initial_window > 0.0, "the first window holds at least one segment");
        assert!(config.duplicate_ack_threshold >= 1, "a loss needs at least one duplicate ACK to show");
        let mss = u32::try_from(config.mss.count()).expect("a segment is shorter than 2^32 bytes");
        let has_fast_path = fast_path::has_fast_path(&config, needs);
        Self {
            mss,
            has_fast_path,
            wakes_by_timer: config.pacing == Pacing::Off && !needs.pacing && config.ecn == EcnMode::Off,
            may_be_clear: fast_path::may_be_clear(&config, needs) && !matches!(control, Controller::Boxed(_)),
            clear_until: 0,
            is_quiet: has_fast_path,
            owes_probe: false,
            handshake: Handshake::CLOSED,
            supply: Supply::default(),
            window: OfferedWindow::new(receiver_window),
            recent_time: Stamp::NONE,
            scoreboard: Scoreboard::new(needs.rate_samples),
            control,
            needs,
            recovery: Recovery::new(&config, needs.own_recovery),
            rack: Rack::default(),
            probe: TailLossProbe::new(config.rules.tlp_max_ack_delay, config.rules.timer_slack),
            spurious: Spurious::new(&config),
            burst: BurstLimit::new(&config),
            round_trips: RoundTrips::new(&config),
            timer: Timer::new(&config.rto),
            window_use: WindowUse::new(&config),
            pacer: Pacer::new(config.pacing, needs.pacing),
            delivery: needs.rate_samples.then(Box::default),
            marks: Marks::default(),
            ecn: Response::new(config.ecn, config.handshake),
            clamp: config.sender_clamp().map(|clamp| Box::new(SenderClamp::new(clamp, config.mss, config.header))),
            statistics: Statistics::default(),
            config,
        }
    }

    /// Opens the connection: from now on data is sent or, with a handshake, from the answer to the SYN on.
    pub fn open(&mut self, _now: Time) {
        self.clear_until = 0;
        self.handshake.open(self.config.handshake);
    }

    /// Adds bytes to the stream; [`Bytes::UNLIMITED`] makes it endless. Ignored once stopped.
    pub fn supply(&mut self, bytes: Bytes) {
        self.clear_until = 0;
        self.note_app_limit();
        if self.supply.add(bytes) && self.burst.is_on() {
            self.burst.renew();
        }
    }

    /// Sends no new data from now on; what is outstanding is still recovered.
    pub fn stop(&mut self, _now: Time) {
        self.clear_until = 0;
        self.supply.stop(self.scoreboard.end());
        self.window.cancel_probe();
    }

    /// The end of what was supplied.
    pub(super) const fn supplied(&self) -> Bytes {
        Bytes::new(self.supply.end())
    }

    /// True if `segment` has the last bytes that were supplied so far.
    pub fn is_last(&self, segment: &Segment) -> bool {
        segment.length > 0 && segment.end() == self.supply.end()
    }

    /// SND.WND.
    pub(super) const fn offered_window(&self) -> Bytes {
        self.window.bytes()
    }

    /// A segment that is no ACK arrived with the time `stamp`, which segments echo.
    pub(super) fn note_time(&mut self, stamp: Stamp) {
        if self.config.timestamps {
            self.recent_time = self.recent_time.max(stamp);
        }
    }

    /// The first number that was not sent.
    pub(super) const fn sent_end(&self) -> u64 {
        self.scoreboard.end()
    }

    /// True when all that was supplied was sent.
    pub(super) const fn has_sent_all(&self) -> bool {
        self.scoreboard.end() == self.supply.end()
    }

    /// True once the connection is open.
    pub(super) fn is_open(&self) -> bool {
        self.handshake.is_open()
    }

    /// This end's SYN is to answer the other end's; `is_first`: it has not done so before.
    pub(super) const fn answer_syn(&mut self, is_first: bool) {
        self.clear_until = 0;
        self.handshake.answer(is_first);
    }

    /// The latest time on an ACK, which segments echo.
    pub(super) const fn recent_time(&self) -> Stamp {
        self.recent_time
    }

    /// Frees memory that is not needed now.
    pub fn release(&mut self) {
        self.scoreboard.release();
    }

    /// The congestion window, bytes; fractional, and inflated during recovery.
    pub fn cwnd(&self) -> f64 {
        self.control.window()
    }

    /// The slow start threshold, bytes; may be infinite.
    pub fn ssthresh(&self) -> f64 {
        self.control.slow_start_threshold()
    }

    /// What is in flight: sent, and neither known to have arrived nor given up. Without SACK and PRR it is FlightSize,
    /// with them "pipe".
    pub fn flight(&self) -> Bytes {
        Bytes::new(self.pipe())
    }

    /// The retransmission timeout in force, back-off included.
    pub const fn rto(&self) -> Duration {
        self.round_trips.rto()
    }

    /// The smoothed round-trip time, once measured.
    pub fn srtt(&self) -> Option<Duration> {
        self.round_trips.srtt()
    }

    /// True between a fast retransmit and the end of the recovery it began.
    pub fn in_recovery(&self) -> bool {
        self.recovery.is_active()
    }

    /// True while cwnd is below ssthresh and ssthresh has its initial value: no loss has set it, or the reduction was
    /// undone. False before the connection is open.
    pub fn in_initial_slow_start(&self) -> bool {
        let initial = f64::from(self.mss) * self.config.initial_ssthresh_segments;
        self.handshake.is_open() && self.cwnd() < self.ssthresh() && self.ssthresh() == initial
    }

    /// Bytes acknowledged so far.
    pub const fn acknowledged(&self) -> Bytes {
        Bytes::new(self.scoreboard.start())
    }

    /// True when every byte supplied (or, once stopped, every byte sent) is acknowledged.
    pub const fn is_complete(&self) -> bool {
        self.scoreboard.start() == self.supply.end()
    }

    /// The oldest segment not acknowledged, as last sent: the one that the timer stands for.
    pub fn oldest_outstanding(&self) -> Option<Segment> {
        self.scoreboard.oldest().map(|sent| as_last_sent(sent, self.timestamp(sent.sent_at)))
    }

    /// Counts since the start.
    pub const fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// The exact round-trip time shown by the latest ACK that covered nothing sent twice, from the oldest
    /// segment it covered; once. Independent of the clock's tick and of what the estimator samples.
    pub const fn take_rtt_sample(&mut self) -> Option<Duration> {
        self.round_trips.take_latest()
    }

    /// TSval of a segment sent at `at`.
    #[inline]
    fn timestamp(&self, at: Time) -> Stamp {
        if self.config.timestamps { Stamp::at(at) } else { Stamp::NONE }
    }

    fn loss_event(&self, now: Time, is_repeated: bool) -> LossEvent {
        let flight = self.recovery.flight_size(&self.scoreboard);
        let unvalidated = self.window_use.unvalidated_flight(self.control.window(), flight);
        LossEvent {
            now,
            flight: unvalidated.unwrap_or(flight),
            in_flight: Bytes::new(self.pipe()),
            receiver_window: self.clamp.as_ref().map_or(self.window.bytes(), |clamp| clamp.bound(self.window.bytes())),
            sent_end: self.scoreboard.end(),
            is_repeated,
            may_raise: true,
            is_validated: unvalidated.is_none(),
        }
    }

    /// "pipe" of RFC 6675 §4: what is in flight.
    #[inline]
    fn pipe(&self) -> u64 {
        self.recovery.pipe(&self.scoreboard)
    }

    /// Sets cwnd in a recovery that is not the congestion control's own.
    fn set_window(&mut self, window: f64) {
        if !self.needs.own_recovery {
            self.control.set_window(window);
        }
    }

    fn windows(&self) -> Windows {
        Windows { window: self.control.window(), slow_start_threshold: self.control.slow_start_threshold() }
    }

    /// cwnd or, if it is smaller, the window that follows marks; bytes.
    #[inline]
    fn send_window(&self) -> f64 {
        let cwnd = self.control.window();
        self.clamp.as_ref().map_or(cwnd, |clamp| clamp.window().min(cwnd))
    }
}
