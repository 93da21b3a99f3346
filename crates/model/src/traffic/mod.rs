//! What each flow has to send.
//!
//! Greedy (without end), a file of N bytes, a stream of messages at a constant rate, a web session of pages and pauses, or
//! always backlogged: packets straight into the base station's queue without a transport, to see what the radio alone can
//! do. Files that arrive at random are flows of their own: their times and sizes are laws here. What hands data to a
//! transport is a [`TrafficSource`], one of these or one from outside this crate. Without TCP but over wires go
//! [`Datagrams`]: packets at a constant rate, voice, frames of a video.
//!
//! Two kinds go both ways on connections that the user opens: requests with their answers, and pages of several objects over
//! parallel connections.
//!
//! It leaves out: messages of changing size, sources that adapt to what the network does.

mod application;
mod arrivals;
mod burst;
mod constant_rate;
mod datagrams;
mod dialogue;
mod frames;
mod pages;
mod session;
mod size;
mod source;
mod stream;
mod voice;

pub use application::Application;
pub use arrivals::PoissonArrivals;
pub use burst::Burst;
pub use constant_rate::{ConstantRate, Spacing};
pub use datagrams::{Datagrams, Origin};
pub use dialogue::{Dialogue, Exchange, Requests};
pub use frames::{FrameTrain, FramesConfig};
pub use pages::{Ask, Browser, ObjectCount, Pages};
pub use session::{Session, Think};
pub use size::SizeLaw;
pub use source::{Handed, Source, TrafficSource};
pub use stream::Stream;
pub use voice::{Voice, VoiceConfig};

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
    /// Requests with times to think, each with its answer, on one TCP connection that the user opens.
    ///
    /// The user asks at the flow's start. An answer is at the server when the last byte of its request has arrived there. When the
    /// user has the last byte of the answer, it thinks, then asks again. A download is an answer; its time is from the moment at
    /// which the user asks.
    #[section(about = "Requests up and answers down, over one TCP that the user opens")]
    Requests {
        /// Size of a request, payload only.
        #[field(
            unit = "bytes",
            at_least = 1,
            at_most = 1e9,
            default = 350,
            source = "airlink default: a short GET with its header fields"
        )]
        request_bytes: u64,
        /// How large answers are.
        #[field(
            default = SizeLaw::Lognormal { median: 20_000.0, sigma: 1.37 },
            source = "airlink default: as pages of `sessions`"
        )]
        size: SizeLaw,
        /// Mean time from an answer's last byte at the user to the next request.
        #[field(unit = "s", at_least = 0, at_most = 1e6, default = 30.0, source = "[Ngmn08]: 30")]
        think_s: f64,
        /// How times to think are distributed.
        #[field(default = Think::Exponential, source = "[Ngmn08]: exponential")]
        think: Think,
    },
    /// Web pages of several objects over parallel TCP connections that the user opens.
    ///
    /// A page is a main object, then the objects that it names. Each user has `connections` flows with consecutive numbers. The first carries the main objects. A connection carries one
    /// request and its answer at a time (HTTP/1.1 without pipelining) and opens with its first request. A download is a page: from
    /// the moment at which the user asks for it to the last byte of its last object; it is written down for the first of its flows.
    #[section(about = "Pages of several objects, over parallel TCP connections that the user opens")]
    Pages {
        /// Size of a request, payload only.
        #[field(
            unit = "bytes",
            at_least = 1,
            at_most = 1e9,
            default = 350,
            source = "airlink default: a short GET with its header fields"
        )]
        request_bytes: u64,
        /// How large main objects are.
        #[field(
            default = SizeLaw::Lognormal { median: 4316.0, sigma: 1.37 },
            source = "[Ngmn08]: mean 10 710 bytes; there cut off at 100 bytes and 2 MB"
        )]
        main_size: SizeLaw,
        /// How many further objects a page has.
        #[field(default = ObjectCount::Pareto { shape: 1.1, min: 2.0, max: 55.0 }, source = "[Ngmn08]: 5.64 in the mean, at most 53")]
        objects: ObjectCount,
        /// How large these are.
        #[field(
            default = SizeLaw::Lognormal { median: 478.0, sigma: 2.36 },
            source = "[Ngmn08]: mean 7758 bytes; there cut off at 50 bytes and 2 MB"
        )]
        object_size: SizeLaw,
        /// Most connections of a user at once.
        #[field(at_least = 1, at_most = 100, default = 6, source = "airlink default: what browsers open to one host")]
        connections: u32,
        /// From the main object's last byte at the user to the requests for the others.
        #[field(
            unit = "s",
            at_least = 0,
            at_most = 1e6,
            default = 0.13,
            source = "[Ngmn08]: parsing, exponential with mean 0.13"
        )]
        parsing_s: f64,
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
    /// Packets of one size at a constant rate over UDP: nobody acknowledges or repeats them.
    #[section(about = "Packets of one size at a constant rate over UDP")]
    ConstantRate {
        /// Rate of the packets, headers included, taken to the millionth of a b/s.
        #[field(
            unit = "b/s",
            at_least = 1,
            at_most = 1e12,
            default = 1e6,
            source = "airlink default: a load to set beside others"
        )]
        rate_bps: f64,
        /// Size of a packet, headers included: one leaves every 8 x `packet_bytes` / `rate_bps`, a microsecond or more.
        #[field(unit = "bytes", at_least = 28, at_most = 65_535, default = 1500, source = "airlink default: Ethernet")]
        packet_bytes: u64,
        /// How they follow one another: evenly, or as a Poisson process with the same mean rate.
        #[field(default = Spacing::Constant, source = "airlink default: evenly")]
        spacing: Spacing,
        /// How late a packet may be, from its leaving to its arrival; a later one, or one that is lost, misses its deadline.
        #[field(
            name = "deadline_ms",
            unit = "ms",
            above = 0,
            at_most = 1e6,
            infinite,
            default = Duration::FOREVER,
            source = "airlink default: none"
        )]
        deadline: Duration,
    },
    /// Somebody who talks and is silent, over RTP and UDP.
    ///
    /// There is a packet for each frame of the codec in a talk, and now and then a small descriptor of the noise in a
    /// silence. Talk and silence are exponential and independent. At the flow's start somebody talks with probability
    /// `talk_s` / (`talk_s` + `silence_s`).
    #[section(about = "Talk and silence over UDP")]
    Voice {
        /// Mean of a talk.
        #[field(unit = "s", at_least = 0.001, at_most = 1e6, default = 1.004, source = "[P59]: 1.004 with hangover")]
        talk_s: f64,
        /// Mean of a silence.
        #[field(unit = "s", at_least = 0.001, at_most = 1e6, default = 1.587, source = "[P59]: 1.587 with hangover")]
        silence_s: f64,
        /// Between two frames of the codec.
        #[field(
            name = "packet_ms",
            unit = "ms",
            at_least = 0.125,
            at_most = 1000,
            default = Duration::from_millis(20),
            source = "RFC 4867 section 3.1: AMR has a frame each 20 ms"
        )]
        period: Duration,
        /// Size of a packet of talk, headers included.
        #[field(
            unit = "bytes",
            at_least = 1,
            at_most = 65_535,
            default = 72,
            source = "RFC 4867 section 4.3: 4 + 6 + 244 bits of AMR at 12.2 kb/s; 40 bytes of IPv4, UDP and RTP"
        )]
        packet_bytes: u64,
        /// Size of a descriptor of silence, headers included; 0: none is sent.
        #[field(
            unit = "bytes",
            at_least = 0,
            at_most = 65_535,
            default = 47,
            source = "RFC 4867 section 4.3: 4 + 6 + 39 bits; 40 bytes of IPv4, UDP and RTP"
        )]
        descriptor_bytes: u64,
        /// Between two descriptors in a silence, rounded up to whole frames of the codec.
        #[field(
            name = "descriptor_ms",
            unit = "ms",
            above = 0,
            at_most = 1e6,
            default = Duration::from_millis(160),
            source = "[Itu2135]: every 160 ms"
        )]
        descriptor_every: Duration,
        /// How late a packet may be, from its leaving to its arrival; a later one, or one that is lost, misses its deadline.
        #[field(
            name = "deadline_ms",
            unit = "ms",
            above = 0,
            at_most = 1e6,
            infinite,
            default = Duration::from_millis(50),
            source = "[Itu2135]: 50 ms over the radio access"
        )]
        deadline: Duration,
    },
    /// Frames at a constant rate over RTP and UDP: a video, or a scene that is rendered elsewhere (XR).
    ///
    /// A frame is cut into packets, which leave at once. It is on time if all of them arrive within the deadline.
    #[section(about = "Frames of a video over UDP, with a deadline")]
    Frames {
        /// Frames a second.
        #[field(unit = "1/s", at_least = 0.001, at_most = 1e4, default = 60.0, source = "[Tr38838]: 60")]
        frames_per_s: f64,
        /// How large frames are, without headers.
        #[field(
            default = SizeLaw::TruncatedNormal { center: 62_500.0, sd: 6562.5, min: 31_250.0, max: 93_750.0 },
            source = "[Tr38838]: 30 Mb/s at 60 frames a second; deviation 10.5 %, bounds 50 and 150 % of the mean"
        )]
        size: SizeLaw,
        /// The most that a packet has, headers included.
        #[field(
            unit = "bytes",
            at_least = 256,
            at_most = 65_535,
            default = 1500,
            source = "airlink default: Ethernet"
        )]
        mtu_bytes: u64,
        /// Headers of each packet.
        #[field(
            unit = "bytes",
            at_least = 28,
            at_most = 255,
            default = 40,
            source = "RFC 3550: 12 bytes of RTP; 28 of IPv4 and UDP"
        )]
        header_bytes: u64,
        /// Standard deviation of a frame's jitter, which is normal before it is cut off at `jitter_most_ms` either way.
        #[field(
            name = "jitter_sd_ms",
            unit = "ms",
            at_least = 0,
            at_most = 1e6,
            default = Duration::from_millis(2),
            source = "[Tr38838]: 2"
        )]
        jitter_sd: Duration,
        /// The most that a frame is early or late; all are later by this, so that none leaves before the start.
        #[field(
            name = "jitter_most_ms",
            unit = "ms",
            at_least = 0,
            at_most = 1e6,
            default = Duration::from_millis(4),
            source = "[Tr38838]: 4"
        )]
        jitter_most: Duration,
        /// How late a frame may be, from its leaving to the arrival of its last packet.
        #[field(
            name = "deadline_ms",
            unit = "ms",
            above = 0,
            at_most = 1e6,
            infinite,
            default = Duration::from_millis(10),
            source = "[Tr38838]: 10 for a headset, counted from the base station"
        )]
        deadline: Duration,
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
            Self::Requests { request_bytes, size, think_s, think } => {
                let answers = Session { size, think, think_s, request: Duration::ZERO, seed, index };
                Source::Requests(Requests { request: Bytes::new(request_bytes), answers })
            }
            Self::Pages { request_bytes, .. } => Source::Exchanges(Bytes::new(request_bytes)),
            Self::Backlogged { packet_bytes } => Source::Backlogged(Bytes::new(packet_bytes)),
            Self::ConstantRate { .. } | Self::Voice { .. } | Self::Frames { .. } => {
                Source::Datagrams(Box::new(self.datagrams(seed, index).expect("it is without TCP")))
            }
        }
    }

    /// True if it goes over wires without TCP.
    pub const fn is_datagrams(&self) -> bool {
        matches!(self, Self::ConstantRate { .. } | Self::Voice { .. } | Self::Frames { .. })
    }

    /// True if a user may send it.
    pub const fn may_go_up(&self) -> bool {
        let over_tcp = matches!(self, Self::Greedy | Self::File { .. } | Self::Stream { .. } | Self::Poisson { .. });
        over_tcp || self.is_datagrams()
    }

    /// True if TCP carries it.
    pub const fn has_tcp(&self) -> bool {
        !self.is_datagrams() && !matches!(self, Self::Backlogged { .. })
    }

    fn datagrams(&self, seed: u64, index: u64) -> Option<Datagrams> {
        let (origin, deadline) = match *self {
            Self::ConstantRate { rate_bps, packet_bytes, spacing, deadline } => {
                let (bytes, rate) = (Bytes::new(packet_bytes), Rate::from_bps(rate_bps));
                (Origin::ConstantRate(ConstantRate::new(bytes, rate, spacing, seed, index)), deadline)
            }
            Self::Voice { talk_s, silence_s, period, packet_bytes, descriptor_bytes, descriptor_every, deadline } => {
                let (packet, descriptor) = (Bytes::new(packet_bytes), Bytes::new(descriptor_bytes));
                let config = VoiceConfig { period, packet, descriptor, descriptor_every, talk_s, silence_s };
                (Origin::Voice(Voice::new(config, seed, index)), deadline)
            }
            Self::Frames { frames_per_s, size, mtu_bytes, header_bytes, jitter_sd, jitter_most, deadline } => {
                let config = FramesConfig {
                    frames_per_s,
                    size,
                    mtu: Bytes::new(mtu_bytes),
                    header: Bytes::new(header_bytes),
                    jitter_sd_s: jitter_sd.as_secs(),
                    jitter_most_s: jitter_most.as_secs(),
                };
                (Origin::Frames(FrameTrain::new(config, seed, index)), deadline)
            }
            _ => return None,
        };
        Some(Datagrams { origin, deadline })
    }

    /// The pages of the user whose first connection is flow `index`; none if it has no pages.
    pub fn pages(&self, seed: u64, index: u64) -> Option<Pages> {
        let Self::Pages { request_bytes, main_size, objects, object_size, connections, parsing_s, think_s, think } =
            *self
        else {
            return None;
        };
        Some(Pages {
            main: Session { size: main_size, think, think_s, request: Duration::ZERO, seed, index },
            objects,
            object: object_size,
            parsing: Duration::from_secs(parsing_s),
            request: Bytes::new(request_bytes),
            connections: connections as usize,
        })
    }

    /// Flows of each user of the group: connections that are used at once.
    pub const fn connections(&self) -> usize {
        match self {
            Self::Pages { connections, .. } => *connections as usize,
            _ => 1,
        }
    }
}
