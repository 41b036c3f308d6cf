//! The names of servers' tools for models.

use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use helve_core::support::hex;
use helve_core::support::text::first_chars;

/// The longest name that all providers accept.
const LONGEST: usize = 64;

/// The greatest length of a server's own name of a tool in messages, in characters.
const MOST_SHOWN: usize = 128;

/// Returns the name of a tool for the model: `mcp__server__tool`.
///
/// A name that providers reject is mapped, and ends in a hash of the original pair, so that no name depends on the
/// other tools. A name whose server ends in `_` is mapped as well, because the end of the server's name would be
/// ambiguous.
pub(crate) fn tool_name(server: &str, tool: &str) -> Arc<str> {
    let is_legal =
        |character: &char| character.is_ascii_alphanumeric() || "_-".contains(*character);
    let length = "mcp____".len() + server.len() + tool.len();
    let fits = length <= LONGEST && server.chars().chain(tool.chars()).all(|one| is_legal(&one));
    if fits && !server.ends_with('_') {
        return format!("mcp__{server}__{tool}").into();
    }
    let hash = hash(server, tool);
    let parts = ["mcp__", server, "__", tool];
    let characters = parts.iter().flat_map(|part| part.chars());
    let mapped = characters.map(|one| if is_legal(&one) { one } else { '_' });
    let mut name: String = mapped.take(LONGEST - 1 - hash.len()).collect();
    name.push('_');
    name.push_str(&hash);
    name.into()
}

/// Hashes a pair to 8 hexadecimal digits, which are stable across versions.
fn hash(server: &str, tool: &str) -> String {
    let digest = Sha256::new()
        .chain_update(server)
        .chain_update([0])
        .chain_update(tool)
        .finalize();
    hex::encode(&digest[..4])
}

/// Returns a name of a server for display: truncated, and without characters that a terminal or a model could
/// interpret.
pub(crate) fn shown(name: &str) -> String {
    let cut = first_chars(name, MOST_SHOWN + 1);
    let defused = helve_untrusted::neutralize(cut);
    let visible = defused.chars().filter(|one| !one.is_control());
    let mut shown: String = visible.take(MOST_SHOWN).collect();
    if name.chars().nth(MOST_SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::{shown, tool_name};

    #[test]
    fn a_legal_name_stays_as_it_is() {
        assert_eq!(&*tool_name("fs", "read"), "mcp__fs__read");
        assert_eq!(&*tool_name("s_1", "__x"), "mcp__s_1____x");
        assert_eq!(&*tool_name("fs", ""), "mcp__fs__");
    }

    #[test]
    fn what_providers_refuse_is_mapped_and_keeps_its_difference() {
        assert_eq!(&*tool_name("fs", "a:b/c"), "mcp__fs__a_b_c_e1572215");
        assert_ne!(tool_name("fs", "a:b/c"), tool_name("fs", "a/b:c"));
        assert_ne!(tool_name("a.b", "c"), tool_name("a_b", "c"));
        assert_ne!(tool_name("a", "_b"), tool_name("a_", "b"));
        let long = "x".repeat(10_000);
        let (one, two) = (tool_name("fs", &long), tool_name("fs", &format!("{long}é")));
        assert_eq!((one.len(), two.len()), (64, 64));
        assert_ne!(one, two);
        let is_legal = |name: &str| {
            name.bytes()
                .all(|one| one.is_ascii_alphanumeric() || b"_-".contains(&one))
        };
        for name in [
            "ü",
            "\u{1b}[31m",
            "a b",
            "日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語",
        ] {
            assert!(is_legal(&tool_name("fs", name)), "{name}");
        }
    }

    #[test]
    fn a_name_that_is_shown_holds_no_control_characters() {
        assert_eq!(shown("a\u{1b}[31mb\u{7}\nc\u{202e}"), "abc");
        assert_eq!(shown(&"x".repeat(1_000)).chars().count(), 129);
    }
}
