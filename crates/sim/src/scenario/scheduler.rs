//! Who gets the slot.

use serde::Deserialize;

/// A scheduler and its switches.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Scheduler {
    /// In turn.
    RoundRobin {
        /// See [`Common`].
        serve_empty_queues: bool,
        /// See [`Common`].
        ties: Ties,
        /// See [`Common`].
        covered_users: CoveredUsers,
        /// Pass over users at rate 0.
        skip_unservable: bool,
    },
    /// First come, first served.
    Fifo {
        /// See [`Common`].
        serve_empty_queues: bool,
        /// See [`Common`].
        ties: Ties,
        /// See [`Common`].
        covered_users: CoveredUsers,
        /// Pass over users at rate 0.
        skip_unservable: bool,
    },
    /// Largest rate.
    MaxRate {
        /// See [`Common`].
        serve_empty_queues: bool,
        /// See [`Common`].
        ties: Ties,
        /// See [`Common`].
        covered_users: CoveredUsers,
    },
    /// Largest SNR relative to its mean.
    RelativeSnr {
        /// See [`Common`].
        serve_empty_queues: bool,
        /// See [`Common`].
        ties: Ties,
        /// See [`Common`].
        covered_users: CoveredUsers,
    },
    /// R / A.
    ProportionalFair {
        /// See [`Common`].
        serve_empty_queues: bool,
        /// See [`Common`].
        ties: Ties,
        /// See [`Common`].
        covered_users: CoveredUsers,
        /// Time constant of A, slots.
        time_constant_slots: f64,
        /// What A counts.
        average_counts: Counts,
        /// A(0), b/s.
        initial_average_bps: f64,
        /// How far A looks back.
        average_window: Window,
        /// When decisions see it.
        average_updates: Updates,
    },
    /// log R - lambda log T.
    Lambda {
        /// See [`Common`].
        serve_empty_queues: bool,
        /// See [`Common`].
        ties: Ties,
        /// See [`Common`].
        covered_users: CoveredUsers,
        /// lambda.
        exponent: f64,
        /// Time constant of T, slots.
        time_constant_slots: f64,
        /// What T counts.
        average_counts: Counts,
        /// T(0), b/s.
        initial_average_bps: f64,
        /// How far T looks back.
        average_window: Window,
        /// When decisions see it.
        average_updates: Updates,
    },
    /// Paper 001, eq. (19).
    TcpPf(TcpAware),
    /// Paper 001, eq. (20).
    TcpMax(TcpAware),
    /// Paper 001, eq. (3), with the true TCP throughput.
    IdealTcpPf {
        /// See [`Common`].
        serve_empty_queues: bool,
        /// See [`Common`].
        ties: Ties,
        /// See [`Common`].
        covered_users: CoveredUsers,
        /// Time constant of the throughput's average, slots.
        time_constant_slots: f64,
        /// Its start, b/s.
        initial_average_bps: f64,
    },
    /// Paper 001, eqs (5)-(7).
    UnapproximatedTcpPf(TcpAware),
}

/// The parameters of paper 001's metrics.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TcpAware {
    /// See [`Common`].
    pub serve_empty_queues: bool,
    /// See [`Common`].
    pub ties: Ties,
    /// See [`Common`].
    pub covered_users: CoveredUsers,
    /// 1 / omega, slots.
    pub time_constant_slots: f64,
    /// What A counts.
    pub average_counts: Counts,
    /// A(0), b/s.
    pub initial_average_bps: f64,
    /// How far A looks back.
    pub average_window: Window,
    /// When decisions see it.
    pub average_updates: Updates,
    /// alpha.
    pub gap_mean_weight: f64,
    /// beta.
    pub gap_square_weight: f64,
    /// Phi(0), slots.
    pub initial_gap_mean_slots: f64,
    /// Sigma(0), slots^2.
    pub initial_gap_square_slots2: f64,
    /// Unit of the vacation term.
    pub vacation_unit: VacationUnit,
    /// Which terms count.
    pub terms: Terms,
}

/// Who wins among equals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ties {
    /// A uniform draw.
    Random,
    /// The lowest user number.
    LowestIndex,
}

/// What becomes of users whose backlog is covered by what they were granted in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CoveredUsers {
    /// They win further subchannels.
    Compete,
    /// They leave the rest of the slot to the others.
    Leave,
}

/// How far an average rate looks back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Window {
    /// 1/w is the time constant.
    Fixed,
    /// 1/w is the number of slots so far, until that is the time constant.
    Growing,
}

/// When decisions see what was granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Updates {
    /// From the next slot on.
    Slot,
    /// From the next subchannel on.
    Subchannel,
}

/// What an average rate counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Counts {
    /// Bits put on air.
    Sent,
    /// Nominal bits of slots won.
    Granted,
}

/// The unit of Sigma / (2 Phi).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VacationUnit {
    /// The literal reading.
    Slots,
    /// The dimensionally consistent one.
    Seconds,
    /// The literal mix the other way round.
    SecondsBesideSlots,
}

/// Which terms of a packet's time in the system count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Terms {
    /// Both.
    Both,
    /// Sigma / (2 Phi) alone.
    Vacation,
    /// Q/A alone.
    Queue,
}

/// The switches that every scheduler has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Common {
    /// Users with nothing to send compete too.
    pub serve_empty_queues: bool,
    /// Who wins among equals.
    pub ties: Ties,
    /// Whether users go on competing for subchannels that they cannot use.
    pub covered_users: CoveredUsers,
}

impl Scheduler {
    /// The switches that every scheduler has.
    pub fn common(&self) -> Common {
        match self {
            Self::RoundRobin { serve_empty_queues, ties, covered_users, .. }
            | Self::Fifo { serve_empty_queues, ties, covered_users, .. }
            | Self::MaxRate { serve_empty_queues, ties, covered_users }
            | Self::RelativeSnr { serve_empty_queues, ties, covered_users }
            | Self::ProportionalFair { serve_empty_queues, ties, covered_users, .. }
            | Self::Lambda { serve_empty_queues, ties, covered_users, .. }
            | Self::IdealTcpPf { serve_empty_queues, ties, covered_users, .. }
            | Self::TcpPf(TcpAware { serve_empty_queues, ties, covered_users, .. })
            | Self::TcpMax(TcpAware { serve_empty_queues, ties, covered_users, .. })
            | Self::UnapproximatedTcpPf(TcpAware { serve_empty_queues, ties, covered_users, .. }) => {
                Common { serve_empty_queues: *serve_empty_queues, ties: *ties, covered_users: *covered_users }
            }
        }
    }
}
