//! Users are named, and move from cell to cell with all that waits for them.

use std::sync::Arc;

use airlink_model::cell::{Cell, CellConfig, CellUser, RateSource, UserRadio};
use airlink_model::channel::{FadingConfig, SumOfSinusoids, UserChannel};
use airlink_model::link::{BlockErrorModel, BlockErrors, FrameErrors, RateRule, RateTable, ReportConfig};
use airlink_model::probe::{Probe, SlotRecord, Unobserved};
use airlink_model::queue::{CodelConfig, QueueConfig, QueueKind};
use airlink_model::rlc::{ArqConfig, ArqRepeats, ArqUnit, CodedUnit, HarqConfig, Outcome, RlcConfig, Segmentation};
use airlink_model::scheduler::{Allocation, Scheduler, SchedulerConfig, SchedulerKind, SlotView, UserRow, build};
use airlink_model::types::declare::of_every_kind;
use airlink_model::types::{
    Bytes, CellId, Combining, CounterStream, Decibel, Direction, Duration, FlowId, Marks, Packet, PacketFields,
    Purpose, RandomStream, Slot, SlotClock, Time, UserId,
};

const SLOTS: u64 = 260;
const LAST_ARRIVAL: u64 = 120;
const MOVER: u32 = 900;

/// How lost bytes are repaired, and which queue they wait in.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Repair {
    Parts,
    CodeBlocks,
    AtOnce,
}

impl Repair {
    fn subchannels(self) -> usize {
        if self == Self::CodeBlocks { 3 } else { 1 }
    }

    fn rlc(self) -> RlcConfig {
        let unlimited = ArqConfig { max_retransmissions: u32::MAX, ..ArqConfig::default() };
        let segmentation =
            Segmentation { segment: Bytes::new(10), segment_header: Bytes::new(2), ..Default::default() };
        let harq = match self {
            Self::CodeBlocks => HarqConfig {
                combining: Combining::Chase,
                unit: CodedUnit::Block,
                processes: 3,
                round_trip_slots: 4,
                max_retransmissions: 2,
            },
            _ => HarqConfig::NONE,
        };
        let arq = match self {
            Self::Parts => ArqConfig { feedback_delay_slots: 2, ..unlimited },
            Self::CodeBlocks => unlimited,
            Self::AtOnce => {
                ArqConfig { max_retransmissions: 2, unit: ArqUnit::Slot, repeats: ArqRepeats::AtOnce, ..unlimited }
            }
        };
        RlcConfig { segmentation, arq, harq }
    }

    fn queue(self) -> QueueConfig {
        let codel = CodelConfig {
            target: Duration::from_millis(5),
            interval: Duration::from_millis(20),
            ..CodelConfig::default()
        };
        match self {
            Self::AtOnce => QueueConfig { kind: QueueKind::Codel, limit_packets: 50, codel, ..QueueConfig::default() },
            _ => QueueConfig { limit_packets: 1000, ..QueueConfig::default() },
        }
    }

    /// The radio of user number `number`, which fades unless a block keeps its rate.
    fn radio(self, number: u64) -> UserRadio {
        let rates_bps = [100e3, 400e3, 800e3, 1.6e6];
        let table = RateTable::new(&[-100.0, 0.0, 5.0, 10.0], &rates_bps).expect("a table");
        let fading = FadingConfig { terms: 8, doppler_hz: 40.0, slot_s: 1e-3 };
        let mut channel = UserChannel::constant(Decibel::new(7.0));
        if self != Self::AtOnce {
            let mut draws = RandomStream::new(1, Purpose::Fading, number);
            channel = channel.with_fading(SumOfSinusoids::new(fading, &mut draws));
        }
        let model = Arc::new(BlockErrorModel::constant(0.4, None, Combining::Chase));
        UserRadio {
            source: RateSource::Signal { channel, rule: RateRule::Table(table) },
            report: ReportConfig {
                error_sd_db: if self == Self::AtOnce { 0.0 } else { 1.0 },
                ..ReportConfig::default()
            },
            number,
            outer_loop: None,
            errors: FrameErrors::new(0.3, None, 1, number),
            blocks: (self == Self::CodeBlocks).then(|| BlockErrors::new(model, 1, number)),
            mean_snr_db: 7.0,
            peak_bps: 1.6e6,
        }
    }

    fn user(self, name: u32, number: u64) -> CellUser {
        CellUser { id: id(name), radio: self.radio(number), weight: 1.0, delay_budget_s: f64::INFINITY }
    }

    fn config(self, cell: usize, users: Vec<CellUser>) -> CellConfig {
        CellConfig {
            id: CellId::new(cell),
            clock: SlotClock::new(1_000_000, 1),
            duplex: None,
            subchannels: self.subchannels(),
            users,
            coupled: false,
            rlc: self.rlc(),
            queue: self.queue(),
            queue_management: None,
            seed: 1,
            serve_empty_queues: false,
        }
    }
}

fn id(name: u32) -> UserId {
    UserId::new(name as usize)
}

fn packet(user: UserId, number: u64, bytes: u64) -> Packet<()> {
    let (flow, bytes) = (FlowId::default(), Bytes::new(bytes));
    Box::new(PacketFields {
        id: number,
        flow,
        user,
        bytes,
        sent_at: Time::ZERO,
        queued_at: Time::ZERO,
        direction: Direction::Down,
        hop: 0,
        marks: Marks::default(),
        payload: (),
    })
}

/// The mover has every subchannel whenever it may win, then the first candidate does.
fn decide(view: &SlotView<'_>, allocation: &mut Allocation) {
    allocation.clear();
    let name = |&&user: &&u32| view.ids[user as usize] == id(MOVER);
    let Some(&user) = view.candidates.iter().find(name).or(view.candidates.first()) else { return };
    if view.taken_by.is_none() {
        (0..view.subchannels).for_each(|subchannel| allocation.grant(subchannel, UserRow::new(user as usize)));
    }
}

/// What a cell has taken in less what has left it, moves included: packets and bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Balance(i64, i64);

impl Balance {
    fn add(&mut self, sign: i64, packets: u64, bytes: Bytes) {
        self.0 += sign * packets as i64;
        self.1 += sign * bytes.count() as i64;
    }
}

/// Two cells, users 7 and 3 beside the mover in the first, 11 in the second.
struct World {
    repair: Repair,
    cells: [Cell<()>; 2],
    balances: [Balance; 2],
    home: usize,
    sent: u64,
    /// The mover's packets as they leave: slot, number, delivered.
    left: Vec<(u64, u64, bool)>,
    /// Moves with a packet partly sent, bytes to be retransmitted and three packets or more.
    mid_packet: u32,
}

impl World {
    fn new(repair: Repair) -> Self {
        let [mover, others] = [repair.user(MOVER, 0), repair.user(7, 1)];
        let first = repair.config(0, vec![others, mover, repair.user(3, 2)]);
        let second = repair.config(1, vec![repair.user(11, 3)]);
        let cells = [Cell::new(first, None), Cell::new(second, None)];
        Self { repair, cells, balances: [Balance::default(); 2], home: 0, sent: 0, left: Vec::new(), mid_packet: 0 }
    }

    fn run(mut self, moves: &[u64]) -> Self {
        for slot in 0..SLOTS {
            (0..2).for_each(|cell| self.finish(cell, slot));
            if moves.contains(&slot) {
                self.move_user();
            }
            self.arrive(slot);
            (0..2).for_each(|cell| self.start(cell, slot));
        }
        self
    }

    fn leave(&mut self, cell: usize, slot: u64, packet: &Packet<()>, delivered: bool) {
        self.balances[cell].add(-1, 1, packet.bytes);
        if packet.user == id(MOVER) {
            self.left.push((slot, packet.id, delivered));
        }
    }

    fn finish(&mut self, cell: usize, slot: u64) {
        let mut outcomes = Vec::new();
        let now = self.cells[cell].poll_timeout();
        self.cells[cell].finish_slot(now, &mut outcomes, &mut Unobserved);
        for outcome in outcomes {
            match outcome {
                Outcome::Delivered(packet) => self.leave(cell, slot, &packet, true),
                Outcome::Dropped(dropped) => self.leave(cell, slot, &dropped.packet, false),
            }
        }
        self.check(cell);
    }

    fn move_user(&mut self) {
        let (from, to) = (self.home, 1 - self.home);
        let (waiting, fresh) = (self.cells[from].waiting(id(MOVER)), self.cells[from].fresh_bytes(id(MOVER)));
        let user = self.cells[from].remove_user(id(MOVER)).expect("the mover is here");
        assert_eq!((user.id(), user.from(), user.waiting()), (id(MOVER), CellId::new(from), waiting));
        assert!(!self.cells[from].has_user(id(MOVER)) && self.cells[from].remove_user(id(MOVER)).is_none());
        self.balances[from].add(-1, waiting.packets, waiting.bytes);
        self.check(from);
        self.cells[to].add_user(user, self.repair.radio(0));
        self.balances[to].add(1, waiting.packets, waiting.bytes);
        self.check(to);
        // Less was never sent than waits: the rest is lost, or waits for what is.
        self.mid_packet += u32::from(fresh < waiting.bytes && !fresh.is_zero() && waiting.packets >= 3);
        self.home = to;
    }

    fn arrive(&mut self, slot: u64) {
        if slot >= LAST_ARRIVAL {
            return;
        }
        // A retransmission at once of somebody else would take a slot of the mover.
        let others = if self.repair == Repair::AtOnce { 0.0 } else { 0.1 };
        let of = |name| if name == MOVER { 0.6 } else { others };
        for (cell, name) in [(self.home, MOVER), (0, 7), (0, 3), (1, 11)] {
            let draws = CounterStream::new(5, Purpose::Traffic, name.into());
            if draws.uniform(Slot::new(slot)) < of(name) {
                let bytes = 40 + (draws.uniform(Slot::new(slot + 10_000)) * 200.0) as u64;
                let packet = packet(id(name), self.sent, bytes);
                self.sent += 1;
                self.balances[cell].add(1, 1, packet.bytes);
                let now = self.cells[cell].poll_timeout();
                if let Err(dropped) = self.cells[cell].handle_packet(now, packet, &mut Unobserved) {
                    self.leave(cell, slot, &dropped.packet, false);
                }
            }
        }
    }

    fn start(&mut self, cell: usize, slot: u64) {
        let mut allocation = Allocation::new(self.repair.subchannels());
        decide(&self.cells[cell].observe(&mut Unobserved), &mut allocation);
        self.cells[cell].apply(&allocation, &mut Unobserved).expect("a candidate has a rate");
        let dropped: Vec<_> = self.cells[cell].take_dropped().collect();
        dropped.iter().for_each(|dropped| self.leave(cell, slot, &dropped.packet, false));
        self.check(cell);
    }

    /// In = out + waiting, in each cell at every step.
    fn check(&self, cell: usize) {
        let mut waiting = Balance::default();
        for name in [MOVER, 7, 3, 11].map(id).into_iter().filter(|&name| self.cells[cell].has_user(name)) {
            let held = self.cells[cell].waiting(name);
            waiting.add(1, held.packets, held.bytes);
        }
        assert_eq!(waiting, self.balances[cell], "cell {cell}");
    }
}

#[test]
fn a_user_that_moves_mid_packet_to_an_equal_cell_gets_everything_when_it_would_have() {
    for repair in [Repair::Parts, Repair::CodeBlocks, Repair::AtOnce] {
        let stayed = World::new(repair).run(&[]);
        let numbers: Vec<u64> = stayed.left.iter().filter(|(.., delivered)| *delivered).map(|(_, id, _)| *id).collect();
        assert!(numbers.len() > 50 && numbers.is_sorted_by(|one, next| one < next), "{repair:?}: once and in order");
        let dropped = stayed.left.len() - numbers.len();
        assert_eq!(dropped > 0, repair == Repair::AtOnce, "{repair:?}: {dropped}");
        assert_eq!(stayed.cells[0].waiting(id(MOVER)).packets, 0, "{repair:?}: all has left");
        let mut mid_packet = 0;
        for slot in 10..LAST_ARRIVAL {
            let moved = World::new(repair).run(&[slot]);
            assert_eq!(moved.left, stayed.left, "{repair:?}: moved before slot {slot}");
            mid_packet += moved.mid_packet;
        }
        assert!(mid_packet > 20, "{repair:?}: {mid_packet}");
        let there_and_back = World::new(repair).run(&[20, 31, 32, 64, 90]);
        assert_eq!((there_and_back.left, there_and_back.home), (stayed.left, 1), "{repair:?}");
    }
}

#[test]
fn bytes_to_be_retransmitted_move_along() {
    for repair in [Repair::Parts, Repair::CodeBlocks] {
        let mut pending = 0;
        for slot in 10..60 {
            let mut world = World::new(repair).run_until(slot);
            let before = world.retransmit_bytes();
            world.move_user();
            assert_eq!(world.retransmit_bytes(), before);
            pending += u32::from(before > 0);
        }
        assert!(pending > 10, "{repair:?}: {pending}");
    }
}

impl World {
    /// Up to the end of the slot before `slot`.
    fn run_until(mut self, slot: u64) -> Self {
        for slot in 0..slot {
            (0..2).for_each(|cell| self.finish(cell, slot));
            self.arrive(slot);
            (0..2).for_each(|cell| self.start(cell, slot));
        }
        (0..2).for_each(|cell| self.finish(cell, slot));
        self
    }

    /// The mover's bytes that are to be retransmitted, as a copy of its cell shows them.
    fn retransmit_bytes(&self) -> u64 {
        let mut copy = self.cells[self.home].clone();
        let view = copy.observe(&mut Unobserved);
        let row = (0..view.users).find(|&row| view.ids[row] == id(MOVER)).expect("the mover has a row");
        view.retransmit_bytes[row]
    }
}

/// Every record of a slot.
#[derive(Default)]
struct Slots(Vec<SlotRecord>);

impl Probe for Slots {
    fn on_slot(&mut self, record: &SlotRecord) {
        self.0.push(*record);
    }
}

fn fair(users: usize, subchannels: usize) -> Box<dyn Scheduler> {
    build(&SchedulerConfig::default(), users, subchannels, 1)
}

/// What the slots of three users of these names become, and who gets what when.
fn records_of(repair: Repair, names: [u32; 3]) -> (Vec<SlotRecord>, Vec<(u64, UserId, u64)>) {
    let users = [0, 1, 2].map(|number| repair.user(names[number as usize], number));
    let mut cell = Cell::new(repair.config(0, users.into()), Some(fair(3, repair.subchannels())));
    let (mut slots, mut left) = (Slots::default(), Vec::new());
    for slot in 0..300 {
        let (now, mut outcomes) = (cell.poll_timeout(), Vec::new());
        cell.finish_slot(now, &mut outcomes, &mut slots);
        for outcome in outcomes {
            if let Outcome::Delivered(packet) = outcome {
                left.push((slot, packet.user, packet.id));
            }
        }
        for (number, name) in names.into_iter().enumerate() {
            if (slot + number as u64).is_multiple_of(3) {
                cell.handle_packet(now, packet(id(name), slot, 100), &mut Unobserved).ok();
            }
        }
        cell.start_slot(&mut slots);
        cell.take_dropped();
    }
    (slots.0, left)
}

#[test]
fn a_cell_of_users_7_900_and_3_has_the_records_of_one_of_users_0_1_and_2() {
    for repair in [Repair::Parts, Repair::CodeBlocks, Repair::AtOnce] {
        let (names, numbers) = ([7, 900, 3], [0, 1, 2]);
        let renamed = |user: UserId| id(names[user.index()]);
        let (mut slots, mut left) = records_of(repair, numbers);
        slots.iter_mut().for_each(|record| record.winner = record.winner.map(renamed));
        left.iter_mut().for_each(|(_, user, _)| *user = renamed(*user));
        assert!(left.len() > 100, "{repair:?}");
        assert_eq!(records_of(repair, names), (slots, left), "{repair:?}");
    }
}

/// Every user of `cell` always has data.
fn top_up(cell: &mut Cell<()>, names: &[u32]) {
    let now = cell.poll_timeout();
    for &name in names.iter().filter(|&&name| cell.has_user(id(name))).collect::<Vec<_>>() {
        while cell.fresh_bytes(id(name)) < Bytes::new(400) {
            cell.handle_packet(now, packet(id(name), 0, 100), &mut Unobserved).expect("there is room");
        }
    }
}

fn step(cell: &mut Cell<()>, names: &[u32], slots: &mut Slots) {
    cell.finish_slot(cell.poll_timeout(), &mut Vec::new(), slots);
    top_up(cell, names);
    cell.start_slot(slots);
}

#[test]
fn a_newcomer_has_the_average_of_the_start_and_nobody_else_notices() {
    let (repair, names) = (Repair::Parts, [7, MOVER, 3, 11, 12]);
    let users = |names: &[u32]| names.iter().zip(0..).map(|(&name, number)| repair.user(name, number)).collect();
    let mut first: Cell<()> = Cell::new(repair.config(0, users(&[7, MOVER, 3])), Some(fair(3, 1)));
    let mut second: Cell<()> = Cell::new(repair.config(1, users(&[11])), Some(fair(1, 1)));
    let mut slots = Slots::default();
    for _ in 0..150 {
        step(&mut first, &names, &mut slots);
        step(&mut second, &names, &mut slots);
    }
    for cell in [&mut first, &mut second] {
        cell.finish_slot(cell.poll_timeout(), &mut Vec::new(), &mut slots);
    }
    let averages = |cell: &Cell<()>| cell.clone().observe(&mut Unobserved).average_bps.to_vec();
    let (before, there) = (averages(&first), averages(&second));
    second.add_user(first.remove_user(id(MOVER)).expect("it is here"), repair.radio(1));
    assert_eq!(averages(&second), [there[0], 8.0]);
    assert_eq!([averages(&first)[0], averages(&first)[2]], [before[0], before[2]]);
    // Back at once, into its row, which starts anew.
    first.add_user(second.remove_user(id(MOVER)).expect("it is there"), repair.radio(1));
    assert_eq!(averages(&first), [before[0], 8.0, before[2]]);
}

#[test]
fn every_scheduler_serves_users_who_come_and_never_those_who_left() {
    let (repair, names) = (Repair::Parts, [1, 2, 3, 4, 5, 6]);
    for kind in of_every_kind::<SchedulerKind>() {
        let scheduler =
            |users| build(&SchedulerConfig { kind: kind.clone(), ..SchedulerConfig::default() }, users, 1, 1);
        let users = |names: &[u32]| names.iter().map(|&name| repair.user(name, name.into())).collect();
        let mut home: Cell<()> = Cell::new(repair.config(0, users(&names)), Some(scheduler(6)));
        // It starts empty: everybody comes, one by one, and half of them leave again.
        let mut away: Cell<()> = Cell::new(repair.config(1, Vec::new()), Some(scheduler(1)));
        for turn in 0..9 {
            let name = [1, 2, 3, 4, 5, 6, 2, 4, 6][turn];
            let (from, to) = if turn < 6 { (&mut home, &mut away) } else { (&mut away, &mut home) };
            for cell in [&mut *from, &mut *to] {
                cell.finish_slot(cell.poll_timeout(), &mut Vec::new(), &mut Unobserved);
            }
            to.add_user(from.remove_user(id(name)).expect("it is here"), repair.radio(name.into()));
            for cell in [from, to] {
                let mut slots = Slots::default();
                for _ in 0..60 {
                    step(cell, &names, &mut slots);
                }
                let here: Vec<u32> = names.into_iter().filter(|&name| cell.has_user(id(name))).collect();
                let winners: Vec<UserId> = slots.0.iter().filter_map(|record| record.winner).collect();
                assert!(winners.iter().all(|winner| cell.has_user(*winner)), "{kind:?}");
                assert_eq!(winners.is_empty(), here.is_empty(), "{kind:?}");
                assert!(turn < 8 || winners.contains(&id(*here.last().expect("three"))), "{kind:?}");
            }
        }
    }
}

#[test]
#[should_panic(expected = "the user is in this cell")]
fn a_packet_for_a_user_who_left_has_no_place() {
    let mut world = World::new(Repair::Parts);
    world.move_user();
    world.cells[0].handle_packet(Time::ZERO, packet(id(MOVER), 0, 100), &mut Unobserved).ok();
}
