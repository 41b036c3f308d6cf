//! Hooks that the user's own settings of git name, for all repositories.

use std::fs;

use super::{EscapeTest, expect};
use crate::escape::app::App;
use crate::escape::fixture::EscapeWorld;
use crate::escape::user_suite::UserSuite;

pub(super) const TESTS: &[EscapeTest] = &[
    ("hooks_of_the_users_settings", |half| {
        hooks(half, "HOME", "", ".gitconfig")
    }),
    ("hooks_of_settings_by_variable", |half| {
        hooks(half, "GIT_CONFIG_GLOBAL", "settings", "settings")
    }),
];

/// What is there stays as it is, and what is not does not appear. The variable names a path below a folder, and the settings
/// are in a file there.
fn hooks(half: &'static UserSuite, variable: &str, named: &str, file: &str) -> Result<(), String> {
    let world = EscapeWorld::new(half);
    let failed = |error: std::io::Error| error.to_string();
    let folder = world.base.join("settings-of-the-user");
    fs::create_dir(&folder).map_err(failed)?;
    let text = "[include]\n\tpath = more\n[core]\n\thooksPath = .team/absent\n";
    fs::write(folder.join(file), text).map_err(failed)?;
    fs::write(folder.join("more"), "[core]\n\thooksPath = .team/hooks\n").map_err(failed)?;
    let hook = world.workspace.join(".team/hooks/pre-commit");
    fs::create_dir_all(world.workspace.join(".team/hooks")).map_err(failed)?;
    fs::write(&hook, "mine").map_err(failed)?;
    let setting = format!("{variable}={}", folder.join(named).display());
    let mut app = App::start(&world, &["env", &setting], "");
    let opened = app.read_line();
    expect(opened.starts_with("open "), || opened.clone())?;
    let ran = app
        .send("run echo evil > .team/hooks/pre-commit; echo evil > .team/hooks/pre-push; echo ran");
    expect(ran.contains("ran"), || ran.clone())?;
    app.send("run mkdir .team/absent; echo evil > .team/absent/pre-commit");
    app.end();
    let kept = fs::read_to_string(&hook).map_err(failed)?;
    expect(kept == "mine", || format!("the hook says {kept:?}"))?;
    for name in [".team/hooks/pre-push", ".team/absent/pre-commit"] {
        expect(!world.workspace.join(name).exists(), || {
            format!("`{name}` was made")
        })?;
    }
    Ok(())
}
