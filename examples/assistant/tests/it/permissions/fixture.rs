//! A project, the home folder beside it, and the binary that works there.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// A project, and a home folder beside it.
pub(crate) struct PermissionsFixture(tempfile::TempDir);

impl PermissionsFixture {
    pub(crate) fn new() -> Self {
        let place = Self(tempfile::tempdir().expect("a temporary folder"));
        for folder in ["project/src", "project/.ssh", "home"] {
            std::fs::create_dir_all(place.path(folder)).expect("a folder");
        }
        place
    }

    pub(crate) fn path(&self, below: &str) -> std::path::PathBuf {
        self.0.path().join(below)
    }

    pub(crate) fn with_file(self, path: &str, text: &str) -> Self {
        let path = self.path(path);
        let folder = path.parent().expect("a folder");
        std::fs::create_dir_all(folder).expect("a folder");
        std::fs::write(&path, text).expect("a file");
        self
    }

    /// Runs `permissions` in the project and writes down all that a person would see.
    pub(crate) fn run(&self, arguments: &[&str]) -> String {
        self.run_with_input(arguments, "")
    }

    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &str) -> String {
        let mut command = self.command();
        command.env_remove("XDG_CONFIG_HOME");
        self.output_of(command.arg("permissions").args(arguments), input)
    }

    /// The binary, in the project, with folders of its own for all that it keeps.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_assistant"));
        command
            .current_dir(self.path("project"))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .env("USER", "somebody")
            .env("XDG_CONFIG_HOME", self.path("config"))
            .env("XDG_DATA_HOME", self.path("data"))
            .env("HELVE_STATE", self.path("state"));
        command
    }

    /// Runs a command and writes down all that a person would see.
    pub(crate) fn output_of(&self, command: &mut Command, input: &str) -> String {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut stdin = child.stdin.take().expect("an input");
        stdin.write_all(input.as_bytes()).expect("it reads");
        drop(stdin);
        let output = child.wait_with_output().expect("it ends");
        let mut seen = format!("exit {}\n", output.status.code().expect("an exit code"));
        for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
            if !bytes.is_empty() {
                seen.push_str(&format!("--- {name}\n{}", String::from_utf8_lossy(bytes)));
            }
        }
        let real = |path: &Path| std::fs::canonicalize(path).expect("it is there");
        seen.replace(&real(self.0.path()).display().to_string(), "PLACE")
            .replace(&self.0.path().display().to_string(), "PLACE")
    }
}
