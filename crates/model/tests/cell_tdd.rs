//! Patterns of downlink and uplink slots: what a cell sends in which slot, against lists written by hand.

use std::sync::{Arc, Mutex};

use airlink_model::cell::{Cell, CellConfig, CellUser, RateSource, UserRadio};
use airlink_model::channel::UserChannel;
use airlink_model::link::{FrameErrors, RateRule, RateTable, ReportConfig};
use airlink_model::probe::{CarrierRecord, Probe, SlotRecord};
use airlink_model::queue::QueueConfig;
use airlink_model::rlc::{ArqConfig, ArqRepeats, ArqUnit, RlcConfig};
use airlink_model::scheduler::{Allocation, RoundRobin, RoundRobinConfig, Scheduler, SlotOutcome, SlotView};
use airlink_model::types::{
    Bytes, CellId, Decibel, Direction, Duplex, FlowId, Marks, PacketFields, Slot, SlotClock, TddPattern, Time, UserId,
};

/// Slots of 1 ms, in each of which a user is sent at most 100 bytes.
fn config(tdd: &str, special_downlink_share: f64, subchannels: usize) -> CellConfig {
    let rule = RateRule::Table(RateTable::new(&[0.0], &[800_000.0 / subchannels as f64]).expect("a table"));
    let radio = UserRadio {
        source: RateSource::Signal { channel: UserChannel::constant(Decibel::new(10.0)), rule },
        report: ReportConfig::default(),
        number: 0,
        outer_loop: None,
        errors: FrameErrors::new(0.0, None, 1, 0),
        blocks: None,
        mean_snr_db: 10.0,
        peak_bps: 800_000.0,
    };
    CellConfig {
        id: CellId::default(),
        clock: SlotClock::new(1_000_000, 1),
        duplex: TddPattern::new(tdd).map(|pattern| Duplex { pattern, special_downlink_share }),
        subchannels,
        users: vec![CellUser { id: UserId::new(0), radio, weight: 1.0, delay_budget_s: f64::INFINITY }],
        coupled: false,
        rlc: RlcConfig::default(),
        queue: QueueConfig { limit_packets: 1000, ..QueueConfig::default() },
        queue_management: None,
        seed: 1,
        serve_empty_queues: false,
    }
}

/// Round robin, and what it hears: slots decided, slots stood by, and slots that ended.
#[derive(Clone)]
struct Heard {
    turns: RoundRobin,
    slots: Arc<Mutex<[Vec<u64>; 3]>>,
}

impl Heard {
    fn new() -> Self {
        let config = RoundRobinConfig { skip_unservable: true, ..RoundRobinConfig::default() };
        Self { turns: RoundRobin::new(config, false), slots: Arc::default() }
    }

    fn add(&self, what: usize, slot: Slot) {
        self.slots.lock().expect("one thread")[what].push(slot.number());
    }
}

impl Scheduler for Heard {
    fn allocate(&mut self, view: &SlotView<'_>, allocation: &mut Allocation) {
        self.add(0, view.slot);
        self.turns.allocate(view, allocation);
    }

    fn stand_by(&mut self, view: &SlotView<'_>) {
        self.add(1, view.slot);
    }

    fn on_slot_end(&mut self, outcome: &SlotOutcome<'_>) {
        self.add(2, outcome.slot);
    }

    fn boxed_clone(&self) -> Box<dyn Scheduler> {
        Box::new(self.clone())
    }
}

/// Each slot's number and bytes on air, "-" in a slot that nobody got, and what became of subchannels.
#[derive(Default)]
struct Diary {
    sent: Vec<String>,
    granted_bits: f64,
    passed: Vec<u64>,
    idle_uplink: u64,
}

impl Probe for Diary {
    fn on_slot(&mut self, record: &SlotRecord) {
        self.granted_bits += record.granted_bits;
        let bytes = record.winner.map_or("-".to_owned(), |_| record.sent.count().to_string());
        self.sent.push(format!("{} {bytes}", record.slot.number()));
    }

    fn on_passed(&mut self, slot: Slot) {
        self.passed.push(slot.number());
    }

    fn on_carrier(&mut self, record: &CarrierRecord) {
        self.idle_uplink += record.idle_uplink;
    }
}

/// Runs `slots` slots with `packets` of 100 bytes from the start on.
fn run(cell: &mut Cell<()>, packets: u64, slots: u64) -> Diary {
    let (mut diary, mut outcomes) = (Diary::default(), Vec::new());
    for id in 0..packets {
        let (flow, user, bytes) = (FlowId::default(), UserId::default(), Bytes::new(100));
        let (sent_at, queued_at, marks) = (Time::ZERO, Time::ZERO, Marks::default());
        let packet = Box::new(PacketFields {
            id,
            flow,
            user,
            bytes,
            sent_at,
            queued_at,
            direction: Direction::Down,
            hop: 0,
            marks,
            payload: (),
        });
        cell.handle_packet(Time::ZERO, packet, &mut diary).expect("there is room");
    }
    for _ in 0..slots {
        cell.finish_slot(cell.poll_timeout(), &mut outcomes, &mut diary);
        cell.start_slot(&mut diary);
    }
    diary
}

#[test]
fn downlink_leaves_in_d_and_its_share_of_s() {
    let heard = Heard::new();
    let mut cell = Cell::new(config("DDSU", 0.5, 1), Some(Box::new(heard.clone())));
    let diary = run(&mut cell, 6, 10);
    // 600 bytes: two slots of 100 and one of 50 in every four.
    let expected = ["0 100", "1 100", "2 50", "3 -", "4 100", "5 100", "6 50", "7 -", "8 100", "9 -"];
    assert_eq!(diary.sent, expected);
    assert_eq!(diary.granted_bits, 5.0 * 800.0 + 2.0 * 400.0);
    assert_eq!(diary.passed, [3, 7]);
    let [decided, stood_by, ended] = heard.slots.lock().expect("one thread").clone();
    assert_eq!(decided, [0, 1, 2, 4, 5, 6, 8, 9]);
    assert_eq!(stood_by, [3, 7]);
    // A slot that somebody got ends with the next one's start, one that nobody got at once.
    assert_eq!(ended, (0..10).collect::<Vec<u64>>());
}

#[test]
fn a_special_slot_without_a_share_is_no_downlink() {
    let sent = |tdd, slots| {
        let mut cell = Cell::new(config(tdd, 0.0, 1), Some(Box::new(Heard::new())));
        let on_air = run(&mut cell, 100, slots).sent;
        on_air.iter().map(|slot| if slot.ends_with('-') { '.' } else { '#' }).collect::<String>()
    };
    assert_eq!(sent("DDDSU", 15), "###..###..###..");
    assert_eq!(sent("DSUUDDSUUD", 20), "#...##...##...##...#");
    assert_eq!(sent("UD", 6), ".#.#.#");
    assert_eq!(sent("D", 6), "######");
    assert_eq!(sent("", 6), "######");
}

#[test]
fn subchannels_of_slots_without_downlink_are_counted_apart() {
    let mut cell = Cell::new(config("DDSU", 0.5, 4), Some(Box::new(Heard::new())));
    let diary = run(&mut cell, 6, 8);
    let expected = ["0 100", "1 100", "2 50", "3 -", "4 100", "5 100", "6 50", "7 -"];
    assert_eq!(diary.sent, expected);
    assert_eq!(diary.idle_uplink, 8);
}

#[test]
fn a_retransmission_that_is_due_in_an_uplink_slot_waits_for_the_next_downlink() {
    let mut config = config("DDDU", 0.0, 1);
    config.rlc.arq = ArqConfig { max_retransmissions: 2, feedback_delay_slots: 2, ..ArqConfig::default() };
    config.users[0].radio.errors = FrameErrors::new(1.0, None, 1, 0);
    let mut cell = Cell::new(config, Some(Box::new(Heard::new())));
    let sent = run(&mut cell, 1, 10).sent;
    // Lost in slot n, it is due in slot n + 3: 3 and 7 are uplink.
    let carried: Vec<&str> = sent.iter().filter(|slot| !slot.ends_with('-')).map(String::as_str).collect();
    assert_eq!(carried, ["0 100", "4 100", "8 100"]);
}

#[test]
fn a_block_that_is_repeated_at_once_waits_for_a_slot_that_holds_it() {
    let mut config = config("DSUD", 0.5, 1);
    config.rlc.arq =
        ArqConfig { max_retransmissions: 1, unit: ArqUnit::Slot, repeats: ArqRepeats::AtOnce, ..ArqConfig::default() };
    config.users[0].radio.errors = FrameErrors::new(1.0, None, 1, 0);
    let mut cell = Cell::new(config, Some(Box::new(Heard::new())));
    let diary = run(&mut cell, 3, 10);
    // Each block is lost, repeated whole in the next slot with as much downlink, and given up.
    let expected = ["0 100", "1 -", "2 -", "3 100", "4 100", "5 -", "6 -", "7 100", "8 100", "9 -"];
    assert_eq!(diary.sent, expected);
    assert_eq!(diary.passed, [1, 2, 5, 6, 9]);
}

#[test]
#[should_panic(expected = "nothing is to be decided")]
fn a_slot_without_downlink_is_not_observed() {
    Cell::<()>::new(config("UD", 0.0, 1), None).observe(&mut Diary::default());
}
