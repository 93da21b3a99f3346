//! A file that grows by whole blocks: whatever stops a run leaves a file that ends with one.
//!
//! A process that is killed within a write leaves what reached the file, and that ends with a page of memory. So every page
//! ends with a block, but where blocks are longer than pages; fillers that readers pass over see to it.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::draft::Draft;
use super::pcapng::{LEAST_BLOCK, block_length, filler};

/// Writes end at multiples of so many bytes of the file, where a block does: the system then keeps it in fewer, larger pieces.
const ENOUGH: usize = 1 << 17;
/// More than a block takes that is added, with a filler before it: it may hold a whole packet.
const MOST: usize = (1 << 16) + 2 * PAGE;
/// Bytes of the smallest page of memory: larger ones are multiples of it.
const PAGE: usize = 1 << 12;

/// Where bytes go, and what can be taken back.
pub(super) trait Sink: Write + Send {
    /// Keeps the first `bytes` bytes only.
    fn cut(&mut self, bytes: u64) -> io::Result<()>;
}

impl Sink for File {
    fn cut(&mut self, bytes: u64) -> io::Result<()> {
        self.set_len(bytes)
    }
}

/// A capture that could not be written on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureError {
    /// The system's number of the error; 0 if it has none.
    pub number: i32,
    /// The error in words.
    pub message: String,
    /// The file.
    pub path: PathBuf,
}

/// A file of blocks. After an error it takes nothing more.
pub(super) struct BlockFile {
    path: PathBuf,
    /// `None` after an error.
    sink: Option<Box<dyn Sink>>,
    /// Begins with whole blocks that are not written yet.
    room: Box<[u8]>,
    /// Bytes of these.
    gathered: usize,
    written: u64,
}

impl BlockFile {
    /// A new file, empty even if there was one.
    pub(super) fn create(path: &Path) -> Result<Self, CaptureError> {
        match File::create(path) {
            Ok(file) => Ok(Self::new(path, Box::new(file))),
            Err(error) => Err(CaptureError::new(&error, path)),
        }
    }

    fn new(path: &Path, sink: Box<dyn Sink>) -> Self {
        Self { path: path.to_owned(), sink: Some(sink), room: vec![0; ENOUGH + MOST].into(), gathered: 0, written: 0 }
    }

    /// Takes the block that `write` puts together; it reaches the file in good time.
    #[inline]
    pub(super) fn add(&mut self, write: impl FnOnce(&mut Draft<'_>)) -> Result<(), CaptureError> {
        let mut out = Draft::new(&mut self.room[self.gathered..]);
        write(&mut out);
        let length = out.len();
        let page = PAGE - (self.written as usize + self.gathered) % PAGE;
        if !fits(length, page) {
            self.begin_page(length, page);
        }
        let start = self.gathered;
        self.gathered += length;
        // The piece is full; a block that was too long for its page is not cut.
        let Some(beyond) = (self.written as usize % ENOUGH + self.gathered).checked_sub(ENOUGH) else { return Ok(()) };
        let end = self.gathered - beyond;
        self.write_first(if start < end { self.gathered } else { end })
    }

    /// Moves the last block, of `length` bytes, to the next page, after a filler of `rest` bytes, if there it does not cross a
    /// page's end.
    #[cold]
    fn begin_page(&mut self, length: usize, rest: usize) {
        if rest >= LEAST_BLOCK && fits(length, PAGE) {
            let start = self.gathered;
            self.room.copy_within(start..start + length, start + rest);
            filler(&mut self.room[start..start + rest]);
            self.gathered += rest;
        }
    }

    /// Writes what was gathered.
    pub(super) fn flush(&mut self) -> Result<(), CaptureError> {
        self.write_first(self.gathered)
    }

    /// Writes the first `bytes` bytes of what was gathered, whole blocks. A failure leaves those that got through, and ends the file.
    #[cold]
    fn write_first(&mut self, bytes: usize) -> Result<(), CaptureError> {
        let Some(sink) = &mut self.sink else {
            self.gathered = 0;
            return Ok(());
        };
        let (through, error) = write_all(sink.as_mut(), &self.room[..bytes]);
        let failure = error.map(|error| {
            // An error of the cut adds nothing: the first error is reported.
            let _ = sink.cut(self.written + whole_blocks(&self.room[..bytes], through) as u64);
            CaptureError::new(&error, &self.path)
        });
        self.written += through as u64;
        self.room.copy_within(bytes..self.gathered, 0);
        self.gathered -= bytes;
        match failure {
            None => Ok(()),
            Some(error) => {
                (self.sink, self.gathered) = (None, 0);
                Err(error)
            }
        }
    }
}

/// A run that is given up leaves what it has seen.
impl Drop for BlockFile {
    fn drop(&mut self) {
        let _ = self.flush();
    }
}

impl CaptureError {
    fn new(error: &io::Error, path: &Path) -> Self {
        Self { number: error.raw_os_error().unwrap_or(0), message: error.to_string(), path: path.to_owned() }
    }
}

/// Whether `length` bytes go into `room` and fill it or leave enough for another block.
const fn fits(length: usize, room: usize) -> bool {
    length == room || length + LEAST_BLOCK <= room
}

/// The bytes that got through, and what stopped the others.
fn write_all(sink: &mut dyn Sink, bytes: &[u8]) -> (usize, Option<io::Error>) {
    let mut through = 0;
    while through < bytes.len() {
        match sink.write(&bytes[through..]) {
            Ok(0) => return (through, Some(ErrorKind::WriteZero.into())),
            Ok(more) => through += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return (through, Some(error)),
        }
    }
    (through, None)
}

/// The length of the whole blocks among the first `limit` bytes of `blocks`.
fn whole_blocks(blocks: &[u8], limit: usize) -> usize {
    let mut end = 0;
    while let Some(length) = block_length(&blocks[end..]).filter(|length| end + length <= limit) {
        end += length;
    }
    end
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    /// A disk that takes so many bytes, some at a time.
    struct SmallDisk {
        bytes: Arc<Mutex<Vec<u8>>>,
        room: usize,
    }

    impl Write for SmallDisk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let mut stored = self.bytes.lock().expect("one thread");
            let taken = bytes.len().min(self.room - stored.len()).min(100);
            stored.extend_from_slice(&bytes[..taken]);
            if taken == 0 { Err(io::Error::from_raw_os_error(28)) } else { Ok(taken) }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Sink for SmallDisk {
        fn cut(&mut self, bytes: u64) -> io::Result<()> {
            self.bytes.lock().expect("one thread").truncate(bytes as usize);
            Ok(())
        }
    }

    fn block(out: &mut Draft<'_>, length: u32) {
        out.put_word(6);
        out.put_word(length);
        out.put_slice(&vec![1; length as usize - 8]);
    }

    #[test]
    fn a_disk_that_fills_up_keeps_the_whole_blocks_and_the_error_is_told_once() {
        for (room, kept) in [(0, 0), (47, 0), (48, 48), (200, 192), (959, 912)] {
            let bytes = Arc::new(Mutex::new(Vec::new()));
            let disk = SmallDisk { bytes: Arc::clone(&bytes), room };
            let mut file = BlockFile::new(Path::new("a"), Box::new(disk));
            for _ in 0..20 {
                file.add(|out| block(out, 48)).expect("nothing is written yet");
            }
            let error = file.flush().expect_err("960 bytes do not fit");
            assert_eq!((error.number, error.path.as_path()), (28, Path::new("a")));
            file.add(|out| block(out, 48)).expect("what comes later is thrown away");
            file.flush().expect("the error was told");
            drop(file);
            assert_eq!(bytes.lock().expect("one thread").len(), kept);
        }
    }

    #[test]
    fn blocks_are_written_when_there_are_enough_of_them() {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let disk = SmallDisk { bytes: Arc::clone(&bytes), room: usize::MAX };
        let mut file = BlockFile::new(Path::new("a"), Box::new(disk));
        let written = || bytes.lock().expect("one thread").len();
        for count in 1..=ENOUGH / 64 {
            file.add(|out| block(out, 64)).expect("there is room");
            assert_eq!(written(), if count == ENOUGH / 64 { ENOUGH } else { 0 });
        }
        file.add(|out| block(out, 64)).expect("there is room");
        drop(file);
        assert_eq!(written(), ENOUGH + 64);
    }

    #[test]
    fn writes_end_at_the_same_places_after_one_that_did_not_wait() {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let disk = SmallDisk { bytes: Arc::clone(&bytes), room: usize::MAX };
        let mut file = BlockFile::new(Path::new("a"), Box::new(disk));
        file.add(|out| block(out, 100)).expect("there is room");
        file.flush().expect("there is room");
        for _ in 0..2 * ENOUGH / 60 {
            file.add(|out| block(out, 60)).expect("there is room");
            let written = bytes.lock().expect("one thread").len();
            assert!(written == 100 || written.is_multiple_of(ENOUGH));
        }
        assert_eq!(bytes.lock().expect("one thread").len(), 2 * ENOUGH);
        // A block that crosses a page's end is not cut.
        file.add(|out| block(out, 60_000)).expect("there is room");
        file.add(|out| block(out, 60_000)).expect("there is room");
        file.add(|out| block(out, 60_000)).expect("there is room");
        let bytes = bytes.lock().expect("one thread");
        assert!(bytes.len() > 3 * ENOUGH && whole_blocks(&bytes, bytes.len()) == bytes.len());
    }

    #[test]
    fn every_page_ends_with_a_block() {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let disk = SmallDisk { bytes: Arc::clone(&bytes), room: usize::MAX };
        let mut file = BlockFile::new(Path::new("a"), Box::new(disk));
        for count in 0..5_000_u32 {
            // All multiples of four from 32 to 540, in an order that mixes them.
            file.add(|out| block(out, 32 + count * 29 % 128 * 4)).expect("there is room");
        }
        drop(file);
        let bytes = bytes.lock().expect("one thread");
        assert!(bytes.len() > 100 * PAGE);
        for end in (PAGE..=bytes.len()).step_by(PAGE) {
            assert_eq!(whole_blocks(&bytes, end), end);
        }
    }
}
