//! The real bash: a warm one that forks for each line, and a cold one to compare with.

use std::fs::File;
use std::io::{self, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, wait};

use crate::log::{Log, Record};

/// How long a line may take, with all that it leaves in the background.
const LIMIT: Duration = Duration::from_secs(2);

/// What became of a line.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) records: Vec<Record>,
    /// Whether it did more than the log holds.
    pub(crate) is_cut: bool,
    /// Whether it took too long, or ended the server.
    pub(crate) was_killed: bool,
    /// Whether its output shows the secret of the environment.
    pub(crate) shows_secret: bool,
}

/// The value of a variable that says of itself that it is a secret.
const SECRET: &str = "canary-7f3a9c";

fn shows_secret() -> io::Result<bool> {
    let output = std::fs::read("/out/stdout")?;
    Ok(output
        .windows(SECRET.len())
        .any(|text| text == SECRET.as_bytes()))
}

/// The fork server.
pub(crate) struct Bash {
    log: Log,
    server: Option<Server>,
}

struct Server {
    child: Child,
    input: ChildStdin,
    replies: Receiver<[u8; 4]>,
}

impl Bash {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {
            log: Log::open("/rec/log")?,
            server: None,
        })
    }

    /// Runs a line in a fork of the warm bash.
    pub(crate) fn run(&mut self, line: &str) -> io::Result<Outcome> {
        let server = match self.server.take() {
            Some(server) => server,
            None => Server::start()?,
        };
        // What the server itself did until now is not the line's.
        self.log.take()?;
        let was_killed = match server.run(line) {
            Some(server) => {
                self.server = Some(server);
                false
            }
            None => true,
        };
        if was_killed {
            kill_all();
        }
        let (records, is_cut) = self.log.take()?;
        Ok(Outcome {
            records,
            is_cut,
            was_killed,
            shows_secret: shows_secret()?,
        })
    }

    /// Runs a line as `bash -c` does.
    ///
    /// Its output goes where the fork server's goes: what a program does to its own output is otherwise recorded under
    /// two names (`touch -`).
    pub(crate) fn run_cold(&mut self, line: &str) -> io::Result<Outcome> {
        self.log.take()?;
        let output = File::options().append(true).open("/out/stdout")?;
        output.set_len(0)?;
        let mut child = command("-c", line)
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output)
            .spawn()?;
        let (ended, end) = channel();
        let pid = Pid::from_child(&child);
        let waiting = thread::spawn(move || {
            let _ = child.wait();
            let _ = ended.send(());
        });
        let begin = Instant::now();
        let mut was_killed = end.recv_timeout(LIMIT).is_err();
        if was_killed {
            let _ = rustix::process::kill_process(pid, Signal::KILL);
        }
        let _ = waiting.join();
        // Bash does not wait for a process substitution.
        self.server = None;
        was_killed |= !all_ended(begin + LIMIT);
        kill_all();
        let (mut records, is_cut) = self.log.take()?;
        // This process, and the bash that runs the line, are not programs of the line.
        records.retain(|record| record.program != "worker");
        if !records.is_empty() {
            records.remove(0);
        }
        Ok(Outcome {
            records,
            is_cut,
            was_killed,
            shows_secret: shows_secret()?,
        })
    }
}

impl Server {
    fn start() -> io::Result<Self> {
        let mut child = command("-c", "exit 99")
            .env("ORACLE_SERVER", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (Some(input), Some(mut output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("the server has no pipes"));
        };
        let (sender, replies) = channel();
        thread::spawn(move || {
            let mut reply = [0; 4];
            while output.read_exact(&mut reply).is_ok() && sender.send(reply).is_ok() {}
        });
        Ok(Self {
            child,
            input,
            replies,
        })
    }

    /// Runs a line; nothing comes back of a server that is to be killed.
    fn run(mut self, line: &str) -> Option<Self> {
        let mut message = (line.len() as u32).to_ne_bytes().to_vec();
        message.extend_from_slice(line.as_bytes());
        let reply = match self.input.write_all(&message) {
            Ok(()) => self.replies.recv_timeout(LIMIT),
            Err(_) => Err(RecvTimeoutError::Disconnected),
        };
        if reply.is_ok() {
            return Some(self);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        None
    }
}

fn command(option: &str, line: &str) -> Command {
    let mut command = Command::new("/usr/bin/bash");
    command.args([option, line]).current_dir("/w").env_clear();
    command.envs([
        ("PATH", "/usr/bin"),
        ("HOME", "/home/u"),
        ("USER", "u"),
        ("LC_ALL", "C.UTF-8"),
        ("TERM", "dumb"),
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("SECRET_TOKEN", SECRET),
    ]);
    command
}

/// Waits until this process, the first of its namespace, is the only one.
fn all_ended(deadline: Instant) -> bool {
    if std::process::id() != 1 {
        return true;
    }
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) => {}
            Ok(None) if Instant::now() >= deadline => return false,
            Ok(None) => thread::sleep(Duration::from_millis(1)),
            Err(_) => return true,
        }
    }
}

/// Kills every process but this one, the first of its namespace.
fn kill_all() {
    if std::process::id() != 1 {
        return;
    }
    // The group of process 1 is written -1, which stands for all. What is killed becomes a child of this process.
    let _ = kill_process_group(Pid::INIT, Signal::KILL);
    while let Ok(Some(_)) = wait(WaitOptions::empty()) {}
}
