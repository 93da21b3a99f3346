//! What each flow has to send.
//!
//! Greedy (without end), a file of N bytes, a stream of messages at a constant rate, a web session of pages and pauses, or
//! always backlogged: packets straight into the base station's queue without a transport, to see what the radio alone can
//! do. Files that arrive at random are flows of their own: their times and sizes are laws here. What hands data to a
//! transport is a [`TrafficSource`], one of these or one from outside this crate.
//!
//! It leaves out: messages of changing size, voice with pauses, pages of several objects.

mod application;
mod arrivals;
mod session;
mod size;
mod source;
mod stream;

pub use application::Application;
pub use arrivals::PoissonArrivals;
pub use session::{Session, Think};
pub use size::SizeLaw;
pub use source::{Handed, Source, TrafficSource};
pub use stream::Stream;

use crate::types::declare::Section;
use crate::types::{Bytes, Duration, Rate};

/// What a flow sends.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
pub enum Traffic {
    /// An endless download over TCP.
    #[section(about = "Endless data over TCP")]
    Greedy,
    /// A download of one file over TCP; it is complete when its last byte has arrived at the user in order.
    #[section(about = "One file over TCP")]
    File {
        /// Size of the file, payload only.
        #[field(
            unit = "bytes",
            at_least = 1,
            at_most = 1e15,
            default = 500_000,
            source = "TR 36.814, FTP models: 0.5 or 2 Mbytes; [Klein04], given: 700 kB"
        )]
        bytes: u64,
    },
    /// Messages of one size at a constant rate over TCP: the application, not the network, sets the pace.
    #[section(about = "Messages at a constant rate over TCP")]
    Stream {
        /// Rate at which the application hands payload to TCP, taken to the millionth of a b/s.
        #[field(
            unit = "b/s",
            at_least = 1,
            at_most = 1e12,
            default = 2e6,
            source = "airlink default: a video of standard definition"
        )]
        rate_bps: f64,
        /// Size of a message: one is handed over every 8 x `message_bytes` / `rate_bps`, a microsecond or more.
        #[field(
            unit = "bytes",
            at_least = 1,
            at_most = 1e9,
            default = 10_000,
            source = "airlink default: 25 a second at 2 Mb/s"
        )]
        message_bytes: u64,
    },
    /// Files that arrive at random, each over a TCP connection of its own.
    ///
    /// From the group's start to its stop files arrive for each listed user by a Poisson process of its own. Each file is a
    /// flow, from its arrival to its last byte, and has its connection to itself: handshake (if `tcp.handshake`), slow
    /// start and all. Files that are under way at the stop are sent to their end.
    #[section(about = "Files that arrive at random, each over a TCP of its own")]
    Poisson {
        /// Rate at which files arrive for each user; arrivals x users x time must be at most 100 000 files.
        #[field(unit = "1/s", above = 0, at_most = 1e6, default = 0.1, source = "airlink default")]
        arrivals_per_s: f64,
        /// How large files are.
        #[field(
            default = SizeLaw::Constant { bytes: 500_000 },
            source = "airlink default; [Tgpp10], FTP models: 500 kB or 2 MB each"
        )]
        size: SizeLaw,
    },
    /// On-off (web) traffic: a page, a time to think, the next page, on one TCP connection that is kept.
    ///
    /// The first page is requested so that the server has it to send at the flow's start. When the last byte of a page has
    /// arrived at the user, it thinks; then the request takes the delay of the path's uplink to the server. What the window
    /// is after a pause is up to `tcp.restart_after_idle`. Leaves out embedded objects and parallel connections, the bytes
    /// of requests, what is lost of them, and users who give up.
    #[section(about = "Page after page, with times to think, over one TCP")]
    Sessions {
        /// How large pages are, with all that is on them.
        #[field(
            default = SizeLaw::Lognormal { median: 20_000.0, sigma: 1.37 },
            source = "airlink default: 51 kB in the mean, nearly the 54 kB of a main object and 5.64 embedded ones of [Ngmn08]; sigma that of its main objects"
        )]
        size: SizeLaw,
        /// Mean time from a page's last byte at the user to the next request.
        #[field(unit = "s", at_least = 0, at_most = 1e6, default = 30.0, source = "[Ngmn08]: 30")]
        think_s: f64,
        /// How times to think are distributed.
        #[field(default = Think::Exponential, source = "[Ngmn08]: exponential")]
        think: Think,
    },
    /// The queue is never empty; there is no TCP and no wire: the capacity of the radio alone.
    #[section(about = "Always data, no TCP")]
    Backlogged {
        /// Size of a packet, headers included.
        #[field(unit = "bytes", at_least = 1, at_most = 65_535, default = 1500, source = "airlink default: Ethernet")]
        packet_bytes: u64,
    },
}

impl Traffic {
    /// What flow `index` has to send; of files that arrive at random, an empty one in the place of each.
    ///
    /// `request` is the delay from the user to the server, `seed` and `index` name the draws.
    pub fn source(&self, request: Duration, seed: u64, index: u64) -> Source {
        match *self {
            Self::Greedy => Source::Greedy,
            Self::File { bytes } => Source::File(Bytes::new(bytes)),
            Self::Stream { rate_bps, message_bytes } => {
                Source::Stream(Stream::new(Bytes::new(message_bytes), Rate::from_bps(rate_bps)))
            }
            Self::Poisson { .. } => Source::File(Bytes::ZERO),
            Self::Sessions { size, think_s, think } => {
                Source::Session(Session { size, think, think_s, request, seed, index })
            }
            Self::Backlogged { packet_bytes } => Source::Backlogged(Bytes::new(packet_bytes)),
        }
    }
}
