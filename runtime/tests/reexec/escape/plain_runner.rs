//! A script that runs as it is.

use std::fs;
use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::escape::fixture::EscapeWorld;

/// What a script printed, and how it ended.
pub(crate) struct EscapeRun {
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    pub(crate) end: String,
}

/// How long a script may take.
pub(crate) const SCRIPT_TIMEOUT: Duration = Duration::from_secs(30);

/// Runs a script in a world.
pub(crate) trait Runner {
    /// Runs it to its end; afterwards nothing of the sandbox is left.
    fn run(&self, world: &EscapeWorld, script: &str, terminal: bool) -> Result<EscapeRun, String>;
}

/// Without any sandbox.
pub(crate) struct PlainRunner {
    /// Whether it is root in a user namespace of its own, as anybody may be on many machines.
    pub(crate) own_namespace: bool,
}

/// Makes somebody root in namespaces of their own.
const OWN_NAMESPACE: [&str; 7] = [
    "unshare",
    "--user",
    "--map-root-user",
    "--mount",
    "--net",
    "--uts",
    "--ipc",
];

impl Runner for PlainRunner {
    fn run(&self, world: &EscapeWorld, script: &str, terminal: bool) -> Result<EscapeRun, String> {
        let file = world.base.join("script");
        fs::write(&file, script).map_err(|error| error.to_string())?;
        let file = file.display().to_string();
        let line = format!("/bin/sh '{file}'");
        let mut argv: Vec<&str> = Vec::new();
        if self.own_namespace {
            argv.extend(OWN_NAMESPACE);
        }
        match terminal {
            true => argv.extend(["script", "-qec", &line, "/dev/null"]),
            false => argv.extend(["/bin/sh", &file]),
        }
        let mut command = Command::new(argv[0]);
        command.args(&argv[1..]);
        let mut child = command
            .current_dir(&world.workspace)
            .envs(world.environment("plain"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("the script did not start: {error}"))?;
        let stdout = read_in_thread(child.stdout.take().ok_or("no output")?);
        let stderr = read_in_thread(child.stderr.take().ok_or("no output")?);
        let status = child.wait().map_err(|error| error.to_string())?;
        // What holds the output open longer than the script is one of the attacks.
        let rest = |output: mpsc::Receiver<Vec<u8>>| {
            let until = Instant::now() + Duration::from_millis(500);
            let mut all = Vec::new();
            while let Ok(part) =
                output.recv_timeout(until.saturating_duration_since(Instant::now()))
            {
                all.extend(part);
            }
            all
        };
        Ok(EscapeRun {
            stdout: rest(stdout),
            stderr: rest(stderr),
            end: status.to_string(),
        })
    }
}

/// Reads on a thread, in parts.
fn read_in_thread(mut from: impl Read + Send + 'static) -> mpsc::Receiver<Vec<u8>> {
    let (to, parts) = mpsc::channel();
    thread::spawn(move || {
        let mut part = [0; 65536];
        while let Ok(size) = from.read(&mut part) {
            if size == 0 || to.send(part[..size].to_vec()).is_err() {
                break;
            }
        }
    });
    parts
}
