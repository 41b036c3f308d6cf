//! A small app of its own process, so that it, its supervisor and what runs inside can be killed or starved.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::time::Duration;

use helve_runtime::sandbox::{Layer, Sandbox, SandboxError, SandboxPolicy};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::escape::fixture::EscapeWorld;
use crate::escape::sandbox_runner::{error_chain, finish, process, spec};

/// How long an end is waited for: many changes take their time on a busy machine.
const END_TIMEOUT: Duration = Duration::from_secs(60);
/// The workspace of the app, in the environment.
const WORKSPACE_VARIABLE: &str = "HELVE_ESCAPE_APP";
/// The layers that it accepts as missing, by name.
const ACCEPTED_VARIABLE: &str = "HELVE_ESCAPE_ACCEPTED";

/// Is the app, where this process was started as one.
pub(crate) fn run_if_app() -> Option<ExitCode> {
    let workspace = PathBuf::from(std::env::var_os(WORKSPACE_VARIABLE)?);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.expect("a runtime").block_on(serve(&workspace));
    Some(ExitCode::SUCCESS)
}

/// Opens a sandbox, tells how that went, and does what the lines of its input say; their end closes the sandbox.
async fn serve(workspace: &Path) {
    let mut policy = SandboxPolicy::new(workspace);
    policy.readable = std::env::var_os("HELVE_ESCAPE_TOOLS")
        .map(PathBuf::from)
        .into_iter()
        .collect();
    let accepted = std::env::var(ACCEPTED_VARIABLE).unwrap_or_default();
    policy.accepted = accepted.split(',').filter_map(Layer::from_name).collect();
    let sandbox = match helve_runtime::sandbox::IsolatedSandbox::open(policy).await {
        Ok(sandbox) => sandbox,
        Err(error) => {
            let kind = match error {
                SandboxError::Isolation { .. } => "isolation",
                SandboxError::Unavailable { .. } => "unavailable",
                _ => "other",
            };
            return print_line(&format!("error {kind} {}", error_chain(&error)));
        }
    };
    let missing: Vec<_> = sandbox
        .enforcement()
        .missing()
        .iter()
        .map(|layer| layer.name())
        .collect();
    print_line(&format!(
        "open {} [{}]",
        sandbox.enforcement().mechanism,
        missing.join(",")
    ));
    let mut number = 0;
    // A thread of its own waits for the lines, so that the sandbox's connection goes on meanwhile.
    let (to, mut lines) = tokio::sync::mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lines().map_while(Result::ok) {
            if to.send(line).is_err() {
                break;
            }
        }
    });
    while let Some(line) = lines.recv().await {
        number += 1;
        let (what, rest) = line.split_once(' ').unwrap_or((&line, ""));
        print_line(&run_command(&sandbox, what, rest, number).await);
    }
    match sandbox.close().await {
        Ok(()) => print_line("closed"),
        Err(error) => print_line(&format!("error at its end: {}", error_chain(&error))),
    }
}

async fn run_command(sandbox: &dyn Sandbox, what: &str, rest: &str, number: u32) -> String {
    let script = rest.replace('\t', "\n");
    let environment: BTreeMap<String, String> = std::env::vars()
        .filter(|(name, _)| name == "DOORS")
        .collect();
    match what {
        // Starts the standing process and returns at once.
        "start" => match sandbox.start(spec("standing", &script, &environment)).await {
            Ok(_) => "started".to_owned(),
            Err(error) => format!("error {}", error_chain(&error)),
        },
        "status" => match sandbox.status(&process("standing"), END_TIMEOUT).await {
            Ok(status) => format!(
                "status {}",
                status
                    .exit
                    .map_or_else(|| "running".to_owned(), |exit| exit.to_string())
            ),
            Err(error) => format!("error {}", error_chain(&error)),
        },
        // What the sandbox says of the last process that was waited for.
        "notes" => match sandbox.status(&process("standing"), Duration::ZERO).await {
            Ok(status) => format!("notes {}", status.notes.join("; ")),
            Err(error) => format!("error {}", error_chain(&error)),
        },
        "new_paths" => format!("new_paths {:?}", sandbox.enforcement().new_paths),
        // What is known now.
        "glance" => match sandbox.status(&process("standing"), Duration::ZERO).await {
            Ok(status) if status.exit.is_none() => "status running".to_owned(),
            other => format!("status {other:?}"),
        },
        "run" => match finish(
            sandbox,
            spec(&format!("run{number}"), &script, &environment),
        )
        .await
        {
            Ok(ran) => format!(
                "ran {} {}",
                ran.end,
                String::from_utf8_lossy(&ran.stdout).replace('\n', "|")
            ),
            Err(error) => format!("error {error}"),
        },
        "drain" => crate::escape::faults::drain(sandbox, &process("standing"), rest).await,
        // Waits for the end, and tells how much was written.
        "total" => match sandbox
            .status(&process("standing"), Duration::from_secs(60))
            .await
        {
            Ok(status)
                if status
                    .exit
                    .as_ref()
                    .is_some_and(helve_runtime::sandbox::Exit::is_success) =>
            {
                format!("total {}", status.stdout)
            }
            other => format!("error {other:?}"),
        },
        _ => "error what?".to_owned(),
    }
}

fn print_line(line: &str) {
    println!("{}", line.replace('\n', " "));
}

/// An app that runs, seen from the test.
pub(crate) struct App {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    /// Where it keeps what it needs while it runs.
    pub(crate) runtime_folder: PathBuf,
}

impl App {
    /// Starts an app on a world's workspace; words before it may take something away from it.
    pub(crate) fn start(world: &EscapeWorld, before: &[&str], accepted: &str) -> Self {
        let runtime_folder = world.base.join("run");
        std::fs::create_dir_all(runtime_folder.join("tmp")).expect("a folder");
        let own = std::env::current_exe().expect("this program");
        let own = own.to_str().expect("a path");
        let mut words = before.to_vec();
        words.push(own);
        let mut child = Command::new(words[0])
            .args(&words[1..])
            .env(WORKSPACE_VARIABLE, &world.workspace)
            .env(ACCEPTED_VARIABLE, accepted)
            .env("XDG_RUNTIME_DIR", &runtime_folder)
            .env("TMPDIR", runtime_folder.join("tmp"))
            .env("DOORS", world.suite.tools.join("doors"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("an app");
        Self {
            input: child.stdin.take(),
            output: BufReader::new(child.stdout.take().expect("an output")),
            child,
            runtime_folder,
        }
    }

    /// Reads what it says next.
    pub(crate) fn read_line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("a line");
        line.trim_end().to_owned()
    }

    /// Tells it what to do, and reads what it says.
    pub(crate) fn send(&mut self, line: &str) -> String {
        let input = self.input.as_mut().expect("an input");
        writeln!(input, "{}", line.replace('\n', "\t")).expect("an app that listens");
        self.read_line()
    }

    pub(crate) fn pid(&self) -> i32 {
        self.child.id().cast_signed()
    }

    /// Closes its input, so that it closes its sandbox and ends.
    pub(crate) fn end(mut self) -> String {
        drop(self.input.take());
        let said = self.read_line();
        drop(self.child.wait());
        said
    }

    /// Waits for its end, after it was killed.
    pub(crate) fn wait_after_kill(mut self) {
        drop(self.child.wait());
    }

    /// Waits for its end, which came by itself.
    pub(crate) fn wait(&mut self) {
        drop(self.input.take());
        drop(self.child.wait());
    }

    /// Finds what descends from it: its supervisor first, then the first process of the sandbox, then what runs there.
    pub(crate) fn descendants(&self) -> Vec<ProcessHandle> {
        ProcessHandle::descendants_of(self.pid())
    }
}

/// A process that is held by a descriptor, so that its end can be waited for.
pub(crate) struct ProcessHandle {
    pub(crate) pid: i32,
    pidfd: OwnedFd,
}

impl ProcessHandle {
    /// Finds what descends from a process, those above before those below.
    pub(crate) fn descendants_of(pid: i32) -> Vec<Self> {
        let parents = parents();
        let mut found: Vec<Self> = Vec::new();
        let mut last = vec![pid];
        while !last.is_empty() {
            let next: Vec<i32> = parents
                .iter()
                .filter(|(_, parent)| last.contains(parent))
                .map(|(pid, _)| *pid)
                .collect();
            found.extend(next.iter().filter_map(|&pid| Self::open(pid)));
            last = next;
        }
        found
    }

    pub(crate) fn open(pid: i32) -> Option<Self> {
        let held = pidfd_open(Pid::from_raw(pid)?, PidfdFlags::empty()).ok()?;
        Some(Self { pid, pidfd: held })
    }

    /// Kills it, without a word.
    pub(crate) fn kill(&self) {
        self.signal(rustix::process::Signal::KILL);
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let sent = rustix::process::pidfd_send_signal(&self.pidfd, signal);
        sent.expect("a process of ours");
    }

    /// Reports whether it ends within ten seconds.
    pub(crate) fn has_ended(&self) -> bool {
        let mut polled = [PollFd::new(&self.pidfd, PollFlags::IN)];
        let patience = Timespec {
            tv_sec: 10,
            tv_nsec: 0,
        };
        poll(&mut polled, Some(&patience)).is_ok_and(|ready| ready == 1)
    }

    /// Tells the most memory that it ever used, in KiB.
    pub(crate) fn peak_memory(&self) -> u64 {
        peak_memory_of(&self.pid.to_string())
    }
}

/// Tells the most memory that a process ever used, in KiB.
pub(crate) fn peak_memory_of(pid: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number
        .and_then(|number| number.parse().ok())
        .unwrap_or(u64::MAX)
}

/// Names all processes with their parents.
fn parents() -> Vec<(i32, i32)> {
    let entries = std::fs::read_dir("/proc").expect("/proc").flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter_map(|pid| {
        let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let parent = text.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()?;
        Some((pid, parent))
    })
    .collect()
}
