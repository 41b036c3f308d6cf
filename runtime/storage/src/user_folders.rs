//! The folders of a user, as the XDG base directory specification names them.

use std::env;
use std::path::PathBuf;

/// Returns the folder of configurations: `$XDG_CONFIG_HOME` or `~/.config`; `None` where there is no home folder.
pub fn config() -> Option<PathBuf> {
    folder("XDG_CONFIG_HOME", ".config")
}

/// Returns the folder of data: `$XDG_DATA_HOME` or `~/.local/share`; `None` where there is no home folder.
pub fn data() -> Option<PathBuf> {
    folder("XDG_DATA_HOME", ".local/share")
}

/// Returns the folder of state: `$XDG_STATE_HOME` or `~/.local/state`; `None` where there is no home folder.
pub fn state() -> Option<PathBuf> {
    folder("XDG_STATE_HOME", ".local/state")
}

fn folder(variable: &str, below_home: &str) -> Option<PathBuf> {
    let configured = env::var_os(variable).map(PathBuf::from);
    // The specification has relative folders ignored.
    configured
        .filter(|folder| folder.is_absolute())
        .or_else(|| Some(env::home_dir()?.join(below_home)))
}
