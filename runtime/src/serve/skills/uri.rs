//! `skill://NAME/PATH`: what may stand in a URI as it is, and what has to be encoded.

use std::fmt::Write as _;

const SCHEME: &str = "skill://";

/// Returns the URI of a skill's folder, without a slash at its end.
pub(super) fn root(name: &str) -> String {
    format!("{SCHEME}{}", encoded(name))
}

/// Returns the URI of what lies at a path below a skill's folder.
pub(super) fn below(root: &str, path: &str) -> String {
    format!("{root}/{}", encoded(path))
}

/// Encodes all but unreserved characters and slashes.
pub(super) fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// Takes a URI apart: the name as it is encoded, and the path, decoded, which is empty for the folder itself.
///
/// Only URIs that this server would write are taken: one in another spelling is none of its own.
pub(super) fn parts(uri: &str) -> Option<(&str, String)> {
    let rest = uri.strip_prefix(SCHEME)?;
    let (name, path) = rest.split_once('/').unwrap_or((rest, ""));
    let path = decoded(path)?;
    Some((name, path))
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16);
        let (high, low) = (digit()?, digit()?);
        bytes.push(u8::try_from(high << 4 | low).ok()?);
    }
    let decoded = String::from_utf8(bytes).ok()?;
    (encoded(&decoded) == text).then_some(decoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_is_read_as_it_is_written_and_in_no_other_spelling() {
        let uri = below(&root("pdf"), "a b/ü.md");
        assert_eq!(uri, "skill://pdf/a%20b/%C3%BC.md");
        assert_eq!(parts(&uri), Some(("pdf", "a b/ü.md".into())));
        assert_eq!(parts("skill://pdf"), Some(("pdf", String::new())));
        for other in [
            "skill://pdf/a b",
            "skill://pdf/%61",
            "skill://pdf/a%2fb",
            "skill://pdf/a%2",
            "skill://pdf/%FF",
            "file:///etc/passwd",
        ] {
            assert_eq!(parts(other), None, "{other}");
        }
    }
}
