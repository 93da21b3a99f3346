//! CPU time of this process, which other processes on the machine hardly change, and medians of it.

/// CPU seconds that this process has used.
pub fn process_cpu_s() -> f64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is a valid timespec that outlives the call.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut now) };
    assert_eq!(failed, 0, "the process's CPU clock can be read");
    now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
}

/// CPU seconds of `work`, and its result.
pub fn cpu_s_of<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = process_cpu_s();
    let result = work();
    (process_cpu_s() - start, result)
}

/// The middle value.
pub fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { 0.5 * (sorted[middle - 1] + sorted[middle]) }
}

/// The least value: the time without the disturbances of a shared machine, which only ever add.
pub fn least(samples: &[f64]) -> f64 {
    samples.iter().copied().fold(f64::INFINITY, f64::min)
}
