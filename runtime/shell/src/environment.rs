//! Variables: which may be set before a command without changing what runs.

/// Sorted. They change how something is shown, or how much, and nothing else.
static HARMLESS: &[&str] = &[
    "CI",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLUMNS",
    "DEBIAN_FRONTEND",
    "FORCE_COLOR",
    "GO111MODULE",
    "GOARCH",
    "GOOS",
    "LANG",
    "LANGUAGE",
    "LINES",
    "NODE_ENV",
    "NO_COLOR",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONIOENCODING",
    "PYTHONUNBUFFERED",
    "PYTHONUTF8",
    "RAILS_ENV",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "TERM",
    "TZ",
];

/// Reports whether setting the variable cannot change what a command does.
pub(super) fn is_harmless(name: &str) -> bool {
    HARMLESS.binary_search(&name).is_ok()
        || name.starts_with("LC_") && name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')
}

/// Reports whether setting the variable alone, for what comes later in the same text, is harmless: it is a name of the
/// text's own, which no program reads.
pub(super) fn is_local(name: &str) -> bool {
    let is_own = name
        .bytes()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    is_harmless(name) || is_own && !name.ends_with("_proxy") && name.len() < 64 || is_short(name)
}

/// `F`, `X1`: too short to mean something to a program.
fn is_short(name: &str) -> bool {
    name.len() <= 2 && name.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// Reports whether the name of a variable says that it holds a secret.
pub(super) fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    [
        "TOKEN",
        "SECRET",
        "PASSWORD",
        "PASSWD",
        "API_KEY",
        "APIKEY",
        "PRIVATE_KEY",
        "ACCESS_KEY",
        "CREDENTIAL",
    ]
    .iter()
    .any(|part| name.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_programs_is_not_harmless() {
        assert!(HARMLESS.is_sorted());
        for name in [
            "PATH",
            "LD_PRELOAD",
            "GIT_PAGER",
            "PAGER",
            "IFS",
            "BASH_ENV",
            "GIT_SSH_COMMAND",
            "NODE_OPTIONS",
        ] {
            assert!(!is_harmless(name) && !is_local(name), "{name}");
        }
        assert!(is_harmless("RUST_LOG") && is_harmless("LC_ALL") && is_local("file"));
    }
}
