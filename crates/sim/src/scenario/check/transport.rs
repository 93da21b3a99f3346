//! What one field of a TCP needs of another.

use airlink_model::transport::{Estimator, RtoConfig, Tcp};
use airlink_model::types::Duration;

use super::Checks;

/// A rule that is on, its name, and whether what it needs is there, in words.
type Need = (&'static str, bool, bool, &'static str);

pub(super) fn check(checks: &mut Checks, path: &str, tcp: &Tcp) {
    let (window, mss) = (tcp.receiver_window.count(), tcp.mss.count());
    checks.require(&format!("{path}.receiver_window_bytes"), window, window >= mss, "at least mss_bytes");
    check_rto(checks, &format!("{path}.rto"), &tcp.rto);
    let (alpha, beta) = (tcp.vegas.alpha_segments, tcp.vegas.beta_segments);
    checks.require(&format!("{path}.vegas.beta_segments"), beta, beta >= alpha, "at least alpha_segments");
    let fits = !tcp.timestamps || tcp.rules.sack_blocks <= 3;
    checks.require(&format!("{path}.rules.sack_blocks"), tcp.rules.sack_blocks, fits, "1 to 3 with timestamps");
    for (name, is_on, holds, allowed) in needs(tcp) {
        checks.require(&format!("{path}.rules.{name}"), true, !is_on || holds, allowed);
    }
}

fn needs(tcp: &Tcp) -> [Need; 5] {
    [
        ("rack", tcp.rules.rack, tcp.sack, "only with sack"),
        ("tail_loss_probe", tcp.rules.tail_loss_probe, tcp.sack && tcp.rules.rack, "only with sack and rack"),
        ("dsack_detection", tcp.rules.dsack_detection, tcp.sack && tcp.rules.dsack, "only with sack and dsack"),
        (
            "limited_transmit_resends",
            tcp.rules.limited_transmit_resends,
            tcp.rules.limited_transmit,
            "only with limited_transmit",
        ),
        ("eifel_detection", tcp.rules.eifel_detection, tcp.timestamps, "only with timestamps"),
    ]
}

fn check_rto(checks: &mut Checks, path: &str, rto: &RtoConfig) {
    let milliseconds = |span: Duration| 1e3 * span.as_secs();
    checks.require(&format!("{path}.max_ms"), milliseconds(rto.max), rto.max >= rto.min, "at least min_ms");
    let has_tick = rto.estimator != Estimator::Ns2 || rto.tick > Duration::ZERO;
    checks.require(&format!("{path}.tick_ms"), milliseconds(rto.tick), has_tick, "above 0 with the estimator of ns-2");
    let one_clock = !rto.next_tick || (rto.tick > Duration::ZERO && rto.timer_tick == Duration::ZERO);
    let wanted = "false, unless tick_ms is above 0 and timer_tick_ms is 0";
    checks.require(&format!("{path}.next_tick"), rto.next_tick, one_clock, wanted);
}

#[cfg(test)]
mod tests {
    use crate::scenario::tcp_from_json;
    use serde_json::{Value, json};

    /// The paths of the mistakes in the TCP of a small scenario with these fields changed.
    fn mistakes(changes: &[(&str, Value)]) -> Vec<String> {
        let text = include_str!("../../../../../tests/fixtures/fixed-link.json");
        let mut scenario: Value = serde_json::from_str(text).expect("a fixture is JSON");
        let tcp = scenario.pointer_mut("/flows/0/tcp").expect("a flow has a TCP");
        for (name, value) in changes {
            *tcp.pointer_mut(&format!("/{name}")).expect("a field of a TCP") = value.clone();
        }
        let found = tcp_from_json(&tcp.to_string()).err().unwrap_or_default();
        found.into_iter().map(|problem| problem.path.replace("tcp.", "")).collect()
    }

    #[test]
    fn timers_have_a_floor() {
        for name in ["min_ms", "initial_ms", "tick_ms", "timer_tick_ms"] {
            let pointer = format!("rto/{name}");
            assert!(mistakes(&[(&pointer, json!(0.1))]).is_empty());
            assert_eq!(mistakes(&[(&pointer, json!(0.09))]), [format!("rto.{name}")]);
        }
        assert!(mistakes(&[("rto/tick_ms", json!(0.0))]).is_empty());
        assert_eq!(mistakes(&[("rto/max_ms", json!(0.1))]), ["rto.max_ms"]);
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
        assert_eq!(mistakes(&[("rules/rack", json!(true))]), ["rules.rack"]);
        assert!(mistakes(&[("rules/rack", json!(true)), ("sack", json!(true))]).is_empty());
        assert_eq!(
            mistakes(&[("sack", json!(true)), ("rules/tail_loss_probe", json!(true))]),
            ["rules.tail_loss_probe"]
        );
        assert_eq!(
            mistakes(&[("sack", json!(true)), ("rules/dsack_detection", json!(true))]),
            ["rules.dsack_detection"]
        );
        assert_eq!(mistakes(&[("rules/eifel_detection", json!(true))]), ["rules.eifel_detection"]);
        assert!(mistakes(&[("rules/eifel_detection", json!(true)), ("timestamps", json!(true))]).is_empty());
        assert_eq!(mistakes(&[("rules/limited_transmit_resends", json!(true))]), ["rules.limited_transmit_resends"]);
        assert_eq!(mistakes(&[("rto/estimator", json!("ns2"))]), ["rto.tick_ms"]);
        assert_eq!(mistakes(&[("vegas/beta_segments", json!(1.9))]), ["vegas.beta_segments"]);
    }

    #[test]
    fn timestamps_leave_room_for_three_blocks() {
        assert!(mistakes(&[("rules/sack_blocks", json!(4))]).is_empty());
        assert_eq!(mistakes(&[("rules/sack_blocks", json!(4)), ("timestamps", json!(true))]), ["rules.sack_blocks"]);
        assert_eq!(mistakes(&[("rules/sack_blocks", json!(5))]), ["rules.sack_blocks"]);
        assert_eq!(mistakes(&[("rules/sack_blocks", json!(0))]), ["rules.sack_blocks"]);
    }

    #[test]
    fn a_choice_of_tables_keeps_to_its_ranges() {
        let pacing = json!({ "kind": "window", "slow_start_gain": 0.0, "avoidance_gain": 1.0 });
        assert_eq!(mistakes(&[("pacing", pacing)]), ["pacing.slow_start_gain"]);
        let reader = json!({ "kind": "stalling", "rate_bps": 0.0, "stall_after_s": "inf", "stall_for_s": 1.0 });
        assert_eq!(mistakes(&[("reader", reader)]), ["reader.rate_bps"]);
    }
}
