//! The network between the servers and the users: a cell with its slots, or a wired hop in its place.
//!
//! Flows and the driver hand packets over and learn their outcomes; which of the two it is, is asked here alone. A cell acts at
//! slot boundaries, and its slots are the driver's clock. A hop acts when a packet reaches its user or is lost. Departures from a
//! drop-tail queue are recorded later, in order and with their times.

use airlink_model::cell::{Cell, CellConfig};
use airlink_model::rlc::Outcome;
use airlink_model::types::{Bytes, Dropped, Packet, Rate, Time, UserId};

use crate::payload::Payload;
use crate::record::{Recorder, TableLayout};
use crate::wired_bottleneck::WiredBottleneck;

/// The last node of every flow's path to its user.
#[derive(Clone)]
pub(crate) struct Network(Node);

#[derive(Clone)]
enum Node {
    Cell(Box<Cell<Payload>>),
    Wired(Box<WiredBottleneck>),
}

/// A network before its first packet.
#[derive(Clone)]
pub(crate) struct Origin(OriginNode);

#[derive(Clone)]
enum OriginNode {
    Cell(Box<CellConfig>),
    Wired(Box<WiredBottleneck>),
}

impl Origin {
    /// A cell that is made of this.
    pub(crate) fn of_cell(config: CellConfig) -> Self {
        Self(OriginNode::Cell(Box::new(config)))
    }

    /// A wired hop, empty.
    pub(crate) fn of_wired(wired: &WiredBottleneck) -> Self {
        Self(OriginNode::Wired(Box::new(wired.clone())))
    }

    /// The network; a cell is made by `cell_of`.
    pub(crate) fn network(&self, cell_of: impl FnOnce(&CellConfig) -> Cell<Payload>) -> Network {
        match &self.0 {
            OriginNode::Cell(config) => Network::of_cell(cell_of(config)),
            OriginNode::Wired(wired) => Network::of_wired((**wired).clone()),
        }
    }
}

impl Network {
    pub(crate) fn of_cell(cell: Cell<Payload>) -> Self {
        Self(Node::Cell(Box::new(cell)))
    }

    pub(crate) fn of_wired(wired: WiredBottleneck) -> Self {
        Self(Node::Wired(Box::new(wired)))
    }

    /// The cell, if its slots are the clock.
    #[inline]
    pub(crate) fn cell(&self) -> Option<&Cell<Payload>> {
        match &self.0 {
            Node::Cell(cell) => Some(cell),
            Node::Wired(_) => None,
        }
    }

    /// Mutable access to the cell.
    #[inline]
    pub(crate) fn cell_mut(&mut self) -> Option<&mut Cell<Payload>> {
        match &mut self.0 {
            Node::Cell(cell) => Some(cell),
            Node::Wired(_) => None,
        }
    }

    /// When it next acts by itself.
    #[inline]
    pub(crate) fn poll_timeout(&self) -> Time {
        match &self.0 {
            Node::Cell(cell) => cell.poll_timeout(),
            Node::Wired(wired) => wired.poll_timeout(),
        }
    }

    /// Whether [`Self::handle_packet`] may tell that the packet will be duplicated.
    #[inline]
    pub(crate) const fn may_duplicate(&self) -> bool {
        match &self.0 {
            Node::Cell(_) => false,
            Node::Wired(wired) => wired.may_duplicate(),
        }
    }

    /// Whether nothing happens to a packet between its coming and its arrival that has to be told before that: not at a hop that
    /// loses, marks or duplicates packets, or chooses among them.
    #[inline]
    pub(crate) const fn is_plain(&self) -> bool {
        match &self.0 {
            Node::Cell(_) => true,
            Node::Wired(wired) => wired.is_plain(),
        }
    }

    /// The rate of a wired hop, if it [`Self::is_plain`].
    pub(crate) fn plain_rate(&mut self) -> Option<Rate> {
        match &mut self.0 {
            Node::Cell(_) => None,
            Node::Wired(wired) => wired.plain_rate(),
        }
    }

    /// Takes a packet in and returns whether it will be duplicated; or gives it back with the reason.
    #[inline(always)]
    pub(crate) fn handle_packet(
        &mut self,
        now: Time,
        packet: Packet<Payload>,
        recorder: &mut Recorder,
    ) -> Result<bool, Dropped<Payload>> {
        match &mut self.0 {
            Node::Cell(cell) => cell.handle_packet(now, packet, recorder).map(|()| false),
            Node::Wired(wired) => wired.push(now, packet, recorder),
        }
    }

    /// Calls `of` with each packet that waits, is sent or is on a wire.
    pub(crate) fn for_each_packet(&self, of: impl FnMut(&Packet<Payload>)) {
        match &self.0 {
            Node::Cell(cell) => cell.packets().for_each(of),
            Node::Wired(wired) => wired.for_each_packet(of),
        }
    }

    /// Ends the slot that ends at `now`, with its packets' outcomes.
    pub(crate) fn finish(&mut self, now: Time, outcomes: &mut Vec<Outcome<Payload>>, recorder: &mut Recorder) {
        if let Node::Cell(cell) = &mut self.0 {
            cell.finish_slot(now, outcomes, recorder);
        }
    }

    /// The next packet that a hop's queue dropped at its head or its wire lost by `now`.
    pub(crate) fn poll_lost(&mut self, now: Time, recorder: &mut Recorder) -> Option<Packet<Payload>> {
        let Node::Wired(wired) = &mut self.0 else { return None };
        wired.poll_lost(now, recorder)
    }

    /// The next packet that a hop's wire will duplicate and that was not known to be when it came.
    pub(crate) fn poll_duplicated(&mut self, recorder: &mut Recorder) -> Option<Packet<Payload>> {
        let Node::Wired(wired) = &mut self.0 else { return None };
        wired.poll_duplicated(recorder)
    }

    /// The next packet that comes out of a hop's wire by `now`.
    #[inline(always)]
    pub(crate) fn poll_packet(&mut self, now: Time, recorder: &mut Recorder) -> Option<Packet<Payload>> {
        let Node::Wired(wired) = &mut self.0 else { return None };
        wired.poll_packet(now, recorder)
    }

    /// Records all events up to `now`, before a measurement begins or ends.
    pub(crate) fn catch_up(&mut self, now: Time, recorder: &mut Recorder) {
        if let Node::Wired(wired) = &mut self.0 {
            wired.record_sent(now, recorder);
        }
    }

    /// Counts in-order bytes that reached a user's application.
    #[inline]
    pub(crate) fn on_goodput(&mut self, user: UserId, bytes: Bytes) {
        if let Node::Cell(cell) = &mut self.0 {
            cell.on_goodput(user, bytes);
        }
    }

    /// Which columns the tables have for it.
    pub(crate) fn layout(&self) -> TableLayout {
        match &self.0 {
            Node::Wired(wired) => TableLayout { chooses_drops: wired.chooses_drops(), ..TableLayout::default() },
            Node::Cell(cell) => TableLayout {
                has_cell: true,
                chooses_drops: cell.chooses_drops(),
                has_subchannels: cell.subchannels() > 1,
                has_uplink_slots: cell.has_uplink_slots(),
                repeats_frames: cell.has_code_blocks() || cell.retransmits_slots(),
                ..TableLayout::default()
            },
        }
    }

    /// Packets and bytes in + duplicated = delivered + dropped + waiting.
    pub(crate) fn check_conservation(&self, recorder: &Recorder) {
        let users = recorder.users.iter().map(|user| user.counts.passed.waiting());
        match &self.0 {
            Node::Cell(cell) => {
                for (user, should) in users.enumerate() {
                    let held = cell.waiting(UserId::new(user));
                    check_waiting(&format!("user {user}"), should, (held.packets, held.bytes));
                }
            }
            Node::Wired(wired) => {
                let all = users.fold((0, 0), |sum, user| (sum.0 + user.0, sum.1 + user.1));
                check_waiting("the bottleneck", all, wired.held());
            }
        }
    }
}

fn check_waiting(whose: &str, (packets, bytes): (u64, u64), held: (u64, Bytes)) {
    assert!(
        (packets, Bytes::new(bytes)) == held,
        "packets or bytes of {whose} vanished: {packets} should wait, {} do",
        held.0
    );
}
