//! Protected and masked paths.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use helve_runtime::sandbox::{Exit, Sandbox};

use crate::isolated::fixture::{IsolatedWorld, TIMEOUT};

pub(super) fn git(folder: &Path, arguments: &[&str]) {
    let done = Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
}

pub(super) fn repository(folder: &Path) {
    git(folder, &["init", "-q", "."]);
    git(folder, &["config", "user.name", "A"]);
    git(folder, &["config", "user.email", "a@b.c"]);
}

pub(super) async fn hooks_stay_while_commits_work() {
    let world = IsolatedWorld::with_setup(repository, |_| {}).await;
    let done = world
        .sh("echo x > file && git add file && git commit -qm first && git log --oneline | wc -l")
        .await;
    assert_eq!(
        (done.exit, done.stdout.trim()),
        (Some(Exit::Code(0)), "1"),
        "{}",
        done.stderr
    );
    for attack in [
        "echo evil > .git/hooks/pre-commit",
        "git config core.fsmonitor ./evil",
        "echo evil >> .git/config",
        "rm -r .git/hooks",
        "mv .git/hooks .git/other",
    ] {
        let done = world.sh(attack).await;
        assert_ne!(done.exit, Some(Exit::Code(0)), "{attack}");
    }
    assert!(!world.path().join(".git/hooks/pre-commit").exists());
    world.close().await;
}

pub(super) async fn a_pinned_folder_cannot_be_renamed() {
    let world = IsolatedWorld::with_setup(repository, |_| {}).await;
    let done = world.sh("mv .git .git2 || mv .git/../.git x; mkdir -p .git/hooks; echo evil > .git/hooks/post-commit").await;
    assert_ne!(done.exit, Some(Exit::Code(0)), "{done:?}");
    assert!(!world.path().join(".git2").exists());
    assert!(!world.path().join(".git/hooks/post-commit").exists());
    world.close().await;
}

pub(super) async fn secrets_are_masked() {
    let world = IsolatedWorld::with_setup(
        |folder| {
            fs::create_dir(folder.join("deep")).unwrap();
            fs::write(folder.join(".env"), "SECRET").unwrap();
            fs::write(folder.join("deep/server.key"), "SECRET").unwrap();
        },
        |_| {},
    )
    .await;
    let done = world.sh("cat .env deep/server.key; cp .env copy; mv .env other; rm -f deep/server.key; grep -r SECRET .").await;
    assert!(!done.stdout.contains("SECRET"), "{done:?}");
    assert_eq!(
        fs::read_to_string(world.path().join(".env")).unwrap(),
        "SECRET"
    );
    assert_eq!(
        fs::read_to_string(world.path().join("deep/server.key")).unwrap(),
        "SECRET"
    );
    world.close().await;
}

pub(super) async fn what_is_replaced_outside_stays_covered() {
    let prepare = |folder: &Path| {
        repository(folder);
        fs::write(folder.join(".env"), "SECRET").unwrap();
    };
    let world = IsolatedWorld::with_setup(prepare, |_| {}).await;
    let attack = "cat .env; echo evil >> .git/config; mv .git other; rm -f .env";
    for round in 0..3 {
        let done = world.sh(attack).await;
        assert!(!done.stdout.contains("SECRET"), "{round}: {done:?}");
        let config = fs::read_to_string(world.path().join(".git/config")).unwrap();
        assert!(!config.contains("evil"), "{round}: {config}");
        // The user saves the file as editors do, and git writes its settings in the same way.
        fs::write(world.path().join("saved"), "SECRET again").unwrap();
        fs::rename(world.path().join("saved"), world.path().join(".env")).unwrap();
        git(world.path(), &["config", "user.name", &round.to_string()]);
        if round == 1 {
            // The folder above is another one, too.
            git(world.path(), &["clone", "-q", "--bare", ".", "copy"]);
            fs::rename(world.path().join(".git"), world.path().join("before")).unwrap();
            fs::rename(world.path().join("copy"), world.path().join(".git")).unwrap();
            git(world.path(), &["config", "core.bare", "false"]);
        }
    }
    world.close().await;
}

pub(super) async fn what_appears_is_taken_away() {
    let world = IsolatedWorld::new().await;
    let spec = world.spec([
        "/bin/sh",
        "-c",
        "echo good > file; mkdir .vscode; echo {} > .vscode/tasks.json; echo evil > .bashrc",
    ]);
    let id = spec.id.clone();
    world.run(spec).await.unwrap();
    let status = world.sandbox.status(&id, Duration::ZERO).await.unwrap();
    assert!(
        status.notes.iter().any(|note| note.contains(".vscode")),
        "{:?}",
        status.notes
    );
    assert!(!world.path().join(".bashrc").exists());
    assert!(!world.path().join(".vscode").exists());
    assert!(world.path().join("file").exists());
    // A link in the place of a folder is taken away itself, and nothing behind it.
    let outside = tempfile::tempdir().unwrap();
    fs::create_dir(outside.path().join("hooks")).unwrap();
    fs::write(outside.path().join("hooks/post-commit"), "mine").unwrap();
    let script = format!("ln -s {} .git", outside.path().display());
    world.sh(&script).await;
    assert!(outside.path().join("hooks/post-commit").exists());
    assert!(world.path().join(".git").symlink_metadata().is_err());
    world.close().await;
}

pub(super) async fn a_repository_made_inside_runs_nothing() {
    let world = IsolatedWorld::new().await;
    let done = world.sh("git init -q sub && cd sub && echo evil > .git/hooks/post-commit && chmod +x .git/hooks/post-commit; echo $?").await;
    assert!(
        done.stdout == "0\n" || matches!(done.exit, Some(Exit::ProtectedPaths(_))),
        "{done:?}"
    );
    assert!(world.path().join("sub/.git/HEAD").exists());
    assert!(!world.path().join("sub/.git/hooks/post-commit").exists());
    let done = world.sh("echo evil > sub/.git/hooks/post-commit").await;
    assert_ne!(done.exit, Some(Exit::Code(0)), "a second try");
    world.close().await;
}

pub(super) async fn a_clone_keeps_what_it_brings() {
    let world = IsolatedWorld::with_setup(
        |folder| {
            let source = folder.join("source");
            fs::create_dir_all(source.join(".husky")).unwrap();
            fs::write(source.join(".husky/pre-commit"), "").unwrap();
            fs::write(source.join(".pre-commit-config.yaml"), "").unwrap();
            fs::write(source.join("AGENTS.md"), "").unwrap();
            repository(&source);
            git(&source, &["add", "."]);
            git(&source, &["commit", "-qm", "first"]);
        },
        |_| {},
    )
    .await;
    let notes = world.notes_of("git clone -q source made").await;
    for name in ["made/.husky", "made/.pre-commit-config.yaml"] {
        assert!(notes.contains(name), "{name}: {notes}");
    }
    let notes = world
        .notes_of("mkdir .husky && echo evil > .husky/pre-push")
        .await;
    assert!(notes.contains("/.husky`"), "{notes}");
    assert!(world.path().join("made/.husky/pre-commit").exists());
    assert!(world.path().join("made/AGENTS.md").exists());
    assert!(!world.path().join(".husky").exists());
    // From then on it stays as it is, in the repository that was there before as well.
    for attack in [
        "echo evil > made/.husky/pre-commit",
        "echo evil > made/.pre-commit-config.yaml",
        "echo evil > source/.husky/pre-commit",
        "mv made/.husky made/other",
    ] {
        let done = world.sh(attack).await;
        assert_ne!(done.exit, Some(Exit::Code(0)), "{attack}");
    }
    world.close().await;
}

pub(super) async fn a_rebase_works_and_starts_nothing_later() {
    let world = IsolatedWorld::with_setup(repository, |_| {}).await;
    let done = world
        .sh("set -e; for name in a b c; do echo $name > $name; git add $name; git commit -qm $name; done; \
             git checkout -q -b side HEAD~1; echo d > d; git add d; git commit -qm d; git rebase -q master || git rebase -q main; git log --oneline | wc -l")
        .await;
    assert_eq!(
        (done.exit, done.stdout.trim()),
        (Some(Exit::Code(0)), "4"),
        "{}",
        done.stderr
    );
    // A rebase that stopped goes on in the next command.
    let steps = world.path().join(".git/rebase-merge/git-rebase-todo");
    let stopped =
        "GIT_SEQUENCE_EDITOR='sed -i 1s/pick/edit/' git rebase -q -i HEAD~2; git status | head -3";
    world.sh(stopped).await;
    assert!(steps.exists());
    let done = world.sh("git rebase --continue").await;
    assert_eq!(done.exit, Some(Exit::Code(0)), "{}", done.stderr);
    world.sh(stopped).await;
    let planted = world
        .sh("echo 'exec touch ../ran' >> .git/rebase-merge/git-rebase-todo")
        .await;
    assert_eq!(planted.exit, Some(Exit::Code(0)), "{}", planted.stderr);
    assert!(
        !steps.exists(),
        "a step that starts a program is moved away"
    );
    world.close().await;
}

/// What a command makes that does not end is taken away, and the command is ended.
pub(super) async fn a_running_command_leaves_nothing() {
    let evil = "git -C sub config core.fsmonitor 'touch ../ran'";
    let attacks = [
        ("mkdir .vscode; echo evil > .vscode/tasks.json", ".vscode"),
        (
            "mkdir -p a/b; mv a .config; mkdir .config/fish",
            ".config/fish",
        ),
        ("echo evil > x; ln x .envrc", ".envrc"),
        (&*format!("git init -q sub; {evil}"), "sub/.git/config"),
        (
            &*format!("mkdir -p t/u; git init -q sub; {evil}; mv sub t/u/v; mv t/u sub"),
            "sub/v/.git/config",
        ),
        (
            "mkdir sub; (mkdir sub/refs sub/objects) & echo ref: refs/heads/x > sub/HEAD; wait; \
             printf '[core]\nbare = false\nworktree = .\nfsmonitor = touch ../ran\n' > sub/config",
            "sub/config",
        ),
        (
            "mkdir -m 0 shut; chmod 700 shut; git init -q shut/sub; cd shut; git -C sub config core.pager evil; chmod 0 .",
            "shut/sub/.git/config",
        ),
        (
            "git init -q sub; yes '# nothing' | head -n 110000 > x; \
             printf '[core]\n\tfsmonitor = touch ../ran\n' >> x; cat x >> sub/.git/config",
            "sub/.git/config",
        ),
        (
            "mkdir x y; echo ../y > x/commondir; echo ../x > y/commondir; echo x > x/HEAD; echo x > y/HEAD",
            "x/commondir",
        ),
    ];
    for (attack, planted) in attacks {
        let world = IsolatedWorld::with_setup(repository, |_| {}).await;
        let spec = world.spec(["/bin/sh", "-c", &format!("{attack}; exec sleep 1000")]);
        let id = spec.id.clone();
        world.sandbox.start(spec).await.unwrap();
        let status = world.sandbox.status(&id, TIMEOUT).await.unwrap();
        let exit = status.exit;
        assert!(
            matches!(exit, Some(Exit::ProtectedPaths(_))),
            "{attack}: {exit:?} {:?}",
            status.notes
        );
        assert!(
            world.path().join(planted).symlink_metadata().is_err(),
            "{attack}"
        );
        git(world.path(), &["status"]);
        assert!(!world.path().join("ran").exists(), "{attack}");
        world.close().await;
    }
}

/// Git is used in many ways while a command runs, and nothing of that ends it.
pub(super) async fn git_goes_on_in_a_running_command() {
    let world = IsolatedWorld::with_setup(repository, |_| {}).await;
    let done = world
        .sh("set -e; echo x > file; git add file; git commit -qm first; git clone -q . copy
             git worktree add -q tree; git -C tree status --short; git init -q made; git -C made status --short
             git checkout -q -b side; echo y > file; git commit -qam second; git checkout -q -; echo z > file
             git commit -qam third; git rebase -q -x true HEAD~1
             if git rebase -q side; then exit 9; fi; echo both > file; git add file
             GIT_EDITOR=true git rebase --continue; git log --format=%s | tr '\\n' ' '; exec echo done")
        .await;
    assert_eq!(done.exit, Some(Exit::Code(0)), "{done:?}");
    assert!(done.stdout.ends_with("done\n"), "{done:?}");
    assert!(world.path().join("tree/.git").exists());
    assert!(world.path().join("copy/.git/config").exists());
    world.close().await;
}

/// A rebase that was begun by a command runs no command of its own in the hands of the user.
pub(super) async fn a_begun_rebase_runs_nothing() {
    let prepare = |folder: &Path| {
        repository(folder);
        for text in ["one", "two"] {
            fs::write(folder.join("file"), text).unwrap();
            git(folder, &["add", "file"]);
            git(folder, &["commit", "-qm", text]);
        }
    };
    let world = IsolatedWorld::with_setup(prepare, |_| {}).await;
    let attack = "GIT_SEQUENCE_EDITOR='sed -i 1s/pick/edit/' git rebase -q -i HEAD~1; \
                  echo 'exec touch ran' >> .git/rebase-merge/git-rebase-todo";
    let done = world.sh(attack).await;
    assert_eq!(done.exit, Some(Exit::Code(0)), "{done:?}");
    let _ = Command::new("git")
        .args(["rebase", "--continue"])
        .current_dir(world.path())
        .output()
        .unwrap();
    assert!(!world.path().join("ran").exists(), "{done:?}");
    world.close().await;
}

/// What the user makes while no command runs stays, and is protected or masked from then on.
pub(super) async fn what_the_user_makes_between_commands_stays() {
    let world = IsolatedWorld::with_setup(repository, |_| {}).await;
    world.sh("mkdir -p src/deep; git init -q mine").await;
    fs::create_dir(world.path().join(".vscode")).unwrap();
    fs::write(world.path().join(".vscode/settings.json"), "mine").unwrap();
    fs::write(world.path().join("src/deep/.env.local"), "SECRET").unwrap();
    git(
        &world.path().join("mine"),
        &["config", "core.pager", "less"],
    );
    fs::write(world.path().join("mine/.git/hooks/pre-commit"), "mine").unwrap();
    git(world.path(), &["init", "-q", "another"]);
    git(
        &world.path().join("another"),
        &["config", "core.pager", "less"],
    );
    for attack in [
        "cat src/deep/.env.local",
        "echo evil > .vscode/settings.json",
        "echo evil > mine/.git/hooks/pre-commit",
        "echo evil >> mine/.git/config",
        "echo evil >> another/.git/config",
        "mv another other",
    ] {
        let done = world.sh(attack).await;
        assert!(!done.stdout.contains("SECRET"), "{done:?}");
        assert_ne!(done.exit, Some(Exit::Code(0)), "{attack}");
    }
    let kept = |path: &str| fs::read_to_string(world.path().join(path)).unwrap();
    assert_eq!(kept(".vscode/settings.json"), "mine");
    assert_eq!(kept("mine/.git/hooks/pre-commit"), "mine");
    assert!(kept("mine/.git/config").contains("less"));
    assert!(kept("another/.git/config").contains("less"));
    world.close().await;
}

/// A mount is on a file, and not on a name: while a command runs, too.
pub(super) async fn what_is_replaced_while_a_command_runs_is_covered() {
    let prepare = |folder: &Path| {
        repository(folder);
        fs::write(folder.join(".env"), "SECRET").unwrap();
    };
    let world = IsolatedWorld::with_setup(prepare, |_| {}).await;
    let script = "until [ -e go ]; do :; done; cat .env; echo evil >> .git/config; rm -f .env";
    let spec = world.spec(["/bin/sh", "-c", script]);
    let id = spec.id.clone();
    world.sandbox.start(spec).await.unwrap();
    fs::write(world.path().join("saved"), "SECRET again").unwrap();
    fs::rename(world.path().join("saved"), world.path().join(".env")).unwrap();
    git(world.path(), &["config", "user.name", "another"]);
    // Whoever asks for something afterwards finds it covered.
    world.sandbox.status(&id, Duration::ZERO).await.unwrap();
    fs::write(world.path().join("go"), "").unwrap();
    let done = world.wait(&id).await.unwrap();
    assert!(!done.stdout.contains("SECRET"), "{done:?}");
    assert!(world.path().join(".env").exists());
    let config = fs::read_to_string(world.path().join(".git/config")).unwrap();
    assert!(!config.contains("evil"), "{config}");
    world.close().await;
}

/// Deep trees, folders that are exchanged while they are read, and many at once.
pub(super) async fn fast_changes_hide_nothing() {
    let plant = "git -C $d/sub config core.fsmonitor 'touch ran'";
    let attacks = [
        "d=deep; for i in 1 2 3 4 5 6 7 8; do d=$d/deep/deep/deep/deep; done; mkdir -p $d"
            .to_owned(),
        "d=x; mkdir x; for i in $(seq 30); do mv x y; mkdir x; rmdir x; mv y x; done".to_owned(),
        "d=many/7; for i in $(seq 300); do mkdir -p many/$i; done".to_owned(),
        "mkdir -p elsewhere/a; mv elsewhere/a moved; mv moved elsewhere/b; d=elsewhere/b"
            .to_owned(),
    ];
    for attack in attacks {
        let world = IsolatedWorld::new().await;
        let script = format!("{attack}; git init -q $d/sub; {plant}; echo $d; exec sleep 1000");
        let spec = world.spec(["/bin/sh", "-c", &script]);
        let id = spec.id.clone();
        world.sandbox.start(spec).await.unwrap();
        let status = world.sandbox.status(&id, TIMEOUT).await.unwrap();
        let exit = status.exit;
        assert!(
            matches!(exit, Some(Exit::ProtectedPaths(_))),
            "{attack}: {exit:?}"
        );
        world.close().await;
    }
}

pub(super) async fn no_stub_is_left() {
    let world =
        IsolatedWorld::with_setup(|folder| fs::write(folder.join("file"), "").unwrap(), |_| {})
            .await;
    world.sh("true").await;
    world.sandbox.close().await.unwrap();
    let left: Vec<_> = fs::read_dir(world.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["file"]);
}

/// However many files there are, what a command makes behind them is found.
pub(super) async fn folders_of_others_are_looked_through() {
    const FILES: usize = 60_000;
    let prepare = |folder: &Path| {
        for number in 0..FILES {
            let package = folder.join(format!("node_modules/{}", number % 100));
            if number < 100 {
                fs::create_dir_all(&package).unwrap();
            }
            fs::File::create(package.join(number.to_string())).unwrap();
        }
    };
    let world = IsolatedWorld::with_setup(prepare, |_| {}).await;
    let plant = "cd node_modules/z; git init -q evil; git -C evil config core.fsmonitor 'touch ../../../ran'";
    let notes = world
        .notes_of(&format!("mkdir node_modules/z; {plant}"))
        .await;
    let config = world.path().join("node_modules/z/evil/.git/config");
    assert!(notes.contains(config.to_str().unwrap()), "{notes}");
    assert!(!config.exists());
    world.close().await;
}
