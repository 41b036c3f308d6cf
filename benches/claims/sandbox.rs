//! A command in the sandbox of this machine, against the same command as a plain child.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use helve::sandbox::{
    Exit, IsolatedSandbox, Layer, ProcessId, ProcessSpec, Sandbox, SandboxPolicy,
};
use tokio::runtime::Runtime;

use crate::harness::{Bar, Row, alternate, each};

const ROUNDS: usize = 120;

/// The longest that one command may take.
const PATIENCE: Duration = Duration::from_secs(10);

pub(crate) fn rows() -> Vec<Row> {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let policy = policy(folder.path());
    let against = "posix_spawn";
    let mut rows = vec![
        Row {
            what: "a command in a sandbox of its own",
            against,
            bar: Bar::Ratio(3.5),
            rounds: alternate(ROUNDS, || once(&runtime, &policy), plain),
        },
        Row {
            what: "a command in a sandbox that stands",
            against,
            bar: Bar::Ratio(2.2),
            rounds: standing(&runtime, &policy),
        },
    ];
    rows.push(in_many_folders(&runtime));
    rows.extend(cloning(&runtime));
    if let Some(program) = bubblewrap() {
        let peer = || wrapped(&program, folder.path());
        rows.push(Row {
            what: "the same by bubblewrap",
            against,
            bar: Bar::Peer,
            rounds: alternate(ROUNDS, peer, plain),
        });
    }
    rows
}

fn policy(workspace: &Path) -> SandboxPolicy {
    let mut policy = SandboxPolicy::new(workspace.canonicalize().unwrap());
    // What a machine cannot give is not measured on it, and said by `doctor`.
    policy.accepted = Layer::ALL.into_iter().collect();
    policy
}

/// A sandbox from its opening to its end, with one command in it.
fn once(runtime: &Runtime, policy: &SandboxPolicy) -> f64 {
    each(1, || {
        runtime.block_on(async {
            let sandbox = IsolatedSandbox::open(policy.clone()).await.unwrap();
            run(&sandbox, 0).await;
            sandbox.close().await.unwrap();
        });
    })
}

fn standing(runtime: &Runtime, policy: &SandboxPolicy) -> Vec<(f64, f64)> {
    let sandbox = runtime
        .block_on(IsolatedSandbox::open(policy.clone()))
        .unwrap();
    let mut number = 0;
    let rounds = alternate(
        ROUNDS,
        || {
            number += 1;
            each(1, || runtime.block_on(run(&sandbox, number)))
        },
        plain,
    );
    runtime.block_on(sandbox.close()).unwrap();
    rounds
}

/// A sandbox over many folders, which are all watched, against a walk through them.
fn in_many_folders(runtime: &Runtime) -> Row {
    let folder = tempfile::tempdir().unwrap();
    let policy = policy(folder.path());
    for number in 0..20_000 {
        let below = folder.path().join(format!("{}/{number}", number % 200));
        std::fs::create_dir_all(below).unwrap();
    }
    let open = || {
        let before = std::time::Instant::now();
        let sandbox = runtime
            .block_on(IsolatedSandbox::open(policy.clone()))
            .unwrap();
        let took = before.elapsed();
        runtime.block_on(sandbox.close()).unwrap();
        took.as_secs_f64() * 1e9
    };
    Row {
        what: "a sandbox over 20,000 watched folders opens",
        against: "a walk through them",
        bar: Bar::Time(Duration::from_millis(500)),
        rounds: alternate(5, open, || each(1, || walk(folder.path()))),
    }
}

fn walk(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            walk(&entry.path());
        }
    }
}

/// A clone in a sandbox whose folders are watched, against the same one outside.
fn cloning(runtime: &Runtime) -> Option<Row> {
    let folder = tempfile::tempdir().unwrap();
    let git = |arguments: &[&str]| {
        let done = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@example.org"])
            .args(arguments)
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        done.is_ok_and(|status| status.success())
    };
    git(&["init", "-q", "from"]).then_some(())?;
    for number in 0..4000 {
        let below = folder
            .path()
            .join(format!("from/{}/{}", number % 20, number % 400));
        std::fs::create_dir_all(&below).unwrap();
        std::fs::write(
            below.join(number.to_string()),
            number.to_string().repeat(500),
        )
        .unwrap();
    }
    assert!(git(&["-C", "from", "add", "."]) && git(&["-C", "from", "commit", "-qm", "all"]));
    let sandbox = runtime
        .block_on(IsolatedSandbox::open(policy(folder.path())))
        .unwrap();
    let mut number = 0;
    let inside = || {
        number += 1;
        let script = format!("exec git clone -q --no-hardlinks from inside-{number}");
        each(1, || {
            runtime.block_on(run_program(&sandbox, number, ["/bin/sh", "-c", &script]))
        })
    };
    let mut copies = 0;
    let outside = || {
        copies += 1;
        let to = format!("outside-{copies}");
        each(1, || {
            assert!(git(&["clone", "-q", "--no-hardlinks", "from", &to]))
        })
    };
    let rounds = alternate(9, inside, outside);
    runtime.block_on(sandbox.close()).unwrap();
    Some(Row {
        what: "a git clone of 4,000 files in a sandbox that stands",
        against: "outside",
        bar: Bar::Ratio(1.1),
        rounds,
    })
}

async fn run(sandbox: &IsolatedSandbox, number: usize) {
    run_program(sandbox, number, ["/bin/true"]).await;
}

async fn run_program<const N: usize>(sandbox: &IsolatedSandbox, number: usize, argv: [&str; N]) {
    let id = ProcessId::new(&format!("bench-{number}")).unwrap();
    let spec = ProcessSpec::new(id.clone(), argv);
    sandbox.start(spec).await.unwrap();
    let status = sandbox.status(&id, PATIENCE).await.unwrap();
    assert_eq!(status.exit, Some(Exit::Code(0)));
}

fn plain() -> f64 {
    spawned(&mut Command::new("/bin/true"))
}

/// Starts a process and waits for its end; returns the nanoseconds.
fn spawned(command: &mut Command) -> f64 {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    each(1, || assert!(command.status().unwrap().success()))
}

fn bubblewrap() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&path).map(|folder| folder.join("bwrap"));
    found.into_iter().find(|program| program.is_file())
}

/// The usual arguments: an own root, an own network, nothing that outlives it.
fn wrapped(program: &Path, workspace: &Path) -> f64 {
    let mut command = Command::new(program);
    command.args(["--unshare-all", "--die-with-parent", "--new-session"]);
    command.args([
        "--ro-bind",
        "/usr",
        "/usr",
        "--proc",
        "/proc",
        "--dev",
        "/dev",
    ]);
    for (target, link) in [
        ("usr/bin", "/bin"),
        ("usr/lib", "/lib"),
        ("usr/lib64", "/lib64"),
    ] {
        command.args(["--symlink", target, link]);
    }
    command.args(["--tmpfs", "/tmp"]);
    command.arg("--bind").args([workspace, workspace]);
    spawned(command.arg("/bin/true"))
}
