//! Channel and link of all users, on every subchannel; one carrier is the row with one subchannel.
//!
//! Per user: signal -> SINR -> report -> rate. What a scheduler reads in a slot is contiguous, by user, then subchannel. The
//! signal S stays in the arrays; a SINR is formed where it is used, from S and the interference of the slot.
//!
//! With several subchannels a user is computed slot by slot, and loops run over frequency. With one, a user without
//! interference is computed a block of [`BLOCK_SLOTS`] slots ahead, so that loops run over time; the bits are the same. An outer
//! loop moves between slots: reports are corrected and rates found slot by slot then, all before that stays in blocks.
//!
//! Users who may not win are left out, unless a probe or a scheduler looks at them, and made up for when they are wanted again. Where
//! few are wanted as a block begins, reports lie by user and each slot's are copied into a row: a write for each held slot
//! of all users would touch a page each.
//!
//! It leaves out: interference with a replayed rate, which has no SINR.

use std::ops::Range;

use super::sinr::sinr_db;
use crate::channel::{RateTrace, UserChannel};
use crate::link::{
    BlockErrors, FrameErrors, OuterLoop, RateRule, Report, ReportConfig, ReportRow, ReportedSnr, TrueSnr,
};
use crate::probe::Probe;
use crate::scheduler::Contest;
use crate::types::{BLOCK_SLOTS, Blocks, PowerRatio, Slot, SubchannelGrant};

/// The source of a user's rate.
#[derive(Clone, Debug)]
pub enum RateSource {
    /// A signal: the rate of a subchannel follows from the SINR that is reported of it.
    Signal {
        /// The signal over time, and over frequency.
        channel: UserChannel,
        /// The rate of a subchannel for its reported SINR.
        rule: RateRule,
    },
    /// A replayed trace of rates; one subchannel only.
    Trace {
        /// The rate over time.
        trace: RateTrace,
        /// Frames whose rate is above the replayed one are lost.
        loses_above: bool,
    },
}

/// Channel and link of one user.
#[derive(Clone, Debug)]
pub struct UserRadio {
    /// The signal or the rate over time.
    pub source: RateSource,
    /// The base station's reports of it; with a replayed rate, they report the rate instead of the SINR.
    pub report: ReportConfig,
    /// The number that names the draws of its reports' errors.
    pub number: u64,
    /// Outer-loop link adaptation (signals only).
    pub outer_loop: Option<OuterLoop>,
    /// Which frames are lost, where all that a user has of a slot is one.
    pub errors: FrameErrors,
    /// Which code blocks are lost, where each has a fate of its own.
    pub blocks: Option<BlockErrors>,
    /// Mean SNR in dB, as a scheduler may know it.
    pub mean_snr_db: f64,
    /// The highest rate of all subchannels together, b/s; the most that a slot could carry.
    pub peak_bps: f64,
}

/// The users of whom a slot is computed. Others are made up for when they are wanted again: draws have names, and reports go back
/// as far as their delay and period.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wanted<'a> {
    All,
    /// These, and the one whose block is retransmitted at once.
    Active(&'a [u32], Option<usize>),
}

/// How the users' air is computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Air {
    pub(super) subchannels: usize,
    /// Other cells interfere.
    pub(super) coupled: bool,
    /// Names the draws of reports, with each user's number.
    pub(super) seed: u64,
}

/// The current slot of every user, and with one subchannel the block of slots around it.
#[derive(Clone, Debug)]
pub(super) struct Radio {
    air: Air,
    subchannels: usize,
    /// By place; none at one that nobody has.
    users: Vec<Option<User>>,
    /// Slots that the arrays hold.
    held_slots: usize,
    /// The current slot's place among them.
    offset: usize,
    /// Some users are computed or corrected slot by slot.
    moves_each_slot: bool,
    has_code_blocks: bool,
    /// Something that is no code block may be lost.
    may_lose: bool,
    /// The arrays hold the block of the current slot of all users; otherwise, with several held slots, reports of those computed
    /// lie by user and slot, and the rows show those of the current slot.
    holds_all: bool,
    /// By user: the slots before this one were computed ahead.
    held_until: Vec<u64>,
    /// By user, held slot, subchannel: the signal in dB over thermal noise, or the true rate of a replayed trace.
    signal_db: Vec<f32>,
    /// By held slot, user, subchannel.
    reported_db: Vec<f32>,
    reported_bps: Vec<f32>,
    row_db: Vec<f32>,
    row_bps: Vec<f32>,
    /// By user, subchannel, relative to thermal noise; empty if no other cell interferes.
    interference: Vec<PowerRatio>,
    /// One user's SINR on each subchannel.
    sinr_db: Vec<f32>,
}

#[derive(Clone, Debug)]
struct User {
    radio: UserRadio,
    reports: Reports,
    /// It measures from this slot on.
    first: Slot,
}

/// Reports of a block of slots, or of one slot.
#[derive(Clone, Debug)]
enum Reports {
    Ahead(ReportedSnr),
    BySlot(ReportRow),
}

impl User {
    /// A user whose first slot is `first`.
    fn new(radio: UserRadio, air: Air, first: Slot) -> Self {
        let UserRadio { report, number, .. } = radio;
        let is_signal = matches!(radio.source, RateSource::Signal { .. });
        assert!(air.subchannels == 1 || is_signal, "a replayed rate has one carrier");
        let by_slot = is_signal && (air.subchannels > 1 || air.coupled);
        let reports = match by_slot {
            true => Reports::BySlot(ReportRow::new(report, air.subchannels, air.seed, number).from(first)),
            false => Reports::Ahead(ReportedSnr::new(report, air.seed, number).from(block_of(first))),
        };
        Self { radio, reports, first }
    }

    fn moves_each_slot(&self) -> bool {
        matches!(self.reports, Reports::BySlot(_)) || self.radio.outer_loop.is_some()
    }
}

impl Wanted<'_> {
    /// Calls `visit` with the number of each, of so many `users`.
    #[inline]
    fn each(self, users: usize, mut visit: impl FnMut(usize)) {
        match self {
            Self::All => (0..users).for_each(visit),
            Self::Active(active, retransmitting) => {
                active.iter().for_each(|&user| visit(user as usize));
                // A fate is drawn of who retransmits, whether or not it has more to send.
                retransmitting
                    .filter(|&user| active.binary_search(&(user as u32)).is_err())
                    .into_iter()
                    .for_each(visit);
            }
        }
    }
}

impl Radio {
    pub(super) fn new(radios: Vec<UserRadio>, air: Air) -> Self {
        assert!(air.subchannels > 0, "a carrier has at least one subchannel");
        let held_slots = if air.subchannels == 1 { BLOCK_SLOTS } else { 1 };
        let mut radio = Self {
            air,
            subchannels: air.subchannels,
            users: Vec::with_capacity(radios.len()),
            held_slots,
            offset: 0,
            moves_each_slot: false,
            has_code_blocks: false,
            may_lose: false,
            holds_all: held_slots == 1,
            held_until: Vec::new(),
            row_db: Vec::new(),
            row_bps: Vec::new(),
            signal_db: Vec::new(),
            reported_db: Vec::new(),
            reported_bps: Vec::new(),
            interference: Vec::new(),
            sinr_db: vec![f32::NEG_INFINITY; air.subchannels],
        };
        radio.make_room(radios.len());
        for (place, user) in radios.into_iter().enumerate() {
            radio.occupy(place, user, Slot::ZERO);
        }
        radio
    }

    /// Makes room for `added` users behind the others.
    fn make_room(&mut self, added: usize) {
        let (row, more) = (self.users.len() * self.subchannels, added * self.subchannels);
        self.users.resize_with(self.users.len() + added, || None);
        self.signal_db.resize((row + more) * self.held_slots, f32::NEG_INFINITY);
        let rows = if self.holds_all { self.held_slots } else { 1 };
        let (row, more) = (row * self.held_slots / rows, more * self.held_slots / rows);
        lengthen(&mut self.reported_db, (row, more), rows, f32::NEG_INFINITY);
        lengthen(&mut self.reported_bps, (row, more), rows, 0.0);
        if self.held_slots > 1 {
            self.held_until.resize(self.users.len(), 0);
            self.row_db.resize(self.users.len(), f32::NEG_INFINITY);
            self.row_bps.resize(self.users.len(), 0.0);
        }
        if self.air.coupled {
            self.interference.resize(self.users.len() * self.subchannels, PowerRatio::new(0.0));
        }
    }

    /// A user comes to `place`, a new one behind the others or one that nobody has; its first slot is `next`.
    pub(super) fn occupy(&mut self, place: usize, radio: UserRadio, next: Slot) {
        if place == self.users.len() {
            self.make_room(1);
        }
        let user = User::new(radio, self.air, next);
        self.moves_each_slot |= user.moves_each_slot();
        self.has_code_blocks |= user.radio.blocks.is_some();
        let loses_above = matches!(user.radio.source, RateSource::Trace { loses_above: true, .. });
        self.may_lose |= loses_above || user.radio.errors.may_lose();
        self.users[place] = Some(user);
        if self.held_slots > 1 {
            self.held_until[place] = 0;
            if self.holds_all && next != block_of(next) {
                self.compute_ahead(block_of(next), place);
            }
        }
    }

    /// The user at `place` leaves: nothing is reported of it any more.
    pub(super) fn vacate(&mut self, place: usize) {
        self.users[place] = None;
        if self.held_slots > 1 {
            (self.row_db[place], self.row_bps[place]) = (f32::NEG_INFINITY, 0.0);
        }
        if self.holds_all {
            let (row, first) = (self.users.len() * self.subchannels, place * self.subchannels);
            for held in 0..self.held_slots {
                let now = held * row + first..held * row + first + self.subchannels;
                self.reported_db[now.clone()].fill(f32::NEG_INFINITY);
                self.reported_bps[now].fill(0.0);
            }
        }
    }

    /// Whether a user's slot carries code blocks, each lost or not by itself.
    pub(super) fn has_code_blocks(&self) -> bool {
        self.has_code_blocks
    }

    pub(super) fn subchannels(&self) -> usize {
        self.subchannels
    }

    /// Sets the interference from now on, by user, then subchannel, relative to thermal noise.
    pub(super) fn set_interference(&mut self, interference: &[PowerRatio]) {
        self.interference.copy_from_slice(interference);
    }

    /// Makes `slot` readable of the `wanted` users; slots come in order.
    pub(super) fn advance_to(&mut self, slot: Slot, wanted: Wanted<'_>, probe: &mut impl Probe) {
        // A report measures the interference of its slot, which nobody remembers.
        let wanted = if self.interference.is_empty() { wanted } else { Wanted::All };
        if self.held_slots > 1 {
            self.hold_block(slot, wanted);
        }
        if self.moves_each_slot {
            wanted.each(self.users.len(), |user| self.compute_now(slot, user));
        }
        if probe.wants_channel() {
            self.report_channel(slot, probe);
        }
    }

    /// Computes the block of `slot` of the `wanted` users, as far as it is not there: of all at once, where most are wanted as it
    /// begins.
    fn hold_block(&mut self, slot: Slot, wanted: Wanted<'_>) {
        self.offset = offset_in_block(slot);
        let (first, users) = (block_of(slot), self.users.len());
        if self.offset == 0 {
            self.holds_all = match wanted {
                Wanted::All => true,
                Wanted::Active(active, _) => !Contest::is_sparse(active.len(), users),
            };
            if self.holds_all {
                (0..users).for_each(|user| self.compute_ahead(first, user));
            }
        }
        if !self.holds_all {
            wanted.each(users, |user| {
                if self.users[user].is_none() {
                    return;
                }
                self.compute_ahead(first, user);
                let place = user * BLOCK_SLOTS + self.offset;
                (self.row_db[user], self.row_bps[user]) = (self.reported_db[place], self.reported_bps[place]);
            });
        }
    }

    /// Computes the block of slots from `first`, if `user` is computed ahead and it is not there.
    fn compute_ahead(&mut self, first: Slot, user: usize) {
        let end = first.number() + BLOCK_SLOTS as u64;
        if std::mem::replace(&mut self.held_until[user], end) == end {
            return;
        }
        let Some(User { radio, reports: Reports::Ahead(reports), first: measures_from }) = &mut self.users[user] else {
            return;
        };
        let reports = (&mut *reports, *measures_from);
        let mut truth = TrueSnr { db: [0.0; BLOCK_SLOTS] };
        let mut report = Report { db: [f32::NEG_INFINITY; BLOCK_SLOTS] };
        let mut rate_bps = [0.0; BLOCK_SLOTS];
        match &mut radio.source {
            RateSource::Signal { channel, rule } => {
                // No other cell interferes: the SINR is the signal.
                report_until(first, reports, (&mut truth, &mut report), |slot, db| channel.fill(slot, db));
                if radio.outer_loop.is_none() {
                    rule.fill(&report, &mut rate_bps);
                }
            }
            RateSource::Trace { trace, .. } => {
                report_until(first, reports, (&mut truth, &mut report), |slot, db| trace.fill(slot, db));
                for (rate, reported) in rate_bps.iter_mut().zip(&report.db) {
                    *rate = reported.max(0.0);
                }
            }
        }
        self.signal_db[user * BLOCK_SLOTS..][..BLOCK_SLOTS].copy_from_slice(&truth.db);
        if !self.holds_all {
            self.reported_bps[user * BLOCK_SLOTS..][..BLOCK_SLOTS].copy_from_slice(&rate_bps);
            self.reported_db[user * BLOCK_SLOTS..][..BLOCK_SLOTS].copy_from_slice(&report.db);
            return;
        }
        let users = self.users.len();
        lay_down(&rate_bps, &mut self.reported_bps, (user, users));
        lay_down(&report.db, &mut self.reported_db, (user, users));
    }

    /// Computes `slot`, if `user` is computed slot by slot; of others, adds to the report what an outer loop has come to by now,
    /// and finds the rate that this permits.
    fn compute_now(&mut self, slot: Slot, user: usize) {
        let here = self.signals(user);
        let (reported_db, reported_bps) = match self.holds_all {
            true => {
                let now = self.reports(user);
                (&mut self.reported_db[now.clone()], &mut self.reported_bps[now])
            }
            false => (&mut self.row_db[user..=user], &mut self.row_bps[user..=user]),
        };
        let interference = self.interference.get(user * self.subchannels..(user + 1) * self.subchannels);
        let Some(User { radio, reports, .. }) = &mut self.users[user] else { return };
        let RateSource::Signal { channel, rule } = &mut radio.source else { return };
        let signal_db = &mut self.signal_db[here];
        if let Reports::BySlot(reports) = reports {
            reports.catch_up(slot, signal_db, |missed, signal_db| channel.fill_subchannels(missed, signal_db));
            channel.fill_subchannels(slot, signal_db);
            let true_db = match interference {
                None => signal_db,
                Some(interference) => {
                    for ((sinr, &signal), &other) in self.sinr_db.iter_mut().zip(&*signal_db).zip(interference) {
                        *sinr = sinr_db(signal, other);
                    }
                    &mut self.sinr_db[..]
                }
            };
            reports.advance(slot, true_db, reported_db);
        } else if radio.outer_loop.is_none() {
            return;
        }
        if let Some(outer_loop) = &mut radio.outer_loop {
            outer_loop.advance_to(slot);
            outer_loop.correct(reported_db);
        }
        match (reported_db, reported_bps) {
            ([reported_db], [rate_bps]) => *rate_bps = rule.rate_bps(*reported_db),
            (reported_db, rate_bps) => rule.fill_row(reported_db, rate_bps),
        }
    }

    /// A probe gets each user's mean SINR in dB and the sum of the rates.
    fn report_channel(&self, slot: Slot, probe: &mut impl Probe) {
        if self.subchannels == 1 && self.interference.is_empty() {
            // The sum and the mean of one number are that number.
            let true_db = self.signal_db.chunks_exact(self.held_slots).map(|slots| slots[self.offset]);
            return probe.on_channel(slot, true_db, self.reported_bps());
        }
        // Single precision is what rates are known in.
        let sum = |row: &[f32]| row.iter().map(|&rate| f64::from(rate)).sum::<f64>() as f32;
        let totals_bps: Vec<f32> = self.reported_bps().chunks_exact(self.subchannels).map(sum).collect();
        let mean_db = |user| {
            let row = (0..self.subchannels).map(|subchannel| f64::from(self.true_db(user, subchannel)));
            (row.sum::<f64>() / self.subchannels as f64) as f32
        };
        probe.on_channel(slot, (0..self.users.len()).map(mean_db), &totals_bps);
    }

    /// The radio of the user at this place.
    #[inline]
    fn of(&self, user: usize) -> &UserRadio {
        &self.users[user].as_ref().expect("somebody has this place").radio
    }

    /// Where the current signals of `user` are.
    fn signals(&self, user: usize) -> Range<usize> {
        let first = (user * self.held_slots + self.offset) * self.subchannels;
        first..first + self.subchannels
    }

    /// Where the current reports of `user` are.
    fn reports(&self, user: usize) -> Range<usize> {
        let first = (self.offset * self.users.len() + user) * self.subchannels;
        first..first + self.subchannels
    }

    fn all_reports(&self) -> Range<usize> {
        let row = self.users.len() * self.subchannels;
        self.offset * row..(self.offset + 1) * row
    }

    /// The rate in b/s that each user's report permits on each subchannel.
    pub(super) fn reported_bps(&self) -> &[f32] {
        if self.holds_all { &self.reported_bps[self.all_reports()] } else { &self.row_bps }
    }

    /// The SINR in dB that each user has reported of each subchannel.
    pub(super) fn reported_db(&self) -> &[f32] {
        if self.holds_all { &self.reported_db[self.all_reports()] } else { &self.row_db }
    }

    /// The true SINR of `user` on `subchannel`, dB (with a replayed rate: the true rate in b/s).
    #[inline]
    pub(super) fn true_db(&self, user: usize, subchannel: usize) -> f32 {
        self.true_db_of(user)(subchannel)
    }

    /// The true SINR of `user` by subchannel, as [`Self::true_db`].
    #[inline(always)]
    pub(super) fn true_db_of(&self, user: usize) -> impl Fn(usize) -> f32 {
        let signal_db = &self.signal_db[self.signals(user)];
        let row = user * self.subchannels..(user + 1) * self.subchannels;
        let has_sinr = || matches!(self.of(user).source, RateSource::Signal { .. });
        let interference = self.interference.get(row).filter(|_| has_sinr());
        move |subchannel| match interference {
            None => signal_db[subchannel],
            Some(interference) => sinr_db(signal_db[subchannel], interference[subchannel]),
        }
    }

    /// Writes the rows of the table of rates that reports of `user` permit.
    pub(super) fn fill_mcs(&self, user: usize, reported_db: &[f32], mcs: &mut [u16]) {
        match &self.of(user).source {
            RateSource::Signal { rule, .. } => rule.fill_mcs(reported_db, mcs),
            RateSource::Trace { .. } => mcs.fill(0),
        }
    }

    /// The highest rate that a slot of `user` could have.
    pub(super) fn peak_bps(&self, user: usize) -> f64 {
        self.of(user).peak_bps
    }

    /// Which code blocks of `user` are lost, if it has any.
    pub(super) fn block_errors(&self, user: usize) -> Option<&BlockErrors> {
        self.of(user).blocks.as_ref()
    }

    /// What is added to the reports of `user`, if anything is.
    pub(super) fn outer_loop(&self, user: usize) -> Option<&OuterLoop> {
        self.of(user).outer_loop.as_ref()
    }

    /// Mutable access to the user's outer loop.
    pub(super) fn outer_loop_mut(&mut self, user: usize) -> Option<&mut OuterLoop> {
        self.users[user].as_mut()?.radio.outer_loop.as_mut()
    }

    /// Tells the outer loop of `user` what was sent in `slot`; returns what it had added to the reports, dB.
    pub(super) fn on_sent(&mut self, slot: Slot, user: usize, blocks: Blocks) -> f64 {
        self.outer_loop_mut(user).map_or(0.0, |outer_loop| {
            let offset_db = outer_loop.offset_db();
            outer_loop.on_sent(slot, blocks);
            offset_db
        })
    }

    /// Whether anything that is sent as a whole may be lost.
    pub(super) fn may_lose(&self) -> bool {
        self.may_lose
    }

    /// Whether what is sent too fast to `user` is lost.
    pub(super) fn may_be_too_fast(&self, user: usize) -> bool {
        let UserRadio { source, errors, .. } = self.of(user);
        errors.has_threshold_rule() || matches!(source, RateSource::Trace { loses_above: true, .. })
    }

    /// Whether what `user` is sent in `slot` is lost: if one of the grants, each with the rate used on it, is sent too fast, or by
    /// the draw.
    #[inline]
    pub(super) fn is_lost(&self, slot: Slot, user: usize, grants: &[SubchannelGrant], rates_bps: &[f32]) -> bool {
        let UserRadio { source, errors, .. } = self.of(user);
        let any = |too_fast: &dyn Fn(f32, f32) -> bool| {
            grants.iter().zip(rates_bps).any(|(grant, &rate_bps)| too_fast(grant.true_db, rate_bps))
        };
        errors.is_drawn(slot)
            || match source {
                RateSource::Trace { loses_above: true, .. } => any(&|true_bps, rate_bps| rate_bps > true_bps),
                _ => errors.has_threshold_rule() && any(&|true_db, rate_bps| errors.is_too_fast(true_db, rate_bps)),
            }
    }
}

/// Writes the truth and the reports of the block from `first`, of a user who measures from a slot on; `fill` writes the truth of any
/// block.
fn report_until(
    first: Slot,
    (reports, measures_from): (&mut ReportedSnr, Slot),
    (truth, report): (&mut TrueSnr, &mut Report),
    mut fill: impl FnMut(Slot, &mut [f32; BLOCK_SLOTS]),
) {
    let mut block = reports.resume(first);
    while block <= first {
        fill(block, &mut truth.db);
        if measures_from > block {
            truth.db[..offset_in_block(measures_from)].fill(f32::NEG_INFINITY);
        }
        reports.fill(block, truth, report);
        block = Slot::new(block.number() + BLOCK_SLOTS as u64);
    }
}

/// Where a slot's block of slots begins.
fn block_of(slot: Slot) -> Slot {
    Slot::new(slot.number() - offset_in_block(slot) as u64)
}

fn offset_in_block(slot: Slot) -> usize {
    // Below BLOCK_SLOTS, so it fits.
    (slot.number() % BLOCK_SLOTS as u64) as usize
}

/// Adds `more` times `value` behind each of `rows` rows of so many elements.
fn lengthen(all: &mut Vec<f32>, (row, more): (usize, usize), rows: usize, value: f32) {
    let mut longer = Vec::with_capacity((row + more) * rows);
    for place in 0..rows {
        longer.extend_from_slice(&all[place * row..(place + 1) * row]);
        longer.resize(longer.len() + more, value);
    }
    *all = longer;
}

/// Lays a user's slots down in rows of all users, four at a step.
#[inline(always)]
fn lay_down(slots: &[f32; BLOCK_SLOTS], rows: &mut [f32], (user, users): (usize, usize)) {
    for (values, rows) in slots.chunks_exact(4).zip(rows.chunks_exact_mut(4 * users)) {
        let (early, late) = rows.split_at_mut(2 * users);
        let ((first, second), (third, fourth)) = (early.split_at_mut(users), late.split_at_mut(users));
        first[user] = values[0];
        second[user] = values[1];
        third[user] = values[2];
        fourth[user] = values[3];
    }
}
