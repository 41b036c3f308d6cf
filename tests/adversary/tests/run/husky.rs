//! husky in a repository: hooks of git that run the scripts of the folder `.husky`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::programs::{self, HUSKY};
use crate::user::User;

/// What each hook of version 9 runs, shortened: the script of its own name.
const RUN_SCRIPT: &str = "#!/usr/bin/env sh\nd=${0%/*}\ns=${d%/*}/${0##*/}\n[ ! -f \"$s\" ] && exit 0\n\
export PATH=\"node_modules/.bin:$PATH\"\nsh -e \"$s\" \"$@\"\n";

const HOOK: &str = "#!/usr/bin/env sh\n. \"${0%/*}/h\"";

/// Sets husky up, by itself where it is installed, and otherwise as version 9 lays its files out.
pub(crate) fn set_up(user: &User, repository: &Path) {
    if programs::is_installed(HUSKY) {
        assert!(user.prepare(repository, &[HUSKY]), "husky");
    } else {
        let folder = repository.join(".husky/_");
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join(".gitignore"), "*").expect("a file");
        fs::write(folder.join("h"), RUN_SCRIPT).expect("a file");
        for name in ["pre-commit", "post-checkout"] {
            let hook = folder.join(name);
            fs::write(&hook, HOOK).expect("a file");
            fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).expect("a mode");
        }
        let setting = ["git", "config", "core.hooksPath", ".husky/_"];
        assert!(user.prepare(repository, &setting), "git config");
    }
    fs::write(repository.join(".husky/pre-commit"), "true\n").expect("a file");
}
