//! A terminal for a test: the binary runs in it, and the test sees the screen and presses keys.

use std::io::{Read as _, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use serde_json::{Value, json};

/// How long a test waits for something before it fails.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A folder to work in, with folders of its own for all that a program keeps.
pub(crate) struct PtyFixture(tempfile::TempDir);

impl PtyFixture {
    pub(crate) fn new() -> Self {
        let place = Self(tempfile::tempdir().expect("a temporary folder"));
        for folder in ["project", "home", "state", "gates"] {
            std::fs::create_dir(place.path(folder)).expect("a folder");
        }
        std::fs::write(place.path("project/README.md"), "# Notes\n\nAll of them.\n")
            .expect("a file");
        place
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.0.path().join(below)
    }

    /// Writes a file below the place, with the folders above it.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }

    pub(crate) fn with_file(self, path: &str, text: &str) -> Self {
        self.write(path, text);
        self
    }

    pub(crate) fn with_recording(self, replies: &[Vec<Value>]) -> Self {
        self.record(replies);
        self
    }

    /// Writes a recording of replies, each a list of events, for the programs that start from now on.
    pub(crate) fn record(&self, replies: &[Vec<Value>]) {
        let mut text = String::from("{\"helve_recording\":1}\n");
        for events in replies {
            text.push_str(&json!({ "events": events }).to_string());
            text.push('\n');
        }
        std::fs::write(self.path("replies.jsonl"), text).expect("a file");
    }

    /// Returns a program that works in the project without a terminal.
    pub(crate) fn command(&self, binary: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(binary);
        command
            .args(arguments)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .env("HELVE_STATE", self.path("state"))
            .env("WORKSHOP_GATES", self.path("gates"))
            .env("WORKSHOP_RECORDING", self.path("replies.jsonl"))
            .current_dir(self.path("project"))
            .stdin(Stdio::null());
        command
    }

    /// Lets the program go on.
    pub(crate) fn open_gate(&self, gate: &str) {
        std::fs::write(self.path("gates").join(gate), "").expect("a file");
    }

    /// Starts the binary with the real tools.
    pub(crate) fn start_assistant(&self, arguments: &[&str]) -> PtySession {
        self.start_program(env!("CARGO_BIN_EXE_assistant"), arguments)
    }

    /// Starts the binary with the real tools in a window, with the replies of the recording.
    pub(crate) fn start_assistant_in(&self, arguments: &[&str], size: (u16, u16)) -> PtySession {
        let replies = self.path("replies.jsonl").display().to_string();
        let arguments = [arguments, &["--replay", &replies]].concat();
        PtySession::start(self, env!("CARGO_BIN_EXE_assistant"), &arguments, &[], size)
    }

    /// Starts the binary with the real tools in a terminal that has no escapes.
    pub(crate) fn start_dumb(&self, arguments: &[&str]) -> PtySession {
        let binary = env!("CARGO_BIN_EXE_assistant");
        PtySession::start(self, binary, arguments, &[("TERM", "dumb")], (50, 100))
    }

    pub(crate) fn start_program(&self, binary: &str, arguments: &[&str]) -> PtySession {
        self.start_program_in(binary, arguments, (24, 80))
    }

    /// Starts a program in a window.
    pub(crate) fn start_program_in(
        &self,
        binary: &str,
        arguments: &[&str],
        size: (u16, u16),
    ) -> PtySession {
        PtySession::start(self, binary, arguments, &[], size)
    }

    /// Starts the binary whose tools wait.
    pub(crate) fn start_workshop(&self, arguments: &[&str]) -> PtySession {
        self.start_workshop_in(arguments, &[], (24, 80))
    }

    pub(crate) fn start_workshop_in(
        &self,
        arguments: &[&str],
        variables: &[(&str, &str)],
        size: (u16, u16),
    ) -> PtySession {
        PtySession::start(
            self,
            env!("CARGO_BIN_EXE_workshop"),
            arguments,
            variables,
            size,
        )
    }
}

/// The words of a reply, in pieces as a model sends them.
pub(crate) fn text_events(text: &str) -> Vec<Value> {
    let pieces = text.split_inclusive(' ');
    let deltas = pieces.map(|piece| json!({ "type": "text_delta", "text": piece }));
    deltas.collect()
}

/// A place in a reply where the model waits.
pub(crate) fn wait_event(gate: &str) -> Value {
    json!({ "type": "thinking_signature", "signature": gate })
}

pub(crate) fn call_events(id: &str, name: &str, arguments: &Value) -> Vec<Value> {
    let arguments = arguments.to_string();
    vec![
        json!({ "type": "tool_call_start", "id": id, "name": name }),
        json!({ "type": "tool_call_delta", "id": id, "arguments": arguments }),
        json!({ "type": "stop", "reason": "tool_use" }),
    ]
}

pub(crate) fn stop_events() -> Vec<Value> {
    vec![
        json!({ "type": "usage", "input_tokens": 1234, "output_tokens": 56, "cache_read_input_tokens": 800 }),
        json!({ "type": "stop", "reason": "end_turn" }),
    ]
}

/// A program in a terminal.
pub(crate) struct PtySession {
    master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    seen: Arc<Mutex<ScreenState>>,
    place: String,
}

struct ScreenState {
    parser: vt100::Parser,
    raw: Vec<u8>,
    is_over: bool,
}

impl PtySession {
    fn start(
        place: &PtyFixture,
        binary: &str,
        arguments: &[&str],
        variables: &[(&str, &str)],
        size: (u16, u16),
    ) -> Self {
        let path = |below: &str| place.path(below).display().to_string();
        let own = [
            ("HOME", path("home")),
            ("HELVE_STATE", path("state")),
            ("WORKSHOP_GATES", path("gates")),
            ("WORKSHOP_RECORDING", path("replies.jsonl")),
        ];
        let own = own.iter().map(|(name, value)| (*name, value.as_str()));
        let variables: Vec<(&str, &str)> = own.chain(variables.iter().copied()).collect();
        Self::in_folder(&place.path("project"), binary, arguments, &variables, size)
    }

    /// Starts a program in a folder whose parent is a place of its own.
    pub(crate) fn in_folder(
        folder: &Path,
        binary: &str,
        arguments: &[&str],
        variables: &[(&str, &str)],
        (rows, cols): (u16, u16),
    ) -> Self {
        let size = PtySize {
            rows,
            cols,
            ..PtySize::default()
        };
        let pair = native_pty_system().openpty(size).expect("a terminal");
        let mut command = CommandBuilder::new(binary);
        command.args(arguments);
        command.cwd(folder);
        command.env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("TERM", "xterm-256color");
        for (name, value) in variables {
            command.env(name, value);
        }
        let child = pair
            .slave
            .spawn_command(command)
            .expect("the binary starts");
        // What is left open here would keep the terminal from ending with the program.
        drop(pair.slave);
        let nonzero = |number| std::num::NonZeroU16::new(number).expect("a size");
        let seen = Arc::new(Mutex::new(ScreenState {
            parser: vt100::Parser::new(nonzero(rows), nonzero(cols), 0),
            raw: Vec::new(),
            is_over: false,
        }));
        let mut output = pair.master.try_clone_reader().expect("a reader");
        let shown = seen.clone();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(length @ 1..) = output.read(&mut bytes) {
                let mut seen = shown.lock().expect("nobody panicked");
                seen.parser.process(&bytes[..length]);
                seen.raw.extend_from_slice(&bytes[..length]);
            }
            shown.lock().expect("nobody panicked").is_over = true;
        });
        Self {
            keys: pair.master.take_writer().expect("a writer"),
            master: pair.master,
            child,
            seen,
            place: canonical_text(folder.parent().unwrap_or(folder)),
        }
    }

    /// Presses keys.
    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("it reads");
        self.keys.flush().expect("it reads");
    }

    /// Types a line.
    pub(crate) fn type_line(&mut self, line: &str) {
        self.press(&format!("{line}\r"));
    }

    /// Makes the window another size.
    pub(crate) fn resize(&mut self, rows: u16, cols: u16) {
        let size = PtySize {
            rows,
            cols,
            ..PtySize::default()
        };
        let nonzero = |number| std::num::NonZeroU16::new(number).expect("a size");
        let mut seen = self.seen.lock().expect("nobody panicked");
        seen.parser
            .screen_mut()
            .set_size(nonzero(rows), nonzero(cols));
        self.master.resize(size).expect("a size");
    }

    /// What stands on the screen, with nothing in it that differs from run to run.
    pub(crate) fn screen(&self) -> String {
        let seen = self.seen.lock().expect("nobody panicked");
        let contents = seen.parser.screen().contents();
        let lines = contents.lines().map(|line| redact_line(line.trim_end()));
        let text = lines
            .collect::<Vec<_>>()
            .join("\n")
            .replace(&self.place, "PLACE");
        text.trim_end().to_owned()
    }

    /// Reports whether the program wrote a text so far, escapes included.
    pub(crate) fn wrote(&self, bytes: &str) -> bool {
        let seen = self.seen.lock().expect("nobody panicked");
        String::from_utf8_lossy(&seen.raw).contains(bytes)
    }

    /// Reports whether the program wrote a color or another style so far. It may move the cursor.
    pub(crate) fn wrote_style(&self) -> bool {
        let seen = self.seen.lock().expect("nobody panicked");
        let written = String::from_utf8_lossy(&seen.raw);
        let mut sequences = written.split("\u{1b}[").skip(1);
        sequences.any(|sequence| {
            let parameters = |c: char| c.is_ascii_digit() || c == ';';
            sequence.trim_start_matches(parameters).starts_with('m')
        })
    }

    /// Waits until the screen is as a test wants it.
    pub(crate) fn wait_until(&self, what: &str, is_so: impl Fn(&str) -> bool) -> String {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            let screen = self.screen();
            if is_so(&screen) {
                return screen;
            }
            assert!(
                Instant::now() < deadline,
                "waited for {what} in vain:\n{screen}"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits for a text on the screen.
    pub(crate) fn wait_for(&self, text: &str) -> String {
        self.wait_until(text, |screen| screen.contains(text))
    }

    /// Waits for a text on the screen of a turn that runs, which is drawn to its last line.
    pub(crate) fn wait_for_drawn(&self, text: &str) -> String {
        self.wait_until(text, |screen| {
            screen.contains(text) && screen.ends_with("Ctrl-C to interrupt")
        })
    }

    /// Waits until a question is answered by the next line: what is typed before that stands before the prompt.
    pub(crate) fn wait_for_question(&self, text: &str) -> String {
        self.wait_until(text, |screen| {
            screen.contains(text) && screen.ends_with("\n  >")
        })
    }

    /// Waits until a chat takes the next line.
    pub(crate) fn wait_for_prompt(&self) -> String {
        self.wait_until("the prompt", |screen| screen.ends_with('›'))
    }

    /// Waits until the program is over; returns all that it wrote, escapes included, and its code.
    pub(crate) fn wait_for_written(mut self) -> (String, u32) {
        let code = self.wait_for_end();
        let seen = self.seen.lock().expect("nobody panicked");
        (String::from_utf8_lossy(&seen.raw).into_owned(), code)
    }

    /// Waits until the program is over; returns what it left on the screen, and its code.
    pub(crate) fn wait_for_exit(mut self) -> (String, u32) {
        let code = self.wait_for_end();
        (self.screen(), code)
    }

    fn wait_for_end(&mut self) -> u32 {
        let deadline = Instant::now() + TIMEOUT;
        let code = loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                break status.exit_code();
            }
            assert!(
                Instant::now() < deadline,
                "it does not end:\n{}",
                self.screen()
            );
            std::thread::sleep(Duration::from_millis(5));
        };
        while !self.seen.lock().expect("nobody panicked").is_over {
            assert!(Instant::now() < deadline, "its terminal does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
        code
    }

    /// Ends the program as a crash would.
    pub(crate) fn kill(mut self) {
        let process = self.child.process_id().expect("it runs");
        let process = i32::try_from(process)
            .ok()
            .and_then(rustix::process::Pid::from_raw);
        let process = process.expect("the number of a process");
        rustix::process::kill_process(process, rustix::process::Signal::KILL).expect("it runs");
        self.child.wait().expect("it ends");
    }
}

impl Drop for PtySession {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

fn canonical_text(path: &Path) -> String {
    std::fs::canonicalize(path)
        .expect("it is there")
        .display()
        .to_string()
}

/// Writes a sign for what differs from run to run: the frames of the spinner, times, ids of sessions.
fn redact_line(line: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    for word in line.split(' ') {
        let is_frame = word.chars().count() == 1 && "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏".contains(word);
        let is_seconds = word == "s"
            && words
                .last()
                .is_some_and(|before| before.parse::<f64>().is_ok());
        if is_frame {
            words.push("*".to_owned());
        } else if is_seconds {
            words.pop();
            words.push("TIME".to_owned());
        } else if is_session_id(word.trim_end_matches('`')) {
            let end = if word.ends_with('`') { "`" } else { "" };
            words.push(format!("SESSION{end}"));
        } else {
            words.push(word.to_owned());
        }
    }
    // How long something takes stands there only once it has taken a while.
    let line = words.join(" ");
    let line = line.replace("  TIME  Ctrl-C to interrupt", "  Ctrl-C to interrupt");
    line.replace("  TIME  Esc to interrupt", "  Esc to interrupt")
}

fn is_session_id(word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_hexdigit() || c == '-' || c == 'T' || c == 'Z';
    word.len() >= 20 && word.chars().all(is_part)
}
