//! The URIs of skills: `skill://NAME/PATH`, percent-encoded.

use std::fmt::Write as _;

const SCHEME: &str = "skill://";

/// Returns the URI of a skill's folder, without a trailing slash.
pub(super) fn root(name: &str) -> String {
    format!("{SCHEME}{}", encode(name))
}

/// Returns the URI of a path in a skill's folder.
pub(super) fn join(root: &str, path: &str) -> String {
    format!("{root}/{}", encode(path))
}

/// Percent-encodes a text, except for unreserved characters and slashes.
pub(super) fn encode(text: &str) -> String {
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

/// Parses a URI to the encoded name and the decoded path, which is empty for the folder itself.
///
/// Returns `None` for a URI in another spelling than the one of this module, so that each file has one URI.
pub(super) fn parse(uri: &str) -> Option<(&str, String)> {
    let rest = uri.strip_prefix(SCHEME)?;
    let (name, path) = rest.split_once('/').unwrap_or((rest, ""));
    let path = decode(path)?;
    Some((name, path))
}

fn decode(text: &str) -> Option<String> {
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
    (encode(&decoded) == text).then_some(decoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_is_parsed_in_its_own_spelling_only() {
        let uri = join(&root("pdf"), "a b/ü.md");
        assert_eq!(uri, "skill://pdf/a%20b/%C3%BC.md");
        assert_eq!(parse(&uri), Some(("pdf", "a b/ü.md".into())));
        assert_eq!(parse("skill://pdf"), Some(("pdf", String::new())));
        for other in [
            "skill://pdf/a b",
            "skill://pdf/%61",
            "skill://pdf/a%2fb",
            "skill://pdf/a%2",
            "skill://pdf/%FF",
            "file:///etc/passwd",
        ] {
            assert_eq!(parse(other), None, "{other}");
        }
    }
}
