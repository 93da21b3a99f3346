//! Whether loops over a row of subchannels may use 256-bit registers. Both ways give the same bits (tested where they are used).

/// Whether the CPU has them.
pub(super) fn has_wide_registers() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    false
}
