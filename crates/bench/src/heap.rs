//! How much of the heap a thread holds: a global allocator that counts, by thread, what it hands out and takes back.
//!
//! A simulation lives in one thread, so the difference before and after it was built or run is its own, whatever others
//! do. It leaves out the stack, the program itself, and what the system's allocator needs for its own books.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;

use airlink_sim::environment::Near;

/// The engine's allocator, which is the system's but for environments, with a count beside it.
struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

thread_local! {
    /// Bytes handed out less those taken back, wrapping: a block may come back in a thread that did not ask for it.
    static HELD: Cell<usize> = const { Cell::new(0) };
    /// Blocks handed out.
    static BLOCKS: Cell<u64> = const { Cell::new(0) };
}

/// What of the heap this thread holds.
#[derive(Clone, Copy, Debug)]
pub struct Heap {
    held: usize,
    blocks: u64,
}

impl Heap {
    /// As it is now.
    pub fn now() -> Self {
        Self { held: HELD.get(), blocks: BLOCKS.get() }
    }

    /// Bytes held more than at an `earlier` time, negative if there are fewer.
    pub fn bytes_since(self, earlier: Self) -> isize {
        self.held.wrapping_sub(earlier.held).cast_signed()
    }

    /// Blocks that were asked for since an `earlier` time.
    pub fn blocks_since(self, earlier: Self) -> u64 {
        self.blocks - earlier.blocks
    }
}

fn count(came: usize, went: usize) {
    HELD.set(HELD.get().wrapping_add(came).wrapping_sub(went));
    BLOCKS.set(BLOCKS.get() + u64::from(came > 0));
}

// SAFETY: every call goes to the engine's allocator as it came; counting asks for no memory, since the cells are constants
// without a destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: the caller keeps to the contract of `GlobalAlloc`, which is that of the engine's allocator.
        unsafe { Near.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: as above.
        unsafe { Near.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        count(bytes, layout.size());
        // SAFETY: as above.
        unsafe { Near.realloc(block, layout, bytes) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count(0, layout.size());
        // SAFETY: as above.
        unsafe { Near.dealloc(block, layout) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_is_counted_and_what_is_given_back_is_not() {
        let before = Heap::now();
        let mut held: Vec<u64> = Vec::with_capacity(100);
        assert_eq!((Heap::now().bytes_since(before), Heap::now().blocks_since(before)), (800, 1));
        held.reserve_exact(200);
        assert_eq!((Heap::now().bytes_since(before), Heap::now().blocks_since(before)), (1600, 2));
        drop(held);
        assert_eq!((Heap::now().bytes_since(before), Heap::now().blocks_since(before)), (0, 2));
    }

    #[test]
    fn other_threads_are_not_counted() {
        let before = Heap::now();
        let theirs = std::thread::spawn(|| {
            let before = Heap::now();
            let held = vec![0_u8; 1 << 20];
            (Heap::now().bytes_since(before), held.len())
        });
        assert_eq!(theirs.join().unwrap(), (1 << 20, 1 << 20));
        // The handle and what joins it are of this thread.
        assert!(Heap::now().bytes_since(before) < 1 << 12);
    }
}
