//! The four files of a run, which end together at the first error.

use super::pcapng::{self, Frame};
use super::{CaptureError, Captures};
use crate::capture::file::BlockFile;

/// Where packets are seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Point {
    Server,
    Queue,
    User,
    Drops,
}

impl Point {
    const ALL: [Self; 4] = [Self::Server, Self::Queue, Self::User, Self::Drops];

    const fn name(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Queue => "queue",
            Self::User => "user",
            Self::Drops => "drops",
        }
    }
}

/// The files.
pub(super) struct Points {
    /// By point; none after an error.
    files: Vec<BlockFile>,
    snap: Option<u32>,
    error: Option<CaptureError>,
}

impl Points {
    /// Files with their first blocks.
    pub(super) fn new(captures: &Captures, seed: u64, title: &str) -> Self {
        let mut points = Self { files: Vec::new(), snap: captures.snap, error: None };
        for point in Point::ALL {
            let path = captures.folder.join(format!("{}-{seed}.pcapng", point.name()));
            match BlockFile::create(&path).and_then(|file| opened(file, point, title, captures.snap.unwrap_or(0))) {
                Ok(file) => points.files.push(file),
                Err(error) => {
                    points.fail(error);
                    break;
                }
            }
        }
        points
    }

    /// Adds a packet to the file of `point`.
    #[inline]
    pub(super) fn add(&mut self, point: Point, frame: &Frame<'_>) {
        let stored = self.snap.map_or(frame.header.len() as u32, |most| most.min(frame.header.whole()));
        if let Some(file) = self.files.get_mut(point as usize)
            && let Err(error) = file.add(|out| pcapng::packet(out, frame, stored))
        {
            self.fail(error);
        }
    }

    /// Writes what is gathered.
    pub(super) fn flush(&mut self) {
        let failed = self.files.iter_mut().find_map(|file| file.flush().err());
        if let Some(error) = failed {
            self.fail(error);
        }
    }

    /// Ends all files, and tells the first error.
    pub(super) fn finish(mut self) -> Option<CaptureError> {
        self.flush();
        self.error
    }

    /// The other files get what they are due, if they can.
    #[cold]
    fn fail(&mut self, error: CaptureError) {
        self.error.get_or_insert(error);
        self.files.clear();
    }
}

/// A file is there with its first blocks before the run begins.
fn opened(mut file: BlockFile, point: Point, title: &str, most: u32) -> Result<BlockFile, CaptureError> {
    let application = concat!("airlink ", env!("CARGO_PKG_VERSION"));
    file.add(|out| pcapng::section_header(out, application, title))?;
    file.add(|out| pcapng::interface(out, point.name(), most))?;
    file.flush()?;
    Ok(file)
}
