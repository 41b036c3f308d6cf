//! The paths that files of skills may have.

use unicode_normalization::is_nfc;

use crate::limits::{MAX_DEPTH, MAX_NAME_BYTES, MAX_PATH_BYTES};

/// Names that one of the systems treats as a device, whatever their extension.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// Checks a path of an archive or an index: relative, within its folder, and the same file on every system.
pub(crate) fn check_path(path: &str) -> Result<(), &'static str> {
    if path.len() > MAX_PATH_BYTES {
        return Err("the path is too long");
    }
    if path.starts_with('/') {
        return Err("the path is absolute");
    }
    if !is_nfc(path) {
        return Err("the path is not in the normal form NFC");
    }
    if path.split('/').count() > MAX_DEPTH {
        return Err("the folders are too deep");
    }
    path.split('/').try_for_each(check_name)
}

fn check_name(name: &str) -> Result<(), &'static str> {
    if matches!(name, "" | "." | "..") {
        return Err("the path leaves its folder");
    }
    if name.len() > MAX_NAME_BYTES {
        return Err("a name in the path is too long");
    }
    if name.contains(['\\', ':']) || name.chars().any(char::is_control) {
        return Err("the path has a character that not every system allows");
    }
    if helve_untrusted::strip_invisible(name).as_ref() != name {
        return Err("the path has characters that show nothing, or turn the direction of text");
    }
    if name.ends_with(['.', ' ']) || name.starts_with(' ') {
        return Err("a name in the path begins or ends with a space, or ends with a dot");
    }
    let stem = name.split('.').next().unwrap_or_default();
    let stem = stem.to_ascii_lowercase();
    let is_port = |text: &str| {
        let rest = text
            .strip_prefix("com")
            .or_else(|| text.strip_prefix("lpt"));
        rest.is_some_and(|rest| rest.len() == 1 && rest.as_bytes()[0].is_ascii_digit())
    };
    if DEVICES.contains(&stem.as_str()) || is_port(&stem) {
        return Err("the path names a device on some systems");
    }
    Ok(())
}
