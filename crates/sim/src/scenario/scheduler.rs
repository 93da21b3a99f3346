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
        /// Pass over users at rate 0.
        skip_unservable: bool,
    },
    /// First come, first served.
    Fifo {
        /// See [`Common`].
        serve_empty_queues: bool,
        /// See [`Common`].
        ties: Ties,
        /// Pass over users at rate 0.
        skip_unservable: bool,
    },
    /// Largest rate.
    MaxRate {
        /// See [`Common`].
        serve_empty_queues: bool,
        /// See [`Common`].
        ties: Ties,
    },
    /// Largest SNR relative to its mean.
    RelativeSnr {
        /// See [`Common`].
        serve_empty_queues: bool,
        /// See [`Common`].
        ties: Ties,
    },
    /// R / A.
    ProportionalFair {
        /// See [`Common`].
        serve_empty_queues: bool,
        /// See [`Common`].
        ties: Ties,
        /// Time constant of A, slots.
        time_constant_slots: f64,
        /// What A counts.
        average_counts: Counts,
        /// A(0), b/s.
        initial_average_bps: f64,
    },
    /// log R - lambda log T.
    Lambda {
        /// See [`Common`].
        serve_empty_queues: bool,
        /// See [`Common`].
        ties: Ties,
        /// lambda.
        exponent: f64,
        /// Time constant of T, slots.
        time_constant_slots: f64,
        /// What T counts.
        average_counts: Counts,
        /// T(0), b/s.
        initial_average_bps: f64,
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
    /// 1 / omega, slots.
    pub time_constant_slots: f64,
    /// What A counts.
    pub average_counts: Counts,
    /// A(0), b/s.
    pub initial_average_bps: f64,
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
}

/// The switches that every scheduler has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Common {
    /// Users with nothing to send compete too.
    pub serve_empty_queues: bool,
    /// Who wins among equals.
    pub ties: Ties,
}

impl Scheduler {
    /// The switches that every scheduler has.
    pub fn common(&self) -> Common {
        match self {
            Self::RoundRobin { serve_empty_queues, ties, .. }
            | Self::Fifo { serve_empty_queues, ties, .. }
            | Self::MaxRate { serve_empty_queues, ties }
            | Self::RelativeSnr { serve_empty_queues, ties }
            | Self::ProportionalFair { serve_empty_queues, ties, .. }
            | Self::Lambda { serve_empty_queues, ties, .. }
            | Self::IdealTcpPf { serve_empty_queues, ties, .. }
            | Self::TcpPf(TcpAware { serve_empty_queues, ties, .. })
            | Self::TcpMax(TcpAware { serve_empty_queues, ties, .. })
            | Self::UnapproximatedTcpPf(TcpAware { serve_empty_queues, ties, .. }) => {
                Common { serve_empty_queues: *serve_empty_queues, ties: *ties }
            }
        }
    }
}
