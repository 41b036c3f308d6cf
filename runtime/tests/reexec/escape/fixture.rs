//! The small world of one run: a workspace, a neighbour with a secret, a process outside. It is thrown away after it.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::escape::user_suite::{
    GIT, TOKEN_VARIABLE, UserSuite, copy, git, random_text, write_program,
};

/// One world.
pub(crate) struct EscapeWorld {
    pub(crate) suite: &'static UserSuite,
    /// The number of the run.
    pub(crate) nonce: String,
    pub(crate) base: PathBuf,
    pub(crate) workspace: PathBuf,
    /// A folder beside the workspace.
    pub(crate) sibling: PathBuf,
    /// A file in it that holds the secret.
    pub(crate) secret_file: PathBuf,
    /// A folder that commands may read and run, and not write.
    pub(crate) programs: PathBuf,
    victim: Child,
    victim_answers: BufReader<ChildStdout>,
    victim_address: String,
    /// Unix sockets of this world alone.
    sockets: Vec<PathBuf>,
    extra: BTreeMap<String, String>,
    key: Option<String>,
    queue: bool,
}

static COUNT: AtomicU32 = AtomicU32::new(0);

impl EscapeWorld {
    /// Lays out a world.
    pub(crate) fn new(half: &'static UserSuite) -> Self {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let nonce = format!("n{}", random_text());
        let base = half.home.join(format!("w{number}"));
        let [workspace, sibling, programs] = ["ws", "sib", "programs"].map(|name| base.join(name));
        copy(&half.home.join("template"), &workspace);
        fs::create_dir(&sibling).expect("a sibling");
        fs::create_dir(&programs).expect("a folder for programs");
        fs::write(sibling.join("secret"), &half.secret).expect("a secret");
        // Another process writes it: what a thread of this one holds open for writing, a child of another thread may hold.
        let copied = Command::new("cp")
            .arg(half.tools.join("doors"))
            .arg(&programs)
            .status();
        assert!(copied.is_ok_and(|copied| copied.success()), "a program");
        let ran = sibling.join(format!("ran-{nonce}"));
        write_program(
            &programs.join("evil"),
            &format!("#!/bin/sh\ntouch '{}'\n", ran.display()),
        );
        let (victim, victim_answers, victim_address) = start_victim(half, &sibling, number);
        Self {
            suite: half,
            nonce,
            base,
            workspace,
            secret_file: sibling.join("secret"),
            sibling,
            programs,
            victim,
            victim_answers,
            victim_address,
            sockets: Vec::new(),
            extra: BTreeMap::from([("SHM_KEY".to_owned(), shm_key(number))]),
            key: None,
            queue: false,
        }
    }

    /// Tells a script what it needs to know.
    pub(crate) fn environment(&self, runner: &str) -> BTreeMap<String, String> {
        let half = self.suite;
        let post = &half.listeners;
        let text = |path: &Path| path.display().to_string();
        let app = fs::metadata("/proc/self/exe").expect("a program");
        let port = |port: Option<u16>| port.unwrap_or(1).to_string();
        let own = [
            ("NONCE", self.nonce.clone()),
            ("RUNNER", runner.to_owned()),
            ("WS", text(&self.workspace)),
            ("SIB", text(&self.sibling)),
            ("SECRET_FILE", text(&self.secret_file)),
            ("PROGRAMS", text(&self.programs)),
            ("DOORS", text(&half.tools.join("doors"))),
            ("EVIL", text(&self.programs.join("evil"))),
            ("REAL_HOME", text(&half.home)),
            ("SETUID_PROGRAM", text(&half.tools.join("setuid"))),
            ("OWNER_FILE", text(&half.tools.join("owned"))),
            ("VICTIM", self.victim.id().to_string()),
            ("VICTIM_ADDRESS", self.victim_address.clone()),
            ("PARENT", std::process::id().to_string()),
            ("APP", format!("{}:{}", app.dev(), app.ino())),
            ("DISK", root_device()),
            ("TCP", port(Some(post.tcp))),
            ("TCP6", port(post.tcp6)),
            ("UDP", port(Some(post.udp))),
            (
                "OWN",
                post.host_address
                    .clone()
                    .unwrap_or_else(|| "127.0.0.1".to_owned()),
            ),
            ("ABSTRACT", format!("@{}", post.names[0])),
            ("ABSTRACT_DATAGRAMS", format!("@{}", post.names[1])),
            ("SOCKET", text(&post.path)),
            ("QUEUE", format!("/helve-{}", self.nonce)),
        ];
        let mut all: BTreeMap<String, String> = self.extra.clone();
        all.extend(own.map(|(name, value)| (name.to_owned(), value)));
        all.extend(GIT.map(|(name, value)| (name.to_owned(), value.to_owned())));
        all
    }

    /// Runs one of the programs outside, and returns what it prints.
    fn run_tool(&self, arguments: &[&str]) -> String {
        let done = Command::new(self.suite.tools.join("doors"))
            .args(arguments)
            .envs(self.environment("plain"))
            .output();
        done.map(|done| String::from_utf8_lossy(&done.stdout).trim().to_owned())
            .unwrap_or_default()
    }

    /// Runs a program outside, and reports whether it ended well.
    pub(crate) fn run_outside(&self, argv: &[&str]) -> bool {
        let mut command = Command::new(argv[0]);
        command
            .args(&argv[1..])
            .envs(self.environment("plain"))
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }

    /// Lets the script know a handle of the secret file.
    pub(crate) fn expose_handle(&mut self) {
        let handle = self.run_tool(&["make_handle", &self.secret_file.display().to_string()]);
        self.extra.insert("HANDLE".to_owned(), handle);
    }

    /// Puts the secret into the user's keyring.
    pub(crate) fn make_key(&mut self) {
        let key = self.run_tool(&["keyring_put", &self.suite.secret]);
        self.extra.insert("KEY".to_owned(), key.clone());
        self.key = Some(key);
    }

    /// Puts the secret into a message queue.
    pub(crate) fn make_queue(&mut self) {
        self.queue = true;
        self.run_tool(&["message_queue", &self.suite.secret]);
    }

    /// Leaves the secret in a folder of the machine.
    pub(crate) fn write_secret(&self, folder: &str) {
        fs::write(format!("{folder}/helve-{}", self.nonce), &self.suite.secret).expect("a secret");
    }

    /// Listens at sockets inside the workspace, as a container engine or an agent does.
    pub(crate) fn listen_in_workspace(&mut self) {
        let [stream, datagrams] = ["socket", "datagrams"].map(|name| self.workspace.join(name));
        self.suite
            .listeners
            .listen_unix(UnixListener::bind(&stream).expect("a socket"));
        self.suite
            .listeners
            .listen_datagrams(UnixDatagram::bind(&datagrams).expect("a socket"));
        self.sockets = vec![stream, datagrams];
    }

    /// Reports whether a listener outside received the number of this run.
    pub(crate) fn has_contacted_listener(&self) -> bool {
        self.suite
            .listeners
            .has_received(&self.nonce, &self.sockets)
    }

    /// Sets something in the settings of the workspace's repository.
    pub(crate) fn git_config(&self, name: &str, value: &str) {
        git(&self.workspace, &["config", name, value]);
    }

    /// Makes what a submodule `part` consists of.
    pub(crate) fn make_submodule(&mut self) {
        let folder = self.workspace.join(".git/modules/part");
        copy(&self.suite.home.join("template/nested/.git"), &folder);
        fs::create_dir(self.workspace.join("part")).expect("a folder");
        fs::write(
            self.workspace.join("part/.git"),
            "gitdir: ../.git/modules/part\n",
        )
        .expect("a link");
    }

    /// Uses git below the workspace as a person would, and reports whether the attack's command was run by it.
    pub(crate) fn use_git(&mut self, folder: &[&str], arguments: &[&str]) -> bool {
        let folder: PathBuf = [self.workspace.as_path()]
            .into_iter()
            .chain(folder.iter().map(Path::new))
            .collect();
        git(&folder, arguments);
        self.sibling.join(format!("ran-{}", self.nonce)).exists()
    }

    /// Returns what git says about the workspace.
    pub(crate) fn git_output(&self, arguments: &[&str]) -> String {
        git(&self.workspace, arguments)
    }

    /// Names the files outside that attacks try to make.
    pub(crate) fn outside_files(&self) -> Vec<PathBuf> {
        let name = format!("helve-{}", self.nonce);
        let mut all: Vec<_> = ["/etc", "/usr/bin", "/", "/tmp", "/var/tmp", "/dev/shm"]
            .iter()
            .map(|folder| Path::new(folder).join(&name))
            .collect();
        all.push(self.suite.home.join(format!(".{name}")));
        all.push(self.suite.home.join(".cargo/bin").join(&name));
        all.push(self.base.join("new"));
        all.push(self.sibling.join("new"));
        all
    }

    fn cgroups(&self) -> Vec<PathBuf> {
        let top = Path::new("/sys/fs/cgroup");
        let below = fs::read_dir(top).into_iter().flatten().flatten();
        let mut all: Vec<_> = below.map(|entry| entry.path()).collect();
        all.push(top.to_owned());
        all.iter()
            .map(|folder| folder.join(format!("helve-{}", self.nonce)))
            .collect()
    }

    /// Reports whether a control group was made outside.
    pub(crate) fn cgroup_made(&mut self) -> bool {
        self.cgroups().iter().any(|folder| folder.exists())
    }

    pub(crate) fn victim_id(&self) -> u32 {
        self.victim.id()
    }

    /// Asks the process outside whether it lives.
    pub(crate) fn is_victim_dead(&mut self) -> bool {
        let asked = self
            .victim
            .stdin
            .as_mut()
            .map(|input| input.write_all(b"?"));
        let mut answer = [0];
        asked.is_none_or(|asked| asked.is_err())
            || self.victim_answers.read_exact(&mut answer).is_err()
    }

    /// Returns what only the owner of the setuid program may read, where root laid one out.
    pub(crate) fn owner_secret(&self) -> Option<Vec<u8>> {
        let secret = std::env::var("HELVE_ESCAPE_OWNED").ok()?;
        Some(secret.into_bytes())
    }

    /// Finds the processes that carry the number of this run in their arguments.
    fn processes(&self) -> Vec<i32> {
        let entries = fs::read_dir("/proc").expect("/proc").flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        pids.filter(|pid: &i32| {
            fs::read(format!("/proc/{pid}/cmdline"))
                .is_ok_and(|text| crate::escape::listeners::contains(&text, self.nonce.as_bytes()))
        })
        .collect()
    }

    /// Reports whether something of this run still runs.
    pub(crate) fn still_runs(&mut self) -> bool {
        !self.processes().is_empty()
    }
}

impl Drop for EscapeWorld {
    fn drop(&mut self) {
        for pid in self.processes() {
            if let Some(pid) = rustix::process::Pid::from_raw(pid) {
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
        }
        if let Some(key) = self.key.take().filter(|key| !key.is_empty()) {
            self.extra.insert("KEY".to_owned(), key);
            self.run_tool(&["keyring_drop"]);
        }
        if self.queue {
            self.run_tool(&["message_queue_drop"]);
        }
        drop(self.victim.stdin.take());
        drop(self.victim.wait());
        self.run_tool(&["shared_memory_drop"]);
        for path in self.outside_files() {
            if path.symlink_metadata().is_ok() {
                drop(fs::remove_file(path));
            }
        }
        for folder in self.cgroups() {
            if folder.exists() {
                drop(fs::remove_dir(folder));
            }
        }
        drop(fs::remove_dir_all(&self.base));
        drop(fs::remove_dir_all(self.base.join("../ws-2")));
    }
}

fn shm_key(number: u32) -> String {
    (0x4845_0000_u32 + std::process::id() % 1000 * 1000 + number).to_string()
}

/// Starts the process outside; it holds the secret in its arguments, its environment and its memory.
fn start_victim(
    half: &UserSuite,
    folder: &Path,
    number: u32,
) -> (Child, BufReader<ChildStdout>, String) {
    let mut victim = Command::new(half.tools.join("doors"))
        .args(["victim", &half.secret])
        .env(TOKEN_VARIABLE, &half.secret)
        .env("SHM_KEY", shm_key(number))
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a process outside");
    let mut answers = BufReader::new(victim.stdout.take().expect("its output"));
    let mut address = String::new();
    answers.read_line(&mut address).expect("an address");
    (victim, answers, address.trim().to_owned())
}

/// Names the device that the machine's root lies on.
fn root_device() -> String {
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    let root = mounts
        .lines()
        .find(|line| line.split(' ').nth(1) == Some("/"));
    root.and_then(|line| line.split(' ').next())
        .unwrap_or("/dev/sda")
        .to_owned()
}
