//! What flows have to send, and the files that arrive at random.

use airlink_model::traffic::{PoissonArrivals, Session, SizeLaw, Source, Stream, ThinkLaw};
use airlink_model::types::{Bytes, Duration, Purpose, RandomStream, Rate, Time};

use super::at;
use crate::scenario::{Flows, Size, Think, Traffic};

/// A file that arrives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub(super) at: Time,
    pub(super) size: Bytes,
}

/// The files of the Poisson process of that number up to `end`; none if files do not arrive in this group.
pub(super) fn arrivals(group: &Flows, process: u64, seed: u64, end: Time) -> Vec<Arrival> {
    let Traffic::Poisson { arrivals_per_s, size } = group.traffic else { return Vec::new() };
    let mut gaps = RandomStream::new(seed, Purpose::FileArrival, process);
    let mut sizes = RandomStream::new(seed, Purpose::FileSize, process);
    let start = at(group.start_s + group.start_spread_s * gaps.uniform());
    // A file that arrived with the end could send nothing.
    let until = end.min(at(group.stop_s.0));
    let law = law_of(size);
    let times = PoissonArrivals::new(gaps, arrivals_per_s, start).take_while(|&time| time < until);
    times.map(|time| Arrival { at: time, size: law.draw(&mut sizes) }).collect()
}

/// What a flow of `group` has to send; of files that arrive at random, an empty one in the place of each.
pub(super) fn source(group: &Flows, seed: u64, flow: u64) -> Source {
    match group.traffic {
        Traffic::Greedy {} => Source::Greedy,
        Traffic::File { bytes } => Source::File(Bytes::new(bytes)),
        Traffic::Stream { rate_bps, message_bytes } => {
            Source::Stream(Stream::new(Bytes::new(message_bytes), Rate::from_bps(rate_bps)))
        }
        Traffic::Poisson { .. } => Source::File(Bytes::ZERO),
        Traffic::Sessions { size, think_s, think } => Source::Session(Session {
            size: law_of(size),
            think: match think {
                Think::Constant => ThinkLaw::Constant { time_s: think_s },
                Think::Exponential => ThinkLaw::Exponential { mean_s: think_s },
            },
            request: Duration::from_secs(group.path.uplink_delay_ms / 1e3),
            seed,
            index: flow,
        }),
        Traffic::Backlogged { packet_bytes } => Source::Backlogged(Bytes::new(packet_bytes)),
    }
}

pub(crate) fn law_of(size: Size) -> SizeLaw {
    match size {
        Size::Constant { bytes } => SizeLaw::Constant { bytes },
        Size::Exponential { mean_bytes: mean } => SizeLaw::Exponential { mean },
        Size::Lognormal { median_bytes: median, sigma } => SizeLaw::Lognormal { median, sigma },
        Size::Pareto { shape, min_bytes: min, max_bytes: max } => SizeLaw::Pareto { shape, min, max },
        Size::Triangular { min_bytes: min, mode_bytes: mode, max_bytes: max } => SizeLaw::Triangular { min, mode, max },
    }
}
