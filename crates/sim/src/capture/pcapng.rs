//! Blocks of a pcapng file (draft-ietf-opsawg-pcapng): one section, one interface, enhanced packet blocks.
//!
//! All numbers are little-endian, and every block is a multiple of four bytes long. Left out: several interfaces, name
//! resolution, interface statistics, secrets.

use airlink_model::types::Time;

use super::draft::Draft;
use super::remark::Remark;
use super::template::Header;

/// LINKTYPE_RAW: the packet begins with its IP header. Readers know it better than LINKTYPE_IPV4.
const LINK_TYPE: u16 = 101;
/// `if_tsresol`: time stamps count 10^-9 s.
const NANOSECONDS: u8 = 9;

const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const ENHANCED_PACKET: u32 = 6;
/// A type for local use: readers pass over blocks that they do not know.
const FILLER: u32 = 0x8000_0000;
/// Bytes of the longest comment: the field of its length has 16 bits.
const MOST_COMMENT: usize = u16::MAX as usize;
/// Where a block has its length for the first time.
const LENGTH: usize = 4;
/// Bytes of a block without a body.
pub(super) const LEAST_BLOCK: usize = 12;

const END_OF_OPTIONS: u16 = 0;
const COMMENT: u16 = 1;
const SHB_USERAPPL: u16 = 4;
const IF_NAME: u16 = 2;
const IF_TSRESOL: u16 = 9;
const EPB_FLAGS: u16 = 2;
const EPB_PACKETID: u16 = 5;

/// Which way a packet goes at a point, as `epb_flags` has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Inbound = 1,
    Outbound = 2,
}

/// A packet as it is seen at a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame<'a> {
    pub(super) time: Time,
    /// The same wherever the packet is seen.
    pub(super) id: u64,
    pub(super) direction: Direction,
    /// What is behind it are zeros.
    pub(super) header: &'a Header,
    pub(super) remark: Remark<'a>,
}

/// The block that opens a file: who wrote it, and of what.
pub(super) fn section_header(out: &mut Draft<'_>, application: &str, comment: &str) {
    block(out, SECTION_HEADER, |out| {
        out.put_word(0x1a2b_3c4d);
        out.put(&1_u16.to_le_bytes());
        out.put(&0_u16.to_le_bytes());
        // The section's length is not known yet.
        out.put(&u64::MAX.to_le_bytes());
        option(out, COMMENT, |out| out.put_slice(&comment.as_bytes()[..comment.len().min(MOST_COMMENT)]));
        option(out, SHB_USERAPPL, |out| out.put_slice(application.as_bytes()));
        option(out, END_OF_OPTIONS, |_| {});
    });
}

/// The block that tells what the packets of a file are; `most` bytes of each are stored, 0 for no limit.
pub(super) fn interface(out: &mut Draft<'_>, name: &str, most: u32) {
    block(out, INTERFACE, |out| {
        out.put(&LINK_TYPE.to_le_bytes());
        out.put(&0_u16.to_le_bytes());
        out.put(&most.to_le_bytes());
        option(out, IF_NAME, |out| out.put_slice(name.as_bytes()));
        option(out, IF_TSRESOL, |out| out.put(&[NANOSECONDS]));
        option(out, END_OF_OPTIONS, |_| {});
    });
}

/// The block of one packet, of which so many bytes are stored.
#[inline]
pub(super) fn packet(out: &mut Draft<'_>, frame: &Frame<'_>, stored: u32) {
    let nanoseconds = frame.time.as_nanos();
    // The block's length is put in at its end.
    let (upper, lower) = ((nanoseconds >> 32) as u32, nanoseconds as u32);
    out.put_words([ENHANCED_PACKET, 0, 0, upper, lower, stored, frame.header.whole()]);
    let stored = stored as usize;
    let shown = frame.header.len().min(stored);
    out.put_header(frame.header, shown);
    let zeros = stored.next_multiple_of(4) - shown;
    if zeros > 0 {
        out.put_zeros(zeros);
    }
    let id = frame.id;
    let (flags, packet_id) = (code(EPB_FLAGS, 4), code(EPB_PACKETID, 8));
    out.put_words([flags, frame.direction as u32, packet_id, id as u32, (id >> 32) as u32]);
    if !matches!(frame.remark, Remark::Nothing) {
        put_comment(out, &frame.remark);
    }
    let length = (out.len() + 8) as u32;
    out.put_words([code(END_OF_OPTIONS, 0), length]);
    out.set_word(LENGTH, length);
}

#[inline]
fn put_comment(out: &mut Draft<'_>, remark: &Remark<'_>) {
    let start = out.len();
    out.put_word(0);
    remark.put(out);
    let length = out.len() - start - 4;
    out.set_word(start, code(COMMENT, length as u16));
    out.pad(length);
}

/// An option's code and length as one word.
const fn code(code: u16, length: u16) -> u32 {
    code as u32 | (length as u32) << 16
}

/// A block of zeros that says nothing and is as long as `out`.
pub(super) fn filler(out: &mut [u8]) {
    let length = (out.len() as u32).to_le_bytes();
    let end = out.len() - 4;
    out.fill(0);
    out[..4].copy_from_slice(&FILLER.to_le_bytes());
    out[4..8].copy_from_slice(&length);
    out[end..].copy_from_slice(&length);
}

/// The length of the block that `bytes` begin with.
pub(super) fn block_length(bytes: &[u8]) -> Option<usize> {
    let length = bytes.get(4..8)?.try_into().ok()?;
    Some(u32::from_le_bytes(length) as usize)
}

/// A block's type and length, what `body` writes, and the length again.
fn block(out: &mut Draft<'_>, kind: u32, body: impl FnOnce(&mut Draft<'_>)) {
    out.put_word(kind);
    out.put_word(0);
    body(out);
    let length = (out.len() + 4) as u32;
    out.put_word(length);
    out.set_word(LENGTH, length);
}

/// An option's code and length, and what `value` writes.
fn option(out: &mut Draft<'_>, of: u16, value: impl FnOnce(&mut Draft<'_>)) {
    let start = out.len();
    out.put_word(0);
    value(out);
    let length = out.len() - start - 4;
    out.set_word(start, code(of, length as u16));
    out.pad(length);
}
