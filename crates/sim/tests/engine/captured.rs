//! Captures read by independent parsers: pcap-parser for the blocks, etherparse for the headers.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use airlink_sim::{Captures, RecordKind, Simulation};
use etherparse::{Ipv4Header, NetSlice, SlicedPacket, TcpHeader, TransportSlice};
use pcap_parser::pcapng::{Block, OptionCode, parse_block_le};
use pcap_parser::{Linktype, PcapNGOption};

use crate::engine::case::{Case, Columns};

/// Where packets are seen.
pub(crate) const POINTS: [&str; 4] = ["server", "queue", "user", "drops"];

/// A folder that is removed after the test.
pub(crate) struct Folder(PathBuf);

/// A packet as a file shows it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Seen {
    pub(crate) nanoseconds: u64,
    pub(crate) id: u64,
    pub(crate) direction: u32,
    pub(crate) stored: Vec<u8>,
    pub(crate) whole: u32,
    pub(crate) comment: String,
}

impl Folder {
    pub(crate) fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("airlink-captures-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).expect("a temporary folder can be made");
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn bytes(&self, point: &str, seed: u64) -> Vec<u8> {
        fs::read(self.0.join(format!("{point}-{seed}.pcapng"))).expect("the file is there")
    }

    /// The packets of a point's file, which must be whole.
    pub(crate) fn packets(&self, point: &str, seed: u64) -> Vec<Seen> {
        read(&self.bytes(point, seed), point)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A run before its first event that captures in `folder`, with every series.
pub(crate) fn begun(case: &Case, folder: &Folder, snap: Option<u32>, seed: u64) -> Simulation {
    let scenario = case.scenario();
    let captures = Captures { folder: folder.path().to_owned(), snap };
    let simulation = Simulation::new(&scenario, case.traces(), seed, &RecordKind::ALL);
    simulation.with_captures(&captures, &scenario, seed)
}

/// Runs a case with seed 1, every series and whole packets in the captures.
pub(crate) fn captured(case: &Case) -> (Columns, Folder) {
    let folder = Folder::new();
    let mut simulation = begun(case, &folder, Some(65_535), 1);
    while !simulation.is_finished() {
        simulation.step();
    }
    let replica = simulation.into_replica(1);
    assert_eq!(replica.capture_error, None);
    (Columns(replica), folder)
}

const PAGE: usize = 4096;
/// In a file of blocks up to this length, in bytes, no block crosses the end of a page.
const SHORT: usize = 300;

/// The packets of a file of `point`. Its blocks must fill the file, and short blocks must not cross a page.
pub(crate) fn read(file: &[u8], point: &str) -> Vec<Seen> {
    let mut bytes = file;
    let mut seen = Vec::new();
    let mut headers = 0;
    while !bytes.is_empty() {
        let (rest, block) = parse_block_le(bytes).expect("a whole block");
        let (start, end) = (file.len() - bytes.len(), file.len() - rest.len());
        assert!(
            end - start > SHORT || start / PAGE == (end - 1) / PAGE,
            "a block from {start} to {end} at the {point}"
        );
        bytes = rest;
        match block {
            Block::SectionHeader(section) => {
                assert_eq!((headers, section.section_len), (0, -1));
                assert!(text(&section.options, OptionCode::ShbUserAppl).starts_with("airlink "));
                headers += 1;
            }
            Block::InterfaceDescription(interface) => {
                assert_eq!((headers, interface.linktype, interface.if_tsresol), (1, Linktype::RAW, 9));
                assert_eq!(interface.if_name().expect("a name").expect("ASCII"), point);
                headers += 1;
            }
            Block::EnhancedPacket(packet) => {
                assert_eq!((headers, packet.if_id), (2, 0));
                let caplen = packet.caplen as usize;
                seen.push(Seen {
                    nanoseconds: u64::from(packet.ts_high) << 32 | u64::from(packet.ts_low),
                    id: number(&packet.options, OptionCode(5)),
                    direction: number(&packet.options, OptionCode(2)) as u32,
                    stored: packet.data[..caplen].to_vec(),
                    whole: packet.origlen,
                    comment: text(&packet.options, OptionCode::Comment),
                });
            }
            Block::Unknown(filler) if filler.block_type == 0x8000_0000 => {}
            other => panic!("{other:?} has no place here"),
        }
    }
    assert_eq!(headers, 2);
    assert!(seen.is_sorted_by_key(|packet| packet.nanoseconds), "time runs backwards at the {point}");
    seen
}

fn text(options: &[PcapNGOption<'_>], code: OptionCode) -> String {
    let option = options.iter().find(|option| option.code == code);
    option.map_or(String::new(), |option| option.as_str().expect("ASCII").to_owned())
}

fn number(options: &[PcapNGOption<'_>], code: OptionCode) -> u64 {
    let option = options.iter().find(|option| option.code == code).expect("the option is there");
    option.value().iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte))
}

impl Seen {
    /// True for what a user sends.
    pub(crate) fn is_ack(&self) -> bool {
        self.ip().destination == [10, 0, 0, 1]
    }

    /// True for a packet of a handshake that was not simulated.
    pub(crate) fn is_made_up(&self) -> bool {
        self.comment.starts_with("not simulated")
    }

    pub(crate) fn ip(&self) -> Ipv4Header {
        Ipv4Header::from_slice(&self.stored).expect("IPv4").0
    }

    pub(crate) fn tcp(&self) -> TcpHeader {
        TcpHeader::from_slice(&self.stored[20..]).expect("TCP").0
    }

    /// The value of a word of the comment.
    pub(crate) fn word(&self, key: &str) -> Option<&str> {
        self.comment.split(' ').find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
    }

    /// Checks the lengths and checksums of a packet that is stored whole.
    pub(crate) fn check(&self) {
        assert_eq!(self.stored.len(), self.whole as usize);
        let sliced = SlicedPacket::from_ip(&self.stored).expect("a well-formed packet");
        let Some(NetSlice::Ipv4(ip)) = &sliced.net else { panic!("IPv4") };
        assert_eq!(ip.header().header_checksum(), ip.header().to_header().calc_header_checksum());
        match &sliced.transport {
            Some(TransportSlice::Tcp(tcp)) => {
                let sum = tcp.calc_checksum_ipv4(ip.header().source(), ip.header().destination());
                assert_eq!(Ok(tcp.checksum()), sum.map_err(|_| ()));
                assert!(tcp.options_iterator().all(|option| option.is_ok()));
                assert!(tcp.payload().iter().all(|&byte| byte == 0));
            }
            Some(TransportSlice::Udp(udp)) => {
                let sum = udp.to_header().calc_checksum_ipv4_raw(
                    ip.header().source(),
                    ip.header().destination(),
                    udp.payload(),
                );
                assert_eq!(Ok(udp.checksum()), sum.map_err(|_| ()));
            }
            other => panic!("{other:?} is neither TCP nor UDP"),
        }
    }
}
