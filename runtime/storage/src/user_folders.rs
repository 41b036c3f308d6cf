//! The folders of a user, according to the XDG base directory specification.

use std::env;
use std::path::PathBuf;

/// Returns the configuration folder: `$XDG_CONFIG_HOME` or `~/.config`; `None` if there is no home folder.
pub fn config() -> Option<PathBuf> {
    folder("XDG_CONFIG_HOME", ".config")
}

/// Returns the data folder: `$XDG_DATA_HOME` or `~/.local/share`; `None` if there is no home folder.
pub fn data() -> Option<PathBuf> {
    folder("XDG_DATA_HOME", ".local/share")
}

/// Returns the state folder: `$XDG_STATE_HOME` or `~/.local/state`; `None` if there is no home folder.
pub fn state() -> Option<PathBuf> {
    folder("XDG_STATE_HOME", ".local/state")
}

fn folder(variable: &str, below_home: &str) -> Option<PathBuf> {
    let configured = env::var_os(variable).map(PathBuf::from);
    // The specification requires that relative folders are ignored.
    configured
        .filter(|folder| folder.is_absolute())
        .or_else(|| Some(env::home_dir()?.join(below_home)))
}
