//! Protected and masked paths.

use std::fs;
use std::path::Path;
use std::process::Command;

use helve_runtime::sandbox::{Exit, Sandbox};

use crate::isolated::world::World;

fn git(folder: &Path, arguments: &[&str]) {
    let done = Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
}

fn repository(folder: &Path) {
    git(folder, &["init", "-q", "."]);
    git(folder, &["config", "user.name", "A"]);
    git(folder, &["config", "user.email", "a@b.c"]);
}

pub(super) async fn hooks_stay_while_commits_work() {
    let world = World::before(repository, |_| {}).await;
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
    let world = World::before(repository, |_| {}).await;
    let done = world.sh("mv .git .git2 || mv .git/../.git x; mkdir -p .git/hooks; echo evil > .git/hooks/post-commit").await;
    assert_ne!(done.exit, Some(Exit::Code(0)), "{done:?}");
    assert!(!world.path().join(".git2").exists());
    assert!(!world.path().join(".git/hooks/post-commit").exists());
    world.close().await;
}

pub(super) async fn secrets_are_masked() {
    let world = World::before(
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
    let world = World::before(prepare, |_| {}).await;
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
    let world = World::new().await;
    let spec = world.spec([
        "/bin/sh",
        "-c",
        "echo evil > .bashrc; mkdir .vscode; echo {} > .vscode/tasks.json; echo good > file",
    ]);
    let id = spec.id.clone();
    world.run(spec).await.unwrap();
    let status = world
        .sandbox
        .status(&id, std::time::Duration::ZERO)
        .await
        .unwrap();
    assert_eq!(status.notes.len(), 2, "{:?}", status.notes);
    assert!(
        status.notes.iter().any(|note| note.contains(".bashrc")),
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
    let world = World::new().await;
    let done = world.sh("git init -q sub && cd sub && echo evil > .git/hooks/post-commit && chmod +x .git/hooks/post-commit; echo $?").await;
    assert_eq!(done.stdout, "0\n", "{done:?}");
    assert!(world.path().join("sub/.git/HEAD").exists());
    assert!(!world.path().join("sub/.git/hooks/post-commit").exists());
    let done = world.sh("echo evil > sub/.git/hooks/post-commit").await;
    assert_ne!(done.exit, Some(Exit::Code(0)), "a second try");
    world.close().await;
}

pub(super) async fn a_clone_keeps_what_it_brings() {
    let world = World::before(
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
    let spec = world.spec([
        "/bin/sh",
        "-c",
        "git clone -q source made && mkdir .husky && echo evil > .husky/pre-push",
    ]);
    let id = spec.id.clone();
    world.run(spec).await.unwrap();
    let status = world
        .sandbox
        .status(&id, std::time::Duration::ZERO)
        .await
        .unwrap();
    for name in ["made/.husky", "made/.pre-commit-config.yaml", "/.husky`"] {
        let is_told = status.notes.iter().any(|note| note.contains(name));
        assert!(is_told, "{name}: {:?}", status.notes);
    }
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
    let world = World::before(repository, |_| {}).await;
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

pub(super) async fn no_stub_is_left() {
    let world = World::before(|folder| fs::write(folder.join("file"), "").unwrap(), |_| {}).await;
    world.sh("true").await;
    world.sandbox.close().await.unwrap();
    let left: Vec<_> = fs::read_dir(world.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["file"]);
}
