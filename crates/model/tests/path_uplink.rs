//! The uplink with grants: what leaves when, counted by hand, and by a second account that walks slot by slot.

use airlink_model::path::{Uplink, UplinkConfig};
use airlink_model::types::{Bytes, Duration, Purpose, RandomStream, Slot, SlotClock, TddPattern, Time};

const fn us(microseconds: u64) -> Time {
    Time::from_nanos(microseconds * 1000)
}

/// Requests each 10 ms, grants 4 ms later, sent 4 ms after that, then each 8 ms; 100 bytes a grant.
fn config() -> UplinkConfig {
    UplinkConfig { grant_bytes: Bytes::new(100), ..UplinkConfig::default() }
}

fn uplink(config: UplinkConfig, tdd: &str, users: usize) -> Uplink<usize> {
    let pattern = TddPattern::new(tdd).expect("a pattern");
    let offsets = (0..users).map(|user| config.offset(user, users));
    Uplink::new(config, SlotClock::new(1_000_000, 1), pattern, offsets)
}

/// When each of `arrivals` (time, user, bytes) comes out, by its place in the list; in the order in which they come.
fn run(mut uplink: Uplink<usize>, arrivals: &[(Time, usize, u64)]) -> Vec<(Time, usize)> {
    let mut out = Vec::new();
    let mut next = 0;
    loop {
        let arrival = arrivals.get(next).map(|(at, ..)| *at);
        match (uplink.poll_timeout(), arrival) {
            (Some(leaves), at) if at.is_none_or(|at| leaves < at) => {
                assert_eq!(uplink.poll_timeout(), Some(leaves));
                let before = out.len();
                while uplink.poll_timeout() == Some(leaves) {
                    match uplink.poll_packet(leaves) {
                        Some(item) => out.push((leaves, item)),
                        // A grant may carry a part of an item only.
                        None => break,
                    }
                }
                assert!(out[before..].iter().all(|(at, _)| *at == leaves));
            }
            (_, Some(at)) => {
                let (_, user, bytes) = arrivals[next];
                uplink.push(at, user, Bytes::new(bytes), next);
                next += 1;
            }
            (_, None) => return out,
        }
    }
}

#[test]
fn acks_of_one_grant_leave_together_and_the_next_grant_follows_the_buffer_status() {
    // Opportunities at 0, 10, 20, ... ms; what is sent in slot n is there at n + 1 ms.
    let acks = [
        (us(1_500), 0, 40),  // asks at 10, granted at 14, sent in slot 18
        (us(3_000), 0, 40),  // with it
        (us(18_000), 0, 40), // with it in part: 20 of 40 bytes; the rest 8 ms later, in slot 26
        (us(20_000), 0, 40), // in slot 26
        (us(26_001), 0, 40), // too late for slot 26, after which nothing waits: asks at 30, sent in slot 38
        (us(38_000), 0, 40), // with it
    ];
    let expected = [(19, 0), (19, 1), (27, 2), (27, 3), (39, 4), (39, 5)].map(|(ms, ack)| (us(ms * 1000), ack));
    assert_eq!(run(uplink(config(), "", 1), &acks), expected);
}

#[test]
fn requests_grants_and_data_wait_for_uplink_slots() {
    // DDDSU: uplink in slots 4, 9, 14, 19, ...
    let acks = [
        (us(0), 0, 40),      // asks at 0, in slot 4; 8 ms later is 12: sent in slot 14
        (us(14_001), 0, 40), // opportunity at 20, slot 24; 32: slot 34
        (us(34_000), 0, 80), // with it, 60 of 80 bytes; 8 ms later is 42: slot 44
        (us(51_000), 0, 40), // the opportunity at 50 has its slot at 54, which is to come: 62, slot 64
    ];
    let expected = [(15, 0), (35, 1), (45, 2), (65, 3)].map(|(ms, ack)| (us(ms * 1000), ack));
    assert_eq!(run(uplink(config(), "DDDSU", 1), &acks), expected);
}

#[test]
fn opportunities_of_users_are_spread_over_the_period() {
    let offsets_ms = [0, 1, 2, 3].map(|user| config().offset(user, 4).as_nanos() as f64 / 1e6);
    assert_eq!(offsets_ms, [0.0, 2.5, 5.0, 7.5]);
    // 2.5 ms is in slot 2, so its slot is 3.
    let acks = [0, 1, 2, 3].map(|user| (us(100), user, 40));
    let expected = [(12, 1), (14, 2), (17, 3), (19, 0)].map(|(ms, ack)| (us(ms * 1000), ack));
    assert_eq!(run(uplink(config(), "", 4), &acks), expected);
}

#[test]
fn users_share_a_slot_in_turn() {
    let shared = UplinkConfig {
        request_period: Duration::from_millis(1),
        grant_period: Duration::ZERO,
        slot_bytes: Bytes::new(150),
        ..config()
    };
    let uplink = Uplink::new(shared, SlotClock::new(1_000_000, 1), TddPattern::default(), [Duration::ZERO; 3]);
    let acks = [0, 1, 2].map(|user| (us(0), user, 100));
    // Slot 8: user 0 whole, half of user 1. Slot 9: user 2 first, then the rest of user 1. User 1's status is of slot 8.
    let expected = [(9, 0), (10, 2), (10, 1)].map(|(ms, ack)| (us(ms * 1000), ack));
    assert_eq!(run(uplink, &acks), expected);
}

#[test]
fn without_delays_each_opportunity_is_a_grant() {
    let configured = UplinkConfig { grant_delay: Duration::ZERO, transmit_delay: Duration::ZERO, ..config() };
    let acks = [(us(500), 0, 40), (us(10_000), 0, 40), (us(10_001), 0, 40)];
    let expected = [(11, 0), (11, 1), (21, 2)].map(|(ms, ack)| (us(ms * 1000), ack));
    assert_eq!(run(uplink(configured, "", 1), &acks), expected);
}

#[test]
fn what_waits_is_what_has_not_come_out() {
    let mut uplink = uplink(config(), "", 2);
    uplink.push(us(0), 0, Bytes::new(40), 7);
    uplink.push(us(0), 1, Bytes::new(40), 8);
    assert_eq!(uplink.waiting().copied().collect::<Vec<_>>(), [7, 8]);
    assert_eq!(uplink.poll_packet(us(8_999)), None);
    assert_eq!(uplink.poll_packet(us(9_000)), Some(7));
    assert_eq!(uplink.waiting().copied().collect::<Vec<_>>(), [8]);
}

/// One user's account of the second implementation: it walks all slots and keeps no times but those of its rules.
struct Walker {
    waiting: Vec<(u64, u64, usize)>,
    /// From when on a grant is good, in ns.
    granted_from: Option<u64>,
    offset: u64,
}

/// The same rules, slot by slot: each slot looks whether an opportunity has come since the uplink slot before, and for whom a
/// grant is due.
fn walk(
    config: UplinkConfig,
    tdd: &str,
    users: usize,
    arrivals: &[(Time, usize, u64)],
    slots: u64,
) -> Vec<(Time, usize)> {
    const SLOT: u64 = 1_000_000;
    let pattern = TddPattern::new(tdd).expect("a pattern");
    let [period, delay, again] = [
        config.request_period.as_nanos(),
        config.grant_delay.as_nanos() + config.transmit_delay.as_nanos(),
        config.grant_period.as_nanos(),
    ];
    let of = |user| Walker { waiting: Vec::new(), granted_from: None, offset: config.offset(user, users).as_nanos() };
    let mut walkers: Vec<Walker> = (0..users).map(of).collect();
    let (mut out, mut next, mut turn, mut uplink_before) = (Vec::new(), 0, 0, None);
    for slot in (0..slots).filter(|slot| tdd.is_empty() || pattern.letter(Slot::new(*slot)) == 'U') {
        let start = slot * SLOT;
        while let Some(&(at, user, bytes)) = arrivals.get(next).filter(|(at, ..)| at.as_nanos() <= start) {
            walkers[user].waiting.push((at.as_nanos(), bytes, next));
            next += 1;
        }
        for walker in walkers.iter_mut().filter(|walker| walker.granted_from.is_none() && !walker.waiting.is_empty()) {
            let passed = |time: u64| (time >= walker.offset).then(|| (time - walker.offset) / period);
            if passed(start).is_some() && passed(start) != uplink_before.and_then(passed) {
                walker.granted_from = Some(start + delay);
            }
        }
        let (mut left, first) = (config.slot_bytes.count(), turn);
        for rank in 0..users {
            let user = (first + rank) % users;
            let walker = &mut walkers[user];
            if left == 0 || walker.granted_from.is_none_or(|from| from > start) {
                continue;
            }
            let mut room = left.min(config.grant_bytes.count());
            let whole = room;
            while let Some((_, bytes, item)) = walker.waiting.first_mut() {
                let carried = room.min(*bytes);
                (room, *bytes) = (room - carried, *bytes - carried);
                if *bytes > 0 {
                    break;
                }
                out.push((Time::from_nanos(start + SLOT), *item));
                walker.waiting.remove(0);
            }
            walker.granted_from = if walker.waiting.is_empty() { None } else { Some((start + again).max(start + 1)) };
            if left != u64::MAX {
                left -= whole - room;
                turn = user + 1;
            }
            if left == 0 {
                break;
            }
        }
        turn %= users;
        uplink_before = Some(start);
        if out.len() == arrivals.len() {
            break;
        }
    }
    out
}

#[test]
fn random_arrivals_leave_as_a_walk_over_all_slots_says() {
    let mut draws = RandomStream::new(11, Purpose::Traffic, 0);
    let mut whole = |below: u64| (draws.uniform() * below as f64) as u64;
    for case in 0..400 {
        let tdd = ["", "DDDSU", "DSUUD", "U", "DU"][whole(5) as usize];
        let users = 1 + whole(4) as usize;
        let config = UplinkConfig {
            request_period: Duration::from_nanos(1 + whole(12_000_000)),
            grant_delay: Duration::from_nanos(whole(6_000_000)),
            transmit_delay: Duration::from_nanos(whole(3) * 2_000_000),
            grant_period: Duration::from_nanos(whole(12) * 1_000_000),
            grant_bytes: Bytes::new(1 + whole(200)),
            slot_bytes: if whole(2) == 0 { Bytes::UNLIMITED } else { Bytes::new(1 + whole(300)) },
        };
        let mut at = 0;
        let mut arrivals = Vec::new();
        for _ in 0..30 {
            at += [0, whole(1_000_000), whole(40_000_000), 1_000_000 - at % 1_000_000][whole(4) as usize];
            arrivals.push((Time::from_nanos(at), whole(users as u64) as usize, whole(120)));
        }
        let found = run(uplink(config, tdd, users), &arrivals);
        let expected = walk(config, tdd, users, &arrivals, 200_000);
        assert_eq!(found, expected, "case {case}: {config:?} {tdd} {users} {arrivals:?}");
        assert_eq!(found.len(), arrivals.len());
    }
}
