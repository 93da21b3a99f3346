//! What the network and the application may do. Spans are multiples of the round trip or of the shortest timeout.

use airlink_model::types::{Duration, Time};

use super::case::{Case, Change};
use super::draw::Draw;

macro_rules! changes {
    ($($name:literal: $make:expr,)*) => { &[$(Change { name: $name, make: $make }),*] };
}

fn unit(case: &Case, draw: &mut Draw) -> Duration {
    let timeout = case.tcp.rto.min.min(Duration::from_millis(2000));
    if draw.coin() { case.round_trip() } else { case.round_trip().max(timeout) }
}

fn spans(case: &Case, draw: &mut Draw) -> Vec<(Time, Time, Duration)> {
    let unit = unit(case, draw);
    let mut from = Time::ZERO;
    let spans = (0..draw.within(1, 4)).map(|_| {
        let begin = from + draw.times(unit, 0.1, 20.0);
        from = begin + draw.times(unit, 0.1, 20.0);
        (begin, from, draw.times(unit, 0.1, 10.0))
    });
    spans.collect()
}

pub const CONDITIONS: &[Change] = changes! {
    "delay": |case, draw| {
        let round_trip = draw.milliseconds(0.01, 2000.0);
        let share = draw.uniform(0.0, 1.0);
        let nanoseconds = |share: f64| Duration::from_nanos(1000) + Duration::from_secs(round_trip.as_secs() * share);
        case.network.data_delay = nanoseconds(share);
        case.network.ack_delay = nanoseconds(1.0 - share);
    },
    "healing": |case, draw| {
        let unit = unit(case, draw);
        case.network.heals_at = Time::ZERO + draw.times(unit, 1.0, 200.0);
    },
    "rate": |case, draw| {
        // Up to thirty segments in a round trip, down to one in ten.
        let per_round_trip = draw.logarithmic(0.1, 30.0) * case.tcp.mss.count() as f64;
        case.network.rate = per_round_trip / case.round_trip().as_secs();
        case.network.queue = draw.size(1, 100) as usize;
    },
    "loss": |case, draw| case.network.loss = draw.logarithmic(0.002, 0.9),
    "ack_loss": |case, draw| case.network.ack_loss = draw.logarithmic(0.002, 0.9),
    "reordering": |case, draw| case.network.reordering = draw.logarithmic(0.002, 0.9),
    "ack_reordering": |case, draw| case.network.ack_reordering = draw.logarithmic(0.002, 0.9),
    "duplication": |case, draw| case.network.duplication = draw.logarithmic(0.002, 0.9),
    "ack_duplication": |case, draw| case.network.ack_duplication = draw.logarithmic(0.002, 0.9),
    "lateness": |case, draw| {
        let unit = unit(case, draw);
        case.network.lateness = draw.times(unit, 0.001, 20.0);
    },
    "spikes": |case, draw| case.network.spikes = spans(case, draw),
    "outages": |case, draw| {
        let spans = spans(case, draw);
        case.network.outages = spans.into_iter().map(|(from, to, _)| (from, to, draw.coin())).collect();
    },
    "timer_lag": |case, draw| {
        let unit = unit(case, draw);
        case.network.timer_lag = draw.times(unit, 1e-4, 2.0);
    },
    "rings_always": |case, _| case.network.rings_always = true,
    "timers_first": |case, _| case.network.timers_first = true,
    "pieces": |case, draw| {
        let unit = unit(case, draw);
        case.application.pieces = draw.size(2, 40);
        case.application.pause = draw.times(unit, 0.01, 30.0);
    },
    "stop": |case, draw| {
        let unit = unit(case, draw);
        case.application.stops_at = Some(Time::ZERO + draw.times(unit, 0.01, 100.0));
    },
    "late_opening": |case, draw| {
        let unit = unit(case, draw);
        case.application.opens_at = Time::ZERO + draw.times(unit, 0.01, 10.0);
    },
};
