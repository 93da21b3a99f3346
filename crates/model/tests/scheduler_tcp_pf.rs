//! The schedulers of [Klein04] against hand calculation and against a second, plain implementation.

use crate::scheduler_fixture;

use airlink_model::scheduler::*;
use airlink_model::types::{Purpose, RandomStream, Slot};
use scheduler_fixture::{Knowledge, LADDER_BPS, average, scheduler, tcp_pf_defaults};

/// Weights of one half and slots of one second, so that a page of paper suffices.
fn by_hand() -> TcpPfConfig {
    let gaps = GapConfig {
        mean_weight: 0.5,
        square_weight: 0.5,
        initial_mean_slots: InitialGap::Given(2.0),
        initial_square_slots2: InitialGap::Given(4.0),
        vacation_unit: VacationUnit::Slots,
        ..GapConfig::default()
    };
    TcpPfConfig { average: average(2.0, 8.0), gaps, terms: Terms::Both, ..TcpPfConfig::default() }
}

/// Rates b/s, backlogs bytes, metrics of eq. (19), winner.
type HandComputedSlot = ([f32; 2], [u64; 2], [f64; 2], usize);

const TRACE: [HandComputedSlot; 4] = [
    // phi' 1, Phi' 1.5, Sigma' 2.5; Q 4, 0; A 8, 8. PF would pick user 1.
    ([8.0, 10.0], [1, 0], [2.5 / 3.0 + 0.5, 1.25 * 2.5 / 3.0], 0),
    // phi' 1, 2; Phi' 1.25, 2; Sigma' 1.75, 4; Q 2, 0; A 8, 4.
    ([8.0, 2.0], [0, 0], [0.7 + 0.25, 0.5], 0),
    // phi' 1, 3; Phi' 1.125, 2.5; Sigma' 1.375, 6.5; Q 1, 0; A 8, 2. PF would see a tie.
    ([8.0, 2.0], [0, 0], [1.375 / 2.25 + 0.125, 1.3], 1),
    // phi' 2, 1; Phi' 1.625, 1.75; Sigma' 2.875, 3.75; Q 0.5, 0; A 4, 2.
    ([2.0, 2.0], [0, 0], [0.5 * (2.875 / 3.25 + 0.125), 3.75 / 3.5], 1),
];

#[test]
fn tcp_pf_follows_a_trace_computed_by_hand() {
    let mut metric = TcpPf::new(by_hand(), 2);
    let mut knowledge = Knowledge::new(2, 1);
    knowledge.slot_s = 1.0;
    for (slot, (rates, backlogs, expected, winner)) in TRACE.into_iter().enumerate() {
        (knowledge.slot, knowledge.rate_bps, knowledge.backlog_bytes) = (slot as u64, rates.into(), backlogs.into());
        let mut values = [0.0; 2];
        metric.observe(&Contest::of(&knowledge.view()));
        metric.evaluate(&Contest::of(&knowledge.view()), 0, &rates.map(f64::from), &mut values);
        assert!(values.iter().zip(expected).all(|(got, want)| (got - want).abs() < 1e-12), "{slot}: {values:?}");
        assert_eq!(usize::from(values[1] > values[0]), winner);
        let bits = f64::from(rates[winner]);
        let served = [Served { user: UserRow::new(winner), granted_bits: bits, sent_bits: bits }];
        metric.on_slot_end(&SlotOutcome { slot: Slot::new(slot as u64), slot_s: 1.0, served: &served });
    }
}

/// Eqs (1), (2), (12) to (20) for one user, as they are printed.
#[derive(Clone, Copy)]
struct PlainUser {
    a: f64,
    q: f64,
    phi: f64,
    sigma: f64,
    last: f64,
}

impl PlainUser {
    const START: Self = Self { a: 16_000.0, q: 0.0, phi: 21.0, sigma: 441.0, last: -1.0 };
    const W: f64 = 1.0 / 1000.0;

    fn trial(&self, n: f64) -> (f64, f64) {
        let gap = n - self.last;
        (0.1 * gap + 0.9 * self.phi, 0.5 * gap * gap + 0.5 * self.sigma)
    }

    fn delay(&self, n: f64, unit: f64) -> f64 {
        let (phi, sigma) = self.trial(n);
        0.5 * unit * sigma / phi + self.q / self.a
    }
}

/// The winners by the printed equations, lowest index first among equals.
fn plain_pick(users: &[PlainUser], knowledge: &Knowledge, weigh: impl Fn(f64, &PlainUser) -> f64) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (index, user) in users.iter().enumerate() {
        let rate = f64::from(knowledge.rate_bps[index]);
        if knowledge.eligible[index] && rate > 0.0 && best.is_none_or(|(_, most)| weigh(rate, user) > most) {
            best = Some((index, weigh(rate, user)));
        }
    }
    best.map(|(index, _)| index)
}

/// Compares a scheduler with the printed equations on 5000 slots; `sent` is what a won slot carries of what it grants.
fn agrees_with_plain(kind: SchedulerKind, sent: f64, weigh: impl Fn(f64, &PlainUser, f64) -> f64) {
    let count = 7;
    let mut scheduler = scheduler(kind, Ties::LowestIndex, count, 1);
    let mut users = vec![PlainUser::START; count];
    let mut knowledge = Knowledge::new(count, 1);
    let mut draws = RandomStream::new(21, Purpose::Traffic, 0);
    let mut allocation = Allocation::new(1);
    for n in 0..5000_u64 {
        knowledge.slot = n;
        for (user, plain) in users.iter_mut().enumerate() {
            knowledge.rate_bps[user] = LADDER_BPS[(draws.uniform() * 7.0) as usize];
            knowledge.eligible[user] = draws.uniform() < 0.8;
            knowledge.backlog_bytes[user] = draws.bits() % 30_000;
            let bits = 8.0 * knowledge.backlog_bytes[user] as f64;
            plain.q = PlainUser::W * bits + (1.0 - PlainUser::W) * plain.q;
        }
        allocation.clear();
        scheduler.allocate(&knowledge.view(), &mut allocation);
        let expected = plain_pick(&users, &knowledge, |rate, user| weigh(rate, user, n as f64));
        assert_eq!(allocation.owner(0), expected.map(UserRow::new), "slot {n}");

        let mut served = Vec::new();
        users.iter_mut().for_each(|user| user.a *= 1.0 - PlainUser::W);
        if let Some(winner) = expected {
            let granted_bits = knowledge.bits(UserRow::new(winner), 0);
            served.push(Served { user: UserRow::new(winner), granted_bits, sent_bits: sent * granted_bits });
            let user = &mut users[winner];
            user.a += PlainUser::W * sent * granted_bits / knowledge.slot_s;
            (user.phi, user.sigma) = user.trial(n as f64);
            user.last = n as f64;
        }
        scheduler.on_slot_end(&SlotOutcome { slot: Slot::new(n), slot_s: knowledge.slot_s, served: &served });
    }
}

#[test]
fn tcp_pf_agrees_with_the_printed_equations() {
    agrees_with_plain(SchedulerKind::TcpPf(tcp_pf_defaults()), 0.75, |r, user, n| r / user.a * user.delay(n, 1.0));
}

#[test]
fn tcp_max_agrees_with_the_printed_equations() {
    agrees_with_plain(SchedulerKind::TcpMax(tcp_pf_defaults()), 0.75, |r, user, n| r * user.delay(n, 1.0));
}

#[test]
fn tcp_pf_in_seconds_agrees_with_the_printed_equations_in_seconds() {
    let mut config = tcp_pf_defaults();
    config.gaps.vacation_unit = VacationUnit::Seconds;
    agrees_with_plain(SchedulerKind::TcpPf(config), 1.0, |r, user, n| r / user.a * user.delay(n, 0.005));
}

#[test]
fn tcp_pf_with_units_the_other_way_round_weighs_a_vacation_by_a_slot_squared() {
    let mut config = tcp_pf_defaults();
    config.gaps.vacation_unit = VacationUnit::SecondsBesideSlots;
    agrees_with_plain(SchedulerKind::TcpPf(config), 1.0, |r, user, n| r / user.a * user.delay(n, 0.005 * 0.005));
}

#[test]
fn one_term_alone_leaves_the_other_out() {
    let with = |terms| TcpPfConfig { terms, ..tcp_pf_defaults() };
    let queue = with(Terms::Queue);
    agrees_with_plain(SchedulerKind::TcpPf(queue), 1.0, |r, user, n| r / user.a * user.delay(n, 0.0));
    agrees_with_plain(SchedulerKind::TcpMax(queue), 1.0, |r, user, n| r * user.delay(n, 0.0));
    let vacation = with(Terms::Vacation);
    agrees_with_plain(SchedulerKind::TcpPf(vacation), 0.75, |r, user, n| {
        let (phi, sigma) = user.trial(n);
        r / user.a * (sigma / (2.0 * phi))
    });
}

#[test]
fn an_average_of_granted_bits_counts_what_was_granted_and_not_what_was_sent() {
    let served = [Served { user: UserRow::new(1), granted_bits: 600.0, sent_bits: 200.0 }];
    let outcome = SlotOutcome { slot: Slot::ZERO, slot_s: 0.5, served: &served };
    let after_the_slot = |counts| {
        let mut rate = AveragedRate::new(AverageConfig { counts, ..average(2.0, 1000.0) }, 2);
        rate.on_slot_end(&outcome);
        let mut bps = [0.0; 2];
        rate.fill(&mut bps);
        bps
    };
    assert_eq!(after_the_slot(AverageCounts::Granted), [500.0, 1100.0]);
    assert_eq!(after_the_slot(AverageCounts::Sent), [500.0, 700.0]);
}

#[test]
fn a_wasted_win_ends_a_gap() {
    let mut gaps = GapMoments::of_gaps(by_hand().gaps, 1);
    let served = [Served { user: UserRow::new(0), granted_bits: 0.0, sent_bits: 0.0 }];
    gaps.on_slot_end(&SlotOutcome { slot: Slot::new(3), slot_s: 1.0, served: &served });
    // The gap was 4: Phi 3, Sigma 10. One slot later: Phi' 2, Sigma' 5.5.
    assert_eq!(gaps.trial(0, 4.0), TrialMoments { mean: 2.0, square: 5.5 });
}

#[test]
fn the_ideal_control_weighs_the_rate_by_smoothed_goodput() {
    let config =
        IdealTcpPfConfig { time_constant_slots: 2.0, initial_average_bps: 1000.0, ..IdealTcpPfConfig::default() };
    let mut metric = IdealTcpPf::new(config, 2);
    let mut knowledge = Knowledge::new(2, 1);
    knowledge.slot_s = 0.5;
    knowledge.goodput_bytes = vec![50, 0];
    metric.observe(&Contest::of(&knowledge.view()));
    let mut values = [0.0; 2];
    metric.evaluate(&Contest::of(&knowledge.view()), 0, &[900.0, 900.0], &mut values);
    // 50 bytes in half a second are 800 b/s: Gamma 900 and 500.
    assert_eq!(values, [1.0, 1.8]);
    knowledge.slot = 1;
    metric.observe(&Contest::of(&knowledge.view()));
    metric.evaluate(&Contest::of(&knowledge.view()), 0, &[900.0, 900.0], &mut values);
    assert_eq!(values, [2.0, 3.6]);
}

/// One user before slot 0 of `slot_s`: 2 packets of 6 bytes have come and wait; alpha = beta = 1/2, 1/w = 16.
fn unapproximated_metric(vacation_unit: VacationUnit, slot_s: f64) -> f64 {
    let gaps = GapConfig {
        initial_mean_slots: InitialGap::Given(3.0),
        initial_square_slots2: InitialGap::Given(9.0),
        vacation_unit,
        ..by_hand().gaps
    };
    // A(0) such that A(0) times Phi(0) is a segment of 24 bits at either slot length.
    let config =
        TcpPfConfig { average: average(16.0, 8.0 / slot_s), gaps, terms: Terms::Both, ..TcpPfConfig::default() };
    let mut metric = UnapproximatedTcpPf::new(config, 1);
    let mut knowledge = Knowledge::new(1, 1);
    knowledge.slot_s = slot_s;
    (knowledge.arrived_packets, knowledge.arrived_bytes) = (vec![2], vec![12]);
    knowledge.backlog_bytes = vec![12];
    let mut value = [0.0];
    metric.observe(&Contest::of(&knowledge.view()));
    metric.evaluate(&Contest::of(&knowledge.view()), 0, &[16.0 / slot_s], &mut value);
    value[0]
}

#[test]
fn the_unapproximated_control_follows_equations_5_to_7() {
    // Trial gap 1: X + V has moments 2 and 5, V has 1 and 2. Packet 48 bits, segment 24: K = 2. Q = 96/16: N_s = 0.25.
    // lambda_p = 2/16, rho = 0.125 * 2 * 2 = 0.5. S = 0.25 * 5/2 + 0.25 * 2 = 1.125.
    // T_p = 1.125 + 0.25 * 2 + 1 * 2 + 1 = 4.625 slots; R/A = 2.
    assert!((unapproximated_metric(VacationUnit::Slots, 1.0) - 9.25).abs() < 1e-12);
    assert!((unapproximated_metric(VacationUnit::Seconds, 0.5) - 4.625).abs() < 1e-12);
    assert!((unapproximated_metric(VacationUnit::Slots, 0.5) - 2.0 * (1.125 + 0.5 * 3.5)).abs() < 1e-12);
}
