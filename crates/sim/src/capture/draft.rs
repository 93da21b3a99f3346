//! A block while it is put together, where it is going to be written from.

use super::template::{Header, MOST_BYTES};

/// Digits of the largest number.
const DIGITS: usize = 20;

/// Bytes that are filled from the front; what is behind those put in may be anything.
pub(super) struct Draft<'a> {
    bytes: &'a mut [u8],
    length: usize,
}

impl<'a> Draft<'a> {
    /// An empty one in `bytes`, which are some more than will be put in.
    #[inline]
    pub(super) fn new(bytes: &'a mut [u8]) -> Self {
        Self { bytes, length: 0 }
    }

    /// What was put in.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.length
    }

    #[inline]
    pub(super) fn put<const N: usize>(&mut self, bytes: &[u8; N]) {
        self.put_first(bytes, N);
    }

    /// Puts the first `length` of these bytes in. That all are copied makes it quicker; the next ones lie over the rest.
    #[inline]
    pub(super) fn put_first<const N: usize>(&mut self, bytes: &[u8; N], length: usize) {
        self.bytes[self.length..self.length + N].copy_from_slice(bytes);
        self.length += length;
    }

    pub(super) fn put_slice(&mut self, bytes: &[u8]) {
        self.bytes[self.length..self.length + bytes.len()].copy_from_slice(bytes);
        self.length += bytes.len();
    }

    /// Puts so many zeros in.
    pub(super) fn put_zeros(&mut self, count: usize) {
        self.bytes[self.length..self.length + count].fill(0);
        self.length += count;
    }

    /// Puts 32 bits in.
    #[inline]
    pub(super) fn put_word(&mut self, word: u32) {
        self.put(&word.to_le_bytes());
    }

    /// Puts these in, each of 32 bits.
    #[inline]
    pub(super) fn put_words<const N: usize>(&mut self, words: [u32; N]) {
        let room = &mut self.bytes[self.length..self.length + 4 * N];
        for (bytes, word) in room.chunks_exact_mut(4).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        self.length += 4 * N;
    }

    /// Writes 32 bits over those at `at`.
    #[inline]
    pub(super) fn set_word(&mut self, at: usize, word: u32) {
        self.bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
    }

    /// Puts the first `length` bytes of a packet's headers in.
    #[inline]
    pub(super) fn put_header(&mut self, header: &Header, length: usize) {
        let bytes: &[u8; MOST_BYTES] = header.room();
        self.put_first(bytes, length);
    }

    /// Fills up with zeros behind `length` bytes to a multiple of four.
    #[inline]
    pub(super) fn pad(&mut self, length: usize) {
        self.put_first(&[0; 4], length.wrapping_neg() % 4);
    }

    /// Puts a whole number in, in decimal digits.
    #[inline]
    pub(super) fn put_number(&mut self, mut value: u64) {
        if value < 10 {
            return self.put(&[b'0' + value as u8]);
        }
        // As many bytes behind the digits as there may be before them: what is copied has always the same length.
        let mut digits = [0; 2 * DIGITS];
        let mut first = DIGITS;
        // Two digits a step halve the divisions, each of which waits for the one before.
        while value >= 10 {
            first -= 2;
            digits[first..first + 2].copy_from_slice(&PAIRS[(value % 100) as usize]);
            value /= 100;
        }
        if value > 0 {
            first -= 1;
            digits[first] = b'0' + value as u8;
        }
        let shown: &[u8; DIGITS] = digits[first..first + DIGITS].try_into().expect("so many bytes");
        self.put_first(shown, DIGITS - first);
    }
}

/// The numbers 0 to 99 in two digits.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut value = 0;
    while value < 100 {
        pairs[value] = [b'0' + (value / 10) as u8, b'0' + (value % 10) as u8];
        value += 1;
    }
    pairs
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_full() {
        for value in [0, 1, 9, 10, 11, 99, 100, 101, 999, 1000, 65_535, 10_000_000, 123_456_789, u64::MAX] {
            let mut bytes = [1; 64];
            let mut draft = Draft::new(&mut bytes);
            draft.put_number(value);
            assert_eq!(draft.bytes(), value.to_string().as_bytes());
        }
    }

    #[test]
    fn padding_fills_up_to_a_multiple_of_four() {
        for length in 0..9 {
            let mut bytes = [1; 64];
            let mut draft = Draft::new(&mut bytes);
            draft.put_slice(&vec![7; length]);
            draft.pad(length);
            assert!(draft.len().is_multiple_of(4) && draft.len() - length < 4);
            assert!(draft.bytes()[length..].iter().all(|&byte| byte == 0));
        }
    }
}
