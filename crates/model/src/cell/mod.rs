//! One base station: the only module that knows all radio stages, and the order in which they act.
//!
//! A slot has two ends. [`Cell::finish_slot`] ends the slot before: the block on air arrives or is lost, packets
//! leave, the scheduler learns what was sent. Between the two the driver hands over what has arrived up to and
//! including the boundary. The next slot starts in two steps: [`Cell::observe`] moves channel and reports on and shows what the
//! base station knows; [`Cell::apply`] takes the decision: rate, RLC fill, error draw. [`Cell::start_slot`] is both with the cell's
//! own scheduler between them. One carrier goes to one user; of many subchannels several users may have some, and each has a
//! block of its own on air, in order of user number. The cell never looks at a payload and never asks for the time.
//!
//! It leaves out: what other cells do (their interference is set from outside), the uplink's radio.

mod buffer;
mod duplex;
mod grants;
mod knowledge;
mod moving;
mod on_air;
mod place_list;
mod radio;
mod service;
mod shared_fifo;
mod sinr;
mod transmission;
mod user_table;

pub use buffer::Waiting;
pub use moving::MovedUser;
pub use radio::{RateSource, UserRadio};

use buffer::{BufferMaker, Ended, UserBuffer};
use grants::Grants;
use knowledge::{Candidacy, Knowledge};
use on_air::OnAir;
use radio::{Air, Radio, Wanted};
use shared_fifo::SharedFifo;
use transmission::Starting;
use user_table::UserTable;

use crate::probe::Probe;
use crate::queue::{QueueConfig, QueueManagementOf, QueueScope};
use crate::rlc::{Filled, Outcome, PacketHistory, RlcConfig};
use crate::scheduler::{Allocation, AllocationError, Scheduler, Served, SlotOutcome, SlotView, UserRow};
use crate::types::{
    Bytes, CellId, DropReason, Dropped, Duplex, Ecn, Packet, PowerRatio, Slot, SlotClock, SlotStarts, Time, UserId,
};

/// What a cell is made of.
#[derive(Clone)]
pub struct CellConfig {
    /// Its name.
    pub id: CellId,
    /// The slot length.
    pub clock: SlotClock,
    /// Which slots carry downlink; none: all do.
    pub duplex: Option<Duplex>,
    /// Subchannels of the carrier, at least 1.
    pub subchannels: usize,
    /// Its users, in the order in which they stand in a view; perhaps none yet.
    pub users: Vec<CellUser>,
    /// Other cells interfere, as [`Cell::set_interference`] says; false: nobody does.
    pub coupled: bool,
    /// Segmentation and retransmission, the same for all users.
    pub rlc: RlcConfig,
    /// Each user's queue, or the one of all.
    pub queue: QueueConfig,
    /// What keeps each user's own queue short, in the place of what `queue` names.
    pub queue_management: Option<QueueManagementOf>,
    /// The run's seed: what queues refuse at random is drawn.
    pub seed: u64,
    /// Users with nothing to send compete too, and waste the slot that they win.
    pub serve_empty_queues: bool,
}

/// What a user brings to a cell.
#[derive(Clone, Debug)]
pub struct CellUser {
    /// Its name, by which the draws of its queue are named too.
    pub id: UserId,
    /// Channel and link.
    pub radio: UserRadio,
    /// What a decision may weigh it by.
    pub weight: f64,
    /// The wait that a packet may have, as a decision may see it, in seconds; infinity for none.
    pub delay_budget_s: f64,
}

/// One base station with its users.
#[derive(Clone)]
pub struct Cell<P> {
    id: CellId,
    clock: SlotClock,
    /// The slot's length in seconds.
    slot_s: f64,
    duplex: Option<Duplex>,
    next_slot: Slot,
    next_start: Time,
    next_end: Time,
    /// Of the slots behind the next one.
    starts: SlotStarts,
    radio: Radio,
    /// Decides where nobody else does.
    scheduler: Option<Box<dyn Scheduler>>,
    allocation: Allocation,
    /// The next slot is observed and not yet decided.
    is_open: bool,
    users: UserTable,
    /// By place, as all that goes by user.
    buffers: Vec<UserBuffer<P>>,
    maker: BufferMaker,
    retransmits: bool,
    retransmits_late: bool,
    has_outer_loops: bool,
    /// The queue that all users share, if they do.
    shared_fifo: Option<Box<SharedFifo>>,
    knowledge: Knowledge,
    /// By place.
    on_air: Vec<OnAir>,
    /// The block that was lost in the slot before and is retransmitted in the next.
    pending_retransmission: Option<OnAir>,
    /// Of the slot that ended last.
    served: Vec<Served>,
    grants: Grants,
    /// Memory for the histories of the packets that leave.
    histories: Vec<PacketHistory>,
    /// What queues dropped at the start of this slot.
    dropped: Vec<Dropped<P>>,
}

impl<P> Cell<P> {
    /// A cell before its first slot, with empty queues. Without a scheduler somebody else decides each slot.
    pub fn new(config: CellConfig, scheduler: Option<Box<dyn Scheduler>>) -> Self {
        let (users, subchannels) = (config.users.len(), config.subchannels);
        let shared_fifo = (config.queue.scope == QueueScope::Cell).then(|| Box::new(SharedFifo::new(config.queue)));
        let queue = if shared_fifo.is_some() { config.queue.unlimited_and_unmarked() } else { config.queue };
        let manages = config.queue_management.is_some();
        assert!(!manages || shared_fifo.is_none(), "a queue that all users share is drop-tail");
        let CellConfig { id, rlc, seed, queue_management, serve_empty_queues, .. } = config;
        let maker = BufferMaker { queue, queue_management, rlc, seed, counts_on_air: subchannels > 1 };
        let (retransmits, retransmits_late) = (maker.retransmits(), maker.retransmits_late());
        let changes_without_event = shared_fifo.is_some() || (!serve_empty_queues && retransmits_late);
        let candidacy = Candidacy {
            serves_empty_queues: serve_empty_queues,
            changes_without_event,
            // A block that is retransmitted at once does not wait.
            is_occupancy: !serve_empty_queues && !changes_without_event && !rlc.retransmits_at_once(),
        };
        let mut starts = config.clock.starts();
        let air = Air { subchannels, coupled: config.coupled, seed };
        Self {
            id,
            clock: config.clock,
            slot_s: config.clock.slot_secs(),
            duplex: config.duplex,
            next_slot: Slot::ZERO,
            next_start: Time::ZERO,
            next_end: starts.next_start(),
            starts,
            scheduler,
            allocation: Allocation::new(subchannels),
            is_open: false,
            grants: Grants::new(users, subchannels),
            knowledge: Knowledge::new(&config.users, candidacy),
            buffers: config.users.iter().map(|user| maker.buffer(user.id)).collect(),
            users: UserTable::new(config.users.iter().map(|user| user.id)),
            maker,
            retransmits,
            retransmits_late,
            has_outer_loops: config.users.iter().any(|user| user.radio.outer_loop.is_some()),
            shared_fifo,
            on_air: Vec::with_capacity(users.min(subchannels)),
            pending_retransmission: None,
            served: Vec::with_capacity(users.min(subchannels)),
            histories: Vec::new(),
            dropped: Vec::new(),
            radio: Radio::new(config.users.into_iter().map(|user| user.radio).collect(), air),
        }
    }

    /// Its name.
    pub const fn id(&self) -> CellId {
        self.id
    }

    /// Whether this user is in the cell.
    pub fn has_user(&self, user: UserId) -> bool {
        self.users.find(user).is_some()
    }

    /// When the next slot starts, which is when the current one ends.
    pub fn poll_timeout(&self) -> Time {
        self.next_start
    }

    /// When the slot that starts next will end.
    pub fn next_end(&self) -> Time {
        self.next_end
    }

    /// The slot that starts next.
    pub fn next_slot(&self) -> Slot {
        self.next_slot
    }

    /// Takes a packet into its user's queue, or gives it back with the reason.
    pub fn handle_packet(&mut self, now: Time, packet: Packet<P>, probe: &mut impl Probe) -> Result<(), Dropped<P>> {
        let (user, bytes) = (self.users.place(packet.user), packet.bytes);
        self.knowledge.on_arrival(user, bytes);
        if self.shared_fifo.is_some() {
            return self.handle_packet_of_shared_fifo(now, (packet, user), probe);
        }
        self.buffers[user].push(now, packet, probe)?;
        self.knowledge.on_queued(user, now, bytes);
        Ok(())
    }

    /// The same where all users share a queue: it decides, and each user's own takes what passes.
    #[inline(never)]
    fn handle_packet_of_shared_fifo(
        &mut self,
        now: Time,
        (mut packet, user): (Packet<P>, usize),
        probe: &mut impl Probe,
    ) -> Result<(), Dropped<P>> {
        let (occupied, bytes) = (self.knowledge.occupied(), packet.bytes);
        let is_above_mark = packet.marks.ecn.is_capable()
            && self.shared_fifo.as_ref().is_some_and(|fifo| fifo.is_above_mark(occupied, &self.buffers));
        if self.shared_fifo.as_mut().is_some_and(|fifo| !fifo.enter(now, (&packet, user), occupied, &self.buffers)) {
            probe.on_refused(now, &packet, DropReason::QueueFull);
            return Err(Dropped { packet, reason: DropReason::QueueFull });
        }
        if is_above_mark && packet.marks.ecn != Ecn::Ce {
            packet.marks.ecn = Ecn::Ce;
            probe.on_marked(now, packet.user, packet.flow);
        }
        self.buffers[user].push(now, packet, probe)?;
        self.knowledge.on_queued(user, now, bytes);
        self.knowledge.renew_occupied();
        Ok(())
    }

    /// Whether queues drop packets for which there is room.
    pub fn chooses_drops(&self) -> bool {
        self.buffers.iter().any(UserBuffer::chooses_drops)
    }

    /// Whether `user`'s queue has room for a packet of `bytes` now.
    pub fn has_room(&self, user: UserId, bytes: Bytes) -> bool {
        match &self.shared_fifo {
            Some(fifo) => fifo.has_room(bytes, self.knowledge.occupied(), &self.buffers),
            None => self.buffers[self.users.place(user)].has_room(bytes),
        }
    }

    /// Packets and bytes that wait or are in service for `user`.
    pub fn waiting(&self, user: UserId) -> Waiting {
        self.buffers[self.users.place(user)].waiting()
    }

    /// Never-sent bytes of `user`: they can be sent at once, whatever waits for feedback.
    pub fn fresh_bytes(&self, user: UserId) -> Bytes {
        self.buffers[self.users.place(user)].fresh_bytes()
    }

    /// The packets that wait or are in service, of all users.
    pub fn packets(&self) -> impl Iterator<Item = &Packet<P>> {
        self.buffers.iter().flat_map(UserBuffer::packets)
    }

    /// Whether a user's slot carries code blocks, each lost or not by itself.
    pub fn has_code_blocks(&self) -> bool {
        self.radio.has_code_blocks()
    }

    /// Whether ARQ retransmits a user's whole slot as one.
    pub fn retransmits_slots(&self) -> bool {
        self.maker.rlc.retransmits_slots()
    }

    /// The offset that the outer loop adds to the reports of `user`, dB, if there is one.
    pub fn offset_db(&self, user: UserId) -> Option<f64> {
        let mut outer_loop = self.radio.outer_loop(self.users.place(user))?.clone();
        // Of a user who is idle, what is due was not heard yet.
        outer_loop.advance_to(Slot::new(self.next_slot.number().saturating_sub(1)));
        Some(outer_loop.offset_db())
    }

    /// Subchannels of the carrier.
    pub fn subchannels(&self) -> usize {
        self.radio.subchannels()
    }

    /// Most bytes that `user` could be granted in the next slot.
    pub fn most_bytes(&self, user: UserId) -> Bytes {
        Bytes::new((self.clock.bits_in_slot(self.radio.peak_bps(self.users.place(user))) / 8.0) as u64 + 1)
    }

    /// Sets the interference from now on, by user, then subchannel, as a multiple of thermal noise. What is reported of a slot is
    /// measured under what is set when the slot is observed; what is sent in it meets what is set when it is applied.
    pub fn set_interference(&mut self, interference: &[PowerRatio]) {
        self.radio.set_interference(interference);
    }

    /// Shows decisions the in-order bytes that reach users' applications, from now on.
    pub fn show_goodput(&mut self) {
        self.knowledge.show_goodput();
    }

    /// These bytes by place, if they are shown.
    pub fn goodput_shown(&self) -> Option<&[u64]> {
        self.knowledge.goodput_shown()
    }

    /// Counts in-order bytes that reached a user's application, if they are shown.
    pub fn on_goodput(&mut self, user: UserId, bytes: Bytes) {
        self.knowledge.on_goodput(self.users.place(user), bytes);
    }

    /// Ends the current slot: its blocks arrive or are lost, and packets leave.
    pub fn finish_slot(&mut self, now: Time, outcomes: &mut Vec<Outcome<P>>, probe: &mut impl Probe) {
        self.served.clear();
        let Some(slot) = self.on_air.first().map(|air| air.slot) else { return };
        for rank in 0..self.on_air.len() {
            let &OnAir { place: user, lost, granted_bits, filled: Filled { sent, .. }, .. } = &self.on_air[rank];
            let reported = outcomes.len();
            let marker = self.shared_fifo.as_mut().and_then(|fifo| fifo.marker());
            let buffer = &mut self.buffers[user];
            let ended = Ended { slot, lost, marker, histories: &mut self.histories };
            buffer.finish_slot(now, ended, outcomes, probe);
            self.knowledge.refresh(user, buffer);
            if self.shared_fifo.is_some() {
                self.refresh_shared_fifo(user);
            }
            if self.retransmits && self.buffers[user].holds_block() {
                self.pending_retransmission = Some(self.on_air[rank]);
            }
            if self.has_outer_loops
                && let Some(outer_loop) = self.radio.outer_loop_mut(user)
            {
                let dropped =
                    outcomes[reported..].iter().filter(|outcome| matches!(outcome, Outcome::Dropped(_))).count();
                outer_loop.on_packets((outcomes.len() - reported - dropped) as u64, dropped as u64);
            }
            if probe.wants_service() {
                probe.on_service(now, self.on_air[rank].user, self.service_off_air(self.next_slot, user));
            }
            let sent_bits = sent.bits() as f64;
            self.served.push(Served { user: UserRow::new(user), granted_bits, sent_bits });
        }
        self.on_air.clear();
        if let Some(scheduler) = &mut self.scheduler {
            scheduler.on_slot_end(&SlotOutcome { slot, slot_s: self.slot_s, served: &self.served });
        }
    }

    /// Starts the next slot with the cell's own scheduler: who gets what of it, at which rate, with what in it, and whether that
    /// will arrive. Nobody gets anything of a slot without downlink.
    pub fn start_slot(&mut self, probe: &mut impl Probe) {
        if !self.has_downlink() {
            return self.pass_slot(probe);
        }
        let mut scheduler = self.scheduler.take().expect("a cell without a scheduler is driven by observe and apply");
        self.open_slot(scheduler.reads_idle_users(), probe);
        let mut allocation = std::mem::take(&mut self.allocation);
        allocation.clear();
        let view = SlotView { average_bps: &[], ..self.view() };
        match &self.pending_retransmission {
            None => scheduler.allocate(&view, &mut allocation),
            Some(_) => scheduler.stand_by(&view),
        }
        self.scheduler = Some(scheduler);
        self.start(&allocation, probe);
        self.allocation = allocation;
    }

    /// Whether the next slot is observed and waits for [`Cell::apply`].
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// What the base station knows of the next slot, which somebody else than the cell's scheduler decides; observing a slot again
    /// shows the same. Packets come before a slot is observed. Only slots with downlink are observed: [`Cell::pass_slot`].
    pub fn observe(&mut self, probe: &mut impl Probe) -> SlotView<'_> {
        assert!(self.has_downlink(), "nothing is to be decided of a slot without downlink");
        if !self.is_open {
            self.open_slot(true, probe);
            self.knowledge.take_averages(self.scheduler.as_deref());
        }
        self.view()
    }

    /// Starts the observed slot as `allocation` says. A scheduler that the cell has learns what the slot becomes, but has no turn
    /// in it. An allocation that gives a subchannel to a user who may not win changes nothing; so does one that grants
    /// anything in a slot that a retransmission takes: grant nothing in it.
    pub fn apply(&mut self, allocation: &Allocation, probe: &mut impl Probe) -> Result<(), AllocationError> {
        if !self.is_open {
            return Err(AllocationError::NothingObserved);
        }
        self.view().check(allocation)?;
        if let Some(mut scheduler) = self.scheduler.take() {
            scheduler.stand_by(&self.view());
            self.scheduler = Some(scheduler);
        }
        self.start(allocation, probe);
        Ok(())
    }

    /// Opens the next slot, with the air of all users or of those who may win.
    fn open_slot(&mut self, shows_all: bool, probe: &mut impl Probe) {
        if std::mem::replace(&mut self.is_open, true) {
            return;
        }
        let slot = self.next_slot;
        let Self { buffers, shared_fifo, .. } = self;
        self.knowledge.renew(|occupied, candidates| match shared_fifo {
            Some(fifo) => fifo.choose(slot, buffers, occupied, candidates),
            None => candidates.extend(occupied.iter().filter(|&&user| buffers[user as usize].is_ready(slot))),
        });
        if self.radio.subchannels() > 1 {
            self.knowledge.refresh_backlog_on_air(buffers, slot);
        }
        if shows_all && self.retransmits {
            self.knowledge.count_retransmissions(buffers);
        }
        let wanted = match shows_all || probe.wants_channel() {
            true => Wanted::All,
            false => {
                let retransmitting = self.pending_retransmission.as_ref().map(|block| block.place);
                Wanted::Active(self.knowledge.candidates(), retransmitting)
            }
        };
        self.radio.advance_to(slot, wanted, probe);
    }

    #[inline(always)]
    fn view(&self) -> SlotView<'_> {
        SlotView {
            now: self.next_start,
            slot: self.next_slot,
            slot_s: self.slot_s,
            users: self.buffers.len(),
            subchannels: self.radio.subchannels(),
            taken_by: self.pending_retransmission.as_ref().map(|block| UserRow::new(block.place)),
            ids: self.users.ids(),
            rate_bps: self.radio.reported_bps(),
            reported_db: self.radio.reported_db(),
            served: &self.served,
            ..self.knowledge.columns()
        }
    }

    /// Starts the slot that is open.
    fn start(&mut self, allocation: &Allocation, probe: &mut impl Probe) {
        let (slot, start) = (self.next_slot, self.next_start);
        self.is_open = false;
        self.next_slot = slot.next();
        self.next_start = self.next_end;
        self.next_end = self.starts.next_start();
        let share = self.downlink_share(slot);
        self.transmit_all(Starting { slot, start, share }, allocation, probe);
        if probe.wants_service() {
            self.report_service(slot, start, probe);
        }
    }

    /// Whether queues dropped packets as the slot started.
    #[inline]
    pub fn has_dropped(&self) -> bool {
        !self.dropped.is_empty()
    }

    /// The packets that queues dropped as the slot started, in order.
    pub fn take_dropped(&mut self) -> std::vec::Drain<'_, Dropped<P>> {
        self.dropped.drain(..)
    }

    /// Updates what is known of the user at this place from its buffer.
    fn refresh(&mut self, user: usize) {
        self.knowledge.refresh(user, &self.buffers[user]);
        self.refresh_shared_fifo(user);
    }

    #[inline(never)]
    fn refresh_shared_fifo(&mut self, user: usize) {
        if let Some(fifo) = &mut self.shared_fifo {
            self.knowledge.renew_occupied();
            fifo.set_unfinished(user, self.buffers[user].has_rest());
        }
    }
}
