//! Checks of what flows have to send, and of what a run must hold for it.

use super::Checks;
use crate::assemble::law_of;
use crate::scenario::{Flows, Radio, Scenario, Size, Traffic};

/// What the receiver of a flow allows in flight, segments.
const MOST_SEGMENTS_IN_FLIGHT: u64 = 1_000_000;
/// What the receivers of all flows allow together, segments.
const MOST_SEGMENTS_OF_ALL: f64 = 1e7;
/// Packets that one slot may take.
const MOST_PACKETS_PER_GRANT: f64 = 1e6;
/// Of a stream.
const MOST_STREAM_BPS: f64 = 1e12;
/// Between two messages of a stream.
const LEAST_MESSAGE_S: f64 = 1e-6;
/// Files that may arrive in a run, in the mean: the most that come is hardly more.
const MOST_FILES: f64 = 1e5;
/// Of a file or page, bytes.
const MOST_FILE_BYTES: f64 = 1e15;

pub(super) fn check(checks: &mut Checks, path: &str, traffic: &Traffic) {
    let size = match *traffic {
        Traffic::Greedy {} => 1,
        Traffic::File { bytes } => bytes,
        Traffic::Stream { message_bytes, .. } => message_bytes,
        Traffic::Backlogged { packet_bytes } => packet_bytes,
        Traffic::Poisson { arrivals_per_s, size } => {
            checks.positive(&format!("{path}.arrivals_per_s"), arrivals_per_s);
            return check_size(checks, &format!("{path}.size"), size);
        }
        Traffic::Sessions { size, think_s, .. } => {
            checks.not_negative(&format!("{path}.think_s"), think_s);
            return check_size(checks, &format!("{path}.size"), size);
        }
    };
    checks.require(path, size, size >= 1, "at least 1 byte");
    if let Traffic::Stream { rate_bps, message_bytes } = *traffic {
        check_stream(checks, path, rate_bps, message_bytes);
    }
}

fn check_stream(checks: &mut Checks, path: &str, rate_bps: f64, message_bytes: u64) {
    let field = format!("{path}.rate_bps");
    checks.require(&field, rate_bps, (1.0..=MOST_STREAM_BPS).contains(&rate_bps), "from 1 to 1e12");
    let slow = message_bytes as f64 * 8.0 >= rate_bps * LEAST_MESSAGE_S;
    let field = format!("{path}.message_bytes");
    checks.require(&field, message_bytes, slow, "at least what rate_bps takes in a microsecond");
}

fn check_size(checks: &mut Checks, path: &str, size: Size) {
    let holds = match size {
        Size::Constant { bytes } => bytes >= 1.0,
        Size::Exponential { mean_bytes } => mean_bytes > 0.0,
        Size::Lognormal { median_bytes, sigma } => median_bytes > 0.0 && (0.0..=10.0).contains(&sigma),
        Size::Pareto { shape, min_bytes, max_bytes } => {
            (1e-3..=1e3).contains(&shape) && min_bytes > 0.0 && max_bytes > min_bytes && max_bytes <= MOST_FILE_BYTES
        }
        Size::Triangular { min_bytes, mode_bytes, max_bytes } => {
            let rising = 0.0 <= min_bytes && min_bytes <= mode_bytes && mode_bytes <= max_bytes;
            rising && max_bytes > min_bytes && max_bytes <= MOST_FILE_BYTES
        }
    };
    let mean = law_of(size).mean();
    checks.require(path, format!("{size:?}"), holds, "parameters of a law");
    checks.require(path, mean, !holds || mean <= MOST_FILE_BYTES, "a mean of at most 1e15 bytes");
}

/// Flows that are made for files that arrive.
pub(super) fn check_files(checks: &mut Checks, scenario: &Scenario) {
    let expected = |group: &Flows| group.expected_files(scenario.users, scenario.longest_s());
    let files: f64 = scenario.flows.iter().filter_map(expected).sum();
    checks.require("flows", files, files.is_nan() || files <= MOST_FILES, "at most 100000 files in the mean");
}

/// Segments of a flow that are in flight at most; of a file that arrives, no more than it has in the mean.
fn segments_of(group: &Flows) -> f64 {
    let mss = group.tcp.mss_bytes.max(1);
    let window = (group.tcp.receiver_window_bytes / mss) as f64;
    match group.traffic {
        Traffic::Poisson { size, .. } => window.min(1.0 + law_of(size).mean() / mss as f64),
        _ => window,
    }
}

/// What a run must hold at once: segments in flight, and the packets that the largest grant may take.
pub(super) fn check_memory(checks: &mut Checks, scenario: &Scenario) {
    let mut all = 0.0;
    for (index, group) in scenario.flows.iter().enumerate() {
        if let Traffic::Backlogged { packet_bytes } = group.traffic {
            let packets = scenario.radio().map_or(0.0, largest_grant_bytes) / packet_bytes as f64;
            let path = format!("flows.{index}.traffic.packet_bytes");
            let few = packets.is_nan() || packets <= MOST_PACKETS_PER_GRANT;
            checks.require(&path, packet_bytes, few, "at most 1000000 packets in a slot at the highest rate");
            continue;
        }
        let segments = segments_of(group);
        let holds = group.tcp.receiver_window_bytes <= group.tcp.mss_bytes.saturating_mul(MOST_SEGMENTS_IN_FLIGHT);
        let path = format!("flows.{index}.tcp.receiver_window_bytes");
        checks.require(&path, group.tcp.receiver_window_bytes, holds, "at most 1000000 segments of mss_bytes");
        let users = group.user_numbers(scenario.users).len() as f64;
        let flows = group.expected_files(scenario.users, scenario.longest_s()).unwrap_or(users);
        all += segments * flows;
    }
    let few = all.is_nan() || all <= MOST_SEGMENTS_OF_ALL;
    checks.require("flows", all, few, "at most 10000000 segments in flight (receiver_window_bytes / mss_bytes)");
}

/// What the highest rate carries in a slot; a replayed rate has none that is known here.
fn largest_grant_bytes(radio: &Radio) -> f64 {
    let ratio = radio.slot.duration_ms.as_ns_ratio();
    let slot_s = ratio.map_or(f64::NAN, |(above, below)| above as f64 / below as f64 / 1e9);
    radio.link.rate.top_bps() * slot_s / 8.0
}
