//! From the channel to bits: the sections of the link in one.

use airlink_model::link::{
    ErrorCurve, ErrorsConfig, NamedTable, OuterLoopConfig, RateConfig, ReportConfig, TableConfig,
};
use airlink_model::rlc::{ArqConfig, CodedUnit, HarqConfig};
use airlink_model::types::Combining;
use airlink_model::types::declare::Section;

/// From the true channel to bits that arrive.
#[derive(Clone, Debug, Section)]
pub struct Link {
    /// What the base station knows.
    #[field(default)]
    pub report: ReportConfig,
    /// Outer-loop link adaptation (OLLA).
    #[field(default = OuterLoopConfig::None, source = "airlink default")]
    pub outer_loop: OuterLoopConfig,
    /// How a rate follows from the reported SNR.
    #[field(
        default = RateConfig::Table(TableConfig { name: NamedTable::OneXEvDo, ..TableConfig::default() }),
        source = "airlink default: 1xEV-DO"
    )]
    pub rate: RateConfig,
    /// What is lost on air.
    #[field(default)]
    pub errors: ErrorsConfig,
    /// What the link retransmits (ARQ).
    #[field(default)]
    pub arq: ArqConfig,
    /// Code blocks and their retransmission (HARQ).
    #[field(default)]
    pub harq: HarqConfig,
}

impl Link {
    /// Whether a user's slot is cut into code blocks that have fates of their own.
    pub fn has_code_blocks(&self) -> bool {
        let has_curve = self.errors.curve != ErrorCurve::None;
        has_curve || self.harq.combining != Combining::None || self.harq.unit == CodedUnit::Pdu
    }

    /// Whether what is lost moves later reports, so that a slot depends on those before it.
    pub fn has_outer_loop(&self) -> bool {
        self.outer_loop != OuterLoopConfig::None
    }
}
