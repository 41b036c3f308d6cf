//! Prefixes for the names of tools.

use std::hash::BuildHasher;

use crate::support::text::first_chars;

/// The maximum length of a name that every provider accepts.
const MAX_NAME_CHARS: usize = 64;

/// Joins a prefix and a name; a name that is too long ends in a hash of the full name.
pub(super) fn join(prefix: &str, name: &str) -> String {
    let whole = format!("{prefix}_{name}");
    if whole.len() <= MAX_NAME_CHARS {
        return whole;
    }
    let hash = foldhash::quality::FixedState::default().hash_one(&whole);
    let kept = first_chars(&whole, MAX_NAME_CHARS - 9);
    format!("{kept}_{:08x}", hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::join;

    #[test]
    fn long_names_keep_their_difference() {
        let long = "a".repeat(64);
        let (one, two) = (
            join("server", &format!("{long}1")),
            join("server", &format!("{long}2")),
        );
        assert_eq!(one.len(), 64);
        assert_ne!(one, two);
        assert_eq!(join("server", "list"), "server_list");
    }
}
