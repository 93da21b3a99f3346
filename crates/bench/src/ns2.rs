//! ns-2 on the same dumbbell, where it is installed: how many packets a second of CPU time it delivers.

use std::path::Path;
use std::process::{Command, Stdio};

/// Packets delivered in order by `flows` flows in `seconds`, and the CPU seconds that took; none without `ns`.
pub fn dumbbell(flows: usize, seconds: f64) -> Option<(f64, u64)> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("workloads/dumbbell.tcl");
    let start = children_cpu_s();
    let answer = Command::new("ns")
        .arg(script)
        .arg(flows.to_string())
        .arg(seconds.to_string())
        .stderr(Stdio::null())
        .output()
        .ok()
        .filter(|answer| answer.status.success())?;
    let packets = String::from_utf8(answer.stdout).ok()?.trim().parse().ok()?;
    Some((children_cpu_s() - start, packets))
}

/// CPU seconds of the child processes that have ended.
fn children_cpu_s() -> f64 {
    // SAFETY: all of it is numbers, of which zero is one.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` is a valid rusage that outlives the call.
    let failed = unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage) };
    assert_eq!(failed, 0, "the CPU time of children can be read");
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 * 1e-6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}
