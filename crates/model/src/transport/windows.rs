//! The two windows of congestion control together.

/// The two windows together, in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Windows {
    /// cwnd.
    pub window: f64,
    /// ssthresh; may be infinite.
    pub slow_start_threshold: f64,
}

impl Windows {
    /// True while cwnd is below ssthresh.
    pub(super) fn in_slow_start(&self) -> bool {
        self.window < self.slow_start_threshold
    }
}
