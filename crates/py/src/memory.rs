//! How much memory this process may still take: of the machine, of its group of processes, of its own limit.

use std::fs::read_to_string;

use pyo3::prelude::*;

/// A run ends before less than this is left: the system would end the process, and with it what had finished.
const LEAST_LEFT: u64 = 256 << 20;

/// Address space that a run leaves alone, so that what had finished can be stored once there is no other.
pub(crate) fn reserve() -> Vec<u8> {
    let mut reserve = Vec::new();
    let mut sizes = [LEAST_LEFT as usize, LEAST_LEFT as usize / 4].into_iter();
    while sizes.next().is_some_and(|size| reserve.try_reserve_exact(size).is_err()) {}
    std::hint::black_box(reserve)
}

/// Bytes of memory that this process may still take; `None` where the system does not say.
#[pyfunction]
pub(crate) fn memory_left() -> Option<u64> {
    [of_machine(), of_group(), of_process()].into_iter().flatten().min()
}

/// True if memory is about to run out for all, this process among them.
pub(crate) fn is_short() -> bool {
    [of_machine(), of_group()].into_iter().flatten().any(|left| left < LEAST_LEFT)
}

fn of_machine() -> Option<u64> {
    let text = read_to_string("/proc/meminfo").ok()?;
    Some((number(&text, "MemAvailable:")? + number(&text, "SwapFree:")?) << 10)
}

/// What is cached counts as free.
fn of_group() -> Option<u64> {
    let groups = read_to_string("/proc/self/cgroup").ok()?;
    let name = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let folder = format!("/sys/fs/cgroup{name}");
    let read = |file: &str| read_to_string(format!("{folder}/{file}")).ok();
    let most: u64 = read("memory.max")?.trim().parse().ok()?;
    let used: u64 = read("memory.current")?.trim().parse().ok()?;
    let cached = read("memory.stat").and_then(|text| number(&text, "inactive_file "))?;
    Some(most.saturating_sub(used.saturating_sub(cached)))
}

/// `ulimit -v`.
fn of_process() -> Option<u64> {
    let limits = read_to_string("/proc/self/limits").ok()?;
    let most = number(&limits, "Max address space")?;
    let used = number(&read_to_string("/proc/self/status").ok()?, "VmSize:")? << 10;
    Some(most.saturating_sub(used))
}

/// The number behind a name.
fn number(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
}
