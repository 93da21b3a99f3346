//! Streams of finished runs: any number of threads, consumers that are slow or leave, and runs that fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use airlink_sim::batch::{Batch, Job, Prepared, Stream, Taken, stream};
use airlink_sim::{RecordKind, Replica};
use serde_json::json;

use super::case::Case;

/// Long enough for whatever is awaited, on a machine under load.
const PATIENCE: Duration = Duration::from_secs(60);

fn batch(cases: &[Case]) -> Batch {
    let prepared = |case: &Case| Prepared { scenario: case.scenario(), traces: case.traces().to_vec() };
    Batch::new(cases.iter().map(prepared).collect::<Vec<_>>())
}

/// A run that ends at once.
fn short() -> Case {
    Case::fixed_link().set("/duration_s", 1)
}

/// A run that takes hours.
fn endless() -> Case {
    Case::k3().set("/duration_s", 1e6).set("/flows/0/traffic", json!({ "kind": "greedy" }))
}

fn some_jobs(count: u32) -> impl ExactSizeIterator<Item = Job> + Send + 'static {
    (0..count).map(|seed| Job { scenario: 0, seed: seed.into() })
}

/// The replicas in the order of their jobs.
pub(crate) fn all(batch: Batch, jobs: Vec<Job>, threads: usize) -> Vec<Replica> {
    let mut found: Vec<_> = stream(batch, jobs.into_iter(), threads).expect("threads start").collect();
    found.sort_by_key(|(index, _)| *index);
    assert!(found.iter().map(|(index, _)| *index).eq(0..found.len()));
    found.into_iter().map(|(_, replica)| replica).collect()
}

fn next(stream: &mut Stream) -> Taken {
    let from = Instant::now();
    loop {
        match stream.wait(Duration::from_millis(10)) {
            Taken::Waiting if from.elapsed() < PATIENCE => (),
            taken => return taken,
        }
    }
}

#[test]
fn one_and_two_threads_give_the_same_bytes_by_job() {
    let cases = [Case::k3().set("/duration_s", 3), Case::fixed_link()];
    let jobs: Vec<Job> = (1..=6).map(|seed| Job { scenario: usize::from(seed % 3 == 0), seed }).collect();
    let digests = |threads: usize| -> Vec<String> {
        let batch = Batch { record: vec![RecordKind::Packets], ..batch(&cases) };
        all(batch, jobs.clone(), threads).iter().map(Replica::digest).collect()
    };
    let one = digests(1);
    assert_eq!((one.len(), &one), (jobs.len(), &digests(2)));
    assert_eq!(one[2], one[5], "the fixed link draws nothing but its seed differs");
    assert_ne!(one[0], one[1]);
}

#[test]
fn no_more_runs_begin_than_there_are_threads_and_places_for_what_is_finished() {
    for threads in [1, 3] {
        let begun = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&begun);
        let jobs = (0..1000).map(move |seed: u32| {
            counted.fetch_add(1, Ordering::SeqCst);
            Job { scenario: 0, seed: seed.into() }
        });
        let batch = Batch { room_bytes: 0, ..batch(&[short()]) };
        let mut stream = stream(batch, jobs, threads).expect("threads start");
        for taken in 0..3 {
            // All threads come to wait for room, and stay there.
            let from = Instant::now();
            while begun.load(Ordering::SeqCst) < taken + 2 * threads && from.elapsed() < PATIENCE {
                std::thread::yield_now();
            }
            std::thread::sleep(Duration::from_millis(50));
            assert_eq!(begun.load(Ordering::SeqCst), taken + 2 * threads, "{threads} threads, {taken} taken");
            assert!(matches!(next(&mut stream), Taken::Finished(..)));
        }
    }
}

#[test]
fn as_many_replicas_wait_as_there_is_room_for() {
    let bytes = airlink_sim::run(&short().scenario(), &[], 1, &[]).bytes();
    let begun = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&begun);
    let jobs = some_jobs(1000).inspect(move |_| {
        counted.fetch_add(1, Ordering::SeqCst);
    });
    let batch = Batch { room_bytes: 20 * bytes + 1, ..batch(&[short()]) };
    let _stream = stream(batch, jobs, 2).expect("threads start");
    let from = Instant::now();
    while begun.load(Ordering::SeqCst) < 22 && from.elapsed() < PATIENCE {
        std::thread::yield_now();
    }
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(begun.load(Ordering::SeqCst), 22, "20 wait, and each thread holds one");
}

#[test]
fn a_cancelled_stream_hands_out_what_is_finished_and_ends() {
    // On one thread jobs go in order: the first is short, the second would take hours.
    let jobs = [0, 1, 0].map(|scenario| Job { scenario, seed: 1 }).into_iter();
    let mut stream = stream(batch(&[short(), endless()]), jobs, 1).expect("threads start");
    assert!(matches!(next(&mut stream), Taken::Finished(0, _)));
    stream.ending().cancel();
    assert!(matches!(next(&mut stream), Taken::Ended));
    assert!(matches!(next(&mut stream), Taken::Ended), "it stays at its end");
    assert!(!stream.ending().is_out_of_memory());
}

#[test]
fn what_has_finished_can_be_taken_after_a_stream_is_cancelled() {
    let jobs = some_jobs(2);
    let mut stream = stream(batch(&[short()]), jobs, 2).expect("threads start");
    // Both runs end in so long a time, and nothing else can.
    std::thread::sleep(Duration::from_secs(1));
    stream.ending().cancel();
    assert_eq!(std::iter::from_fn(|| stream.next()).count(), 2);
}

#[test]
fn a_stream_that_is_dropped_ends_its_runs_in_a_fraction_of_a_second() {
    for threads in [1, 2] {
        let jobs = some_jobs(100);
        let stream = stream(batch(&[endless()]), jobs, threads).expect("threads start");
        std::thread::sleep(Duration::from_millis(100));
        let from = Instant::now();
        drop(stream);
        assert!(from.elapsed() < Duration::from_secs(2), "{:?}", from.elapsed());
    }
}

#[test]
fn threads_that_wait_for_room_are_free_when_a_stream_is_dropped() {
    let jobs = some_jobs(100);
    let stream = stream(batch(&[short()]), jobs, 2).expect("threads start");
    std::thread::sleep(Duration::from_millis(200));
    drop(stream);
}

#[test]
fn a_run_that_panics_fails_the_stream_and_ends_the_others() {
    // The first job names no scenario at all, the others would take hours.
    let jobs = [9, 0, 0].map(|scenario| Job { scenario, seed: 1 }).into_iter();
    let mut stream = stream(batch(&[endless()]), jobs, 2).expect("threads start");
    assert!(matches!(next(&mut stream), Taken::Failed));
    assert!(matches!(next(&mut stream), Taken::Ended));
}

#[test]
fn memory_that_runs_short_ends_the_stream_and_is_its_reason() {
    let jobs = some_jobs(10);
    let batch = Batch { is_memory_short: || true, ..batch(&[endless()]) };
    let mut stream = stream(batch, jobs, 2).expect("threads start");
    assert!(matches!(next(&mut stream), Taken::Ended));
    assert!(stream.ending().is_out_of_memory());
}
