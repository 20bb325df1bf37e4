//! FNV-1a with 32 bits, as Go's `hash/fnv` computes it.

/// The hash of `text`.
pub fn fnv1a_32(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
