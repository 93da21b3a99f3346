//! Checks of reports, errors and repetition, and of how packets are cut for them.

use airlink_model::channel::Placement;
use airlink_model::queue::{QueueKind, QueueScope};
use airlink_model::scheduler::{FifoConfig, SchedulerKind};

use super::{Checks, rates};
use crate::scenario::{Arq, ArqRepeats, ArqUnit, CodedUnit, Harq, Link, OuterLoop, Radio, RateRule};

/// Blocks of a user in a slot that the link can tell apart.
const MOST_PDUS_PER_GRANT: f64 = 65_535.0;

pub(super) fn check(checks: &mut Checks, radio: &Radio) {
    check_link(checks, &radio.link);
    check_ridden(checks, radio);
    check_buffers(checks, radio);
}

fn check_link(checks: &mut Checks, link: &Link) {
    checks.not_negative("link.report.error_sd_db", link.report.error_sd_db);
    checks.not_negative("link.report.quantisation_db", link.report.quantisation_db);
    checks.finite("link.report.backoff_db", &[link.report.backoff_db]);
    let (period, delay) = (link.report.period_slots, link.report.delay_slots);
    checks.require("link.report.period_slots", period, (1..=100_000).contains(&period), "1 to 100000");
    checks.require("link.report.delay_slots", delay, delay <= 100_000, "0 to 100000");
    let group = link.report.group_subchannels.0;
    let allowed = (1..=10_000).contains(&group) || group == u64::MAX;
    checks.require("link.report.group_subchannels", group, allowed, "1 to 10000, or inf");
    let probability = link.errors.probability;
    checks.require("link.errors.probability", probability, (0.0..=1.0).contains(&probability), "0 to 1");
    check_outer_loop(checks, link);
    rates::check(checks, link);
}

fn check_buffers(checks: &mut Checks, radio: &Radio) {
    let rlc = &radio.rlc;
    checks.require("rlc.segment_bytes", rlc.segment_bytes, (1..=65_536).contains(&rlc.segment_bytes), "1 to 65536");
    for (path, header) in
        [("rlc.segment_header_bytes", rlc.segment_header_bytes), ("rlc.block_header_bytes", rlc.block_header_bytes)]
    {
        checks.require(path, header, header <= 65_536, "0 to 65536");
    }
    check_scope(checks, radio);
    let delay = radio.link.arq.feedback_delay_slots;
    checks.require("link.arq.feedback_delay_slots", delay, delay <= 100_000, "0 to 100000");
    check_arq(checks, radio);
    check_harq(checks, radio);
}

/// One queue for all users is served in order, which nothing may upset.
fn check_scope(checks: &mut Checks, radio: &Radio) {
    let shared = radio.queue.scope == QueueScope::Cell;
    let in_order = !radio.scheduler.serve_empty_queues
        && radio.scheduler.kind == SchedulerKind::Fifo(FifoConfig { skip_unservable: false });
    let plain = radio.queue.kind == QueueKind::DropTail;
    let one_frame = radio.carrier.subchannels == 1 && !radio.link.has_code_blocks();
    let allowed = "user but for drop_tail, one carrier without code blocks, and fifo that skips and wastes nothing";
    checks.require("queue.scope", "cell", !shared || (in_order && plain && one_frame), allowed);
}

fn check_arq(checks: &mut Checks, radio: &Radio) {
    let Arq { feedback_delay_slots, unit, repeats, .. } = radio.link.arq;
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
        OuterLoop::None {} => return,
        OuterLoop::Steps { target_bler, step_down_db, lowest_db, highest_db, initial_db, feedback_delay_slots } => {
            check_share(checks, "link.outer_loop.target_bler", target_bler);
            checks.positive("link.outer_loop.step_down_db", step_down_db);
            checks.finite("link.outer_loop.lowest_db", &[lowest_db]);
            checks.finite("link.outer_loop.highest_db", &[highest_db]);
            let within = (lowest_db..=highest_db).contains(&initial_db);
            checks.require("link.outer_loop.initial_db", initial_db, within, "lowest_db to highest_db");
            let delay = feedback_delay_slots;
            checks.require("link.outer_loop.feedback_delay_slots", delay, delay <= 100_000, "0 to 100000");
        }
        OuterLoop::Margin { gain, target_per, lowest, highest, initial } => {
            checks.positive("link.outer_loop.gain", gain);
            check_share(checks, "link.outer_loop.target_per", target_per);
            checks.finite("link.outer_loop.lowest", &[lowest]);
            checks.require("link.outer_loop.highest", highest, (0.0..1.0).contains(&highest), "from 0 and below 1");
            let within = (lowest..=highest).contains(&initial);
            checks.require("link.outer_loop.initial", initial, within, "lowest to highest");
        }
    }
    let ridden = matches!(link.rate, RateRule::Trace {});
    checks.require("link.outer_loop.kind", "an outer loop", !ridden, "none where rates are ridden");
}

fn check_share(checks: &mut Checks, path: &str, share: f64) {
    checks.require(path, share, share > 0.0 && share < 1.0, "above 0 and below 1");
}

fn check_harq(checks: &mut Checks, radio: &Radio) {
    let Harq { kind, processes, round_trip_slots, max_retransmissions, .. } = &radio.link.harq;
    let within = |count: u64, least, most| (least..=most).contains(&count) || count == u64::MAX;
    let (processes, limit) = (processes.0, max_retransmissions.0);
    checks.require("link.harq.processes", processes, within(processes, 1, 1000), "1 to 1000, or inf");
    let round_trip = (1..=100_000).contains(round_trip_slots);
    checks.require("link.harq.round_trip_slots", *round_trip_slots, round_trip, "1 to 100000");
    checks.require("link.harq.max_retransmissions", limit, within(limit, 0, 1000), "0 to 1000, or inf");
    let rlc = &radio.rlc;
    let pdu_bytes = rlc.segment_bytes + rlc.segment_header_bytes + rlc.block_header_bytes;
    let pdus = radio.clock().bits_in_slot(radio.link.rate.top_bps()) / 8.0 / pdu_bytes.max(1) as f64;
    let few = radio.link.harq.unit == CodedUnit::Block || pdus.is_nan() || pdus <= MOST_PDUS_PER_GRANT;
    checks.require("rlc.segment_bytes", rlc.segment_bytes, few, "large enough for 65535 PDUs at most in a slot");
    let of_a_table = radio.link.rate.has_thresholds();
    let allowed = !radio.link.has_code_blocks() || !matches!(radio.link.rate, RateRule::Trace {});
    checks.require("link.harq.kind", format!("{kind:?}"), allowed, "none, with whole blocks, where rates are ridden");
    let (rule, blocks) = (radio.link.errors.threshold_rule, radio.link.has_code_blocks());
    let allowed = !(rule && blocks) || of_a_table;
    checks.require("link.errors.threshold_rule", rule, allowed, "false where code blocks have no table of rates");
}

/// A ridden rate needs no rule that chooses one, and knows no SNR.
fn check_ridden(checks: &mut Checks, radio: &Radio) {
    let ridden = matches!(&radio.channel.placement, Placement::Trace(trace) if trace.rides_rates());
    let rule_is_trace = matches!(radio.link.rate, RateRule::Trace {});
    let allowed =
        "\"trace\" with a ridden rate trace (quantity \"rate_bps\", equivalent_bandwidth_hz 0), and only there";
    checks.require("link.rate.kind", if rule_is_trace { "trace" } else { "it" }, ridden == rule_is_trace, allowed);
    let relative = radio.scheduler.kind == SchedulerKind::RelativeSnr;
    checks.require("scheduler.kind", "relative_snr", !(ridden && relative), "a ridden rate has no SNR");
}
