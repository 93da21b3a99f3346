//! Checks of what flows have to send, and of what a run must hold for it.

use airlink_model::traffic::{ObjectCount, SizeLaw, Traffic};

use super::Checks;
use crate::scenario::{Flows, Radio, Scenario};

/// What the receiver of a flow allows in flight, segments.
const MOST_SEGMENTS_IN_FLIGHT: u64 = 1_000_000;
/// What the receivers of all flows allow together, segments.
const MOST_SEGMENTS_OF_ALL: f64 = 1e7;
/// Packets that one slot may take.
const MOST_PACKETS_PER_GRANT: f64 = 1e6;
/// Between two messages of a stream.
const LEAST_MESSAGE_S: f64 = 1e-6;
/// Packets that a frame is cut into, in the mean.
const MOST_PACKETS_PER_FRAME: f64 = 1e4;
/// Files that may arrive in a run, in the mean: the most that come is hardly more.
const MOST_FILES: f64 = 1e5;
/// Of a file or page, bytes.
const MOST_FILE_BYTES: f64 = 1e15;

pub(super) fn check(checks: &mut Checks, path: &str, traffic: &Traffic) {
    match *traffic {
        Traffic::Stream { rate_bps, message_bytes, .. } => {
            let slow = message_bytes as f64 * 8.0 >= rate_bps * LEAST_MESSAGE_S;
            let field = format!("{path}.message_bytes");
            checks.require(&field, message_bytes, slow, "at least what rate_bps takes in a microsecond");
        }
        Traffic::Poisson { size, .. } | Traffic::Sessions { size, .. } => {
            check_size(checks, &format!("{path}.size"), size);
        }
        Traffic::ConstantRate { rate_bps, packet_bytes, .. } => {
            let slow = packet_bytes as f64 * 8.0 >= rate_bps * LEAST_MESSAGE_S;
            let field = format!("{path}.packet_bytes");
            checks.require(&field, packet_bytes, slow, "at least what rate_bps takes in a microsecond");
        }
        Traffic::Frames { size, mtu_bytes, .. } => {
            check_size(checks, &format!("{path}.size"), size);
            let few = size.mean() <= MOST_PACKETS_PER_FRAME * mtu_bytes as f64;
            checks.require(&format!("{path}.size"), size.mean(), few, "a mean of at most 10000 packets of mtu_bytes");
        }
        Traffic::Requests { size, .. } => check_size(checks, &format!("{path}.size"), size),
        Traffic::Pages { main_size, objects, object_size, .. } => {
            check_size(checks, &format!("{path}.main_size"), main_size);
            check_size(checks, &format!("{path}.object_size"), object_size);
            if let ObjectCount::Pareto { min, max, .. } = objects {
                checks.require(&format!("{path}.objects.max"), max, min < max, "above min");
            }
        }
        Traffic::Greedy | Traffic::File { .. } | Traffic::Voice { .. } | Traffic::Backlogged { .. } => {}
    }
}

fn check_size(checks: &mut Checks, path: &str, size: SizeLaw) {
    let rising = match size {
        SizeLaw::Pareto { min, max, .. } => min < max,
        SizeLaw::Triangular { min, mode, max, .. } => min <= mode && mode <= max && min < max,
        SizeLaw::TruncatedNormal { center, min, max, .. } => min <= center && center <= max && min < max,
        SizeLaw::Constant { .. } | SizeLaw::Exponential { .. } | SizeLaw::Lognormal { .. } => true,
    };
    checks.require(path, format!("{size:?}"), rising, "bounds in rising order");
    let mean = size.mean();
    checks.require(path, mean, !rising || mean <= MOST_FILE_BYTES, "a mean of at most 1e15 bytes");
}

/// Flows that are made for files that arrive.
pub(super) fn check_files(checks: &mut Checks, scenario: &Scenario) {
    let expected = |group: &Flows| group.expected_files(scenario.users, scenario.longest_s());
    let files: f64 = scenario.flows.iter().filter_map(expected).sum();
    checks.require("flows", files, files.is_nan() || files <= MOST_FILES, "at most 100000 files in the mean");
}

/// Segments of a flow that are in flight at most; of a file that arrives, no more than it has in the mean.
fn segments_of(group: &Flows) -> f64 {
    let mss = group.tcp.mss.count();
    let window = (group.tcp.receiver_window.count() / mss) as f64;
    match group.traffic {
        Traffic::Poisson { size, .. } => window.min(1.0 + size.mean() / mss as f64),
        _ => window,
    }
}

/// What a run must hold at once: segments in flight, and the packets that the largest grant may take.
pub(super) fn check_memory(checks: &mut Checks, scenario: &Scenario) {
    let mut all = 0.0;
    for (index, group) in scenario.flows.iter().enumerate() {
        if let Traffic::Backlogged { packet_bytes, .. } = group.traffic {
            let packets = scenario.radio().map_or(0.0, largest_grant_bytes) / packet_bytes as f64;
            let path = format!("flows.{index}.traffic.packet_bytes");
            let few = packets.is_nan() || packets <= MOST_PACKETS_PER_GRANT;
            checks.require(&path, packet_bytes, few, "at most 1000000 packets in a slot at the highest rate");
            continue;
        }
        if group.traffic.is_datagrams() {
            continue;
        }
        let segments = segments_of(group);
        let window = group.tcp.receiver_window.count();
        let holds = window <= group.tcp.mss.count() * MOST_SEGMENTS_IN_FLIGHT;
        let path = format!("flows.{index}.tcp.receiver_window_bytes");
        checks.require(&path, window, holds, "at most 1000000 segments of mss_bytes");
        let users = (group.user_numbers(scenario.users).len() * group.traffic.connections()) as f64;
        let flows = group.expected_files(scenario.users, scenario.longest_s()).unwrap_or(users);
        all += segments * flows;
    }
    let few = all.is_nan() || all <= MOST_SEGMENTS_OF_ALL;
    checks.require("flows", all, few, "at most 10000000 segments in flight (receiver_window_bytes / mss_bytes)");
}

/// What the highest rate carries in a slot; a replayed rate has none that is known here.
fn largest_grant_bytes(radio: &Radio) -> f64 {
    radio.clock().bits_in_slot(radio.link.rate.top_bps()) / 8.0
}
