//! A project in a repository, a home folder beside it, and the binary in an environment that says nothing else.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A project in a repository, and a home folder beside it.
pub(crate) struct ConfigFixture {
    folder: tempfile::TempDir,
    program: &'static str,
    environment: Vec<(String, String)>,
}

impl ConfigFixture {
    pub(crate) fn new() -> Self {
        let place = Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
            program: env!("CARGO_BIN_EXE_assistant"),
            environment: Vec::new(),
        };
        for folder in ["project/.git", "project/src", "home"] {
            std::fs::create_dir_all(place.path(folder)).expect("a folder");
        }
        place
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    /// Sets the binary that is run.
    pub(crate) fn with_program(mut self, program: &'static str) -> Self {
        self.program = program;
        self
    }

    /// Adds a file.
    pub(crate) fn with_file(self, path: &str, text: &str) -> Self {
        let path = self.path(path);
        let folder = path.parent().expect("a folder");
        std::fs::create_dir_all(folder).expect("a folder");
        std::fs::write(&path, text).expect("a file");
        self
    }

    /// Adds the settings of the user.
    pub(crate) fn with_user_settings(self, text: &str) -> Self {
        self.with_file("home/.config/helve/helve.toml", text)
    }

    /// Adds the settings of the project.
    pub(crate) fn with_project_settings(self, text: &str) -> Self {
        self.with_file("project/helve.toml", text)
    }

    /// Accepts what the project says.
    pub(crate) fn with_accepted_project(self) -> Self {
        let seen = self.run(&["permissions", "trust", "--yes"]);
        assert!(seen.starts_with("exit 0"), "{seen}");
        self
    }

    /// Adds a recording that says a word.
    pub(crate) fn with_recording(self) -> Self {
        self.with_file(
            "says.jsonl",
            concat!(
                r#"{"helve_recording": 1}"#,
                "\n",
                r#"{"events": [{"type": "text_delta", "text": "Done."}, {"type": "usage", "input_tokens": 1200, "output_tokens": 34}, {"type": "stop", "reason": "end_turn"}]}"#,
                "\n",
            ),
        )
    }

    /// Sets a variable of the environment.
    pub(crate) fn with_variable(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The binary in the project, with nothing in its environment but what was set.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.program);
        command
            .current_dir(self.path("project"))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .envs(self.environment.iter().cloned())
            .args(arguments);
        command
    }

    /// Runs the binary and writes down all that a person would see.
    pub(crate) fn run(&self, arguments: &[&str]) -> String {
        self.output_of(&mut self.command(arguments), b"")
    }

    /// Runs a command with something on its standard input.
    pub(crate) fn output_of(&self, command: &mut Command, input: &[u8]) -> String {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut stdin = child.stdin.take().expect("an input");
        // Who does not read it closes it.
        let _ = stdin.write_all(input);
        drop(stdin);
        let output = child.wait_with_output().expect("it ends");
        let mut seen = format!("exit {}\n", output.status.code().expect("an exit code"));
        for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
            if !bytes.is_empty() {
                seen.push_str(&format!("--- {name}\n{}", String::from_utf8_lossy(bytes)));
            }
        }
        self.redact_paths(&seen)
    }

    /// Leaves out the place of the fixture.
    pub(crate) fn redact_paths(&self, seen: &str) -> String {
        let real = std::fs::canonicalize(self.folder.path()).expect("it is there");
        let name = |path: &Path| path.display().to_string();
        let seen = seen
            .replace(&name(&real), "PLACE")
            .replace(&name(self.folder.path()), "PLACE");
        redact_mechanisms(&redact_session_ids(&seen))
    }
}

/// Leaves out what a layer of the sandbox is held by: that is the machine's.
fn redact_mechanisms(seen: &str) -> String {
    let is_layer = |line: &str| {
        let name = line
            .strip_prefix("  ✓ ")
            .and_then(|line| line.split_once(": "));
        name.is_some_and(|(name, _)| LAYERS.contains(&name))
    };
    let line = |line: &str| match line.split_once(": ") {
        Some((name, _)) if is_layer(line) => format!("{name}: HELD\n"),
        _ => format!("{line}\n"),
    };
    let mut in_sandbox = false;
    let mut text = String::new();
    // Whether git is there, and what its user has set, is the machine's too.
    let own = seen.lines().filter(|line| !is_git_line(line));
    for each in own {
        in_sandbox = each == "Sandbox" || (in_sandbox && !each.is_empty());
        text.push_str(&if in_sandbox {
            line(each)
        } else {
            format!("{each}\n")
        });
    }
    if !seen.ends_with('\n') {
        text.pop();
    }
    text
}

fn is_git_line(line: &str) -> bool {
    let line = line.trim_start_matches([' ', '✓', '·', '→']);
    line.starts_with("git: ") || line.starts_with("git config --global safe.")
}

/// The layers of a sandbox, as `doctor` names them.
const LAYERS: [&str; 12] = [
    "files",
    "protected_paths",
    "masked_paths",
    "processes",
    "network",
    "privileges",
    "system_calls",
    "landlock",
    "environment",
    "descriptors",
    "limits",
    "lifetime",
];

/// What stands behind an id.
const ID_TERMINATORS: [char; 6] = ['"', '\n', ' ', '`', '/', '.'];

/// Replaces the ids of sessions, which are made of the time.
fn redact_session_ids(seen: &str) -> String {
    let mut text = String::new();
    for part in seen.split_inclusive(ID_TERMINATORS) {
        let id = part.trim_end_matches(ID_TERMINATORS);
        let is_id = id.len() == 26 && id.starts_with("20") && id.matches('-').count() == 2;
        text.push_str(&if is_id {
            part.replace(id, "SESSION")
        } else {
            part.to_owned()
        });
    }
    text
}
