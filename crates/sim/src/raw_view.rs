//! A slot's view as a C function is handed it: `struct view` of `airlink.own.compiled`.
//!
//! It leaves out: who calls such functions.

/// Columns by users, two of them by users and subchannels, user after user.
#[derive(Debug)]
#[repr(C)]
pub struct RawView {
    /// Number of the slot.
    pub slot: i64,
    /// When it starts, s.
    pub now_s: f64,
    /// Its length, s.
    pub slot_s: f64,
    /// How many users there are.
    pub users: i64,
    /// How many subchannels there are.
    pub subchannels: i64,
    /// Per user and subchannel: the rate that the report permits, b/s.
    pub rate_bps: *const f32,
    /// Per user and subchannel: the SNR that was reported, dB.
    pub reported_db: *const f32,
    /// Mean SNR, dB.
    pub mean_snr_db: *const f64,
    /// The average of `[scheduler]`, b/s.
    pub average_bps: *const f64,
    /// How long the oldest packet has waited, s; 0 without one.
    pub head_of_line_delay_s: *const f64,
    /// `scheduler.weight`.
    pub weight: *const f64,
    /// `scheduler.delay_budget_ms`, in s.
    pub delay_budget_s: *const f64,
    /// Who may win.
    pub eligible: *const bool,
    /// Unsent bytes.
    pub backlog_bytes: *const u64,
    /// Those of them that were lost before.
    pub retransmit_bytes: *const u64,
    /// Number of the last slot won, -1 before the first.
    pub last_won: *const i64,
    /// Eight numbers per user that are the function's own, all 0 at the start.
    pub state: *mut f64,
    /// From 0 to below 1, drawn anew for each slot.
    pub draw: f64,
}
