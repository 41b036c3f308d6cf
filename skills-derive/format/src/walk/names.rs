//! Names that would not survive another system.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;

use crate::codes;
use crate::problem::Finding;

/// Devices of Windows: a file of that name, with any extension, cannot be made there.
const DEVICES: &[&str] = &["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];

/// Devices that are numbered.
const PORTS: &[&str] = &["COM", "LPT"];

/// Finds what Windows refuses in the name of a file or folder.
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

/// Finds paths that are one where case and the normal form of Unicode do not count.
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

/// A name of bytes that are no text.
pub(super) fn not_utf8() -> Finding {
    Finding::new(codes::PATH_NOT_UTF8, "the name is not UTF-8").with_help("rename it")
}
