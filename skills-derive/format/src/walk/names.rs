//! The rules about file names that are not portable.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;

use crate::codes;
use crate::problem::Finding;

/// The device names of Windows: files with these names, with any extension, cannot be created there.
const DEVICES: &[&str] = &["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];

/// The numbered device names of Windows.
const PORTS: &[&str] = &["COM", "LPT"];

/// Returns the finding of a name that Windows does not allow.
pub(super) fn reserved_name(name: &str) -> Option<Finding> {
    let stem = name.split('.').next().unwrap_or_default().trim_end();
    let upper = stem.to_uppercase();
    let is_port = PORTS.iter().any(|port| {
        let number = upper.strip_prefix(port);
        number.is_some_and(|number| {
            matches!(number.as_bytes(), [b'0'..=b'9']) || ["¹", "²", "³"].contains(&number)
        })
    });
    let reason = if DEVICES.contains(&upper.as_str()) || is_port {
        format!("`{stem}` is a device on Windows")
    } else if let Some(wrong) = name
        .chars()
        .find(|&c| c.is_control() || "<>:\"|?*\\".contains(c))
    {
        format!("Windows has no `{}` in names", wrong.escape_default())
    } else if name.ends_with(['.', ' ']) {
        "Windows has no names that end with a dot or a space".to_owned()
    } else {
        return None;
    };
    let finding = Finding::new(codes::RESERVED_NAME, reason);
    Some(finding.with_help("rename it: the name is not valid on every operating system"))
}

/// Finds paths that are equal if case and the Unicode normal form are ignored.
pub(super) fn collisions<'a>(
    paths: impl Iterator<Item = &'a str>,
) -> impl Iterator<Item = (&'a str, Finding)> {
    let mut seen: HashMap<String, &str> = HashMap::new();
    paths.filter_map(move |path| {
        let folded = match path.is_ascii() {
            true => path.to_ascii_lowercase(),
            false => path.nfkd().flat_map(char::to_lowercase).nfkd().collect(),
        };
        let first = *seen.entry(folded).or_insert(path);
        (first != path).then(|| {
            let message = format!("`{first}` and `{path}` are one where case does not count");
            let finding = Finding::new(codes::CASE_COLLISION, message);
            (path, finding.with_help("rename one of the two"))
        })
    })
}

/// Returns the finding of a name that is not UTF-8.
pub(super) fn not_utf8() -> Finding {
    Finding::new(codes::PATH_NOT_UTF8, "the name is not UTF-8").with_help("rename it")
}
