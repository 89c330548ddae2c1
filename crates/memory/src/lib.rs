//! Where the programs and the Python module take their memory from.
//!
//! With many flows what a simulation touches lies in thousands of pages of 4 KiB, of which a
//! processor cannot remember where all are. On Linux `jemalloc` asks the system for large pages
//! wherever it takes memory (`madvise`), which the C library does only where a variable of the
//! environment says so; a system on which `/sys/kernel/mm/transparent_hugepage/enabled` says
//! `never` gives none. From 4 MiB on a piece comes from the system itself and grows without being
//! copied ([`Large`]). What both are worth stands in `benchmarks/README.md`. Elsewhere, and without
//! the feature `jemalloc`, memory is the C library's.

#[cfg(target_os = "linux")]
mod large;

#[cfg(target_os = "linux")]
pub use large::Large;

/// The allocator of all programs.
#[cfg(all(target_os = "linux", feature = "jemalloc"))]
pub type Allocator = Large<tikv_jemallocator::Jemalloc>;
/// The allocator of all programs.
#[cfg(all(target_os = "linux", feature = "jemalloc"))]
pub const ALLOCATOR: Allocator = Large(tikv_jemallocator::Jemalloc);

/// The allocator of all programs.
#[cfg(not(all(target_os = "linux", feature = "jemalloc")))]
pub type Allocator = std::alloc::System;
/// The allocator of all programs.
#[cfg(not(all(target_os = "linux", feature = "jemalloc")))]
pub const ALLOCATOR: Allocator = std::alloc::System;

/// From how many bytes on a piece has pages of its own: what they cost the system, some
/// microseconds, is nothing beside filling as many.
const LARGE: usize = 4 << 20;

/// Whether a piece that grows or shrinks moves with its pages, so that there are never two of it.
pub fn moves_whole(from: usize, to: usize) -> bool {
    cfg!(all(target_os = "linux", feature = "jemalloc")) && from.min(to) >= LARGE
}

/// What jemalloc is told at its start: large pages for all of its memory.
///
/// It looks for a text by this name, and the first word of a slice points to its text.
#[cfg(all(target_os = "linux", feature = "jemalloc"))]
#[used]
// SAFETY: nothing else has that name: jemalloc declares it, weakly, for a program to define. It
// reads a pointer there, and from it on a text that ends with a zero: both live as long as the
// program, and nobody changes them.
#[allow(unsafe_code)]
#[unsafe(export_name = "_rjem_malloc_conf")]
pub static CONFIGURATION: &[u8] = b"thp:always\0";
