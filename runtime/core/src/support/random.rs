//! Random bytes of the operating system, for ids and keys.
//!
//! `std::hash::RandomState` is suitable for neither: it is seeded once per thread and incremented from there, so that
//! one value reveals the neighbouring values.

/// Returns random bytes.
///
/// # Panics
///
/// Panics if the operating system provides no randomness, as the hash maps of the standard library do: an id or a key
/// that can be guessed must not be used.
pub fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    if let Err(error) = getrandom::fill(&mut bytes) {
        panic!("the operating system gives no random bytes: {error}");
    }
    bytes
}

/// Returns `N` random bytes as hexadecimal digits, two a byte.
pub fn hex<const N: usize>() -> String {
    super::hex::encode(&bytes::<N>())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn values_have_the_length_asked_for_and_differ() {
        let values: HashSet<String> = (0..1_000).map(|_| hex::<8>()).collect();
        assert_eq!(values.len(), 1_000);
        assert!(values.iter().all(|value| value.len() == 16));
        assert!(
            values
                .iter()
                .flat_map(|value| value.bytes())
                .all(|byte| byte.is_ascii_hexdigit())
        );
    }
}
