//! The user's programs that need not be installed.

use std::collections::BTreeMap;
use std::env;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

pub(crate) const VIM: &str = "vim";
pub(crate) const DIRENV: &str = "direnv";
pub(crate) const PRE_COMMIT: &str = "pre-commit";
pub(crate) const HUSKY: &str = "husky";

const ALL: [&str; 4] = [VIM, DIRENV, PRE_COMMIT, HUSKY];

/// Reports whether a program is installed.
pub(crate) fn is_installed(program: &str) -> bool {
    path_of(program).is_absolute()
}

/// Returns the path of a program, or its name where it is not installed.
pub(crate) fn path_of(program: &str) -> PathBuf {
    static FOUND: Mutex<BTreeMap<String, PathBuf>> = Mutex::new(BTreeMap::new());
    let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(path) = found.get(program) {
        return path.clone();
    }
    let folders = env::var_os("PATH").unwrap_or_default();
    let path = env::split_paths(&folders)
        .map(|folder| folder.join(program))
        .find(|path| path.is_file())
        .unwrap_or_else(|| program.into());
    found.insert(program.to_owned(), path.clone());
    path
}

/// Says in one line which programs are not used.
pub(crate) fn render_missing() -> String {
    let missing: Vec<&str> = ALL
        .into_iter()
        .filter(|program| !is_installed(program))
        .collect();
    if missing.is_empty() {
        return "none".to_owned();
    }
    // The hooks of husky are files, which it writes when it is set up.
    let husky = "husky (its files are laid out as version 9 does)";
    missing.join(", ").replace(HUSKY, husky)
}
