//! Quotes text in a profile: a profile is a program, so no part of a path may be parsed as code.

use std::path::Path;

use crate::sandbox::SandboxError;

/// Quotes a path as a string of the profile language.
pub(super) fn quote_path(path: &Path) -> Result<String, SandboxError> {
    let refused = |why: &str| SandboxError::Unavailable {
        kind: "seatbelt".to_owned(),
        why: format!("the path `{}` {why}", path.display()),
    };
    let Some(text) = path.to_str() else {
        return Err(refused("is not UTF-8; rename the folder"));
    };
    if !path.is_absolute() {
        return Err(refused("is not absolute; give the whole path"));
    }
    if text.chars().any(char::is_control) {
        return Err(refused("has a control character; rename the folder"));
    }
    // A rule with the path `/a/` matches nothing.
    let trimmed = text.trim_end_matches('/');
    Ok(quote_string(if trimmed.is_empty() { "/" } else { trimmed }))
}

pub(super) fn quote_string(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', r"\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::quote_path;

    #[test]
    fn a_path_cannot_end_its_string() {
        let quoted = quote_path(Path::new(r#"/a")(allow default)("\"#)).expect("a string");
        assert_eq!(quoted, r#""/a\")(allow default)(\"\\""#);
        assert_eq!(
            quote_path(Path::new("/a b/")).expect("a string"),
            r#""/a b""#
        );
        for refused in ["relative", "/a\nb", "/a\0", ""] {
            assert!(quote_path(Path::new(refused)).is_err(), "{refused:?}");
        }
    }
}
