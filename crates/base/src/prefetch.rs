//! Prefetching: asking for memory before it is needed.
//!
//! The processor waits for what is not in its fast caches when it is touched, unless it was asked
//! for before.

/// Bytes of a cache line.
const LINE: usize = 64;

/// Prefetches the cache line in which `value` begins.
#[inline(always)]
#[allow(clippy::inline_always)] // one instruction
pub fn prefetch<T: ?Sized>(value: &T) {
    prefetch_at(core::ptr::from_ref(value).cast());
}

#[inline(always)]
#[allow(unsafe_code, clippy::inline_always)]
fn prefetch_at(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch changes nothing but the caches and faults at no address. The
        // instruction is part of every x86-64 processor.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Prefetches what lies behind `value`, as the next of an array does.
#[inline(always)]
#[allow(clippy::inline_always)] // one instruction
pub fn prefetch_next<T>(value: &T) {
    prefetch_at(core::ptr::from_ref(value).wrapping_add(1).cast());
}

/// Prefetches all cache lines of `value`.
#[inline(always)]
#[allow(clippy::inline_always)] // one instruction for each
pub fn prefetch_all<T: ?Sized>(value: &T) {
    prefetch_bytes(core::ptr::from_ref(value).cast(), size_of_val(value));
}

/// Prefetches the cache lines of `value` before `end`, a part of it.
#[inline(always)]
#[allow(clippy::inline_always)] // one instruction for each
pub fn prefetch_until<T, U>(value: &T, end: &U) {
    let start = core::ptr::from_ref(value).cast::<u8>();
    let end = core::ptr::from_ref(end).cast::<u8>();
    prefetch_bytes(start, end.addr() - start.addr());
}

/// Prefetches the cache lines of so many bytes. They may begin anywhere in the first line, so that
/// the last byte may lie in one line more. Where the compiler knows how many bytes there are, there
/// is no loop.
#[inline(always)]
#[allow(clippy::inline_always)] // one instruction for each line
fn prefetch_bytes(start: *const u8, bytes: usize) {
    for line in 0..bytes.div_ceil(LINE) {
        prefetch_at(start.wrapping_add(line * LINE));
    }
    prefetch_at(start.wrapping_add(bytes.saturating_sub(1)));
}
