//! Which files are code that an interpreter runs.

use std::ffi::OsStr;
use std::path::Path;

const CODE_EXTENSIONS: &[&str] = &[
    "bash", "cjs", "ex", "exs", "jar", "js", "lua", "mjs", "mts", "php", "pl", "ps1", "py", "pyz",
    "rb", "sh", "ts", "zsh",
];

/// Reports whether the name of a file is that of code.
pub(crate) fn is_code(file: &Path) -> bool {
    let extension = file.extension().and_then(OsStr::to_str);
    extension.is_some_and(|extension| CODE_EXTENSIONS.contains(&extension))
}
