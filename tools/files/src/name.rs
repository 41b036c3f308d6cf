//! Renders names, sizes and counts for the model.

use std::path::{Path, PathBuf};

use helve::ToolContext;

/// Renders a path on one line: a file name may contain line breaks, which must not look like output of the tool.
pub(super) fn display_path(path: &Path) -> String {
    let mut out = String::new();
    for c in path.to_string_lossy().chars() {
        if c.is_control() {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

/// Resolves a path of a call: `~` is the home folder, as in the check of the call.
pub(super) fn resolve_path(cx: &ToolContext, path: &str) -> PathBuf {
    match (path.strip_prefix('~'), cx.home()) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
            PathBuf::from(format!("{}{rest}", home.display()))
        }
        _ => PathBuf::from(path),
    }
}

/// Renders a count with its noun: `1 line`, `3 lines`.
pub(super) fn count(number: usize, one: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        number => format!("{number} {one}s"),
    }
}

/// Renders a size in a suitable unit.
pub(super) fn size(bytes: u64) -> String {
    let mut value = bytes as f64;
    for unit in ["bytes", "kB", "MB", "GB"] {
        if value < 1000.0 {
            return match unit {
                "bytes" => format!("{bytes} bytes"),
                _ => format!("{value:.1} {unit}"),
            };
        }
        value /= 1000.0;
    }
    format!("{value:.1} TB")
}

/// Truncates text to `most` characters, with a note of the original length.
pub(super) fn truncate(text: &str, most: usize, total: u64) -> String {
    match text.char_indices().nth(most) {
        None if total <= most as u64 => text.to_owned(),
        end => {
            let end = end.map_or(text.len(), |(end, _)| end);
            format!("{}… [line cut: {most} of {total} characters]", &text[..end])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{display_path, size, truncate};

    #[test]
    fn names_stay_on_one_line() {
        assert_eq!(display_path("a\nb".as_ref()), r"a\nb");
    }

    #[test]
    fn sizes_are_short() {
        assert_eq!(size(999), "999 bytes");
        assert_eq!(size(10_000_000_000), "10.0 GB");
    }

    #[test]
    fn cuts_between_characters() {
        assert_eq!(truncate("äöü", 3, 3), "äöü");
        assert_eq!(truncate("äöü", 2, 3), "äö… [line cut: 2 of 3 characters]");
    }
}
