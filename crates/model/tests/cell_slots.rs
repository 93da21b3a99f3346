//! The order of a slot as a scheduler sees it: what waits, what is on air, what it is told, and when.

use std::sync::{Arc, Mutex};

use airlink_model::cell::{Cell, CellConfig, CellUser, RateSource, UserRadio};
use airlink_model::channel::UserChannel;
use airlink_model::link::{FrameErrors, RateRule, RateTable, ReportConfig};
use airlink_model::probe::{Probe, SlotRecord, Unobserved};
use airlink_model::queue::QueueConfig;
use airlink_model::rlc::{ArqConfig, Outcome, RlcConfig};
use airlink_model::scheduler::{Allocation, Scheduler, SlotOutcome, SlotView, UserRow};
use airlink_model::types::{
    Bytes, CellId, Decibel, Direction, DropReason, FlowId, Marks, Packet, PacketFields, PowerRatio, Slot, SlotClock,
    Time, UserId,
};

/// What the scheduler was shown of user 0 in a slot.
#[derive(Clone, Debug, PartialEq)]
struct Seen {
    slot: u64,
    eligible: bool,
    backlog_bytes: u64,
    head_since: Time,
    arrived_packets: u64,
    goodput_bytes: u64,
}

/// Serves user 0 whenever it may win, and keeps a diary that outlives it.
#[derive(Clone, Default)]
struct Diary {
    seen: Arc<Mutex<Vec<Seen>>>,
    ended: Arc<Mutex<Vec<(u64, f64, f64)>>>,
}

impl Scheduler for Diary {
    fn allocate(&mut self, view: &SlotView<'_>, allocation: &mut Allocation) {
        self.seen.lock().expect("one thread").push(Seen {
            slot: view.slot.number(),
            eligible: view.eligible[0],
            backlog_bytes: view.backlog_bytes[0],
            head_since: view.head_of_line_since[0],
            arrived_packets: view.controls.arrived_packets[0],
            goodput_bytes: view.controls.goodput_bytes[0],
        });
        if view.eligible[0] {
            allocation.grant(0, UserRow::new(0));
        }
    }

    fn on_slot_end(&mut self, outcome: &SlotOutcome<'_>) {
        let (granted, sent) = outcome.served.first().map_or((0.0, 0.0), |user| (user.granted_bits, user.sent_bits));
        self.ended.lock().expect("one thread").push((outcome.slot.number(), granted, sent));
    }

    fn boxed_clone(&self) -> Box<dyn Scheduler> {
        Box::new(self.clone())
    }
}

/// One user at 100 bytes in each slot of 1 ms, and a queue of two packets.
fn cell(diary: &Diary) -> Cell<()> {
    let mut cell = Cell::new(config(1), Some(Box::new(diary.clone())));
    cell.show_goodput();
    cell
}

fn config(subchannels: usize) -> CellConfig {
    let rule = RateRule::Table(RateTable::new(&[0.0], &[800_000.0]).expect("a table"));
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
        duplex: None,
        subchannels,
        users: vec![CellUser { id: UserId::new(0), radio, weight: 1.0, delay_budget_s: f64::INFINITY }],
        coupled: false,
        rlc: RlcConfig::default(),
        queue: QueueConfig { limit_packets: 2, ..QueueConfig::default() },
        queue_management: None,
        seed: 1,
        serve_empty_queues: false,
    }
}

fn packet(id: u64, bytes: u64) -> Packet<()> {
    let (flow, user, bytes) = (FlowId::default(), UserId::default(), Bytes::new(bytes));
    Box::new(PacketFields {
        id,
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

const fn at_ms(milliseconds: u64) -> Time {
    Time::from_nanos(milliseconds * 1_000_000)
}

/// Ends the slot before, hands over `packets` and starts the next slot; returns who left.
fn turn(cell: &mut Cell<()>, packets: &[Packet<()>]) -> Vec<u64> {
    let now = cell.poll_timeout();
    let mut outcomes = Vec::new();
    cell.finish_slot(now, &mut outcomes, &mut Unobserved);
    for packet in packets {
        cell.handle_packet(now, packet.clone(), &mut Unobserved).expect("there is room");
    }
    cell.start_slot(&mut Unobserved);
    let delivered = outcomes.into_iter().map(|outcome| match outcome {
        Outcome::Delivered(packet) => packet.id,
        Outcome::Dropped(dropped) => panic!("{:?} was dropped", dropped.packet),
    });
    delivered.collect()
}

#[test]
fn the_scheduler_sees_what_came_up_to_the_boundary_and_not_what_is_on_air() {
    let diary = Diary::default();
    let mut cell = cell(&diary);
    assert!(turn(&mut cell, &[]).is_empty());
    assert!(turn(&mut cell, &[packet(0, 150)]).is_empty());
    assert!(turn(&mut cell, &[packet(1, 60)]).is_empty());
    assert_eq!(turn(&mut cell, &[]), [0]);
    assert_eq!(turn(&mut cell, &[]), [1]);
    let never = Time::NEVER;
    let rows = [
        (0, false, 0, never, 0),
        (1, true, 150, at_ms(1), 1),
        (2, true, 50 + 60, at_ms(1), 2),
        // The rest of packet 0 and 50 bytes of packet 1 were on air: 10 are left, of a packet that came at 2 ms.
        (3, true, 10, at_ms(2), 2),
        (4, false, 0, never, 2),
    ];
    let expected = rows.map(|(slot, eligible, backlog_bytes, head_since, arrived_packets)| Seen {
        slot,
        eligible,
        backlog_bytes,
        head_since,
        arrived_packets,
        goodput_bytes: 0,
    });
    assert_eq!(*diary.seen.lock().expect("one thread"), expected);
}

#[test]
fn every_slot_ends_once_with_what_was_granted_and_sent() {
    let diary = Diary::default();
    let mut cell = cell(&diary);
    for packets in [vec![], vec![packet(0, 150)], vec![], vec![], vec![]] {
        turn(&mut cell, &packets);
    }
    let expected = [(0, 0.0, 0.0), (1, 800.0, 800.0), (2, 800.0, 400.0), (3, 0.0, 0.0), (4, 0.0, 0.0)];
    assert_eq!(*diary.ended.lock().expect("one thread"), expected);
}

#[test]
fn a_packet_on_air_has_its_place_in_the_queue_until_the_slot_ends() {
    let mut cell = cell(&Diary::default());
    turn(&mut cell, &[packet(0, 100), packet(1, 100)]);
    let user = UserId::default();
    assert!(!cell.has_room(user, Bytes::new(1)));
    let refused = cell.handle_packet(at_ms(0), packet(2, 100), &mut Unobserved).expect_err("two packets are there");
    assert_eq!((refused.packet.id, refused.reason), (2, DropReason::QueueFull));
    assert_eq!((cell.waiting(user).packets, cell.waiting(user).bytes), (2, Bytes::new(200)));
    assert_eq!(cell.fresh_bytes(user), Bytes::new(100));
    assert_eq!(turn(&mut cell, &[packet(3, 100)]), [0]);
    assert_eq!(cell.waiting(user).packets, 2);
}

#[test]
fn goodput_is_shown_to_control_schedulers_in_the_next_slot() {
    let diary = Diary::default();
    let mut cell = cell(&diary);
    turn(&mut cell, &[]);
    cell.on_goodput(UserId::default(), Bytes::new(536));
    turn(&mut cell, &[]);
    let goodput: Vec<u64> = diary.seen.lock().expect("one thread").iter().map(|seen| seen.goodput_bytes).collect();
    assert_eq!(goodput, [0, 536]);
}

#[test]
fn slots_follow_each_other_and_their_boundaries_are_exact() {
    let mut cell = cell(&Diary::default());
    for slot in 0..200 {
        assert_eq!(cell.next_slot(), Slot::new(slot));
        assert_eq!((cell.poll_timeout(), cell.next_end()), (at_ms(slot), at_ms(slot + 1)));
        turn(&mut cell, &[]);
    }
}

/// Takes the true SINR of each slot with a winner.
#[derive(Default)]
struct Truth(Vec<f32>);

impl Probe for Truth {
    fn on_slot(&mut self, record: &SlotRecord) {
        self.0.extend(record.winner.map(|_| record.true_db));
    }
}

#[test]
fn interference_lowers_reports_from_the_observed_slot_on_and_truth_at_once() {
    let ratio = PowerRatio::new;
    for subchannels in [1, 2] {
        let mut cell = Cell::new(CellConfig { coupled: true, ..config(subchannels) }, None);
        let mut truth = Truth::default();
        let mut all = Allocation::new(subchannels);
        (0..subchannels).for_each(|subchannel| all.grant(subchannel, UserRow::new(0)));
        let (mut reported, mut outcomes) = (Vec::new(), Vec::new());
        for (slot, (measured, met)) in [(0.0, 0.0), (1.0, 1.0), (3.0, 0.0), (0.0, 3.0)].into_iter().enumerate() {
            cell.finish_slot(cell.poll_timeout(), &mut outcomes, &mut truth);
            cell.handle_packet(cell.poll_timeout(), packet(slot as u64, 100), &mut truth).expect("there is room");
            cell.set_interference(&vec![ratio(measured); subchannels]);
            let view = cell.observe(&mut truth);
            reported.extend(view.reported_db.iter().map(|db| (db * 100.0).round() / 100.0));
            cell.set_interference(&vec![ratio(met); subchannels]);
            cell.apply(&all, &mut truth).expect("the user has data and a rate");
        }
        // 10 dB less 10 log10(1 + I).
        assert_eq!(reported, [10.0, 6.99, 3.98, 10.0].map(|db| [db].repeat(subchannels)).concat());
        let met: Vec<f32> = truth.0.iter().map(|db| (db * 100.0).round() / 100.0).collect();
        assert_eq!(met, [10.0, 6.99, 10.0, 3.98]);
    }
}

#[test]
fn lost_bytes_are_shown_from_the_loss_on_and_their_user_may_win_when_they_are_due() {
    let mut config = config(1);
    config.rlc.arq = ArqConfig { max_retransmissions: 1, feedback_delay_slots: 2, ..ArqConfig::default() };
    config.users[0].radio.errors = FrameErrors::new(1.0, None, 1, 0);
    let mut cell = Cell::new(config, None);
    let (mut outcomes, mut seen) = (Vec::new(), Vec::new());
    cell.handle_packet(at_ms(0), packet(0, 100), &mut Unobserved).expect("there is room");
    for _ in 0..5 {
        cell.finish_slot(cell.poll_timeout(), &mut outcomes, &mut Unobserved);
        let view = cell.observe(&mut Unobserved);
        seen.push((view.backlog_bytes[0], view.retransmit_bytes[0], view.candidates.len()));
        let mut allocation = Allocation::new(1);
        view.candidates.iter().for_each(|&user| allocation.grant(0, UserRow::new(user as usize)));
        cell.apply(&allocation, &mut Unobserved).expect("a candidate is granted the slot");
    }
    assert_eq!(seen, [(100, 0, 1), (100, 100, 0), (100, 100, 0), (100, 100, 1), (0, 0, 0)]);
    assert!(matches!(outcomes[..], [Outcome::Dropped(_)]));
}

#[test]
#[should_panic(expected = "driven by observe and apply")]
fn a_cell_without_a_scheduler_starts_no_slot_by_itself() {
    Cell::<()>::new(config(1), None).start_slot(&mut Unobserved);
}
