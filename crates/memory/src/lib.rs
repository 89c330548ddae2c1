//! Where the programs and the Python module take their memory from.
//!
//! With many flows what a simulation touches lies in thousands of pages of 4 KiB, of which a
//! processor cannot remember where all are. On Linux `jemalloc` asks the system for large pages
//! wherever it takes memory (`madvise`), which the C library does only where a variable of the
//! environment says so; a system on which `/sys/kernel/mm/transparent_hugepage/enabled` says
//! `never` gives none. What that is worth stands in `benchmarks/README.md`. Elsewhere, and
//! without the feature `jemalloc`, memory is the system's.

#[cfg(all(target_os = "linux", feature = "jemalloc"))]
pub use tikv_jemallocator::Jemalloc as Allocator;

#[cfg(not(all(target_os = "linux", feature = "jemalloc")))]
pub use std::alloc::System as Allocator;

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
