//! A few threads that do the same parts of a work again and again, the caller as one of them.
//!
//! Each part has a thread that takes it first, so that what it holds stays near that thread's core: to move it costs more than to wait a
//! little. A thread that has done its own and still waits then takes what another has not begun. Between two works threads look out for the
//! next one for a while, which is quicker than to be woken, and sleep after that. It leaves out: which core a thread runs on.

use std::mem;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};

/// How often a thread looks for work before it sleeps: about as long as a small policy needs between two steps.
const LOOKS: u32 = 2000;

/// How often a thread that has done its own parts looks whether the others are done before it takes one of theirs.
const PATIENCE: u32 = 200;

/// The number of the work that ends the threads.
const NO_MORE: usize = usize::MAX;

/// What is done with a part, by its number. It lives until all parts are done.
struct Work<P>(*const (dyn Fn(usize, &mut P) + Sync));

impl<P> Clone for Work<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P> Copy for Work<P> {}

// SAFETY: what it points to may be called by several threads at once.
unsafe impl<P> Send for Work<P> {}

/// The threads and their parts.
pub(super) struct Crew<P> {
    shared: Arc<Shared<P>>,
    threads: Vec<JoinHandle<()>>,
}

struct Shared<P> {
    parts: Vec<Mutex<P>>,
    /// The current work.
    work: Mutex<Option<Work<P>>>,
    /// Parts that a thread takes first.
    own: usize,
    /// By part: the number of the latest work for which somebody took it.
    taken: Vec<AtomicUsize>,
    /// Parts of the current work that are done.
    done: AtomicUsize,
    /// The number of the current work.
    asked: AtomicUsize,
    sleepers: AtomicUsize,
    sleep: Mutex<()>,
    wake: Condvar,
}

impl<P: Send + 'static> Crew<P> {
    /// So many threads, the caller's included, for these parts. An error is the system's: it starts no more threads.
    pub(super) fn new(parts: Vec<P>, threads: usize) -> Result<Self, String> {
        let shared = Arc::new(Shared {
            own: parts.len().div_ceil(threads).max(1),
            taken: parts.iter().map(|_| AtomicUsize::new(0)).collect(),
            parts: parts.into_iter().map(Mutex::new).collect(),
            work: Mutex::new(None),
            done: AtomicUsize::new(0),
            asked: AtomicUsize::new(0),
            sleepers: AtomicUsize::new(0),
            sleep: Mutex::new(()),
            wake: Condvar::new(),
        });
        let mut crew = Self { shared, threads: Vec::new() };
        for place in 1..threads {
            let shared = Arc::clone(&crew.shared);
            let thread = Builder::new().name("airlink".to_owned()).spawn(move || shared.attend(place));
            crew.threads.push(thread.map_err(|error| format!("a thread can't be started: {error}"))?);
        }
        Ok(crew)
    }

    /// The parts, one after the other; nobody works on them between two works.
    pub(super) fn parts(&self) -> impl Iterator<Item = MutexGuard<'_, P>> {
        self.shared.parts.iter().map(of)
    }

    /// Does `work` once with each part and its number, and waits for it. A work that panics ends the process: others may be at it.
    pub(super) fn do_all(&mut self, work: &(dyn Fn(usize, &mut P) + Sync)) {
        let Shared { parts, done, asked, .. } = &*self.shared;
        done.store(0, Ordering::SeqCst);
        // SAFETY: only the lifetime changes. Nobody calls it without a part of this work, and all of these are done before this ends.
        let work = unsafe {
            mem::transmute::<*const (dyn Fn(usize, &mut P) + Sync + '_), *const (dyn Fn(usize, &mut P) + Sync)>(work)
        };
        *of(&self.shared.work) = Some(Work(work));
        let number = asked.load(Ordering::SeqCst) + 1;
        self.shared.ask(number);
        self.shared.work(0, number);
        let mut looks = 0;
        while done.load(Ordering::SeqCst) < parts.len() {
            looks += 1;
            if looks < LOOKS { std::hint::spin_loop() } else { std::thread::yield_now() }
        }
        *of(&self.shared.work) = None;
    }
}

impl<P> Drop for Crew<P> {
    fn drop(&mut self) {
        self.shared.ask(NO_MORE);
        for thread in self.threads.drain(..) {
            // It catches what fails in a part.
            let _ = thread.join();
        }
    }
}

impl<P> Shared<P> {
    fn ask(&self, number: usize) {
        self.asked.store(number, Ordering::SeqCst);
        // Whoever is about to sleep has said so before it looks at the number once more.
        if self.sleepers.load(Ordering::SeqCst) > 0 {
            drop(of(&self.sleep));
            self.wake.notify_all();
        }
    }

    /// Waits for a work of another number than `seen`.
    fn next_after(&self, seen: usize) -> usize {
        for _ in 0..LOOKS {
            let asked = self.asked.load(Ordering::SeqCst);
            if asked != seen {
                return asked;
            }
            std::hint::spin_loop();
        }
        let mut sleep = of(&self.sleep);
        self.sleepers.fetch_add(1, Ordering::SeqCst);
        while self.asked.load(Ordering::SeqCst) == seen {
            sleep = self.wake.wait(sleep).unwrap_or_else(PoisonError::into_inner);
        }
        self.sleepers.fetch_sub(1, Ordering::SeqCst);
        drop(sleep);
        self.asked.load(Ordering::SeqCst)
    }
}

impl<P: Send> Shared<P> {
    /// What the other threads do: work whenever something is asked for.
    fn attend(&self, thread: usize) {
        let mut seen = 0;
        loop {
            seen = self.next_after(seen);
            if seen == NO_MORE {
                return;
            }
            self.work(thread, seen);
        }
    }

    /// Takes parts until none is left, its own ones first.
    fn work(&self, thread: usize, number: usize) {
        let Some(Work(work)) = *of(&self.work) else { return };
        let (count, first) = (self.parts.len(), thread * self.own);
        for further in 0..count {
            if further == self.own && self.is_soon_done() {
                return;
            }
            let place = (first + further) % count;
            if self.taken[place].fetch_max(number, Ordering::SeqCst) < number {
                let unfinished = Unfinished;
                // SAFETY: this part of the work is not done, so whoever asked for it waits, and it lives. A later work comes when
                // none of this one's parts can be taken.
                unsafe { (*work)(place, &mut of(&self.parts[place])) };
                mem::forget(unfinished);
                self.done.fetch_add(1, Ordering::SeqCst);
            }
        }
    }

    /// Waits a little for the others; true if they are done.
    fn is_soon_done(&self) -> bool {
        for _ in 0..PATIENCE {
            if self.done.load(Ordering::SeqCst) == self.parts.len() {
                return true;
            }
            std::hint::spin_loop();
        }
        false
    }
}

/// A part that somebody is at, whose work must not be left.
struct Unfinished;

impl Drop for Unfinished {
    fn drop(&mut self) {
        // The second panic ends the process.
        panic!("a work must not panic");
    }
}

/// What a mutex holds, whatever became of who held it before.
fn of<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Under Miri (`make sanitize`) one takes a thousand times as long.
    const WORKS: usize = if cfg!(miri) { 15 } else { 500 };

    #[test]
    fn each_part_is_done_once_a_work_on_any_number_of_threads() {
        for (parts, threads) in [(1, 1), (3, 2), (8, 2), (5, 8), (7, 3)] {
            let mut crew = Crew::new(vec![0; parts], threads).expect("threads");
            for work in 1..=WORKS {
                // Each is seen by its number, in what only this work has.
                let seen: Vec<_> = (0..parts).map(|_| AtomicUsize::new(0)).collect();
                crew.do_all(&|place, count: &mut usize| {
                    *count += 1;
                    seen[place].fetch_add(*count, Ordering::SeqCst);
                });
                assert!(crew.parts().all(|count| *count == work), "{parts} parts on {threads} threads");
                assert!(seen.into_iter().all(|count| count.into_inner() == work));
                if work % (WORKS / 5) == 0 {
                    // Long enough for all to fall asleep.
                    std::thread::sleep(std::time::Duration::from_millis(2));
                }
            }
        }
    }
}
