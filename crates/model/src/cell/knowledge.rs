//! What the base station knows of its users, in columns that a decision reads; each changes with an event of its user.
//!
//! The users who may win, and those who have any packet here, are lists as well, so that what a slot costs follows the active
//! users. It leaves out: what is known of the air, which the radio has.

use super::CellUser;
use super::buffer::UserBuffer;
use super::place_list::PlaceList;
use crate::scheduler::{Controls, Scheduler, SlotView};
use crate::types::{Bytes, Slot, Time};

/// When a user may win.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidacy {
    /// Always, whether or not it has data.
    pub(super) serves_empty_queues: bool,
    /// It may change from slot to slot without an event: a retransmission falls due, or a shared queue decides.
    pub(super) changes_without_event: bool,
    /// Whoever has packets here may win, and nobody else: what is here is to be sent, and there is one list of both.
    pub(super) is_occupancy: bool,
}

/// What a user takes along to another cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Carried {
    last_won: i64,
    weight: f64,
    delay_budget_s: f64,
}

/// Columns by place; those who may win and those who have packets here in rising order, too.
#[derive(Clone, Debug)]
pub(super) struct Knowledge {
    candidacy: Candidacy,
    candidates: PlaceList,
    eligible: Vec<bool>,
    occupied: PlaceList,
    is_occupied: Vec<bool>,
    backlog_bytes: Vec<u64>,
    backlog_on_air_bytes: Vec<u64>,
    /// As of the latest slot that somebody looked into.
    retransmit_bytes: Vec<u64>,
    head_of_line_since: Vec<Time>,
    last_won: Vec<i64>,
    mean_snr_db: Vec<f64>,
    /// Only as long as somebody observes and a scheduler keeps averages; otherwise empty.
    average_bps: Vec<f64>,
    weight: Vec<f64>,
    delay_budget_s: Vec<f64>,
    shows_goodput: bool,
    /// Empty unless it is shown.
    goodput_bytes: Vec<u64>,
    arrived_packets: Vec<u64>,
    arrived_bytes: Vec<u64>,
}

impl Knowledge {
    pub(super) fn new(users: &[CellUser], candidacy: Candidacy) -> Self {
        let mut knowledge = Self {
            candidacy,
            candidates: PlaceList::default(),
            eligible: Vec::new(),
            occupied: PlaceList::default(),
            is_occupied: Vec::new(),
            backlog_bytes: Vec::new(),
            backlog_on_air_bytes: Vec::new(),
            retransmit_bytes: Vec::new(),
            head_of_line_since: Vec::new(),
            last_won: Vec::new(),
            mean_snr_db: Vec::new(),
            average_bps: Vec::new(),
            weight: Vec::new(),
            delay_budget_s: Vec::new(),
            shows_goodput: false,
            goodput_bytes: Vec::new(),
            arrived_packets: Vec::new(),
            arrived_bytes: Vec::new(),
        };
        for (place, user) in users.iter().enumerate() {
            let carried = Carried { last_won: -1, weight: user.weight, delay_budget_s: user.delay_budget_s };
            knowledge.occupy(place, carried, user.radio.mean_snr_db);
        }
        knowledge
    }

    /// A user with nothing that waits comes to `place`, a new one behind the others or one that nobody has.
    pub(super) fn occupy(&mut self, place: usize, carried: Carried, mean_snr_db: f64) {
        if place == self.weight.len() {
            self.eligible.push(false);
            self.is_occupied.push(false);
            self.backlog_bytes.push(0);
            self.backlog_on_air_bytes.push(0);
            self.retransmit_bytes.push(0);
            self.head_of_line_since.push(Time::NEVER);
            self.last_won.push(-1);
            self.mean_snr_db.push(f64::NAN);
            self.weight.push(1.0);
            self.delay_budget_s.push(f64::INFINITY);
            self.goodput_bytes.extend(self.shows_goodput.then_some(0));
            self.arrived_packets.push(0);
            self.arrived_bytes.push(0);
        }
        self.mean_snr_db[place] = mean_snr_db;
        let Carried { last_won, weight, delay_budget_s } = carried;
        (self.last_won[place], self.weight[place], self.delay_budget_s[place]) = (last_won, weight, delay_budget_s);
        let always = self.candidacy.serves_empty_queues && !self.candidacy.changes_without_event;
        self.set_eligible(place, always);
    }

    /// The user at `place` leaves with what is returned; nothing is known of it any more.
    pub(super) fn vacate(&mut self, place: usize) -> Carried {
        self.set_eligible(place, false);
        self.set_occupied(place, false);
        self.occupied.renew();
        (self.backlog_bytes[place], self.backlog_on_air_bytes[place], self.retransmit_bytes[place]) = (0, 0, 0);
        self.head_of_line_since[place] = Time::NEVER;
        self.mean_snr_db[place] = f64::NAN;
        self.goodput_bytes.get_mut(place).map(std::mem::take);
        (self.arrived_packets[place], self.arrived_bytes[place]) = (0, 0);
        Carried {
            last_won: std::mem::replace(&mut self.last_won[place], -1),
            weight: self.weight[place],
            delay_budget_s: self.delay_budget_s[place],
        }
    }

    #[inline]
    fn set_occupied(&mut self, place: usize, occupied: bool) {
        if std::mem::replace(&mut self.is_occupied[place], occupied) != occupied {
            self.occupied.toggle(place);
            // Nobody counts it while nothing is there.
            self.backlog_on_air_bytes[place] = 0;
        }
    }

    #[inline]
    fn set_eligible(&mut self, place: usize, eligible: bool) {
        if std::mem::replace(&mut self.eligible[place], eligible) != eligible && !self.candidacy.is_occupancy {
            self.candidates.toggle(place);
        }
    }

    /// The columns of a view; the rest of it is empty.
    #[inline(always)]
    pub(super) fn columns(&self) -> SlotView<'_> {
        SlotView {
            mean_snr_db: &self.mean_snr_db,
            average_bps: &self.average_bps,
            candidates: self.candidates(),
            occupied: self.occupied.places(),
            eligible: &self.eligible,
            backlog_bytes: &self.backlog_bytes,
            backlog_on_air_bytes: &self.backlog_on_air_bytes,
            retransmit_bytes: &self.retransmit_bytes,
            head_of_line_since: &self.head_of_line_since,
            last_won: &self.last_won,
            weight: &self.weight,
            delay_budget_s: &self.delay_budget_s,
            controls: Controls {
                goodput_bytes: &self.goodput_bytes,
                arrived_packets: &self.arrived_packets,
                arrived_bytes: &self.arrived_bytes,
            },
            ..SlotView::default()
        }
    }

    pub(super) fn candidates(&self) -> &[u32] {
        if self.candidacy.is_occupancy { self.occupied() } else { self.candidates.places() }
    }

    pub(super) fn occupied(&self) -> &[u32] {
        self.occupied.places()
    }

    pub(super) fn on_arrival(&mut self, user: usize, bytes: Bytes) {
        self.arrived_packets[user] += 1;
        self.arrived_bytes[user] += bytes.count();
    }

    pub(super) fn on_goodput(&mut self, user: usize, bytes: Bytes) {
        if let Some(goodput) = self.goodput_bytes.get_mut(user) {
            *goodput += bytes.count();
        }
    }

    pub(super) fn show_goodput(&mut self) {
        self.shows_goodput = true;
        self.goodput_bytes.resize(self.weight.len(), 0);
    }

    pub(super) fn goodput_shown(&self) -> Option<&[u64]> {
        self.shows_goodput.then_some(&*self.goodput_bytes)
    }

    /// `user` wins `slot`; returns the slots since it won before, if it did.
    pub(super) fn on_won(&mut self, user: usize, slot: Slot) -> Option<u64> {
        // A run has far fewer than 2^63 slots.
        let before = std::mem::replace(&mut self.last_won[user], slot.number() as i64);
        u64::try_from(before).ok().map(|before| slot.number() - before)
    }

    /// A packet of `bytes` has entered the queue of `user`.
    #[inline(always)]
    pub(super) fn on_queued(&mut self, user: usize, now: Time, bytes: Bytes) {
        let backlog = &mut self.backlog_bytes[user];
        let had_backlog = *backlog > 0;
        *backlog += bytes.count();
        if !had_backlog {
            self.begin_backlog(user, now);
        }
    }

    #[inline]
    fn begin_backlog(&mut self, user: usize, now: Time) {
        let head_since = &mut self.head_of_line_since[user];
        *head_since = now.min(*head_since);
        self.set_occupied(user, true);
        self.find_eligible(user);
    }

    /// Takes what has changed of `user` from its buffer.
    #[inline]
    pub(super) fn refresh<P>(&mut self, user: usize, buffer: &UserBuffer<P>) {
        self.head_of_line_since[user] = buffer.head_since();
        let backlog = buffer.bytes_to_send();
        let before = std::mem::replace(&mut self.backlog_bytes[user], backlog);
        // Who has a backlog is on both lists, and stays there with one.
        if before == 0 || backlog == 0 {
            self.set_occupied(user, backlog > 0 || buffer.waiting().packets > 0);
            self.find_eligible(user);
        }
    }

    /// Who has a backlog may win, unless that is decided elsewhere.
    #[inline]
    fn find_eligible(&mut self, user: usize) {
        if !self.candidacy.changes_without_event && !self.candidacy.serves_empty_queues {
            self.set_eligible(user, self.backlog_bytes[user] > 0);
        }
    }

    /// Brings the list of those who have packets here up to what has come and gone.
    #[inline]
    pub(super) fn renew_occupied(&mut self) {
        self.occupied.renew();
    }

    /// Brings both lists up to the slot that is to be decided. Where candidates change without an event, `choose` adds them to the
    /// empty list, given the users who have packets here.
    #[inline]
    pub(super) fn renew(&mut self, choose: impl FnOnce(&[u32], &mut Vec<u32>)) {
        self.occupied.renew();
        if self.candidacy.is_occupancy {
            return debug_assert!(self.eligible == self.is_occupied, "who has packets here may win");
        }
        if !self.candidacy.changes_without_event {
            return self.candidates.renew();
        }
        let candidates = self.candidates.filled_by_slot();
        for user in candidates.drain(..) {
            self.eligible[user as usize] = false;
        }
        choose(self.occupied.places(), candidates);
        for &user in &*candidates {
            self.eligible[user as usize] = true;
        }
    }

    /// Counts what waits to be retransmitted, for whoever looks at all users.
    pub(super) fn count_retransmissions<P>(&mut self, buffers: &[UserBuffer<P>]) {
        for (bytes, buffer) in self.retransmit_bytes.iter_mut().zip(buffers) {
            *bytes = buffer.bytes_to_retransmit();
        }
    }

    /// Counts each user's bytes on air; used only with several subchannels, since one carrier's winner gets the whole slot.
    pub(super) fn refresh_backlog_on_air<P>(&mut self, buffers: &mut [UserBuffer<P>], slot: Slot) {
        for &user in self.occupied.places() {
            self.backlog_on_air_bytes[user as usize] = buffers[user as usize].bytes_on_air_to_send(slot);
        }
    }

    /// Takes the averages that `scheduler` keeps.
    pub(super) fn take_averages(&mut self, scheduler: Option<&dyn Scheduler>) {
        self.average_bps.resize(self.weight.len(), 0.0);
        if !scheduler.is_some_and(|scheduler| scheduler.fill_averages(&mut self.average_bps)) {
            self.average_bps.clear();
        }
    }
}
