//! Memory of environments: their small blocks lie close together in large pages of the system's.
//!
//! A step of many environments reads a little of each. Spread over the heap, that is on more pages than a core finds without asking
//! the page table, which costs more than the slot. A thread that steps environments therefore takes small blocks from a range of
//! its own, for which the system is asked for pages of 2 MiB; each shard has a heap there. A program has it so if it names [`Near`] as
//! its global allocator; whatever the system refuses, and all that is large, comes from the system's allocator as ever.
//!
//! It leaves out: to give memory back to the system. What is free is used again by the next episode.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, Once, TryLockError};

/// Addresses of the range: some two thousand environments of 16 users.
const RANGE: usize = 1 << 30;
const PAGE: usize = 1 << 21;
/// Blocks begin on a line of the cache, so that no two threads write to one.
const LINE: usize = 64;
/// What is larger comes from the system's allocator.
const LARGEST: usize = 1 << 15;
/// Sizes of blocks: multiples of a line up to 16 of them, then four for each doubling.
const SIZES: usize = 16 + 4 * 5;
/// Fewer than 256.
const HEAPS: usize = 16;
/// How often a heap is asked for that another thread holds: a process that was forked meanwhile would wait forever.
const PATIENCE: u32 = 1000;

/// A global allocator: of the system, but for what environments hold.
#[derive(Clone, Copy, Debug)]
pub struct Near;

/// Where the range begins; 0 without one.
static FIRST: AtomicUsize = AtomicUsize::new(0);
/// Pages of it that have been handed out.
static PAGES: AtomicUsize = AtomicUsize::new(0);
/// By page: the heap that has it.
static OWNERS: [AtomicU8; RANGE / PAGE] = [const { AtomicU8::new(0) }; RANGE / PAGE];
static BLOCKS: [Mutex<Heap>; HEAPS] = [const { Mutex::new(Heap { free: [0; SIZES], at: 0, end: 0 }) }; HEAPS];

thread_local! {
    /// The heap that this thread takes small blocks from; `HEAPS` for none.
    static CHOSEN: Cell<usize> = const { Cell::new(HEAPS) };
}

/// Addresses of free blocks.
struct Heap {
    /// By size: the first of them, each of which holds the address of the next; 0 for none.
    free: [usize; SIZES],
    /// What of its latest page was never used.
    at: usize,
    end: usize,
}

impl Heap {
    /// A block of this size; none if the range is used up.
    fn take(&mut self, heap: usize, size: usize) -> Option<*mut u8> {
        let free = self.free[size];
        if free != 0 {
            let block = ptr::with_exposed_provenance_mut::<u8>(free);
            // SAFETY: a free block is within the range, nobody else's, on a line, and was given the next one's address.
            self.free[size] = unsafe { block.cast::<usize>().read() };
            return Some(block);
        }
        if self.at + bytes_of(size) > self.end {
            let page = PAGES.fetch_add(1, Ordering::Relaxed);
            // It counts on where nothing is left, which takes ages to come round.
            OWNERS.get(page)?.store(heap as u8, Ordering::Relaxed);
            self.at = FIRST.load(Ordering::Relaxed) + page * PAGE;
            self.end = self.at + PAGE;
        }
        let block = ptr::with_exposed_provenance_mut(self.at);
        self.at += bytes_of(size);
        Some(block)
    }

    fn give_back(&mut self, size: usize, block: *mut u8) {
        // SAFETY: the block came from `take` with this size, is on a line and nobody's any more.
        unsafe { block.cast::<usize>().write(self.free[size]) };
        self.free[size] = block.expose_provenance();
    }
}

/// Does what a shard has to do, with the shard's heap chosen.
pub(super) fn within<T>(shard: usize, work: impl FnOnce() -> T) -> T {
    let _before = Before(CHOSEN.replace(shard % HEAPS));
    work()
}

/// The choice that comes back at the end, a panic's too.
struct Before(usize);

impl Drop for Before {
    fn drop(&mut self) {
        CHOSEN.set(self.0);
    }
}

/// Asks the system for the range, once.
pub(super) fn reserve() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| FIRST.store(range().unwrap_or(0), Ordering::Relaxed));
}

#[cfg(target_os = "linux")]
fn range() -> Option<usize> {
    // All of the range would count, whatever is used of it.
    let has_limit = [libc::RLIMIT_AS, libc::RLIMIT_DATA].into_iter().any(|of| {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: it is written there.
        let is_known = unsafe { libc::getrlimit(of, &raw mut limit) } == 0;
        !is_known || limit.rlim_cur != libc::RLIM_INFINITY
    });
    if has_limit {
        return None;
    }
    let (access, flags) =
        (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE);
    // SAFETY: new addresses, which nothing else has; advice changes nothing that can be read there.
    let first = unsafe { libc::mmap(ptr::null_mut(), RANGE + PAGE, access, flags, -1, 0) };
    if first == libc::MAP_FAILED {
        return None;
    }
    let first = first.expose_provenance().next_multiple_of(PAGE);
    // SAFETY: as above. A system without large pages refuses, and small ones do.
    unsafe { libc::madvise(ptr::with_exposed_provenance_mut(first), RANGE, libc::MADV_HUGEPAGE) };
    Some(first)
}

#[cfg(not(target_os = "linux"))]
fn range() -> Option<usize> {
    None
}

/// The number of the size of blocks that hold this; none for what is large or empty.
fn size_for(layout: Layout) -> Option<usize> {
    let bytes = layout.size();
    if bytes == 0 || bytes > LARGEST || layout.align() > LINE {
        return None;
    }
    let lines = bytes.div_ceil(LINE);
    if lines <= 16 {
        return Some(lines - 1);
    }
    // Above 16 lines: the doubling, and the quarter of it.
    let doubling = (lines - 1).ilog2() as usize;
    Some(16 + 4 * (doubling - 4) + ((lines - 1) >> (doubling - 2)) - 4)
}

/// The bytes of blocks of this size.
const fn bytes_of(size: usize) -> usize {
    if size < 16 {
        return LINE * (size + 1);
    }
    let (doubling, quarter) = ((size - 16) / 4 + 4, (size - 16) % 4);
    (LINE * (5 + quarter)) << (doubling - 2)
}

/// The page of the range that holds this address.
fn page_of(block: *const u8) -> Option<usize> {
    let first = FIRST.load(Ordering::Relaxed);
    let offset = block.addr().wrapping_sub(first);
    (first != 0 && offset < RANGE).then_some(offset / PAGE)
}

fn heap(number: usize) -> Option<MutexGuard<'static, Heap>> {
    for _ in 0..PATIENCE {
        match BLOCKS[number].try_lock() {
            Ok(heap) => return Some(heap),
            Err(TryLockError::Poisoned(heap)) => return Some(heap.into_inner()),
            Err(TryLockError::WouldBlock) => std::thread::yield_now(),
        }
    }
    None
}

/// A block from the heap that this thread has chosen, if it has and there is one.
#[inline]
fn near(layout: Layout) -> Option<*mut u8> {
    let chosen = CHOSEN.get();
    if chosen == HEAPS || FIRST.load(Ordering::Relaxed) == 0 {
        return None;
    }
    let size = size_for(layout)?;
    heap(chosen)?.take(chosen, size)
}

// SAFETY: blocks of the range are handed out once until they come back, are as long as the layout says or longer, and begin on a line;
// all else goes to the system's allocator as it came. Nothing here asks for memory: cells are constants without a destructor.
unsafe impl GlobalAlloc for Near {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps to the contract of `GlobalAlloc`, which is that of the system's allocator.
        near(layout).unwrap_or_else(|| unsafe { System.alloc(layout) })
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match near(layout) {
            // SAFETY: the block is at least as long.
            Some(block) => unsafe {
                block.write_bytes(0, layout.size());
                block
            },
            // SAFETY: as above.
            None => unsafe { System.alloc_zeroed(layout) },
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        if page_of(block).is_none() {
            // SAFETY: the block is the system's.
            return unsafe { System.realloc(block, layout, bytes) };
        }
        // SAFETY: the caller makes sure that the alignment is one and the size, rounded up, no overflow.
        let longer = unsafe { Layout::from_size_align_unchecked(bytes, layout.align()) };
        if size_for(longer) == size_for(layout) {
            return block;
        }
        // SAFETY: a new block and the old one are apart, and both as long as what is copied.
        unsafe {
            let moved = self.alloc(longer);
            if !moved.is_null() {
                ptr::copy_nonoverlapping(block, moved, layout.size().min(bytes));
                self.dealloc(block, layout);
            }
            moved
        }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let Some(page) = page_of(block) else {
            // SAFETY: the block is the system's.
            return unsafe { System.dealloc(block, layout) };
        };
        let owner = usize::from(OWNERS[page].load(Ordering::Relaxed));
        // One whose heap stays out of reach is lost, which a forked process can bear.
        if let (Some(size), Some(mut heap)) = (size_for(layout), heap(owner)) {
            heap.give_back(size, block);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_holds_what_asks_for_it_and_the_one_below_does_not() {
        for bytes in 1..=LARGEST {
            let size = size_for(Layout::from_size_align(bytes, 8).expect("small")).expect("it is not large");
            assert!(
                size < SIZES && bytes_of(size) >= bytes && bytes_of(size).is_multiple_of(LINE),
                "{bytes} in {size}"
            );
            assert!(size == 0 || bytes_of(size - 1) < bytes, "{bytes} in {size}");
        }
        assert_eq!(bytes_of(SIZES - 1), LARGEST);
        let refused = [(0, 8), (LARGEST + 1, 8), (64, 128)];
        assert!(
            refused.iter().all(|&(bytes, align)| size_for(Layout::from_size_align(bytes, align).unwrap()).is_none())
        );
    }

    #[test]
    fn blocks_are_apart_keep_what_is_written_and_are_used_again() {
        reserve();
        let mut held: Vec<(*mut u8, Layout)> = Vec::new();
        let layouts =
            [1, 64, 65, 200, 1024, 1025, 5000, 32768].map(|bytes| Layout::from_size_align(bytes, 64).unwrap());
        for round in 0..100_usize {
            for (place, &layout) in layouts.iter().enumerate() {
                // SAFETY: layouts are not empty, blocks are written within them and come back once, with their layout.
                unsafe {
                    let block = within(1, || Near.alloc(layout));
                    assert_eq!(block.addr() % 64, 0);
                    assert!(page_of(block).is_some() || cfg!(not(target_os = "linux")));
                    block.write_bytes(place as u8, layout.size());
                    held.push((block, layout));
                }
            }
            if round % 3 == 2 {
                for (number, (block, layout)) in held.drain(..).enumerate() {
                    let place = (number % layouts.len()) as u8;
                    // SAFETY: as above.
                    unsafe {
                        assert!((0..layout.size()).all(|byte| block.add(byte).read() == place), "round {round}");
                        Near.dealloc(block, layout);
                    }
                }
            }
        }
        assert!(PAGES.load(Ordering::Relaxed) <= 2, "freed blocks are used again");
    }

    #[test]
    fn a_block_that_grows_and_moves_keeps_what_it_holds() {
        reserve();
        // SAFETY: as above.
        unsafe {
            let mut layout = Layout::from_size_align(10, 1).unwrap();
            let mut block = within(2, || Near.alloc_zeroed(layout));
            assert!((0..10).all(|byte| block.add(byte).read() == 0));
            block.write(7);
            for bytes in [60, 100, 30_000, 100_000, 40] {
                block = within(2, || Near.realloc(block, layout, bytes));
                layout = Layout::from_size_align(bytes, 1).unwrap();
                assert_eq!(block.read(), 7, "{bytes}");
            }
            Near.dealloc(block, layout);
        }
    }
}
