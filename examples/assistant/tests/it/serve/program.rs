//! The binary, started in a folder with a home of its own.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use tempfile::TempDir;

/// A folder with something to read.
pub(crate) fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("README.md"), "# Notes\n\nAll of them.\n").expect("a file");
    folder
}

fn command(folder: &Path, home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_assistant"));
    command
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home)
        .args(arguments);
    command
}

/// Runs the binary in a folder and writes down all that a person would see.
pub(crate) fn run_in(folder: &Path, arguments: &[&str]) -> String {
    let home = tempfile::tempdir().expect("a home");
    let mut command = command(folder, home.path(), arguments);
    let output = command
        .stdin(Stdio::null())
        .output()
        .expect("the binary starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut seen = format!("exit {}\n", output.status.code().expect("an exit code"));
    for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
        if !bytes.is_empty() {
            seen.push_str(&format!("--- {name}\n{}", text(bytes)));
        }
    }
    let real = std::fs::canonicalize(folder).expect("the folder is there");
    let program =
        std::fs::canonicalize(env!("CARGO_BIN_EXE_assistant")).expect("the binary is there");
    seen.replace(&real.display().to_string(), "FOLDER")
        .replace(&program.display().to_string(), "PROGRAM")
        .replace(env!("CARGO_BIN_EXE_assistant"), "PROGRAM")
}

/// Runs the binary in a fresh folder.
pub(crate) fn run(arguments: &[&str]) -> String {
    run_in(folder().path(), arguments)
}

/// The binary at work, which ends when this is dropped.
pub(crate) struct ServeProcess {
    child: Child,
    _home: TempDir,
}

impl ServeProcess {
    pub(crate) fn start(folder: &Path, arguments: &[&str]) -> Self {
        let home = tempfile::tempdir().expect("a home");
        let child = command(folder, home.path(), arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        Self { child, _home: home }
    }

    pub(crate) fn input(&mut self) -> ChildStdin {
        self.child.stdin.take().expect("it is piped")
    }

    pub(crate) fn output(&mut self) -> ChildStdout {
        self.child.stdout.take().expect("it is piped")
    }

    /// Returns what stands between two words on standard error, and goes on to read there.
    pub(crate) fn stderr_between(&mut self, before: &str, after: &str) -> String {
        let stream = self.child.stderr.take().expect("it is piped");
        let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
        let found = lines.find_map(|line| {
            let (_, rest) = line.split_once(before)?;
            Some(rest.split_once(after)?.0.to_owned())
        });
        std::thread::spawn(move || lines.for_each(drop));
        found.expect("it says so")
    }

    /// Asks the program to end, as a service manager does.
    pub(crate) fn terminate(&self) {
        let process = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(process, rustix::process::Signal::TERM).expect("it runs");
    }

    pub(crate) fn exit_code(&mut self) -> Option<i32> {
        self.child.wait().expect("it can be waited for").code()
    }
}

impl Drop for ServeProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
