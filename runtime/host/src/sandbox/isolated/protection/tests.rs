//! Plans for small trees, with the expected action for each path.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{Protection, SweepPhase, WalkBounds, linked_repositories};
use crate::sandbox::SandboxPolicy;

/// Creates files (and folders, for names that end in `/`) below a temporary folder.
pub(super) fn tree(files: &[(&str, &str)]) -> TempDir {
    let tree = TempDir::new().unwrap();
    for (name, text) in files {
        let path = tree.path().join(name);
        if name.ends_with('/') {
            fs::create_dir_all(path).unwrap();
        } else {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }
    tree
}

pub(super) fn policy(workspace: &Path) -> SandboxPolicy {
    let mut policy = SandboxPolicy::new(workspace.canonicalize().unwrap());
    policy.protected = [
        ".git/hooks",
        ".git/config",
        ".gitmodules",
        ".bashrc",
        ".config/fish",
    ]
    .map(str::to_owned)
    .to_vec();
    policy
}

/// Prints a plan line by line, with paths relative to a folder.
fn shown(plan: &Protection, base: &Path) -> String {
    let base = base.canonicalize().unwrap();
    let line = |what: &str, path: &Path| {
        let path = path.strip_prefix(&base).unwrap_or(path);
        format!("{what} {}\n", path.display())
    };
    let lines = |what: &str, paths: &[PathBuf]| -> String {
        paths.iter().map(|path| line(what, path)).collect()
    };
    let links: String = plan
        .links
        .iter()
        .map(|(link, _)| line("link", link))
        .collect();
    [
        lines("pin", &plan.pinned),
        lines("read-only", &plan.read_only),
        lines("mask", &plan.masked),
        lines("watch", &plan.watched),
        links,
        plan.stopped.clone().unwrap_or_default(),
    ]
    .concat()
}

#[test]
fn a_repository_is_pinned_and_its_secrets_are_masked() {
    let tree = tree(&[
        (".git/HEAD", "ref: refs/heads/main"),
        (".git/config", "[core]\n\tbare = false\n"),
        (".git/hooks/pre-commit.sample", ""),
        (".git/objects/", ""),
        (".git/refs/", ""),
        (".bashrc", ""),
        (".env", "SECRET=1"),
        ("src/deep/server.pem", ""),
        ("src/main.rs", ""),
    ]);
    let plan = Protection::plan(&policy(tree.path()));
    insta::assert_snapshot!(shown(&plan, tree.path()), @r"
    pin .git
    read-only .bashrc
    read-only .git/config
    read-only .git/hooks
    mask .env
    mask src/deep/server.pem
    watch .config/fish
    watch .git/commondir
    watch .git/rebase-merge/git-rebase-todo
    watch .gitmodules
    ");
}

#[test]
fn a_folder_without_a_repository_is_watched_and_left_alone() {
    let tree = tree(&[("notes.txt", "")]);
    let before = fs::read_dir(tree.path()).unwrap().count();
    let plan = Protection::plan(&policy(tree.path()));
    insta::assert_snapshot!(shown(&plan, tree.path()), @r"
    watch .bashrc
    watch .config/fish
    watch .git/commondir
    watch .git/config
    watch .git/hooks
    watch .gitmodules
    ");
    assert_eq!(fs::read_dir(tree.path()).unwrap().count(), before);
}

#[test]
fn nested_repositories_submodules_and_hooks_elsewhere_are_found() {
    let tree = tree(&[
        (".git/HEAD", ""),
        (
            ".git/config",
            "[core]\n\thooksPath = .husky/_\n[include]\n\tpath = ../shared.conf\n",
        ),
        (".git/modules/lib/HEAD", ""),
        (".git/modules/lib/config", ""),
        (".git/modules/lib/hooks/", ""),
        (".husky/_/pre-commit", ""),
        ("shared.conf", ""),
        ("lib/.git", "gitdir: ../.git/modules/lib\n"),
        ("a/b/.git/hooks/", ""),
        ("node_modules/x/.git/config", ""),
    ]);
    let plan = Protection::plan(&policy(tree.path()));
    insta::assert_snapshot!(shown(&plan, tree.path()), @r"
    pin .git
    pin .git/modules
    pin .git/modules/lib
    pin a
    pin a/b
    pin a/b/.git
    pin lib
    pin node_modules
    pin node_modules/x
    pin node_modules/x/.git
    read-only .git/config
    read-only .git/modules/lib/config
    read-only .git/modules/lib/hooks
    read-only .husky
    read-only a/b/.git/hooks
    read-only lib/.git
    read-only node_modules/x/.git/config
    read-only shared.conf
    watch .bashrc
    watch .config/fish
    watch .git/commondir
    watch .git/hooks
    watch .git/modules/lib/commondir
    watch .git/modules/lib/config.worktree
    watch .git/modules/lib/info/attributes
    watch .git/modules/lib/rebase-merge/git-rebase-todo
    watch .git/rebase-merge/git-rebase-todo
    watch .gitmodules
    watch a/b/.bashrc
    watch a/b/.config/fish
    watch a/b/.git/commondir
    watch a/b/.git/config
    watch a/b/.git/rebase-merge/git-rebase-todo
    watch a/b/.gitmodules
    watch lib/.bashrc
    watch lib/.config/fish
    watch lib/.gitmodules
    watch node_modules/x/.bashrc
    watch node_modules/x/.config/fish
    watch node_modules/x/.git/commondir
    watch node_modules/x/.git/hooks
    watch node_modules/x/.git/rebase-merge/git-rebase-todo
    watch node_modules/x/.gitmodules
    ");
}

#[test]
fn links_are_not_bound_and_what_they_lead_to_is_protected() {
    let elsewhere = tree(&[("rc", ""), ("secret/.env", ""), ("real/HEAD", "")]);
    let tree = tree(&[("dotfiles/", ""), ("kept/secret.txt", "")]);
    symlink(elsewhere.path().join("rc"), tree.path().join(".bashrc")).unwrap();
    symlink(elsewhere.path().join("secret"), tree.path().join("out")).unwrap();
    symlink(elsewhere.path().join("real"), tree.path().join(".git")).unwrap();
    symlink("dotfiles", tree.path().join(".config")).unwrap();
    symlink("kept/secret.txt", tree.path().join(".env")).unwrap();
    symlink(
        elsewhere.path().join("secret/.env"),
        tree.path().join(".netrc"),
    )
    .unwrap();
    let plan = Protection::plan(&policy(tree.path()));
    insta::assert_snapshot!(shown(&plan, tree.path()), @r"
    pin dotfiles
    mask kept/secret.txt
    watch .gitmodules
    watch dotfiles/fish
    link .bashrc
    link .config
    link .git
    ");

    fs::remove_file(tree.path().join(".bashrc")).unwrap();
    fs::write(tree.path().join(".bashrc"), "evil").unwrap();
    assert_eq!(plan.changed_links().len(), 1);
}

#[test]
fn a_git_file_that_points_elsewhere_opens_nothing() {
    let elsewhere = tree(&[
        ("repo/.git/HEAD", ""),
        ("repo/.git/objects/", ""),
        ("repo/.git/refs/", ""),
        ("repo/.git/hooks/", ""),
    ]);
    let target = elsewhere.path().join("repo/.git");
    let tree = tree(&[(".git", &format!("gitdir: {}\n", target.display()))]);
    let policy = policy(tree.path());
    assert_eq!(linked_repositories(&policy), Vec::<PathBuf>::new());
    let plan = Protection::plan(&policy);
    insta::assert_snapshot!(shown(&plan, tree.path()), @r"
    read-only .git
    watch .bashrc
    watch .config/fish
    watch .gitmodules
    ");
}

#[test]
fn a_worktree_brings_its_repository_with_it() {
    let base = tree(&[
        ("repo/.git/HEAD", ""),
        ("repo/.git/config", ""),
        ("repo/.git/objects/", ""),
        ("repo/.git/refs/", ""),
        ("repo/.git/hooks/", ""),
        ("repo/.git/worktrees/w/HEAD", ""),
        ("repo/.git/worktrees/w/commondir", "../..\n"),
        ("w/", ""),
    ]);
    let root = base.path().canonicalize().unwrap();
    let git = root.join("repo/.git/worktrees/w");
    fs::write(
        git.join("gitdir"),
        format!("{}\n", root.join("w/.git").display()),
    )
    .unwrap();
    fs::write(root.join("w/.git"), format!("gitdir: {}\n", git.display())).unwrap();
    let mut policy = policy(&root.join("w"));
    let linked = linked_repositories(&policy);
    assert_eq!(linked, [root.join("repo/.git")]);

    policy.writable.extend(linked);
    let plan = Protection::plan(&policy);
    insta::assert_snapshot!(shown(&plan, &root), @r"
    pin repo/.git/worktrees
    pin repo/.git/worktrees/w
    read-only repo/.git/config
    read-only repo/.git/hooks
    read-only repo/.git/worktrees/w/commondir
    read-only w/.git
    watch repo/.git/.bashrc
    watch repo/.git/.config/fish
    watch repo/.git/.git/commondir
    watch repo/.git/.git/config
    watch repo/.git/.git/hooks
    watch repo/.git/.gitmodules
    watch repo/.git/commondir
    watch repo/.git/rebase-merge/git-rebase-todo
    watch repo/.git/worktrees/w/config
    watch repo/.git/worktrees/w/config.worktree
    watch repo/.git/worktrees/w/hooks
    watch repo/.git/worktrees/w/info/attributes
    watch repo/.git/worktrees/w/rebase-merge/git-rebase-todo
    watch w/.bashrc
    watch w/.config/fish
    watch w/.gitmodules
    ");
}

#[test]
fn what_appears_is_told_unless_git_made_it() {
    let tree = tree(&[]);
    let plan = Protection::plan(&policy(tree.path()));
    let put = |name: &str, text: &str| {
        let path = tree.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    put(".git/config", "[core]\n\tbare = false\n");
    put(".git/hooks/pre-commit.sample", "");
    assert_eq!(
        plan.rejected_paths(SweepPhase::Ended),
        Vec::<PathBuf>::new()
    );

    put(".git/config", "[core]\n\tfsmonitor = ./evil\n");
    put(".git/hooks/pre-commit", "");
    put(".git/commondir", "../evil");
    put(".bashrc", "");
    let names: Vec<String> = plan
        .rejected_paths(SweepPhase::Ended)
        .iter()
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    assert_eq!(names, [".bashrc", "commondir", "config", "pre-commit"]);
}

#[test]
fn a_writable_folder_is_never_read_only_as_a_whole() {
    let tree = tree(&[
        (".git/HEAD", ""),
        (".git/config", "[core]\n\thooksPath = .\n"),
        (".config/fish/", ""),
    ]);
    let mut policy = policy(tree.path());
    policy.writable.push(policy.workspace.join(".config/fish"));
    let plan = Protection::plan(&policy);
    assert!(!plan.read_only.contains(&policy.workspace));
    assert!(!plan.read_only.contains(&policy.writable[0]));
}

#[test]
fn a_rebase_goes_on_until_a_step_starts_a_program() {
    let steps = ".git/rebase-merge/git-rebase-todo";
    let tree = tree(&[
        (".git/HEAD", ""),
        (".git/objects/", ""),
        (".git/refs/", ""),
        (
            steps,
            "pick 1234567 one\n# exec is a comment here\nfixup -C 2345678 two\n",
        ),
    ]);
    let path = tree.path().canonicalize().unwrap().join(steps);
    let before = Protection::plan(&policy(tree.path()));
    assert!(before.watched.contains(&path));
    assert_eq!(
        before.rejected_paths(SweepPhase::Ended),
        Vec::<PathBuf>::new()
    );
    for step in ["exec ./evil", "x ./evil", "  exec\t./evil", "next"] {
        fs::write(&path, format!("pick 1234567 one\n{step}\n")).unwrap();
        let appeared = before.rejected_paths(SweepPhase::Ended);
        assert_eq!(appeared, std::slice::from_ref(&path), "{step}");
        // A rebase that the user began in this state is not changed.
        let plan = Protection::plan(&policy(tree.path()));
        assert!(plan.read_only.contains(&path), "{step}");
    }
}

#[test]
fn nested_repositories_have_what_is_run_in_them_protected() {
    let tree = tree(&[
        ("lib/.git/HEAD", ""),
        ("lib/.husky/pre-commit", ""),
        ("lib/.vscode/tasks.json", ""),
        ("lib/.config/nvim/init.lua", ""),
        ("lib/AGENTS.md", ""),
        ("other/.husky/pre-commit", ""),
    ]);
    let policy = SandboxPolicy::new(tree.path().canonicalize().unwrap());
    let plan = Protection::plan(&policy);
    let base = &policy.workspace;
    assert_eq!(
        plan.read_only,
        [base.join("lib/.husky"), base.join("lib/.vscode")]
    );
    assert!(plan.watched.contains(&base.join("lib/.envrc")));
    assert!(plan.watched.contains(&base.join(".config/nvim")));
    assert!(!plan.watched.contains(&base.join("lib/.config/nvim")));
}

#[test]
fn a_large_tree_is_planned_in_bounded_time() {
    let tree = tree(&[(".git/HEAD", "")]);
    for folder in 0..100 {
        let folder = tree.path().join(format!("{folder}"));
        fs::create_dir(&folder).unwrap();
        for file in 0..100 {
            fs::write(folder.join(format!("{file}.rs")), "").unwrap();
        }
    }
    let started = std::time::Instant::now();
    let plan = Protection::plan(&policy(tree.path()));
    println!("10,000 files: {:?}", started.elapsed());
    assert_eq!(plan.stopped, None);
}

#[test]
fn repositories_that_are_made_are_judged_by_their_settings() {
    let tree = tree(&[
        ("bare/HEAD", ""),
        ("bare/objects/", ""),
        ("bare/refs/", ""),
        (
            "bare/config",
            "[core]\n\tbare = false\n\tworktree = .\n\tfsmonitor = evil\n",
        ),
        ("evil/config", "[core]\n\tfsmonitor = evil\n"),
        ("made/.git", "gitdir: ../evil\n"),
        ("clone/.git/HEAD", ""),
        (
            "clone/.git/config",
            "[remote \"origin\"]\n\turl = ../x\n\tfetch = +a:b\n",
        ),
        ("clone/.git/worktrees/w/HEAD", ""),
        ("clone/.git/worktrees/w/commondir", "../..\n"),
        ("w/.git", "gitdir: ../clone/.git/worktrees/w\n"),
    ]);
    let mut plan = Protection::plan(&policy(tree.path()));
    // As if the ended command had created everything.
    plan.watched = plan.read_only.clone();
    let base = tree.path().canonicalize().unwrap();
    let told: Vec<_> = plan.rejected_paths(SweepPhase::Ended);
    let told: Vec<_> = told
        .iter()
        .map(|path| path.strip_prefix(&base).unwrap().to_str().unwrap())
        .collect();
    assert_eq!(told, ["bare/config", "evil/config", "made/.git"]);
}

/// The part of a file after the size limit could contain any setting.
#[test]
fn settings_that_are_too_long_to_be_read_are_not_harmless() {
    let filler = "# nothing\n".repeat(110_000);
    let evil = format!("[core]\n\tbare = false\n{filler}\tfsmonitor = evil\n");
    let tree = tree(&[
        ("made/.git/HEAD", ""),
        ("made/.git/objects/", ""),
        ("made/.git/refs/", ""),
        ("made/.git/config", &evil),
    ]);
    let mut plan = Protection::plan(&policy(tree.path()));
    plan.watched = plan.read_only.clone();
    let config = tree.path().canonicalize().unwrap().join("made/.git/config");
    assert_eq!(
        plan.rejected_paths(SweepPhase::Ended),
        std::slice::from_ref(&config)
    );
    assert_eq!(
        plan.stopped,
        Some(format!(
            "`{}` was not read and may configure hooks: it is too large, or there are too many configuration files",
            config.display()
        ))
    );
}

/// A plan that reaches one of its bounds reports the path, and protects the paths that it has scanned.
#[test]
fn no_bound_is_met_in_silence() {
    let files: Vec<String> = (0..60)
        .map(|number| format!("node_modules/{number}/index.js"))
        .chain((0..5).map(|number| format!(".git/modules/{number}/HEAD")))
        .chain((0..5).map(|number| format!(".git/hooks/{number}")))
        .chain([".git/HEAD".to_owned()])
        .collect();
    let files: Vec<_> = files.iter().map(|name| (name.as_str(), "")).collect();
    let tree = tree(&files);
    let base = tree.path().canonicalize().unwrap();
    let stopped = |change: fn(&mut WalkBounds)| {
        let mut bounds = WalkBounds::WHOLE;
        change(&mut bounds);
        let plan = Protection::look(&policy(tree.path()), bounds);
        assert!(plan.read_only.contains(&base.join(".git/hooks")));
        let why = plan.stopped.unwrap_or_default();
        why.replace(base.to_str().unwrap(), "")
    };
    assert_eq!(stopped(|_| {}), "");
    insta::assert_snapshot!(stopped(|bounds| bounds.entries = 50), @"too many files: nested repositories and secrets were not searched in `/node_modules` and what follows it");
    insta::assert_snapshot!(stopped(|bounds| bounds.git_folders = 3), @"there are too many folders in `/.git`, so not all submodules and worktrees in it were looked for");
    insta::assert_snapshot!(stopped(|bounds| bounds.linked = 4), @"there are too many entries in `/.git/hooks`, so not all links in it were followed");
}

/// A command can create Git folders that name each other as their common folder.
#[test]
fn common_folders_that_name_each_other_are_planned() {
    let tree = tree(&[
        ("x/HEAD", ""),
        ("x/commondir", "../y\n"),
        ("y/HEAD", ""),
        ("y/commondir", "../x\n"),
        ("y/config", ""),
    ]);
    let plan = Protection::plan(&policy(tree.path()));
    let base = tree.path().canonicalize().unwrap();
    assert!(plan.read_only.contains(&base.join("y/config")));
}
