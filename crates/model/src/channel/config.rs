//! The channel as a scenario declares it.

use super::{
    Beamforming, CeilingConfig, FadingKind, LinkBudget, Motion, PathLoss, Placement, PlacementSeed, ShadowingConfig,
};
use crate::types::Decibel;
use crate::types::declare::{PerUser, Section};

/// The channel of every user, without what the base station knows of it.
#[derive(Clone, Debug, PartialEq, Section)]
pub struct ChannelConfig {
    /// Where the users are, or what their mean SNR is.
    #[field(
        default = Placement::at_mean_snr(PerUser::All(10.0)),
        source = "airlink default: every user at 10 dB"
    )]
    pub placement: Placement,
    /// Seed of the users' places and of their shadowing: a number is the same in the runs of all seeds, so that user 12 is
    /// the same user in each; "run" is the run's own. Fading, losses, traffic and offsets of traces are always drawn from
    /// the run's own.
    #[field(words("run"), default = PlacementSeed::OfRun, source = "airlink default: every run draws its users")]
    pub placement_seed: PlacementSeed,
    /// Used by placements "disc" and "distances".
    #[field(default)]
    pub path_loss: PathLoss,
    /// Mean SNR from power, gains, path loss and noise, in place of `path_loss`.
    #[field(default, source = "airlink default: none, `path_loss` holds")]
    pub link_budget: Option<LinkBudget>,
    /// A limit on the SINR.
    #[field(default)]
    pub ceiling: CeilingConfig,
    /// Slow fading.
    #[field(default)]
    pub shadowing: ShadowingConfig,
    /// Speed and carrier.
    #[field(default)]
    pub motion: Motion,
    /// Fast fading.
    #[field(default = FadingKind::None, source = "airlink default: nothing unasked")]
    pub fading: FadingKind,
    /// Antennas of the base station and their weights.
    #[field(default = Beamforming::None, source = "airlink default: one antenna")]
    pub beamforming: Beamforming,
}

impl ChannelConfig {
    /// The mean SNR at `distance_m`, before the ceiling: from the link budget, if there is one, else from the path loss.
    pub fn mean_snr(&self, distance_m: f64) -> Decibel {
        match &self.link_budget {
            Some(budget) => budget.mean_snr(distance_m, self.motion.carrier_hz),
            None => self.path_loss.mean_snr(distance_m),
        }
    }
}
