//! The inverse square root of the kernel's `CoDel` and COBALT: Newton's method in integers.

/// One step from `root` towards 1/sqrt(count), both in units of 2^-32.
#[inline]
pub fn newton_step(root: u32, count: u64) -> u32 {
    let x = u64::from(root);
    let square = (x * x) >> 32;
    let value = (3_u64 << 32).wrapping_sub(count.wrapping_mul(square)) >> 2;
    (value.wrapping_mul(x) >> 31) as u32
}
