//! The fields of one TCP: each by itself, and what one needs of another.

use super::Checks;
use crate::scenario::congestion::{Cubic, Vegas, Westwood};
use crate::scenario::transport::{Clamp, ClampWindow, DelayedAck, Estimator, Pacing, Reader, Rto, Tcp};

/// Timers that run faster than a packet can be answered never let a run end.
const SHORTEST_TIMER_MS: f64 = 0.1;

/// A rule that is on, its name, and whether what it needs is there, in words.
type Need = (&'static str, bool, bool, &'static str);

pub(super) fn check(checks: &mut Checks, path: &str, tcp: &Tcp) {
    check_sizes(checks, path, tcp);
    check_window(checks, path, tcp);
    check_rto(checks, &format!("{path}.rto"), &tcp.rto);
    check_cubic(checks, &format!("{path}.cubic"), &tcp.cubic);
    check_westwood(checks, &format!("{path}.westwood"), &tcp.westwood);
    check_vegas(checks, &format!("{path}.vegas"), &tcp.vegas);
    check_pacing(checks, &format!("{path}.pacing"), &tcp.pacing);
    check_receiver(checks, path, tcp);
    check_clamp(checks, &format!("{path}.clamp"), &tcp.clamp);
    for (name, is_on, holds, allowed) in needs(tcp) {
        checks.require(&format!("{path}.{name}"), true, !is_on || holds, allowed);
    }
}

fn needs(tcp: &Tcp) -> [Need; 5] {
    [
        ("rack", tcp.rack, tcp.sack, "only with sack"),
        ("tail_loss_probe", tcp.tail_loss_probe, tcp.sack && tcp.rack, "only with sack and rack"),
        ("dsack_detection", tcp.dsack_detection, tcp.sack && tcp.dsack, "only with sack and dsack"),
        ("limited_transmit_resends", tcp.limited_transmit_resends, tcp.limited_transmit, "only with limited_transmit"),
        ("eifel_detection", tcp.eifel_detection, tcp.timestamps, "only with timestamps"),
    ]
}

fn check_sizes(checks: &mut Checks, path: &str, tcp: &Tcp) {
    checks.require(&format!("{path}.mss_bytes"), tcp.mss_bytes, (1..=65_535).contains(&tcp.mss_bytes), "1 to 65535");
    checks.require(&format!("{path}.header_bytes"), tcp.header_bytes, tcp.header_bytes <= 65_535, "0 to 65535");
    checks.require(&format!("{path}.ack_bytes"), tcp.ack_bytes, (1..=65_535).contains(&tcp.ack_bytes), "1 to 65535");
}

fn check_window(checks: &mut Checks, path: &str, tcp: &Tcp) {
    let window = tcp.receiver_window_bytes;
    checks.require(&format!("{path}.receiver_window_bytes"), window, window >= tcp.mss_bytes, "at least mss_bytes");
    let counts = [
        ("initial_window_segments", tcp.initial_window_segments),
        ("byte_counting_limit_segments", tcp.byte_counting_limit_segments),
        ("duplicate_ack_threshold", tcp.duplicate_ack_threshold),
    ];
    for (name, count) in counts {
        checks.require(&format!("{path}.{name}"), count, count >= 1, "at least 1");
    }
    let ssthresh = tcp.initial_ssthresh_segments.0;
    checks.require(&format!("{path}.initial_ssthresh_segments"), ssthresh, ssthresh > 0.0, "above 0, or \"inf\"");
    checks.not_negative(&format!("{path}.probe_ack_allowance_ms"), tcp.probe_ack_allowance_ms);
    checks.not_negative(&format!("{path}.timer_slack_ms"), tcp.timer_slack_ms);
}

fn check_rto(checks: &mut Checks, path: &str, rto: &Rto) {
    for (name, milliseconds) in [("min_ms", rto.min_ms), ("initial_ms", rto.initial_ms), ("max_ms", rto.max_ms)] {
        let holds = milliseconds >= SHORTEST_TIMER_MS && milliseconds.is_finite();
        checks.require(&format!("{path}.{name}"), milliseconds, holds, "a finite number of at least 0.1");
    }
    checks.require(&format!("{path}.max_ms"), rto.max_ms, rto.max_ms >= rto.min_ms, "at least min_ms");
    for (name, tick) in [("tick_ms", rto.tick_ms), ("timer_tick_ms", rto.timer_tick_ms)] {
        let holds = tick == 0.0 || (tick >= SHORTEST_TIMER_MS && tick.is_finite());
        checks.require(&format!("{path}.{name}"), tick, holds, "0, or a finite number of at least 0.1");
    }
    checks.not_negative(&format!("{path}.tick_offset_ms"), rto.tick_offset_ms);
    let has_tick = rto.estimator != Estimator::Ns2 || rto.tick_ms > 0.0;
    checks.require(&format!("{path}.tick_ms"), rto.tick_ms, has_tick, "above 0 with the estimator of ns-2");
    let one_clock = !rto.next_tick || (rto.tick_ms > 0.0 && rto.timer_tick_ms == 0.0);
    let wanted = "false, unless tick_ms is above 0 and timer_tick_ms is 0";
    checks.require(&format!("{path}.next_tick"), rto.next_tick, one_clock, wanted);
    let backoff = rto.backoff_factor;
    checks.require(&format!("{path}.backoff_factor"), backoff, (1.0..=64.0).contains(&backoff), "1 to 64");
}

fn check_cubic(checks: &mut Checks, path: &str, cubic: &Cubic) {
    let holds = cubic.beta > 0.0 && cubic.beta < 1.0;
    checks.require(&format!("{path}.beta"), cubic.beta, holds, "above 0 and below 1");
    checks.positive(&format!("{path}.c"), cubic.c);
}

fn check_westwood(checks: &mut Checks, path: &str, westwood: &Westwood) {
    let (memory, stages) = (westwood.filter_memory, westwood.filter_stages);
    checks.require(&format!("{path}.filter_memory"), memory, (0.0..1.0).contains(&memory), "at least 0 and below 1");
    checks.require(&format!("{path}.filter_stages"), stages, (1..=2).contains(&stages), "1 or 2");
    checks.not_negative(&format!("{path}.least_window_ms"), westwood.least_window_ms);
}

fn check_vegas(checks: &mut Checks, path: &str, vegas: &Vegas) {
    let (alpha, beta) = (vegas.alpha_segments, vegas.beta_segments);
    checks.not_negative(&format!("{path}.alpha_segments"), alpha);
    checks.not_negative(&format!("{path}.gamma_segments"), vegas.gamma_segments);
    let holds = beta >= alpha && beta.is_finite();
    checks.require(&format!("{path}.beta_segments"), beta, holds, "a finite number of at least alpha_segments");
    checks.require(&format!("{path}.least_samples"), vegas.least_samples, vegas.least_samples >= 1, "at least 1");
}

fn check_pacing(checks: &mut Checks, path: &str, pacing: &Pacing) {
    if let Pacing::Window { slow_start_gain, avoidance_gain } = pacing {
        checks.positive(&format!("{path}.slow_start_gain"), *slow_start_gain);
        checks.positive(&format!("{path}.avoidance_gain"), *avoidance_gain);
    }
}

fn check_receiver(checks: &mut Checks, path: &str, tcp: &Tcp) {
    let most = if tcp.timestamps { 3 } else { 4 };
    let holds = (1..=most).contains(&tcp.sack_blocks);
    checks.require(&format!("{path}.sack_blocks"), tcp.sack_blocks, holds, "1 to 4, with timestamps 1 to 3");
    if let Reader::Stalling { rate_bps, stall_after_s, stall_for_s } = &tcp.reader {
        checks.require(&format!("{path}.reader.rate_bps"), rate_bps.0, rate_bps.0 > 0.0, "above 0, or \"inf\"");
        let after_s = stall_after_s.0;
        checks.require(&format!("{path}.reader.stall_after_s"), after_s, after_s >= 0.0, "at least 0, or \"inf\"");
        checks.not_negative(&format!("{path}.reader.stall_for_s"), *stall_for_s);
    }
    check_delayed_ack(checks, &format!("{path}.delayed_ack"), &tcp.delayed_ack);
}

fn check_clamp(checks: &mut Checks, path: &str, clamp: &Clamp) {
    let (Clamp::On(window) | Clamp::Sender(window)) = *clamp else { return };
    let ClampWindow { additive_bytes, rate_packets, delay_weight, most_increase_bytes, slow_start_threshold_bytes } =
        window;
    checks.positive(&format!("{path}.additive_bytes"), additive_bytes);
    checks.require(&format!("{path}.rate_packets"), rate_packets, (1..=100_000).contains(&rate_packets), "1 to 100000");
    let is_weight = delay_weight > 0.0 && delay_weight <= 1.0;
    checks.require(&format!("{path}.delay_weight"), delay_weight, is_weight, "above 0, at most 1");
    checks.require(&format!("{path}.most_increase_bytes"), most_increase_bytes, most_increase_bytes >= 1, "at least 1");
    let threshold = slow_start_threshold_bytes.0;
    let path = format!("{path}.slow_start_threshold_bytes");
    checks.require(&path, threshold, threshold >= 1, "at least 1, or \"inf\"");
}

fn check_delayed_ack(checks: &mut Checks, path: &str, ack: &DelayedAck) {
    checks.require(&format!("{path}.every"), ack.every, ack.every >= 1, "at least 1");
    checks.positive(&format!("{path}.timer_ms"), ack.timer_ms);
    let least_ms = ack.least_timer_ms.0;
    checks.require(&format!("{path}.least_timer_ms"), least_ms, least_ms > 0.0, "above 0, or \"inf\"");
}

#[cfg(test)]
mod tests {
    use crate::Scenario;
    use serde_json::{Value, json};

    /// The paths of the mistakes in a small scenario with these fields of its TCP changed.
    fn mistakes(changes: &[(&str, Value)]) -> Vec<String> {
        let text = include_str!("../../../../../tests/fixtures/fixed-link.json");
        let mut scenario: Value = serde_json::from_str(text).expect("a fixture is JSON");
        for (name, value) in changes {
            let field = scenario.pointer_mut(&format!("/flows/0/tcp/{name}"));
            *field.expect("a field of a TCP") = value.clone();
        }
        let found = Scenario::from_json(&scenario.to_string()).err().unwrap_or_default();
        found.into_iter().map(|problem| problem.path.replace("flows.0.tcp.", "")).collect()
    }

    #[test]
    fn timers_have_a_floor() {
        for name in ["min_ms", "initial_ms", "tick_ms", "timer_tick_ms"] {
            let pointer = format!("rto/{name}");
            assert!(mistakes(&[(&pointer, json!(0.1))]).is_empty());
            assert_eq!(mistakes(&[(&pointer, json!(0.09))]), [format!("rto.{name}")]);
        }
        assert!(mistakes(&[("rto/tick_ms", json!(0.0))]).is_empty());
    }

    #[test]
    fn a_timer_that_waits_for_a_tick_needs_one_clock() {
        let next_tick = ("rto/next_tick", json!(true));
        assert_eq!(mistakes(&[next_tick.clone(), ("rto/tick_ms", json!(0.0))]), ["rto.next_tick"]);
        assert!(mistakes(&[next_tick.clone(), ("rto/tick_ms", json!(200.0))]).is_empty());
        let both = [next_tick, ("rto/tick_ms", json!(200.0)), ("rto/timer_tick_ms", json!(4.0))];
        assert_eq!(mistakes(&both), ["rto.next_tick"]);
    }

    #[test]
    fn a_rule_that_rests_on_another_needs_it() {
        assert_eq!(mistakes(&[("rack", json!(true))]), ["rack"]);
        assert!(mistakes(&[("rack", json!(true)), ("sack", json!(true))]).is_empty());
        assert_eq!(mistakes(&[("sack", json!(true)), ("tail_loss_probe", json!(true))]), ["tail_loss_probe"]);
        assert_eq!(mistakes(&[("sack", json!(true)), ("dsack_detection", json!(true))]), ["dsack_detection"]);
        assert_eq!(mistakes(&[("eifel_detection", json!(true))]), ["eifel_detection"]);
        assert!(mistakes(&[("eifel_detection", json!(true)), ("timestamps", json!(true))]).is_empty());
        assert_eq!(mistakes(&[("limited_transmit_resends", json!(true))]), ["limited_transmit_resends"]);
        assert_eq!(mistakes(&[("rto/estimator", json!("ns2"))]), ["rto.tick_ms"]);
    }

    #[test]
    fn timestamps_leave_room_for_three_blocks() {
        assert!(mistakes(&[("sack_blocks", json!(4))]).is_empty());
        assert_eq!(mistakes(&[("sack_blocks", json!(4)), ("timestamps", json!(true))]), ["sack_blocks"]);
        assert_eq!(mistakes(&[("sack_blocks", json!(5))]), ["sack_blocks"]);
        assert_eq!(mistakes(&[("sack_blocks", json!(0))]), ["sack_blocks"]);
    }

    #[test]
    fn parameters_stay_within_their_ranges() {
        for (name, value) in [
            ("cubic/beta", json!(1.0)),
            ("cubic/c", json!(0.0)),
            ("westwood/filter_memory", json!(1.0)),
            ("westwood/filter_stages", json!(3)),
            ("westwood/least_window_ms", json!(-1.0)),
            ("vegas/alpha_segments", json!(-1.0)),
            ("vegas/beta_segments", json!(1.9)),
            ("vegas/gamma_segments", json!(-1.0)),
            ("vegas/least_samples", json!(0)),
            ("delayed_ack/least_timer_ms", json!(0.0)),
            ("byte_counting_limit_segments", json!(0)),
            ("probe_ack_allowance_ms", json!(-1.0)),
        ] {
            assert_eq!(mistakes(&[(name, value)]), [name.replace('/', ".")]);
        }
        let pacing = json!({ "kind": "window", "slow_start_gain": 0.0, "avoidance_gain": 1.0 });
        assert_eq!(mistakes(&[("pacing", pacing)]), ["pacing.slow_start_gain"]);
        let reader = json!({ "kind": "stalling", "rate_bps": 0.0, "stall_after_s": "inf", "stall_for_s": 1.0 });
        assert_eq!(mistakes(&[("reader", reader)]), ["reader.rate_bps"]);
    }
}
