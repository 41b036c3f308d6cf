//! What the user removes of what is protected: the kernel takes the mount over it away.

use std::fs;
use std::path::Path;
use std::time::Duration;

use helve_runtime::sandbox::{Exit, Sandbox as _};

use super::protection::{git, repository};
use crate::isolated::fixture::IsolatedWorld;

fn with_settings(folder: &Path) {
    repository(folder);
    fs::write(folder.join(".envrc"), "mine").unwrap();
}

pub(super) async fn what_is_removed_between_commands_is_not_planted() {
    let world = IsolatedWorld::with_setup(with_settings, |_| {}).await;
    let settings = [".envrc", ".git/config"].map(|name| world.path().join(name));
    world.sh(":").await;
    for file in &settings {
        fs::remove_file(file).unwrap();
    }
    let plant = "printf '[core]\\n\\tfsmonitor = ./evil\\n' > .git/config; echo evil > .envrc";
    let notes = world.notes_of(plant).await;
    for (file, name) in settings.iter().zip([".envrc", ".git/config"]) {
        assert!(!file.exists(), "{name}: {notes}");
        assert!(notes.contains(name), "{name}: {notes}");
    }
    world.close().await;
}

pub(super) async fn what_is_removed_while_a_command_runs_is_not_planted() {
    for script in [
        "echo evil > .envrc",
        "mkdir -p .git/hooks; echo evil > .git/hooks/post-checkout; chmod +x .git/hooks/post-checkout",
    ] {
        let world = IsolatedWorld::with_setup(with_settings, |_| {}).await;
        let script = format!("until [ -e go ]; do :; done; {script}; exec sleep 1000");
        let spec = world.spec(["/bin/sh", "-c", &script]);
        let id = spec.id.clone();
        world.sandbox.start(spec).await.unwrap();
        fs::remove_file(world.path().join(".envrc")).unwrap();
        fs::remove_dir_all(world.path().join(".git/hooks")).unwrap();
        // Whoever asks for something afterwards finds it taken in.
        world.sandbox.status(&id, Duration::ZERO).await.unwrap();
        fs::write(world.path().join("go"), "").unwrap();
        let done = world.wait(&id).await.unwrap();
        assert!(
            matches!(done.exit, Some(Exit::ProtectedPaths(_))),
            "{script}: {done:?}"
        );
        assert!(!world.path().join(".envrc").exists(), "{script}");
        let hook = world.path().join(".git/hooks/post-checkout");
        assert!(!hook.exists(), "{script}");
        world.close().await;
    }
}

/// The file system gives a new file the number of the one that was removed.
pub(super) async fn what_is_made_anew_is_covered() {
    let world = IsolatedWorld::with_setup(with_settings, |_| {}).await;
    let file = world.path().join(".envrc");
    for round in 0..5 {
        let done = world.sh("echo evil > .envrc").await;
        assert_ne!(done.exit, Some(Exit::Code(0)), "{round}");
        fs::remove_file(&file).unwrap();
        fs::write(&file, "mine again").unwrap();
    }
    let done = world.sh("echo evil > .envrc").await;
    assert_ne!(done.exit, Some(Exit::Code(0)), "{done:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine again");
    world.close().await;
}

pub(super) async fn a_repository_is_cloned_again_where_one_was_removed() {
    let prepare = |folder: &Path| {
        fs::create_dir(folder.join("from")).unwrap();
        repository(&folder.join("from"));
    };
    let world = IsolatedWorld::with_setup(prepare, |_| {}).await;
    for round in 0..3 {
        let done = world.sh("git clone -q from copy").await;
        assert_eq!(done.exit, Some(Exit::Code(0)), "{round}: {done:?}");
        let done = world.sh("echo evil >> copy/.git/config").await;
        assert_ne!(done.exit, Some(Exit::Code(0)), "{round}: {done:?}");
        fs::remove_dir_all(world.path().join("copy")).unwrap();
        if round == 1 {
            // Another one in its place is the user's own.
            git(world.path(), &["clone", "-q", "from", "copy"]);
            let done = world.sh("echo evil >> copy/.git/config").await;
            assert_ne!(done.exit, Some(Exit::Code(0)), "{round}: {done:?}");
            fs::remove_dir_all(world.path().join("copy")).unwrap();
        }
    }
    world.close().await;
}
