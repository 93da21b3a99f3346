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
    pub(super) remark: Remark,
}

/// The block that opens a file: who wrote it, and of what.
pub(super) fn section_header(out: &mut Vec<u8>, application: &str, comment: &str) {
    block(out, SECTION_HEADER, |out| {
        out.extend_from_slice(&0x1a2b_3c4d_u32.to_le_bytes());
        out.extend_from_slice(&1_u16.to_le_bytes());
        out.extend_from_slice(&0_u16.to_le_bytes());
        // The section's length is not known yet.
        out.extend_from_slice(&u64::MAX.to_le_bytes());
        option(out, COMMENT, |out| out.extend_from_slice(comment.as_bytes()));
        option(out, SHB_USERAPPL, |out| out.extend_from_slice(application.as_bytes()));
        option(out, END_OF_OPTIONS, |_| {});
    });
}

/// The block that tells what the packets of a file are; `most` bytes of each are stored, 0 for no limit.
pub(super) fn interface(out: &mut Vec<u8>, name: &str, most: u32) {
    block(out, INTERFACE, |out| {
        out.extend_from_slice(&LINK_TYPE.to_le_bytes());
        out.extend_from_slice(&0_u16.to_le_bytes());
        out.extend_from_slice(&most.to_le_bytes());
        option(out, IF_NAME, |out| out.extend_from_slice(name.as_bytes()));
        option(out, IF_TSRESOL, |out| out.push(NANOSECONDS));
        option(out, END_OF_OPTIONS, |_| {});
    });
}

/// The block of one packet, of which so many bytes are stored.
#[inline]
pub(super) fn packet(out: &mut Vec<u8>, draft: &mut Draft, frame: &Frame<'_>, stored: u32) {
    let start = out.len();
    let nanoseconds = frame.time.as_nanos();
    draft.clear();
    // The block's length is put in at its end.
    for word in [ENHANCED_PACKET, 0, 0, (nanoseconds >> 32) as u32, nanoseconds as u32, stored, frame.header.whole()] {
        draft.put_word(word);
    }
    let stored = stored as usize;
    let shown = frame.header.len().min(stored);
    draft.put_header(frame.header, shown);
    let zeros = stored.next_multiple_of(4) - shown;
    if zeros > 0 {
        out.extend_from_slice(draft.bytes());
        out.resize(out.len() + zeros, 0);
        draft.clear();
    }
    let id = frame.id;
    for word in [code(EPB_FLAGS, 4), frame.direction as u32, code(EPB_PACKETID, 8), id as u32, (id >> 32) as u32] {
        draft.put_word(word);
    }
    if frame.remark != Remark::Nothing {
        put_comment(draft, &frame.remark);
    }
    draft.put_word(code(END_OF_OPTIONS, 0));
    let length = (out.len() - start + draft.len() + 4) as u32;
    draft.put_word(length);
    out.extend_from_slice(draft.bytes());
    out[start + 4..start + 8].copy_from_slice(&length.to_le_bytes());
}

#[inline]
fn put_comment(draft: &mut Draft, remark: &Remark) {
    let start = draft.len();
    draft.put_word(0);
    remark.put(draft);
    let length = draft.len() - start - 4;
    draft.set_word(start, code(COMMENT, length as u16));
    draft.pad(length);
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
#[inline]
fn block(out: &mut Vec<u8>, kind: u32, body: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend_from_slice(&kind.to_le_bytes());
    out.extend_from_slice(&[0; 4]);
    body(out);
    let length = ((out.len() - start + 4) as u32).to_le_bytes();
    out.extend_from_slice(&length);
    out[start + 4..start + 8].copy_from_slice(&length);
}

/// An option's code and length, and what `value` writes.
#[inline]
fn option(out: &mut Vec<u8>, code: u16, value: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend_from_slice(&code.to_le_bytes());
    out.extend_from_slice(&[0; 2]);
    value(out);
    let length = out.len() - start - 4;
    out[start + 2..start + 4].copy_from_slice(&(length as u16).to_le_bytes());
    pad(out, length);
}

/// Fills up to a multiple of four.
#[inline]
fn pad(out: &mut Vec<u8>, length: usize) {
    out.extend_from_slice(&[0; 3][..length.wrapping_neg() % 4]);
}
