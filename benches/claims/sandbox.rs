//! A command in the sandbox of this machine, against the same command as a plain child.

mod watching;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use helve::sandbox::{
    Exit, IsolatedSandbox, Layer, ProcessId, ProcessSpec, Sandbox, SandboxPolicy,
};
use tokio::runtime::Runtime;

use crate::harness::{Bar, Row, measure_alternately, nanos_per_run};

const ROUNDS: usize = 120;

/// The longest that one command may take.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(120);

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
            rounds: measure_alternately(ROUNDS, || open_and_run(&runtime, &policy), plain),
        },
        Row {
            what: "a command in a sandbox that stands",
            against,
            bar: Bar::Ratio(2.2),
            rounds: run_in_standing(&runtime, &policy),
        },
    ];
    rows.extend(watching::rows(&runtime));
    if let Some(program) = bubblewrap() {
        let peer = || nanos_in_bubblewrap(&program, folder.path());
        rows.push(Row {
            what: "the same by bubblewrap",
            against,
            bar: Bar::Peer,
            rounds: measure_alternately(ROUNDS, peer, plain),
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
fn open_and_run(runtime: &Runtime, policy: &SandboxPolicy) -> f64 {
    nanos_per_run(1, || {
        runtime.block_on(async {
            let sandbox = IsolatedSandbox::open(policy.clone()).await.unwrap();
            run(&sandbox, 0).await;
            sandbox.close().await.unwrap();
        });
    })
}

fn run_in_standing(runtime: &Runtime, policy: &SandboxPolicy) -> Vec<(f64, f64)> {
    let sandbox = runtime
        .block_on(IsolatedSandbox::open(policy.clone()))
        .unwrap();
    let mut number = 0;
    let rounds = measure_alternately(
        ROUNDS,
        || {
            number += 1;
            nanos_per_run(1, || runtime.block_on(run(&sandbox, number)))
        },
        plain,
    );
    runtime.block_on(sandbox.close()).unwrap();
    rounds
}

async fn run(sandbox: &IsolatedSandbox, number: usize) {
    run_program(sandbox, number, ["/bin/true"]).await;
}

async fn run_program<const N: usize>(sandbox: &IsolatedSandbox, number: usize, argv: [&str; N]) {
    let id = ProcessId::new(&format!("bench-{number}")).unwrap();
    let spec = ProcessSpec::new(id.clone(), argv);
    sandbox.start(spec).await.unwrap();
    let status = sandbox.status(&id, COMMAND_TIMEOUT).await.unwrap();
    assert_eq!(status.exit, Some(Exit::Code(0)));
}

fn plain() -> f64 {
    nanos_to_exit(&mut Command::new("/bin/true"))
}

/// Starts a process and waits for its end; returns the nanoseconds.
fn nanos_to_exit(command: &mut Command) -> f64 {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    nanos_per_run(1, || assert!(command.status().unwrap().success()))
}

fn bubblewrap() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&path).map(|folder| folder.join("bwrap"));
    found.into_iter().find(|program| program.is_file())
}

/// The usual arguments: an own root, an own network, nothing that outlives it.
fn nanos_in_bubblewrap(program: &Path, workspace: &Path) -> f64 {
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
    nanos_to_exit(command.arg("/bin/true"))
}
