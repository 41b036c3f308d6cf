//! What is no single command: how the sandbox is laid out, how it ends, what it does where something is missing, and its
//! network.

mod layout;
mod missing;
mod names;
mod parent;
mod proxy;
mod user_settings;
mod watched;

use crate::escape::user_suite::UserSuite;

/// A test of its own.
pub(crate) type EscapeTest = (&'static str, fn(&'static UserSuite) -> Result<(), String>);

/// Names all of them.
pub(crate) fn all() -> Vec<EscapeTest> {
    [
        layout::TESTS,
        names::TESTS,
        parent::TESTS,
        missing::TESTS,
        proxy::TESTS,
        user_settings::TESTS,
        watched::TESTS,
    ]
    .concat()
}

/// Lists a folder with all that is below it: names, kinds and lengths.
pub(crate) fn listing(folder: &std::path::Path) -> Vec<String> {
    let mut all = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let found = entry.path().symlink_metadata().expect("an entry");
            all.push(format!(
                "{} {:?} {}",
                entry.path().display(),
                found.file_type(),
                if found.is_dir() { 0 } else { found.len() }
            ));
            if found.is_dir() {
                open.push(entry.path());
            }
        }
    }
    all.sort();
    all
}

/// Fails with what was found where something else was wanted.
pub(crate) fn expect(holds: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what()) }
}
