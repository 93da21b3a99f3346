//! NewReno (RFC 6582): Reno's windows, with a recovery that repairs one hole per round trip until all are repaired.
//!
//! Left out: the heuristics of RFC 6582 §4.1 and §4.2 that tell a lost retransmission from an unnecessary one.

use super::CongestionControl;

/// RFC 6582 §3.2 step 3, full ACK, option 1: cwnd = min(ssthresh, max(FlightSize, SMSS) + SMSS),
/// which never sends a burst.
pub(super) fn complete(control: &mut impl CongestionControl, flight: f64, mss: f64) {
    control.set_window(control.slow_start_threshold().min(flight.max(mss) + mss));
}

/// RFC 6582 §3.2 step 3, partial ACK: deflate by what was acknowledged, add back one SMSS if it
/// was at least that much.
pub(super) fn deflate_partially(control: &mut impl CongestionControl, acked: f64, mss: f64) {
    let added_back = if acked >= mss { mss } else { 0.0 };
    control.set_window(control.window() - acked + added_back);
}
