//! What every scheduler promises, run on every scheduler.

use crate::scheduler_fixture;

use airlink_model::scheduler::*;
use airlink_model::types::declare::of_every_kind;
use airlink_model::types::{CounterStream, Purpose, RandomStream, Slot, Time};
use scheduler_fixture::{
    AnyKind, Knowledge, LADDER_BPS, average, formula, lambda, of_deadlines_and_guarantees, scheduler, tcp_pf_defaults,
};

/// Every scheduler that is declared, and some with other parameters.
fn every_kind() -> Vec<AnyKind> {
    let experimental = of_every_kind().into_iter().filter(|kind| *kind != ExperimentalScheduler::None);
    declared_kinds().into_iter().map(AnyKind::from).chain(experimental.map(AnyKind::Experimental)).collect()
}

fn declared_kinds() -> Vec<SchedulerKind> {
    let cycle = SchedulerKind::RoundRobin(RoundRobinConfig { skip_unservable: true, ..RoundRobinConfig::default() });
    let queue = SchedulerKind::Fifo(FifoConfig { skip_unservable: true, ..FifoConfig::default() });
    let log = LogSnrConfig { argument: LogArgument::OnePlusSnr, ..LogSnrConfig::default() };
    let growing = AverageConfig { window: AverageWindow::Growing, ..average(1000.0, 0.0) };
    let unserved = SchedulerKind::LogSnr(LogSnrConfig { average: growing, ..LogSnrConfig::default() });
    let urgent = formula("rate / average * exp(head_of_line_delay_s / 0.05)", average(1000.0, 16_000.0));
    let others =
        vec![urgent, cycle, queue, lambda(2.0, average(1000.0, 16_000.0)), SchedulerKind::LogSnr(log), unserved];
    [of_every_kind(), others, of_deadlines_and_guarantees(growing).to_vec()].concat()
}

fn argmax_kinds() -> Vec<AnyKind> {
    let is_argmax =
        |kind: &AnyKind| !matches!(kind, AnyKind::Declared(SchedulerKind::RoundRobin(_) | SchedulerKind::Fifo(_)));
    every_kind().into_iter().filter(is_argmax).collect()
}

/// Changes everything a base station may see change from one slot to the next.
fn stir(knowledge: &mut Knowledge, draws: &mut RandomStream) {
    for rate in &mut knowledge.rate_bps {
        *rate = LADDER_BPS[(draws.uniform() * 7.0) as usize];
    }
    for report in &mut knowledge.reported_db {
        *report = draws.uniform_in(-20.0, 20.0) as f32;
    }
    for user in 0..knowledge.eligible.len() {
        knowledge.eligible[user] = draws.uniform() < 0.4;
        knowledge.backlog_bytes[user] = u64::from(knowledge.eligible[user]) * (1 + draws.bits() % 20_000);
        let waited_ns = draws.bits() % (1 + knowledge.now().as_nanos());
        knowledge.head_of_line_since[user] = Time::from_nanos(knowledge.now().as_nanos() - waited_ns);
        knowledge.delay_budget_s[user] = [0.01, 0.1, f64::INFINITY][user % 3];
        knowledge.weight[user] = [1.0, 0.5, 7.0, 1.0][user % 4];
        knowledge.goodput_bytes[user] += draws.bits() % 2 * 536;
        knowledge.arrived_packets[user] += draws.bits() % 3;
        knowledge.arrived_bytes[user] = 576 * knowledge.arrived_packets[user];
    }
}

/// Runs `check(before, owners)` on 200 stirred slots for each kind, tie rule and size.
fn on_stirred_slots(kinds: &[AnyKind], mut check: impl FnMut(&Knowledge, &[Option<UserRow>])) {
    for kind in kinds {
        for (users, subchannels) in [(1, 1), (2, 1), (21, 1), (5, 3)] {
            for ties in [Ties::Random, Ties::LowestIndex] {
                let mut scheduler = scheduler(kind.clone(), ties, users, subchannels);
                let mut knowledge = Knowledge::new(users, subchannels);
                let mut draws = RandomStream::new(5, Purpose::Traffic, 0);
                for _ in 0..200 {
                    stir(&mut knowledge, &mut draws);
                    let before = knowledge.clone();
                    check(&before, &knowledge.run_slot(&mut *scheduler));
                }
            }
        }
    }
}

#[test]
fn only_eligible_users_win() {
    on_stirred_slots(&every_kind(), |before, owners| {
        assert!(owners.iter().flatten().all(|user| before.eligible[user.index()]));
    });
}

#[test]
fn the_largest_metric_idles_only_subchannels_that_no_user_can_use() {
    on_stirred_slots(&argmax_kinds(), |before, owners| {
        for (subchannel, owner) in owners.iter().enumerate() {
            let servable = |user: usize| before.rate_bps[user * before.subchannels + subchannel] > 0.0;
            let candidates = (0..before.eligible.len()).filter(|&user| before.eligible[user] && servable(user));
            assert_eq!(owner.is_some(), candidates.count() > 0);
            assert!(owner.is_none_or(|user| servable(user.index())));
        }
    });
}

#[test]
fn round_robin_and_fifo_are_idle_exactly_when_nobody_is_eligible() {
    let cycle = SchedulerKind::RoundRobin(RoundRobinConfig { skip_unservable: false, ..RoundRobinConfig::default() });
    let queue = SchedulerKind::Fifo(FifoConfig::default());
    on_stirred_slots(&[cycle.into(), queue.into()], |before, owners| {
        let anybody = before.eligible.contains(&true);
        assert!(owners.iter().all(|owner| owner.is_some() == anybody));
    });
}

#[test]
fn fifo_picks_the_oldest_packet_of_those_it_can_serve() {
    for skip_unservable in [false, true] {
        on_stirred_slots(
            &[SchedulerKind::Fifo(FifoConfig { skip_unservable, ..FifoConfig::default() }).into()],
            |before, owners| {
                for (subchannel, owner) in owners.iter().enumerate() {
                    let rate = |user: usize| before.rate_bps[user * before.subchannels + subchannel];
                    let able = |&user: &usize| before.eligible[user] && (rate(user) > 0.0 || !skip_unservable);
                    let keys =
                        (0..before.eligible.len()).filter(able).map(|user| (before.head_of_line_since[user], user));
                    assert_eq!(owner.map(|user| user.index()), keys.min().map(|(_, user)| user));
                }
            },
        );
    }
}

#[test]
fn the_same_input_gives_the_same_pick_and_a_clone_continues_in_the_same_state() {
    for kind in every_kind() {
        let (mut knowledge, mut draws) = (Knowledge::new(9, 2), RandomStream::new(6, Purpose::Traffic, 0));
        let mut original = scheduler(kind.clone(), Ties::Random, 9, 2);
        let mut twin = scheduler(kind.clone(), Ties::Random, 9, 2);
        for slot in 0..300 {
            stir(&mut knowledge, &mut draws);
            let picks = knowledge.clone().run_slot(&mut *twin);
            assert_eq!(knowledge.run_slot(&mut *original), picks, "{kind:?}");
            if slot == 150 {
                twin = original.clone();
            }
        }
    }
}

#[test]
fn subchannels_of_a_slot_are_decided_with_the_same_averages() {
    let pf = SchedulerKind::ProportionalFair(average(2.0, 16_000.0));
    let mut scheduler = scheduler(pf, Ties::LowestIndex, 2, 3);
    let mut knowledge = Knowledge::new(2, 3);
    // User-major: user 0 is better on subchannels 0 and 1, user 1 on subchannel 2.
    knowledge.rate_bps = vec![640e3, 480e3, 320e3, 480e3, 240e3, 640e3];
    let indices = |owners: Vec<Option<UserRow>>| owners.iter().map(|owner| owner.unwrap().index()).collect::<Vec<_>>();
    assert_eq!(indices(knowledge.run_slot(&mut *scheduler)), [0, 0, 1]);
    // A after the slot: 0.5 * 16 + 0.5 * (640 + 480) = 568 against 0.5 * 16 + 0.5 * 640 = 328 kb/s.
    assert_eq!(indices(knowledge.run_slot(&mut *scheduler)), [1, 0, 1]);
}

#[test]
fn random_ties_are_uniform_and_do_not_depend_on_what_happened_before() {
    let (users, slots) = (5, 50_000_u64);
    let mut knowledge = Knowledge::new(users, 1);
    let mut scheduler = scheduler(SchedulerKind::MaxRate, Ties::Random, users, 1);
    // User 4 has a lower rate and must never share a tie.
    knowledge.rate_bps[4] = 160e3;
    let mut wins = [0_u32; 5];
    let mut picks = Vec::new();
    for _ in 0..slots {
        let winner = knowledge.winner(&mut *scheduler);
        wins[winner] += 1;
        picks.push(winner);
    }
    let expected = slots as f64 / 4.0;
    let four_sd = 4.0 * (slots as f64 * 0.25 * 0.75).sqrt();
    assert!(wins[..4].iter().all(|&count| (f64::from(count) - expected).abs() < four_sd), "{wins:?}");
    assert_eq!(wins[4], 0);
    knowledge.slot = 777;
    assert_eq!(knowledge.winner(&mut *scheduler), picks[777]);
}

#[test]
fn of_very_many_equals_each_draw_names_one() {
    let users = 100_000;
    let mut knowledge = Knowledge::new(users, 1);
    let mut scheduler = scheduler(SchedulerKind::MaxRate, Ties::Random, users, 1);
    let draws = CounterStream::new(1, Purpose::Tie, 0);
    for _ in 0..20 {
        let drawn = (u128::from(draws.bits(Slot::new(knowledge.slot))) * users as u128) >> 64;
        assert_eq!(knowledge.winner(&mut *scheduler) as u128, drawn);
    }
}

#[test]
fn ties_by_index_go_to_the_first_candidate() {
    let mut knowledge = Knowledge::new(6, 1);
    knowledge.eligible[0] = false;
    knowledge.rate_bps[1] = 0.0;
    let mut scheduler = scheduler(SchedulerKind::MaxRate, Ties::LowestIndex, 6, 1);
    assert_eq!(knowledge.run_slot(&mut *scheduler), [Some(UserRow::new(2))]);
}

#[test]
fn a_user_idle_for_a_million_time_constants_has_a_finite_metric() {
    let mut scheduler = scheduler(SchedulerKind::TcpPf(tcp_pf_one_slot()), Ties::LowestIndex, 2, 1);
    let mut knowledge = Knowledge::new(2, 1);
    knowledge.eligible[1] = false;
    knowledge.backlog_bytes[1] = 0;
    for _ in 0..100_000 {
        assert_eq!(knowledge.run_slot(&mut *scheduler), [Some(UserRow::new(0))]);
    }
    knowledge.eligible[1] = true;
    assert_eq!(knowledge.run_slot(&mut *scheduler), [Some(UserRow::new(1))]);
}

/// Averages that remember one slot only, the hardest case for a division by the average.
fn tcp_pf_one_slot() -> TcpPfConfig {
    TcpPfConfig { average: average(1.0, 0.0), ..tcp_pf_defaults() }
}
