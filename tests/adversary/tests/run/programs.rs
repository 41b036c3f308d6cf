//! The user's programs that need not be installed.

use std::env;
use std::sync::OnceLock;

pub(crate) const VIM: &str = "vim";
pub(crate) const DIRENV: &str = "direnv";
pub(crate) const PRE_COMMIT: &str = "pre-commit";
pub(crate) const HUSKY: &str = "husky";

const ALL: [&str; 4] = [VIM, DIRENV, PRE_COMMIT, HUSKY];

/// Reports whether one of the programs is installed.
pub(crate) fn has(program: &str) -> bool {
    static INSTALLED: OnceLock<Vec<&'static str>> = OnceLock::new();
    let installed = INSTALLED.get_or_init(|| {
        let path = env::var_os("PATH").unwrap_or_default();
        let is_there =
            |program: &&str| env::split_paths(&path).any(|folder| folder.join(program).is_file());
        ALL.into_iter().filter(is_there).collect()
    });
    installed.contains(&program)
}

/// Says in one line which programs are not used.
pub(crate) fn left_out() -> String {
    let missing: Vec<&str> = ALL.into_iter().filter(|program| !has(program)).collect();
    match missing.is_empty() {
        true => "none".to_owned(),
        false => {
            let text = missing.join(", ");
            // Its hooks are files, which it writes when it is set up.
            text.replace(HUSKY, "husky (its files are laid out as version 9 does)")
        }
    }
}
