//! IPv4, TCP and UDP headers of what a flow sends, as a stack on its host would write them.
//!
//! The server is 10.0.0.1, user k is 10.128.0.0 + k + 1. Both ends count from an initial sequence number of 0, so byte b of
//! the stream has number b + 1 modulo 2^32. Checksums are those of packets whose payload is zeros. A connection has the
//! options that its flow uses: timestamps in milliseconds of simulated time (RFC 7323), SACK blocks in the order in which
//! they are sent (RFC 2018, RFC 2883), and the window's shift.
//!
//! What no model carries is written as stacks do without it: no PSH, no ECN, a time to live of 64 everywhere. Headers are
//! as long as they are, whatever `header_bytes` of the scenario says. A window probe is a segment without bytes behind all
//! that was sent, as in the model, so readers take it for an ACK.

use airlink_model::transport::{Segment, Stamp, Tcp};
use airlink_model::types::{Time, UserId};
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
/// What the server advertises: nothing is sent to it.
const SERVER_WINDOW: u16 = u16::MAX;
/// An option of timestamps with its padding (RFC 7323 appendix A).
const TIMESTAMP_BYTES: u16 = 12;
/// Identifications of the packets of a handshake come before those of the flow.
const SERVER_HANDSHAKE: u64 = 2;
const USER_HANDSHAKE: u64 = 1;

/// What the headers of a flow are made from.
#[derive(Clone, Debug)]
pub(super) struct Connection {
    server: Endpoint,
    user: Endpoint,
    mss: u16,
    window_shift: u8,
    timestamps: bool,
    sack: bool,
    data: Template,
    ack: Template,
}

/// One end.
#[derive(Clone, Copy, Debug)]
struct Endpoint {
    address: [u8; 4],
    port: u16,
}

impl Connection {
    /// The connection of flow number `flow`, which goes to `user`.
    pub(super) fn new(flow: usize, user: UserId, tcp: &Tcp) -> Self {
        let ports = USER_PORTS.len();
        let server = Endpoint { address: SERVER, port: SERVER_PORT.wrapping_add((flow / ports) as u16) };
        let user = Endpoint { address: user_address(user), port: USER_PORTS.start + (flow % ports) as u16 };
        let timestamps = tcp.timestamps;
        Self {
            server,
            user,
            mss: u16::try_from(tcp.mss.count()).unwrap_or(u16::MAX),
            window_shift: tcp.window_shift(),
            timestamps,
            sack: tcp.sack,
            data: template(server, user, timestamps),
            ack: template(user, server, timestamps),
        }
    }

    /// SYN, SYN-ACK and ACK of a connection that opens at `now` without a handshake.
    pub(super) fn handshake(&self, now: Time, window: u64) -> [Header; 3] {
        let segment = Segment { timestamp: Stamp::at(now), echo: Stamp::at(now), ..Segment::default() };
        [self.syn(now, 0), self.syn_answer(now, window, Some(now), 0), self.data(&segment, 1)]
    }

    /// What the server sends as its packet `number`.
    #[inline]
    pub(super) fn segment(&self, now: Time, segment: &Segment, number: u64) -> Header {
        let identification = (SERVER_HANDSHAKE + number) as u16;
        if segment.flags.syn() { self.syn(now, identification) } else { self.data(segment, identification) }
    }

    /// What the user sends as its ACK `number`; `opens` if it answers a SYN.
    #[inline]
    pub(super) fn ack(&self, now: Time, ack: &Segment, opens: bool, number: u64) -> Header {
        let identification = (USER_HANDSHAKE + number) as u16;
        if opens {
            self.syn_answer(now, ack.window.count(), ack.echo.get(), identification)
        } else if ack.has_sack() {
            self.selective_ack(now, ack, identification)
        } else {
            self.plain_ack(now, ack, identification)
        }
    }

    /// A packet of a flow without TCP, of `bytes` bytes in all; at least its headers.
    pub(super) fn datagram(&self, direction: Direction, bytes: u64, number: u64) -> Header {
        let length = u16::try_from(bytes.max(28) - 20).expect("a captured packet has at most 65535 bytes");
        let (from, to) = match direction {
            Direction::Down => (self.server, self.user),
            Direction::Up => (self.user, self.server),
        };
        let mut udp = UdpHeader { source_port: from.port, destination_port: to.port, length, checksum: 0 };
        let sum = pseudo_header(from, to, IpNumber::UDP, length).add_slice(&udp.to_bytes());
        udp.checksum = sum.to_ones_complement_with_no_zero().to_be();
        let ip = ip(from, to, IpNumber::UDP, length, number as u16);
        Header::new([&ip.to_bytes(), &udp.to_bytes()], length - 8)
    }

    #[inline]
    fn data(&self, segment: &Segment, identification: u16) -> Header {
        let sent = segment.timestamp.get().filter(|_| self.timestamps);
        self.data.fill(&Fields {
            identification,
            number: wrapped(segment.sequence + 1),
            acknowledgment: 1,
            window: SERVER_WINDOW,
            times: sent.map(|sent| (milliseconds(sent), segment.echo.get().map_or(0, milliseconds))),
            payload: u16::try_from(segment.length).expect("a captured packet has at most 65535 bytes"),
        })
    }

    #[inline]
    fn plain_ack(&self, now: Time, ack: &Segment, identification: u16) -> Header {
        let sent = milliseconds(now);
        self.ack.fill(&Fields {
            identification,
            number: 1,
            acknowledgment: wrapped(ack.number + 1),
            window: field(ack.window.count(), self.window_shift),
            times: self.timestamps.then(|| (sent, ack.echo.get().map_or(0, milliseconds))),
            payload: 0,
        })
    }

    #[inline(never)]
    fn selective_ack(&self, now: Time, ack: &Segment, identification: u16) -> Header {
        let mut options = Options::NONE;
        if self.timestamps {
            options.add([Noop, Noop, Timestamp(milliseconds(now), ack.echo.get().map_or(0, milliseconds))]);
        }
        let mut blocks = ack.sack().map(|block| (wrapped(block.start + 1), wrapped(block.end + 1)));
        if let Some(first) = blocks.next() {
            let others = [blocks.next(), blocks.next(), blocks.next()];
            options.add([Noop, Noop, SelectiveAcknowledgement(first, others)]);
        }
        let mut tcp = self.user_header(1, field(ack.window.count(), self.window_shift));
        tcp.ack = true;
        tcp.acknowledgment_number = wrapped(ack.number + 1);
        packet([self.user, self.server], tcp, options.all(), identification)
    }

    #[cold]
    fn syn(&self, now: Time, identification: u16) -> Header {
        let mut tcp = TcpHeader::new(self.server.port, self.user.port, 0, SERVER_WINDOW);
        tcp.syn = true;
        let options = self.syn_options(now, 0, 0);
        packet([self.server, self.user], tcp, options.all(), identification)
    }

    #[cold]
    fn syn_answer(&self, now: Time, window: u64, echo: Option<Time>, identification: u16) -> Header {
        // RFC 7323 §2.2: the window of a SYN is never scaled.
        let mut tcp = self.user_header(0, field(window, 0));
        (tcp.syn, tcp.ack, tcp.acknowledgment_number) = (true, true, 1);
        let options = self.syn_options(now, echo.map_or(0, milliseconds), self.window_shift);
        packet([self.user, self.server], tcp, options.all(), identification)
    }

    fn user_header(&self, number: u32, window: u16) -> TcpHeader {
        TcpHeader::new(self.user.port, self.server.port, number, window)
    }

    fn syn_options(&self, now: Time, echo_ms: u32, shift: u8) -> Options {
        let mut options = Options::NONE;
        // RFC 9293 §3.7.1: the option does not count what options take of a segment.
        let announced = self.mss.saturating_add(if self.timestamps { TIMESTAMP_BYTES } else { 0 });
        options.add([MaximumSegmentSize(announced)]);
        if self.sack {
            options.add([TcpOptionElement::SelectiveAcknowledgementPermitted]);
        }
        if self.timestamps {
            options.add([Timestamp(milliseconds(now), echo_ms)]);
        }
        if self.window_shift > 0 {
            options.add([Noop, WindowScale(shift)]);
        }
        options
    }
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
    Template::new(packet([source, destination], tcp, if timestamps { &options } else { &[] }, 0))
}

/// A segment without bytes.
fn packet(ends: [Endpoint; 2], mut tcp: TcpHeader, options: &[TcpOptionElement], identification: u16) -> Header {
    tcp.set_options(options).expect("the options of a connection fit");
    let length = tcp.header_len_u16();
    let sum = pseudo_header(ends[0], ends[1], IpNumber::TCP, length).add_slice(&tcp.to_bytes());
    tcp.checksum = sum.ones_complement().to_be();
    let ip = ip(ends[0], ends[1], IpNumber::TCP, length, identification);
    Header::new([&ip.to_bytes(), &tcp.to_bytes()], 0)
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
    use airlink_model::types::{Bytes, Duration};
    use etherparse::PacketHeaders;

    use super::*;

    fn connection(timestamps: bool, window_shift: u8) -> Connection {
        let server = Endpoint { address: SERVER, port: SERVER_PORT };
        let user = Endpoint { address: user_address(UserId::new(300)), port: 50_007 };
        let (data, ack) = (template(server, user, timestamps), template(user, server, timestamps));
        Connection { server, user, mss: 1460, window_shift, timestamps, sack: true, data, ack }
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
        let tcp = checked(&connection.segment(late, &segment, 70_000), 1448);
        assert_eq!(tcp.sequence_number, (-699_i32) as u32);
        assert_eq!(options(&tcp)[2], TcpOptionElement::Timestamp(5, 0));
        let mut ack = Segment::ack(segment.end(), Bytes::new(65_535 << 14));
        ack.push_sack(sequence..sequence + 100);
        ack.echo = Stamp::at(late);
        let header = connection.ack(late, &ack, false, 0);
        let tcp = checked(&header, 0);
        assert_eq!((tcp.acknowledgment_number, tcp.window_size), (749, 65_535));
        let block = TcpOptionElement::SelectiveAcknowledgement(((-699_i32) as u32, (-599_i32) as u32), [None; 3]);
        assert_eq!(options(&tcp)[2..], [TcpOptionElement::Timestamp(5, 5), Noop, Noop, block]);
        let segment = Segment { echo: Stamp::at(late), ..segment };
        let tcp = checked(&connection.segment(late, &segment, 70_001), 1448);
        assert_eq!(options(&tcp)[2], TcpOptionElement::Timestamp(5, 5));
    }

    #[test]
    fn as_many_sack_blocks_fit_as_the_scenario_allows() {
        for (timestamps, blocks, length) in
            [(true, 3, 80), (false, 4, 76), (false, 1, 52), (false, 0, 40), (true, 0, 52)]
        {
            let mut ack = Segment::ack(1000, Bytes::new(65_535));
            (0..blocks).for_each(|block| ack.push_sack(2000 * block + 500..2000 * block + 1500));
            let header = connection(timestamps, 0).ack(Time::ZERO, &ack, false, 0);
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
        let [syn, answer, ack] = connection(true, 5).handshake(now, 2_000_000);
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
        let plain = connection(false, 0).handshake(now, 20_000);
        assert_eq!(checked(&plain[1], 0).window_size, 20_000);
    }

    #[test]
    fn a_retransmission_has_an_identification_of_its_own() {
        let connection = connection(false, 0);
        let segment = Segment { length: 10, ..Segment::default() };
        let found =
            [0, 1, 65_536].map(|number| connection.segment(Time::ZERO, &segment, number).bytes()[4..6].to_vec());
        assert_eq!(found, [vec![0, 2], vec![0, 3], vec![0, 2]]);
    }
}
