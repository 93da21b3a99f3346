//! M-LWDF: stable where PF is not, and waits in proportion to what users allow.

use airlink_model::scheduler::*;
use airlink_model::types::declare::PerUser;
use airlink_model::types::{Purpose, RandomStream};

use super::queues::Queues;
use crate::scheduler_fixture::average;

/// Bits that wait for each of two users after each quarter of `slots` slots.
///
/// Their rates are 1 or 2 bits a slot, each half of the time. Weights between 1 and 2 times larger for user 0 give the vertex (1.25,
/// 0.5) of the capacity region: user 1 has only the slots in which it alone has 2. Packets of 1 bit come at 97 % of that.
fn backlogs(kind: SchedulerKind, slots: u64) -> [[f64; 2]; 4] {
    let load = [0.97 * 1.25, 0.97 * 0.5];
    let mut queues = Queues::new(kind, &[20.0, 20.0]);
    let mut draws = RandomStream::new(32, Purpose::Fading, 0);
    let mut found = [[0.0; 2]; 4];
    let mut owed = [0.0; 2];
    for quarter in &mut found {
        for _ in 0..slots / 4 {
            for user in 0..2 {
                owed[user] += load[user];
                while owed[user] >= 1.0 {
                    owed[user] -= 1.0;
                    queues.arrive(user, 1.0);
                }
            }
            let rates: Vec<f32> = (0..2).map(|_| if draws.uniform() < 0.5 { 1.0 } else { 2.0 }).collect();
            queues.run_slot(&rates);
        }
        *quarter = [queues.waiting_bits(0), queues.waiting_bits(1)];
    }
    found
}

#[test]
fn m_lwdf_keeps_queues_stable_within_the_capacity_region_where_pf_does_not() {
    let slots = 80_000;
    // PF serves user 1 whenever it has a packet, for R / A is largest there, at about 1.5 bits a slot. That leaves user 0 at least
    // 0.2 bits a slot short of its 1.2125.
    let pf = backlogs(SchedulerKind::ProportionalFair(average(1000.0, 1.0)), slots);
    for (quarter, backlog) in pf.iter().enumerate() {
        let passed = (quarter + 1) as f64 * slots as f64 / 4.0;
        assert!(backlog[0] > 0.1 * passed, "PF, quarter {quarter}: {pf:?}");
    }
    for divisor in [Divisor::None, Divisor::Average] {
        let m_lwdf =
            SchedulerKind::MLwdf(MLwdfConfig { average: average(1000.0, 1.0), divisor, ..MLwdfConfig::default() });
        let stable = backlogs(m_lwdf, slots);
        assert!(stable.iter().all(|backlog| backlog[0] + backlog[1] < 500.0), "{divisor:?}: {stable:?}");
    }
}

#[test]
fn in_overload_m_lwdf_makes_users_wait_in_proportion_to_what_they_allow() {
    // A slot lets one packet of a user go, so its wait jumps by the time between its packets, and a W by a times that: where the largest
    // a W is served, all a W stay within the largest such jump of one another.
    let (budgets, deltas) = ([10.0, 40.0, 40.0], [0.01, 0.01, 0.1]);
    let kind = SchedulerKind::MLwdf(MLwdfConfig {
        divisor: Divisor::None,
        violation_probability: PerUser::Each(deltas.to_vec()),
        ..MLwdfConfig::default()
    });
    let rates_per_s: Vec<f64> = budgets.iter().zip(deltas).map(|(budget, delta)| -libm::log(delta) / budget).collect();
    let between = [2_u64, 3, 4];
    let mut queues = Queues::new(kind, &budgets);
    let jump = (0..3).map(|user| rates_per_s[user] * (between[user] + 1) as f64).fold(0.0, f64::max);
    for slot in 0..20_000_u64 {
        for (user, every) in between.iter().enumerate() {
            if slot % every == 0 {
                queues.arrive(user, 1.0);
            }
        }
        queues.run_slot(&[1.0; 3]);
        if slot > 5000 {
            let weighted: Vec<f64> =
                (0..3).map(|user| rates_per_s[user] * queues.oldest(user).expect("overload") as f64).collect();
            let (least, most) =
                (weighted.iter().copied().fold(f64::INFINITY, f64::min), weighted.iter().copied().fold(0.0, f64::max));
            assert!(most - least <= 2.0 * jump, "slot {slot}: {weighted:?}");
        }
    }
    // 1/2 + 1/3 + 1/4 packets a slot for 1: waits are long by now, in the ratio of 1 / a.
    let waits: Vec<f64> = (0..3).map(|user| queues.oldest(user).expect("overload") as f64).collect();
    assert!(waits[0] > 200.0, "{waits:?}");
    for user in 1..3 {
        let (found, expected) = (waits[user] / waits[0], rates_per_s[0] / rates_per_s[user]);
        assert!((found / expected - 1.0).abs() < 0.05, "user {user}: {found} for {expected}");
    }
}
