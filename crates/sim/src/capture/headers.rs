//! IPv4, TCP and UDP headers of what a flow sends, as a stack on its host would write them.
//!
//! The server is 10.0.0.1, user k is 10.128.0.0 + k + 1. Both ends count from an initial sequence number of 0, so byte b of
//! the stream has number b + 1 modulo 2^32. Checksums are those of packets whose payload is zeros. A connection has the
//! options that its flow uses: timestamps in milliseconds of simulated time (RFC 7323), SACK blocks in the order in which
//! they are sent (RFC 2018, RFC 2883), and the window's shift.
//!
//! What no model carries is written as stacks do without it: no PSH, a time to live of 64 everywhere. Headers are
//! as long as they are, whatever `header_bytes` of the scenario says. A window probe is a segment without bytes behind all
//! that was sent, as in the model, so readers take it for an ACK.

use airlink_model::transport::{Flags, Segment, Stamp, Tcp};
use airlink_model::types::{Bytes, Direction, Time, UserId};
use etherparse::TcpOptionElement::{self, MaximumSegmentSize, Noop, SelectiveAcknowledgement, Timestamp, WindowScale};
use etherparse::checksum::Sum16BitWords;
use etherparse::{IpNumber, Ipv4Header, TcpHeader, UdpHeader};

use super::template::{Fields, Header, Template};

const SERVER: [u8; 4] = [10, 0, 0, 1];
const USERS: u32 = u32::from_be_bytes([10, 128, 0, 0]);
const SERVER_PORT: u16 = 5001;
/// No protocol of a name that readers would look into has its port in this range.
const USER_PORTS: std::ops::Range<u16> = 50_000..55_000;
const TIME_TO_LIVE: u8 = 64;
/// What an end advertises to which nothing is sent.
const NO_WINDOW: u16 = u16::MAX;
/// An option of timestamps with its padding (RFC 7323 appendix A).
const TIMESTAMP_BYTES: u16 = 12;
/// Identifications of the packets of a handshake come before those of the flow.
const OPENER_HANDSHAKE: u64 = 2;
const ANSWER_HANDSHAKE: u64 = 1;

/// What the headers of a flow are made from.
#[derive(Clone, Debug)]
pub(super) struct Connection {
    server: Endpoint,
    user: Endpoint,
    /// The direction of the packet that opens it.
    opener: Direction,
    mss: u16,
    /// Of the windows that the server and the user advertise.
    window_shifts: [u8; 2],
    timestamps: bool,
    sack: bool,
    /// By direction.
    templates: [Template; 2],
}

/// One end.
#[derive(Clone, Copy, Debug)]
struct Endpoint {
    address: [u8; 4],
    port: u16,
}

impl Connection {
    /// The connection of flow number `flow`, which goes to `user` and which a packet of direction `opener` opens.
    pub(super) fn new(flow: usize, user: UserId, opener: Direction, tcp: &Tcp) -> Self {
        let ports = USER_PORTS.len();
        let server = Endpoint { address: SERVER, port: SERVER_PORT.wrapping_add((flow / ports) as u16) };
        let user = Endpoint { address: user_address(user), port: USER_PORTS.start + (flow % ports) as u16 };
        // A server to which nothing is sent has no use for a shift.
        let window_shifts = [if opener == Direction::Up { tcp.window_shift() } else { 0 }, tcp.window_shift()];
        Self {
            server,
            user,
            opener,
            mss: u16::try_from(tcp.mss.count()).unwrap_or(u16::MAX),
            window_shifts,
            timestamps: tcp.timestamps,
            sack: tcp.sack,
            templates: [template(server, user, tcp.timestamps), template(user, server, tcp.timestamps)],
        }
    }

    /// SYN, SYN-ACK and ACK of a connection that opens at `now` without a handshake, and the direction of the SYN.
    pub(super) fn handshake(&self, now: Time, window: u64) -> (Direction, [Header; 3]) {
        let at = Stamp::at(now);
        let flags = if self.opener == Direction::Up { Flags::ACK } else { Flags::NONE };
        let window = Bytes::new(window);
        let syn = Segment { flags: Flags::SYN, timestamp: at, ..Segment::default() };
        let answer = Segment { timestamp: at, echo: at, ..Segment::ack(0, window) };
        let ack = Segment { flags, window, ..answer };
        let (first, second) = (self.opener, self.opener.opposite());
        (first, [self.syn(first, &syn, 0), self.syn(second, &answer, 0), self.plain(first, &ack, 1)])
    }

    /// What is sent in direction `way` as packet `number`; `opens` if it answers a SYN.
    #[inline]
    pub(super) fn segment(&self, way: Direction, segment: &Segment, opens: bool, number: u64) -> Header {
        let of_handshake = if way == self.opener { OPENER_HANDSHAKE } else { ANSWER_HANDSHAKE };
        let identification = (of_handshake + number) as u16;
        if opens || segment.flags.has(Flags::SYN) {
            self.syn(way, segment, identification)
        } else if segment.has_sack() || segment.flags.without(Flags::ACK) != Flags::NONE {
            self.unusual(way, segment, identification)
        } else {
            self.plain(way, segment, identification)
        }
    }

    /// A packet of a flow without TCP, of `bytes` bytes in all; at least its headers.
    pub(super) fn datagram(&self, way: Direction, bytes: u64, number: u64) -> Header {
        let length = u16::try_from(bytes.max(28) - 20).expect("a captured packet has at most 65535 bytes");
        let (from, to) = match way {
            Direction::Down => (self.server, self.user),
            Direction::Up => (self.user, self.server),
        };
        let mut udp = UdpHeader { source_port: from.port, destination_port: to.port, length, checksum: 0 };
        let sum = pseudo_header(from, to, IpNumber::UDP, length).add_slice(&udp.to_bytes());
        udp.checksum = sum.to_ones_complement_with_no_zero().to_be();
        let ip = ip(from, to, IpNumber::UDP, length, number as u16);
        Header::new([&ip.to_bytes(), &udp.to_bytes()], length - 8)
    }

    /// What has neither SACK blocks nor control bits but ACK.
    #[inline]
    fn plain(&self, way: Direction, segment: &Segment, identification: u16) -> Header {
        let sent = segment.timestamp.get().filter(|_| self.timestamps);
        self.templates[way as usize].fill(&Fields {
            identification,
            number: wrapped(segment.sequence + 1),
            acknowledgment: acknowledgment(segment),
            window: self.window(way, segment),
            times: sent.map(|sent| (milliseconds(sent), segment.echo.get().map_or(0, milliseconds))),
            payload: payload(segment),
        })
    }

    #[inline(never)]
    fn unusual(&self, way: Direction, segment: &Segment, identification: u16) -> Header {
        let mut options = Options::NONE;
        if let Some(sent) = segment.timestamp.get().filter(|_| self.timestamps) {
            options.add([Noop, Noop, Timestamp(milliseconds(sent), segment.echo.get().map_or(0, milliseconds))]);
        }
        let mut blocks = segment.sack().map(|block| (wrapped(block.start + 1), wrapped(block.end + 1)));
        if let Some(first) = blocks.next() {
            let others = [blocks.next(), blocks.next(), blocks.next()];
            options.add([Noop, Noop, SelectiveAcknowledgement(first, others)]);
        }
        let ends = self.ends(way);
        let window = self.window(way, segment);
        let mut tcp = TcpHeader::new(ends[0].port, ends[1].port, wrapped(segment.sequence + 1), window);
        let flags = segment.flags;
        (tcp.fin, tcp.rst, tcp.psh) = (flags.fin(), flags.rst(), flags.psh());
        (tcp.ece, tcp.cwr) = (flags.ece(), flags.cwr());
        tcp.ack = flags.ack() || !flags.rst();
        tcp.acknowledgment_number = if tcp.ack { acknowledgment(segment) } else { 0 };
        packet(ends, tcp, options.all(), payload(segment), identification)
    }

    /// A SYN, or its answer if it acknowledges.
    #[cold]
    fn syn(&self, way: Direction, segment: &Segment, identification: u16) -> Header {
        let (ends, answers) = (self.ends(way), segment.flags.ack());
        // RFC 7323 §2.2: the window of a SYN is never scaled.
        let window = if segment.window.is_zero() && !answers { NO_WINDOW } else { field(segment.window.count(), 0) };
        let mut tcp = TcpHeader::new(ends[0].port, ends[1].port, 0, window);
        (tcp.syn, tcp.ack) = (true, answers);
        (tcp.ece, tcp.cwr) = (segment.flags.ece(), segment.flags.cwr());
        tcp.acknowledgment_number = if answers { acknowledgment(segment) } else { 0 };
        let options = self.syn_options(way, segment);
        packet(ends, tcp, options.all(), 0, identification)
    }

    fn syn_options(&self, way: Direction, segment: &Segment) -> Options {
        let mut options = Options::NONE;
        // RFC 9293 §3.7.1: the option does not count what options take of a segment.
        let announced = self.mss.saturating_add(if self.timestamps { TIMESTAMP_BYTES } else { 0 });
        options.add([MaximumSegmentSize(announced)]);
        if self.sack {
            options.add([TcpOptionElement::SelectiveAcknowledgementPermitted]);
        }
        if let Some(sent) = segment.timestamp.get().filter(|_| self.timestamps) {
            options.add([Timestamp(milliseconds(sent), segment.echo.get().map_or(0, milliseconds))]);
        }
        // RFC 7323 §2.2: a shift counts only if both ends send the option.
        if self.window_shifts != [0, 0] {
            options.add([Noop, WindowScale(self.window_shifts[way as usize])]);
        }
        options
    }

    /// Where packets of a direction come from and go to.
    #[inline]
    const fn ends(&self, way: Direction) -> [Endpoint; 2] {
        match way {
            Direction::Down => [self.server, self.user],
            Direction::Up => [self.user, self.server],
        }
    }

    #[inline]
    fn window(&self, way: Direction, segment: &Segment) -> u16 {
        if segment.flags.ack() { field(segment.window.count(), self.window_shifts[way as usize]) } else { NO_WINDOW }
    }
}

/// The acknowledgment number; an end that hears no data has got the SYN.
#[inline]
const fn acknowledgment(segment: &Segment) -> u32 {
    if segment.flags.ack() { wrapped(segment.number + 1) } else { 1 }
}

#[inline]
fn payload(segment: &Segment) -> u16 {
    u16::try_from(segment.length).expect("a captured packet has at most 65535 bytes")
}

/// Options in their order, as many as a SYN or an ACK can have.
struct Options {
    elements: [TcpOptionElement; 6],
    count: usize,
}

impl Options {
    const NONE: Self = Self { elements: [const { Noop }; 6], count: 0 };

    fn add<const N: usize>(&mut self, options: [TcpOptionElement; N]) {
        for option in options {
            self.elements[self.count] = option;
            self.count += 1;
        }
    }

    fn all(&self) -> &[TcpOptionElement] {
        &self.elements[..self.count]
    }
}

/// Headers of segments without bytes, in which everything is 0 that changes from one to the next.
fn template(source: Endpoint, destination: Endpoint, timestamps: bool) -> Template {
    let mut tcp = TcpHeader::new(source.port, destination.port, 0, 0);
    tcp.ack = true;
    let options = [Noop, Noop, Timestamp(0, 0)];
    Template::new(packet([source, destination], tcp, if timestamps { &options } else { &[] }, 0, 0))
}

/// A segment of `payload` zeros.
fn packet(
    ends: [Endpoint; 2],
    mut tcp: TcpHeader,
    options: &[TcpOptionElement],
    payload: u16,
    identification: u16,
) -> Header {
    tcp.set_options(options).expect("the options of a connection fit");
    let length = tcp.header_len_u16().checked_add(payload).expect("a captured packet has at most 65535 bytes");
    let sum = pseudo_header(ends[0], ends[1], IpNumber::TCP, length).add_slice(&tcp.to_bytes());
    tcp.checksum = sum.ones_complement().to_be();
    let ip = ip(ends[0], ends[1], IpNumber::TCP, length, identification);
    Header::new([&ip.to_bytes(), &tcp.to_bytes()], payload)
}

fn pseudo_header(source: Endpoint, destination: Endpoint, protocol: IpNumber, length: u16) -> Sum16BitWords {
    let addresses = Sum16BitWords::new().add_4bytes(source.address).add_4bytes(destination.address);
    addresses.add_2bytes([0, protocol.0]).add_2bytes(length.to_be_bytes())
}

fn ip(source: Endpoint, destination: Endpoint, protocol: IpNumber, length: u16, identification: u16) -> Ipv4Header {
    let mut ip = Ipv4Header::new(length, TIME_TO_LIVE, protocol, source.address, destination.address)
        .expect("a captured packet has at most 65535 bytes");
    ip.identification = identification;
    ip.header_checksum = ip.calc_header_checksum();
    ip
}

fn user_address(user: UserId) -> [u8; 4] {
    let number = USERS + u32::try_from(user.index()).expect("fewer than 2^32 users") + 1;
    number.to_be_bytes()
}

/// A number of 32 bits for an offset of 64.
const fn wrapped(offset: u64) -> u32 {
    offset as u32
}

/// Whole milliseconds of simulated time, modulo 2^32.
const fn milliseconds(time: Time) -> u32 {
    (time.as_nanos() / 1_000_000) as u32
}

/// The window field; what does not fit it is not shown.
fn field(window: u64, shift: u8) -> u16 {
    u16::try_from(window >> shift).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use airlink_model::types::{Duration, Ecn};
    use etherparse::PacketHeaders;

    use super::*;

    fn connection(timestamps: bool, window_shift: u8) -> Connection {
        let server = Endpoint { address: SERVER, port: SERVER_PORT };
        let user = Endpoint { address: user_address(UserId::new(300)), port: 50_007 };
        let templates = [template(server, user, timestamps), template(user, server, timestamps)];
        let (opener, window_shifts) = (Direction::Down, [0, window_shift]);
        Connection { server, user, opener, mss: 1460, window_shifts, timestamps, sack: true, templates }
    }

    /// The TCP header of a packet, after checking both checksums over `payload` zeros.
    fn checked(header: &Header, payload: usize) -> TcpHeader {
        let packet = [header.bytes(), &vec![0; payload]].concat();
        assert_eq!(header.whole() as usize, packet.len());
        let headers = PacketHeaders::from_ip_slice(&packet).expect("a well-formed packet");
        let Some(etherparse::NetHeaders::Ipv4(ip, _)) = headers.net else { panic!("IPv4") };
        assert_eq!(ip.header_checksum, ip.calc_header_checksum());
        let tcp = headers.transport.and_then(|transport| transport.tcp()).expect("TCP");
        assert_eq!(Ok(tcp.checksum), tcp.calc_checksum_ipv4(&ip, &packet[packet.len() - payload..]).map_err(|_| ()));
        tcp
    }

    fn options(tcp: &TcpHeader) -> Vec<TcpOptionElement> {
        tcp.options_iterator().map(|option| option.expect("an option")).collect()
    }

    #[test]
    fn numbers_and_times_wrap_at_2_to_the_32() {
        let connection = connection(true, 14);
        let late = Time::from_nanos((u64::from(u32::MAX) + 6) * 1_000_000);
        let sequence = (3 << 32) - 700;
        let segment = Segment { sequence, length: 1448, timestamp: Stamp::at(late), ..Segment::default() };
        let tcp = checked(&connection.segment(Direction::Down, &segment, false, 70_000), 1448);
        assert_eq!(tcp.sequence_number, (-699_i32) as u32);
        assert_eq!(options(&tcp)[2], TcpOptionElement::Timestamp(5, 0));
        let mut ack = Segment::ack(segment.end(), Bytes::new(65_535 << 14));
        ack.push_sack(sequence..sequence + 100);
        (ack.timestamp, ack.echo) = (Stamp::at(late), Stamp::at(late));
        let header = connection.segment(Direction::Up, &ack, false, 0);
        let tcp = checked(&header, 0);
        assert_eq!((tcp.acknowledgment_number, tcp.window_size), (749, 65_535));
        let block = TcpOptionElement::SelectiveAcknowledgement(((-699_i32) as u32, (-599_i32) as u32), [None; 3]);
        assert_eq!(options(&tcp)[2..], [TcpOptionElement::Timestamp(5, 5), Noop, Noop, block]);
        let segment = Segment { echo: Stamp::at(late), ..segment };
        let tcp = checked(&connection.segment(Direction::Down, &segment, false, 70_001), 1448);
        assert_eq!(options(&tcp)[2], TcpOptionElement::Timestamp(5, 5));
    }

    #[test]
    fn the_field_of_ecn_and_its_flags_are_there_with_checksums_that_hold() {
        let connection = connection(false, 0);
        let segment = Segment { length: 100, flags: Flags::ACK | Flags::CWR, ..Segment::default() };
        let mut header = connection.segment(Direction::Down, &segment, false, 9);
        for ecn in [Ecn::NotEct, Ecn::Ect0, Ecn::Ect0, Ecn::Ce, Ecn::Ect0, Ecn::Ce, Ecn::NotEct] {
            header.set_ecn(ecn);
            assert_eq!(header.bytes()[1], ecn as u8);
            let tcp = checked(&header, 100);
            assert!(tcp.cwr && !tcp.ece && !tcp.syn);
        }
        let asks = Segment { flags: Flags::SYN | Flags::ECE | Flags::CWR, ..Segment::default() };
        let tcp = checked(&connection.segment(Direction::Down, &asks, false, 0), 0);
        assert!(tcp.syn && tcp.ece && tcp.cwr);
    }

    #[test]
    fn as_many_sack_blocks_fit_as_the_scenario_allows() {
        for (timestamps, blocks, length) in
            [(true, 3, 80), (false, 4, 76), (false, 1, 52), (false, 0, 40), (true, 0, 52)]
        {
            let mut ack = Segment::ack(1000, Bytes::new(65_535));
            (0..blocks).for_each(|block| ack.push_sack(2000 * block + 500..2000 * block + 1500));
            ack.timestamp = Stamp::at(Time::ZERO);
            let header = connection(timestamps, 0).segment(Direction::Up, &ack, false, 0);
            let found = options(&checked(&header, 0));
            let sack = found.iter().find_map(|option| match option {
                TcpOptionElement::SelectiveAcknowledgement(first, others) => Some((*first, *others)),
                _ => None,
            });
            assert_eq!(header.bytes().len(), length);
            assert_eq!(sack.is_some(), blocks > 0);
            if let Some((first, others)) = sack {
                assert_eq!((first, others.iter().flatten().count() as u64), ((501, 1501), blocks - 1));
            }
        }
    }

    #[test]
    fn a_made_up_handshake_tells_the_options() {
        let now = Time::ZERO + Duration::from_millis(1500);
        let (opener, [syn, answer, ack]) = connection(true, 5).handshake(now, 2_000_000);
        assert_eq!(opener, Direction::Down);
        let all = [&syn, &answer, &ack].map(|header| checked(header, 0));
        assert_eq!(all.clone().map(|tcp| (tcp.sequence_number, tcp.acknowledgment_number)), [(0, 0), (0, 1), (1, 1)]);
        assert_eq!(all[1].window_size, 65_535);
        let shifts = [0, 5].map(|shift| {
            [
                TcpOptionElement::MaximumSegmentSize(1472),
                TcpOptionElement::SelectiveAcknowledgementPermitted,
                TcpOptionElement::Timestamp(1500, if shift > 0 { 1500 } else { 0 }),
                Noop,
                TcpOptionElement::WindowScale(shift),
            ]
        });
        assert_eq!([options(&all[0]), options(&all[1])], shifts.map(Vec::from));
        assert_eq!(options(&all[2])[2], TcpOptionElement::Timestamp(1500, 1500));
        let (_, plain) = connection(false, 0).handshake(now, 20_000);
        assert_eq!(checked(&plain[1], 0).window_size, 20_000);
    }

    #[test]
    fn a_retransmission_has_an_identification_of_its_own() {
        let connection = connection(false, 0);
        let segment = Segment { length: 10, ..Segment::default() };
        let found = [0, 1, 65_536]
            .map(|number| connection.segment(Direction::Down, &segment, false, number).bytes()[4..6].to_vec());
        assert_eq!(found, [vec![0, 2], vec![0, 3], vec![0, 2]]);
    }
}
