//! Sets of modulation and coding schemes that have a name.
//!
//! Rows are (bits of a symbol, code rate x 1024) in the order of their source. Checked against two independent public sources
//! each (docs/models/link.md) and, in a test, against the efficiencies that the standards print.
//!
//! Left out: rows that are reserved or "out of range", pi/2-BPSK, 1024QAM.

use super::mcs::Mcs;

/// Sets from standards and papers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum McsSet {
    /// The nine of paper 002: QPSK 1/8 to 64QAM 3/4.
    ImtAdvanced,
    /// CQI 1 to 15 of LTE, TS 36.213 table 7.2.3-1; the same as NR's CQI table 1, TS 38.214 table 5.2.2.1-2.
    Cqi64Qam,
    /// CQI 1 to 15 with 256QAM, TS 36.213 table 7.2.3-2; the same as NR's CQI table 2, TS 38.214 table 5.2.2.1-3.
    Cqi256Qam,
    /// CQI 1 to 15 at low efficiency, NR's CQI table 3, TS 38.214 table 5.2.2.1-4.
    CqiLowEfficiency,
    /// MCS 0 to 28 of NR's table 1, TS 38.214 table 5.1.3.1-1.
    NrMcs64Qam,
    /// MCS 0 to 27 of NR's table 2, TS 38.214 table 5.1.3.1-2.
    NrMcs256Qam,
    /// MCS 0 to 28 of NR's table 3, TS 38.214 table 5.1.3.1-3.
    NrMcsLowEfficiency,
}

impl McsSet {
    /// Every set.
    pub const ALL: [Self; 7] = [
        Self::ImtAdvanced,
        Self::Cqi64Qam,
        Self::Cqi256Qam,
        Self::CqiLowEfficiency,
        Self::NrMcs64Qam,
        Self::NrMcs256Qam,
        Self::NrMcsLowEfficiency,
    ];

    /// The name in scenarios.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ImtAdvanced => "imt-advanced",
            Self::Cqi64Qam => "cqi-64qam",
            Self::Cqi256Qam => "cqi-256qam",
            Self::CqiLowEfficiency => "cqi-low-efficiency",
            Self::NrMcs64Qam => "nr-mcs-64qam",
            Self::NrMcs256Qam => "nr-mcs-256qam",
            Self::NrMcsLowEfficiency => "nr-mcs-low-efficiency",
        }
    }

    /// The set of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|set| set.name() == name)
    }

    /// Its schemes, in the source's order.
    pub fn schemes(self) -> Vec<Mcs> {
        let scheme = |&(bits_per_symbol, rate): &(u8, f64)| Mcs { bits_per_symbol, code_rate: rate / 1024.0 };
        self.rows().iter().map(scheme).collect()
    }

    #[rustfmt::skip]
    const fn rows(self) -> &'static [(u8, f64)] {
        match self {
            Self::ImtAdvanced => &[
                (2, 128.0), (2, 256.0), (2, 512.0), (2, 2048.0 / 3.0), (4, 512.0), (4, 2048.0 / 3.0), (6, 512.0),
                (6, 2048.0 / 3.0), (6, 768.0),
            ],
            Self::Cqi64Qam => &[
                (2, 78.0), (2, 120.0), (2, 193.0), (2, 308.0), (2, 449.0), (2, 602.0), (4, 378.0), (4, 490.0),
                (4, 616.0), (6, 466.0), (6, 567.0), (6, 666.0), (6, 772.0), (6, 873.0), (6, 948.0),
            ],
            Self::Cqi256Qam => &[
                (2, 78.0), (2, 193.0), (2, 449.0), (4, 378.0), (4, 490.0), (4, 616.0), (6, 466.0), (6, 567.0),
                (6, 666.0), (6, 772.0), (6, 873.0), (8, 711.0), (8, 797.0), (8, 885.0), (8, 948.0),
            ],
            Self::CqiLowEfficiency => &[
                (2, 30.0), (2, 50.0), (2, 78.0), (2, 120.0), (2, 193.0), (2, 308.0), (2, 449.0), (2, 602.0),
                (4, 378.0), (4, 490.0), (4, 616.0), (6, 466.0), (6, 567.0), (6, 666.0), (6, 772.0),
            ],
            Self::NrMcs64Qam => &[
                (2, 120.0), (2, 157.0), (2, 193.0), (2, 251.0), (2, 308.0), (2, 379.0), (2, 449.0), (2, 526.0),
                (2, 602.0), (2, 679.0), (4, 340.0), (4, 378.0), (4, 434.0), (4, 490.0), (4, 553.0), (4, 616.0),
                (4, 658.0), (6, 438.0), (6, 466.0), (6, 517.0), (6, 567.0), (6, 616.0), (6, 666.0), (6, 719.0),
                (6, 772.0), (6, 822.0), (6, 873.0), (6, 910.0), (6, 948.0),
            ],
            Self::NrMcs256Qam => &[
                (2, 120.0), (2, 193.0), (2, 308.0), (2, 449.0), (2, 602.0), (4, 378.0), (4, 434.0), (4, 490.0),
                (4, 553.0), (4, 616.0), (4, 658.0), (6, 466.0), (6, 517.0), (6, 567.0), (6, 616.0), (6, 666.0),
                (6, 719.0), (6, 772.0), (6, 822.0), (6, 873.0), (8, 682.5), (8, 711.0), (8, 754.0), (8, 797.0),
                (8, 841.0), (8, 885.0), (8, 916.5), (8, 948.0),
            ],
            Self::NrMcsLowEfficiency => &[
                (2, 30.0), (2, 40.0), (2, 50.0), (2, 64.0), (2, 78.0), (2, 99.0), (2, 120.0), (2, 157.0), (2, 193.0),
                (2, 251.0), (2, 308.0), (2, 379.0), (2, 449.0), (2, 526.0), (2, 602.0), (4, 340.0), (4, 378.0),
                (4, 434.0), (4, 490.0), (4, 553.0), (4, 616.0), (6, 438.0), (6, 466.0), (6, 517.0), (6, 567.0),
                (6, 616.0), (6, 666.0), (6, 719.0), (6, 772.0),
            ],
        }
    }
}
