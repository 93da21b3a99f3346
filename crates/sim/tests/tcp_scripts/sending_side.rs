//! Configurations and players for the scripts of a sender.

use airlink_model::transport::{Algorithm, InitialWindow, RtoConfig, Rules, Tcp};
use airlink_model::types::Bytes;
use airlink_sim::script::play_sender;

pub const MSS: u64 = 1000;

/// An initial window of one segment, no limit by ssthresh or receiver, RFC timers.
pub fn config(congestion_control: Algorithm) -> Tcp {
    Tcp {
        mss: Bytes::new(MSS),
        congestion_control,
        initial_window: InitialWindow::Segments,
        initial_window_segments: 1,
        initial_ssthresh_segments: f64::INFINITY,
        receiver_window: Bytes::new(1_000_000),
        duplicate_ack_threshold: 3,
        rto: RtoConfig::default(),
        rules: Rules { careful_fast_retransmit: true, ..Rules::default() },
        ..Tcp::default()
    }
}

/// Starts with a window of `segments`, in congestion avoidance.
pub fn steady(congestion_control: Algorithm, segments: u32) -> Tcp {
    Tcp {
        initial_window: InitialWindow::Segments,
        initial_window_segments: segments,
        initial_ssthresh_segments: f64::from(segments),
        ..config(congestion_control)
    }
}

/// Plays a script to a sender built from `config`.
pub fn script(config: Tcp, text: &str) {
    assert_eq!(play_sender(config, text), Ok(None));
}
