//! Staged commands: what one changes is applied after it was judged.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use helve_runtime::sandbox::{
    Access, Exit, NewPaths, OutputStream, ProcessId, ProcessStatus, Sandbox as _, Stdin,
};

use super::protection::repository;
use crate::isolated::fixture::{IsolatedWorld, TIMEOUT, read};

async fn staged_fixture(fill: impl FnOnce(&Path)) -> IsolatedWorld {
    IsolatedWorld::with_setup(fill, |policy| policy.staged = true).await
}

/// What a tree is: kind, mode, and contents or target, by path.
fn tree(root: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let about = path.symlink_metadata().unwrap();
            let what = if about.is_symlink() {
                format!("-> {}", fs::read_link(&path).unwrap().display())
            } else if about.is_dir() {
                folders.push(path.clone());
                format!("{:o}", about.mode())
            } else if about.is_file() {
                format!("{:o} {}", about.mode(), fs::read_to_string(&path).unwrap())
            } else {
                format!("{:o}", about.mode())
            };
            let name = path.strip_prefix(root).unwrap().display().to_string();
            found.insert(name, what);
        }
    }
    found
}

fn some_files(folder: &Path) {
    for name in ["a", "b/c", "b/d/e", "f/g", "f/h", "i/j/k/l"] {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, name).unwrap();
    }
    std::os::unix::fs::symlink("b/c", folder.join("m")).unwrap();
}

/// Makes lines of a shell that change files; each number gives another one.
fn changes(mut seed: u64) -> String {
    const NAMES: [&str; 12] = [
        "a", "b", "b/c", "b/d", "b/d/e", "f", "f/g", "i", "i/j", "i/j/k", "m", "new",
    ];
    let mut next = |most: usize| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % most
    };
    let mut lines = Vec::new();
    for number in 0..8 {
        let (one, other) = (NAMES[next(NAMES.len())], NAMES[next(NAMES.len())]);
        let line = match next(12) {
            0 => format!("rm -rf {one}"),
            1 => format!("mkdir -p {one}/n{number}"),
            2 => format!("echo {number} > {one}"),
            3 => format!("echo {number} >> {one}"),
            4 => format!("mv -T {one} {other}"),
            5 => format!("ln -sfn {one} {other}"),
            6 => format!("chmod 7{number}0 {one}"),
            7 => format!("cp -r {one} copy{number}"),
            8 => format!("rm -rf {one}; mkdir {one}; echo x > {one}/x"),
            // An open of one blocks, so that nothing else is done with it.
            9 => format!("[ -p pipe ] || mkfifo pipe; ln -sfn pipe fifo{number}"),
            10 => format!("touch -d @{number}00000 {one}"),
            _ => format!("rm -rf {one}; echo file > {one}"),
        };
        lines.push(line);
    }
    lines.join("\n")
}

/// Held against the same lines without a sandbox.
pub(super) async fn what_it_changes_is_applied() {
    for seed in 0..100 {
        let world = staged_fixture(some_files).await;
        let plain = tempfile::tempdir().unwrap();
        some_files(plain.path());
        let script = changes(seed);
        let direct = Command::new("/bin/sh")
            .args(["-c", &format!("umask 022\n{script}")])
            .current_dir(plain.path())
            .output()
            .unwrap();
        let done = world.sh(&format!("umask 022\n{script}")).await;
        let code = direct.status.code().unwrap();
        assert_eq!(done.exit, Some(Exit::Code(code)), "{script}\n{done:?}");
        assert_eq!(tree(world.path()), tree(plain.path()), "{script}\n{done:?}");
        world.close().await;
    }
}

pub(super) async fn nothing_is_there_while_it_runs() {
    let world = staged_fixture(some_files).await;
    let id = start_script(&world, "echo new > new; rm a; echo ready; read go; cat new").await;
    assert!(!world.path().join("new").exists());
    assert!(world.path().join("a").exists());
    assert_eq!(wait_end(&world, &id).await.exit, Some(Exit::Code(0)));
    assert_eq!(world.wait(&id).await.unwrap().stdout, "ready\nnew\n");
    let new = fs::read_to_string(world.path().join("new")).unwrap();
    assert_eq!(new, "new\n");
    assert!(!world.path().join("a").exists());
    world.close().await;
}

/// Looks for paths all the time, until it is dropped.
struct PathWatcher(Arc<AtomicBool>, Option<std::thread::JoinHandle<bool>>);

impl PathWatcher {
    fn watch(folder: &Path) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let (folder, told) = (folder.to_owned(), stop.clone());
        let before = tree(&folder);
        let thread = std::thread::spawn(move || {
            let mut seen = false;
            while !told.load(Ordering::Relaxed) {
                let names = fs::read_dir(&folder).unwrap();
                let new = |name: String| !before.contains_key(&name);
                seen |= names
                    .flatten()
                    .any(|entry| new(entry.file_name().into_string().unwrap()));
            }
            seen
        });
        Self(stop, Some(thread))
    }

    fn has_seen(&mut self) -> bool {
        self.0.store(true, Ordering::Relaxed);
        self.1.take().unwrap().join().unwrap()
    }
}

pub(super) async fn what_would_run_later_is_never_there() {
    let plants = [
        "echo evil > .envrc",
        "mkdir .vscode && echo {} > .vscode/tasks.json",
        "mkdir x && git init -q x && echo evil > x/.git/hooks/pre-commit",
        "mkdir -p bare/objects bare/refs && echo 'ref: refs/heads/main' > bare/HEAD && \
         printf '[core]\\n\\tbare = false\\n\\tfsmonitor = ./evil\\n' > bare/config",
        "ln -s /tmp .envrc",
        "mkdir deep && chmod 000 deep && mkdir y && cp -r .git y/.git && \
         printf '[core]\\n\\tfsmonitor = ./evil\\n' >> y/.git/config && chmod 000 y",
        "echo 'gitdir: x' > .git/commondir",
        "mkdir s && echo evil > s/.bashrc && mv s/.bashrc .bashrc",
    ];
    for plant in plants {
        let world = staged_fixture(repository).await;
        let before = tree(world.path());
        let mut witness = PathWatcher::watch(world.path());
        let done = world.sh(&format!("echo x > innocent; {plant}")).await;
        assert!(!witness.has_seen(), "{plant}");
        let Some(Exit::ProtectedPaths(why)) = &done.exit else {
            panic!("{plant}: {done:?}");
        };
        assert!(
            why.starts_with("none of its changes was applied: `"),
            "{why}"
        );
        assert_eq!(tree(world.path()), before, "{plant}");
        // The next one is not concerned.
        let done = world.sh("echo x > innocent").await;
        assert_eq!(done.exit, Some(Exit::Code(0)), "{plant}: {done:?}");
        assert!(world.path().join("innocent").exists());
        world.close().await;
    }
}

pub(super) async fn repositories_work() {
    let world = staged_fixture(|folder| {
        fs::create_dir(folder.join("from")).unwrap();
        repository(&folder.join("from"));
    })
    .await;
    let done = world
        .sh(
            "cd from && echo x > file && git add file && git commit -qm first && cd .. && \
             git clone -q from to && cd to && git log --oneline | wc -l && git init -q ../new",
        )
        .await;
    assert_eq!(
        (done.exit, done.stdout.trim()),
        (Some(Exit::Code(0)), "1"),
        "{}",
        done.stderr
    );
    for file in ["from/file", "to/file", "to/.git/HEAD", "new/.git/HEAD"] {
        assert!(world.path().join(file).exists(), "{file}");
    }
    // What it brought is covered for the next one.
    let done = world.sh("echo evil > to/.git/hooks/pre-commit").await;
    assert_ne!(done.exit, Some(Exit::Code(0)), "{done:?}");
    let done = world
        .sh("cd to && echo y > file && git -c user.name=A -c user.email=a@b.c commit -qam second && git status --short")
        .await;
    assert_eq!(
        (done.exit, done.stdout.as_str()),
        (Some(Exit::Code(0)), ""),
        "{}",
        done.stderr
    );
    world.close().await;
}

pub(super) async fn what_is_protected_is_covered_in_the_overlay() {
    let world = staged_fixture(|folder| {
        repository(folder);
        fs::write(folder.join(".envrc"), "mine").unwrap();
        fs::write(folder.join(".env"), "SECRET").unwrap();
    })
    .await;
    let done = world
        .sh("echo evil > .envrc; rm .envrc; mv .git x; cat .env; ls /run/staged; cat .envrc")
        .await;
    assert_eq!(done.stdout, "mine", "{done:?}");
    assert_eq!(
        fs::read_to_string(world.path().join(".envrc")).unwrap(),
        "mine"
    );
    let mut spec = world.spec(["/bin/sh", "-c", "ls /run/staged; echo x > x"]);
    spec.access = Access::Read;
    let done = world.run(spec).await.unwrap();
    assert_ne!(done.exit, Some(Exit::Code(0)), "{done:?}");
    assert_eq!(done.stdout, "");
    world.close().await;
}

pub(super) async fn what_it_left_running_ends_with_it() {
    let world = staged_fixture(|_| {}).await;
    let done = world
        .sh("(while :; do echo x >> grows; done) & setsid sleep 1000 & until [ -s grows ]; do :; done; echo done > done")
        .await;
    assert_eq!(done.exit, Some(Exit::Code(0)), "{done:?}");
    assert!(world.path().join("done").exists());
    let first = fs::metadata(world.path().join("grows")).unwrap().len();
    let id = ProcessId::new("p1").unwrap();
    let status = world.sandbox.status(&id, Duration::ZERO).await.unwrap();
    assert!(!status.left_running);
    let done = world.sh("true").await;
    assert_eq!(done.exit, Some(Exit::Code(0)), "{done:?}");
    assert_eq!(
        fs::metadata(world.path().join("grows")).unwrap().len(),
        first
    );
    world.close().await;
}

/// Starts a script that says when it has come to `read go`, and waits for that.
async fn start_script(world: &IsolatedWorld, script: &str) -> ProcessId {
    let mut spec = world.spec(["/bin/sh", "-c", script]);
    spec.stdin = Stdin::Open;
    let id = spec.id.clone();
    world.sandbox.start(spec).await.unwrap();
    let ready = read(&id, OutputStream::Stdout, 0);
    assert_eq!(world.sandbox.read(ready).await.unwrap().bytes, b"ready\n");
    id
}

async fn wait_end(world: &IsolatedWorld, id: &ProcessId) -> ProcessStatus {
    world
        .sandbox
        .write(id, b"go\n".to_vec(), true)
        .await
        .unwrap();
    world.sandbox.status(id, TIMEOUT).await.unwrap()
}

/// Returns why nothing was applied, and where it is kept.
fn refusal(status: &ProcessStatus) -> (&str, &Path) {
    let Some(Exit::ProtectedPaths(why)) = &status.exit else {
        panic!("{status:?}");
    };
    let kept = why.split('`').nth(3).expect("where it is kept");
    (why, Path::new(kept))
}

pub(super) async fn each_has_its_own_changes() {
    let world = staged_fixture(|_| {}).await;
    let script = |name: &str| format!("echo {name} > {name}; echo ready; read go; ls");
    let one = start_script(&world, &script("one")).await;
    let two = start_script(&world, &script("two")).await;
    for (id, seen) in [(&one, "ready\none\n"), (&two, "ready\none\ntwo\n")] {
        assert_eq!(wait_end(&world, id).await.exit, Some(Exit::Code(0)));
        assert_eq!(world.wait(id).await.unwrap().stdout, seen);
    }
    let names: Vec<_> = tree(world.path()).into_keys().collect();
    assert_eq!(names, ["one", "two"]);
    world.close().await;
}

pub(super) async fn the_same_file_is_changed_once() {
    let world = staged_fixture(some_files).await;
    for change in [
        "echo x > a",
        "chmod 600 a",
        "rm a",
        "rm -r f",
        "rm -r f; mkdir f",
        "rm -r f; echo x > f",
        "echo x > f/g",
    ] {
        let id = start_script(
            &world,
            &format!("echo x > x; {change}; echo ready; read go"),
        )
        .await;
        for file in ["a", "f/g"] {
            fs::write(world.path().join(file), "mine").unwrap();
        }
        let before = tree(world.path());
        let status = wait_end(&world, &id).await;
        let (why, kept) = refusal(&status);
        assert!(why.contains("was also changed by another process"), "{why}");
        assert_eq!(tree(world.path()), before, "{change}");
        assert!(kept.join("0/upper/x").exists(), "{change}");
        fs::remove_dir_all(kept).unwrap();
    }
    world.close().await;
}

/// Each half is harmless when it is judged.
pub(super) async fn two_commands_put_no_repository_together() {
    let world = staged_fixture(|_| {}).await;
    let halves = [
        "mkdir -p x/hooks; printf '[core]\\n\\tfsmonitor = ./evil\\n' > x/config; echo evil > x/hooks/pre-commit",
        "rm -rf x; mkdir -p x/objects x/refs; echo 'ref: refs/heads/m' > x/HEAD",
    ];
    for first in [0, 1] {
        let other = start_script(
            &world,
            &format!("echo ready; read go; {}", halves[1 - first]),
        )
        .await;
        world.sh(halves[first]).await;
        wait_end(&world, &other).await;
        let is_repository =
            ["HEAD", "objects", "refs"].map(|part| world.path().join("x").join(part).exists());
        let is_evil =
            ["config", "hooks/pre-commit"].map(|part| world.path().join("x").join(part).exists());
        assert!(is_repository == [false; 3] || is_evil == [false; 2]);
        let _ = fs::remove_dir_all(world.path().join("x"));
    }
    world.close().await;
}

pub(super) async fn what_it_changed_that_runs_later_is_told() {
    let world = staged_fixture(|folder| fs::write(folder.join("AGENTS.md"), "mine").unwrap()).await;
    let reader = start_script(&world, "echo ready; read go").await;
    let other = start_script(
        &world,
        "echo x >> AGENTS.md; git init -q new; echo ready; read go",
    )
    .await;
    let status = wait_end(&world, &other).await;
    assert!(
        status.notes.iter().any(|note| note.contains("AGENTS.md")),
        "{status:?}"
    );
    wait_end(&world, &reader).await;
    world.close().await;
}

/// One folder is inside another.
pub(super) async fn several_folders_are_staged() {
    let other = tempfile::tempdir().unwrap();
    some_files(other.path());
    let path = other.path().to_owned();
    let world = IsolatedWorld::with_setup(some_files, |policy| {
        policy.staged = true;
        policy.writable = vec![path.clone(), policy.workspace.join("b")];
    })
    .await;
    let there = path.display();
    let script = format!(
        "echo new > {there}/new; rm -r {there}/f; echo x >> {there}/a; ln -s a {there}/link; mkfifo {there}/fifo; \
         chmod 640 {there}/a; mkdir {there}/p; echo y > {there}/p/q; chmod 500 {there}/p; rm b/c; echo z > b/z; echo w > w"
    );
    let done = world.sh(&script).await;
    assert_eq!(done.exit, Some(Exit::Code(0)), "{done:?}");
    let found = tree(&path);
    let kept: Vec<_> = found.keys().map(String::as_str).collect();
    let expected = [
        "a", "b", "b/c", "b/d", "b/d/e", "fifo", "i", "i/j", "i/j/k", "i/j/k/l", "link", "m",
        "new", "p", "p/q",
    ];
    assert_eq!(kept, expected);
    assert_eq!(found["a"], "100640 ax\n");
    assert_eq!(found["p"], "40500");
    let own = path.metadata().unwrap().uid();
    for name in ["new", "p", "link", "fifo"] {
        assert_eq!(
            path.join(name).symlink_metadata().unwrap().uid(),
            own,
            "{name}"
        );
    }
    assert!(!world.path().join("b/c").exists());
    assert_eq!(fs::read_to_string(world.path().join("b/z")).unwrap(), "z\n");
    assert_eq!(fs::read_to_string(world.path().join("w")).unwrap(), "w\n");
    fs::set_permissions(path.join("p"), fs::Permissions::from_mode(0o700)).unwrap();
    world.close().await;
}

pub(super) async fn what_the_user_changes_meanwhile_stays() {
    let world = staged_fixture(some_files).await;
    let id = start_script(&world, "echo x > x; echo ready; read go; echo y > y").await;
    fs::write(world.path().join(".envrc"), "mine").unwrap();
    fs::write(world.path().join("b/mine"), "mine").unwrap();
    let status = wait_end(&world, &id).await;
    assert_eq!(status.exit, Some(Exit::Code(0)), "{status:?}");
    for (name, text) in [
        (".envrc", "mine"),
        ("b/mine", "mine"),
        ("x", "x\n"),
        ("y", "y\n"),
    ] {
        assert_eq!(
            fs::read_to_string(world.path().join(name)).unwrap(),
            text,
            "{name}"
        );
    }
    world.close().await;
}

pub(super) async fn it_is_said_and_nothing_is_left() {
    let world = staged_fixture(|_| {}).await;
    let new_paths = &world.sandbox.enforcement().new_paths;
    assert_eq!(*new_paths, Some(NewPaths::Staged));
    let done = world.sh("mkdir -p d/e; chmod 000 d/e; exit 3").await;
    assert_eq!(done.exit, Some(Exit::Code(3)));
    let spec = world.spec(["/no/such/program"]);
    assert!(world.run(spec).await.is_err());
    let id = world.sandbox.id().to_string();
    let state = std::env::var_os("XDG_STATE_HOME").map(Into::into);
    let state = state.unwrap_or_else(|| std::env::home_dir().unwrap().join(".local/state"));
    let layers = state.join("helve/staged").join(id);
    // Only the one that was tried out.
    let left: Vec<_> = fs::read_dir(&layers)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["0"]);
    fs::set_permissions(world.path().join("d/e"), fs::Permissions::from_mode(0o700)).unwrap();
    world.close().await;
    assert!(!layers.exists());
}

/// Nothing that the user made is removed for a command, and nothing that a command made is lost.
pub(super) async fn what_the_user_puts_in_the_way_stays() {
    let world = staged_fixture(some_files).await;
    let script = "echo x > f/x; echo x > other; rm -r i; echo file > i; echo ready; read go";
    let id = start_script(&world, script).await;
    for folder in ["f", "i"] {
        fs::remove_dir_all(world.path().join(folder)).unwrap();
    }
    fs::write(world.path().join("f"), "mine").unwrap();
    fs::create_dir(world.path().join("i")).unwrap();
    fs::write(world.path().join("i/mine"), "mine").unwrap();
    let before = tree(world.path());
    let status = wait_end(&world, &id).await;
    let (_, kept) = refusal(&status);
    assert_eq!(tree(world.path()), before);
    world.close().await;
    let kept = kept.join("0/upper");
    assert_eq!(fs::read_to_string(kept.join("f/x")).unwrap(), "x\n");
    assert_eq!(fs::read_to_string(kept.join("i")).unwrap(), "file\n");
}
