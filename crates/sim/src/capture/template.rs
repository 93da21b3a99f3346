//! Headers of which a few fields change from packet to packet: the rest is written once, and checksums are carried on.
//!
//! A checksum HC is updated for a word that changes from m to m' as HC' = ~(~HC + ~m + m') (RFC 1624 eq. 3). The words that
//! change are 0 in a template, and lengths grow by those of the payload, so m' or the growth is all that is added.

use airlink_model::types::Ecn;

/// Most bytes of IPv4 and TCP headers, options included.
pub(super) const MOST_BYTES: usize = 20 + 60;

const IP_SERVICE: usize = 1;
const IP_LENGTH: usize = 2;
const IP_IDENTIFICATION: usize = 4;
const IP_CHECKSUM: usize = 10;
const TCP_NUMBER: usize = 24;
const TCP_ACKNOWLEDGMENT: usize = 28;
const TCP_WINDOW: usize = 34;
const TCP_CHECKSUM: usize = 36;
/// Behind two bytes of padding, the option's kind and its length (RFC 7323 appendix A).
const TCP_TIMES: usize = 44;

/// The headers of a packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    bytes: [u8; MOST_BYTES],
    length: u8,
    /// Bytes of the whole packet.
    whole: u16,
}

/// Headers of TCP in which everything that [`Fields`] tells is 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Template(Header);

/// What changes from packet to packet.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Fields {
    pub(super) identification: u16,
    pub(super) number: u32,
    pub(super) acknowledgment: u32,
    pub(super) window: u16,
    /// TSval and TSecr, if the template has the option; it stands first then.
    pub(super) times: Option<(u32, u32)>,
    pub(super) payload: u16,
}

impl Header {
    /// Headers of `parts`, one behind the other, before `payload` bytes.
    pub(super) fn new(parts: [&[u8]; 2], payload: u16) -> Self {
        let mut bytes = [0; MOST_BYTES];
        let length = parts[0].len() + parts[1].len();
        bytes[..parts[0].len()].copy_from_slice(parts[0]);
        bytes[parts[0].len()..length].copy_from_slice(parts[1]);
        let whole = u16::try_from(length + usize::from(payload)).expect("a captured packet has at most 65535 bytes");
        Self { bytes, length: length as u8, whole }
    }

    /// The bytes.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }

    /// Writes the two bits of ECN (RFC 3168 §5). They become less, too: of two copies of a packet a queue may mark one alone.
    #[inline]
    pub(super) fn set_ecn(&mut self, ecn: Ecn) {
        let (before, after) = (self.bytes[IP_SERVICE] & 0b11, ecn as u8);
        if before != after {
            self.bytes[IP_SERVICE] ^= before ^ after;
            // What was written is taken off as its complement (RFC 1624 §3).
            update(&mut self.bytes, IP_CHECKSUM, u32::from(after) + u32::from(!u16::from(before)));
        }
    }

    /// The bytes, and zeros behind them.
    #[inline]
    pub(super) fn room(&self) -> &[u8; MOST_BYTES] {
        &self.bytes
    }

    /// How many bytes there are.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.length.into()
    }

    /// True if there is anything behind the headers.
    #[inline]
    pub(super) fn has_payload(&self) -> bool {
        self.whole > self.length.into()
    }

    /// Bytes of the whole packet.
    #[inline]
    pub(super) fn whole(&self) -> u32 {
        self.whole.into()
    }
}

impl Template {
    /// A template of headers in which the fields that change are 0.
    pub(super) fn new(header: Header) -> Self {
        Self(header)
    }

    /// The headers of a packet with `fields`.
    #[inline]
    pub(super) fn fill(&self, fields: &Fields) -> Header {
        let mut header = self.0;
        let whole = u32::from(header.whole) + u32::from(fields.payload);
        header.whole = u16::try_from(whole).expect("a captured packet has at most 65535 bytes");
        let bytes = &mut header.bytes;
        put(bytes, IP_LENGTH, header.whole.to_be_bytes());
        put(bytes, IP_IDENTIFICATION, fields.identification.to_be_bytes());
        update(bytes, IP_CHECKSUM, u32::from(fields.payload) + u32::from(fields.identification));
        put(bytes, TCP_NUMBER, fields.number.to_be_bytes());
        put(bytes, TCP_ACKNOWLEDGMENT, fields.acknowledgment.to_be_bytes());
        put(bytes, TCP_WINDOW, fields.window.to_be_bytes());
        let mut sum = u32::from(fields.payload) + u32::from(fields.window);
        sum += words(fields.number) + words(fields.acknowledgment);
        if let Some((value, echo)) = fields.times {
            put(bytes, TCP_TIMES, value.to_be_bytes());
            put(bytes, TCP_TIMES + 4, echo.to_be_bytes());
            sum += words(value) + words(echo);
        }
        update(bytes, TCP_CHECKSUM, sum);
        header
    }
}

#[inline]
fn put<const N: usize>(bytes: &mut [u8; MOST_BYTES], at: usize, value: [u8; N]) {
    bytes[at..at + N].copy_from_slice(&value);
}

/// The sum of a number's two words.
#[inline]
const fn words(number: u32) -> u32 {
    (number >> 16) + (number & 0xffff)
}

/// Updates the checksum at `at` for words of a sum below 2^31 that were 0, or for complements of those that are gone.
#[inline]
fn update(bytes: &mut [u8; MOST_BYTES], at: usize, sum: u32) {
    let before = u16::from_be_bytes([bytes[at], bytes[at + 1]]);
    let sum = words(words(sum + u32::from(!before)));
    put(bytes, at, (!(sum as u16)).to_be_bytes());
}
