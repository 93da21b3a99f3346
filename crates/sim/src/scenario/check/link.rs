//! Checks of reports, errors and repetition, and of how packets are cut for them.

use airlink_model::channel::Placement;
use airlink_model::link::{OuterLoopConfig, RateConfig};
use airlink_model::queue::{QueueKind, QueueScope};
use airlink_model::rlc::{ArqConfig, ArqRepeats, ArqUnit, CodedUnit};
use airlink_model::scheduler::SchedulerKind;

use super::{Checks, rates};
use crate::scenario::{Link, Radio};

/// Blocks of a user in a slot that the link can tell apart.
const MOST_PDUS_PER_GRANT: f64 = 65_535.0;

pub(super) fn check(checks: &mut Checks, radio: &Radio) {
    check_outer_loop(checks, &radio.link);
    rates::check(checks, &radio.link);
    check_replayed_rates(checks, radio);
    check_buffers(checks, radio);
}

fn check_buffers(checks: &mut Checks, radio: &Radio) {
    check_scope(checks, radio);
    check_arq(checks, radio);
    check_harq(checks, radio);
}

/// One queue for all users is served in order, which nothing may upset.
fn check_scope(checks: &mut Checks, radio: &Radio) {
    let shared = radio.queue.scope == QueueScope::Cell;
    let in_order = !radio.scheduler.serve_empty_queues
        && matches!(&radio.scheduler.kind, SchedulerKind::Fifo(fifo) if !fifo.skip_unservable);
    let plain = radio.queue.kind == QueueKind::DropTail;
    let one_frame = radio.carrier.subchannels == 1 && !radio.link.has_code_blocks();
    let allowed = "user but for drop_tail, one carrier without code blocks, and fifo that skips and wastes nothing";
    checks.require("queue.scope", "cell", !shared || (in_order && plain && one_frame), allowed);
}

fn check_arq(checks: &mut Checks, radio: &Radio) {
    let ArqConfig { feedback_delay_slots, unit, repeats, .. } = radio.link.arq;
    let (slots, at_once) = (unit == ArqUnit::Slot, repeats == ArqRepeats::AtOnce);
    let delay = feedback_delay_slots;
    checks.require("link.arq.feedback_delay_slots", delay, delay == 0 || !slots, "0 where slots are repeated");
    let blocks = radio.link.has_code_blocks();
    checks.require("link.arq.unit", "slot", !(slots && blocks), "part with code blocks");
    let alone = slots && radio.carrier.subchannels == 1;
    checks.require("link.arq.repeats", "at_once", alone || !at_once, "rescheduled but for slots of one carrier");
    let carries = radio.rlc.carry_fraction;
    checks.require("rlc.carry_fraction", carries, !(at_once && carries), "false where slots go again at once");
}

fn check_outer_loop(checks: &mut Checks, link: &Link) {
    match link.outer_loop {
        OuterLoopConfig::None => return,
        OuterLoopConfig::Steps(steps) => {
            let within = (steps.lowest_db..=steps.highest_db).contains(&steps.initial_db);
            checks.require("link.outer_loop.initial_db", steps.initial_db, within, "lowest_db to highest_db");
        }
        OuterLoopConfig::Margin(margin) => {
            let within = (margin.lowest..=margin.highest).contains(&margin.initial);
            checks.require("link.outer_loop.initial", margin.initial, within, "lowest to highest");
        }
    }
    let is_replayed = link.rate == RateConfig::Trace;
    checks.require("link.outer_loop.kind", "an outer loop", !is_replayed, "none where rates are replayed");
}

fn check_harq(checks: &mut Checks, radio: &Radio) {
    let rlc = &radio.rlc;
    let pdu_bytes = (rlc.segment + rlc.segment_header + rlc.block_header).count();
    let pdus = radio.clock().bits_in_slot(radio.link.rate.top_bps()) / 8.0 / pdu_bytes as f64;
    let few = radio.link.harq.unit == CodedUnit::Block || pdus.is_nan() || pdus <= MOST_PDUS_PER_GRANT;
    checks.require("rlc.segment_bytes", rlc.segment.count(), few, "large enough for 65535 PDUs at most in a slot");
    let of_a_table = radio.link.rate.has_thresholds();
    let allowed = !radio.link.has_code_blocks() || radio.link.rate != RateConfig::Trace;
    let kind = radio.link.harq.combining.word();
    checks.require("link.harq.kind", kind, allowed, "none, with whole blocks, where rates are replayed");
    let (rule, blocks) = (radio.link.errors.threshold_rule, radio.link.has_code_blocks());
    let allowed = !(rule && blocks) || of_a_table;
    checks.require("link.errors.threshold_rule", rule, allowed, "false where code blocks have no table of rates");
}

/// A replayed rate needs no rule that chooses one, and knows no SNR.
fn check_replayed_rates(checks: &mut Checks, radio: &Radio) {
    let is_replayed = matches!(&radio.channel.placement, Placement::Trace(trace) if trace.replays_rates());
    let rule_is_trace = radio.link.rate == RateConfig::Trace;
    let allowed =
        "\"trace\" with a replayed rate trace (quantity \"rate_bps\", equivalent_bandwidth_hz 0), and only there";
    checks.require("link.rate.kind", if rule_is_trace { "trace" } else { "it" }, is_replayed == rule_is_trace, allowed);
    let of_snr = match radio.scheduler.kind {
        SchedulerKind::RelativeSnr => Some("relative_snr"),
        SchedulerKind::LogSnr(_) => Some("log_snr"),
        _ => None,
    };
    let allowed = !is_replayed || of_snr.is_none();
    checks.require("scheduler.kind", of_snr.unwrap_or("it"), allowed, "a replayed rate has no SNR");
}
