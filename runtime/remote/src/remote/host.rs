//! The scripts on the remote host, and calls of them.

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use tokio::sync::mpsc;

use super::process_script::RemoteConfig;
use super::quote::{quote, quote_command};
use super::transport::{
    CommandEvent, CommandInput, CommandOutput, RunningCommand, Transport, invalid_data, run_to_end,
    unreachable_error,
};
use helve_core::sandbox::fs_error::display_path;
use helve_core::sandbox::{SandboxError, SandboxId};
use helve_core::support::random;

/// The scripts that run processes; definitions precede their uses.
const PROCESSES: &str = concat!(
    include_str!("far.sh"),
    "\n",
    include_str!("start.sh"),
    "\n",
    include_str!("keep.sh"),
    "\n",
    include_str!("operations.sh"),
);
const FILES: &str = include_str!("files.sh");

/// The programs that the scripts need.
const PROGRAMS: &[&str] = &[
    "cat", "chmod", "chown", "cp", "dd", "env", "find", "grep", "head", "ln", "ls", "mkdir",
    "mkfifo", "mv", "readlink", "rm", "rmdir", "sed", "setsid", "sleep", "sort", "stat", "tail",
    "tar", "tr", "xargs",
];

/// The time limit of a call that does not wait for an event.
const PROMPT: Duration = Duration::from_secs(60);

/// The longest wait of one call for an event: a wait whose client is gone does not continue for longer.
pub(super) const WAIT: Duration = Duration::from_secs(10);

/// The time that a part of a reply waits for its reader.
const READ_STALL_TIMEOUT: Duration = Duration::from_secs(600);

/// The time limit for the transfer of a whole folder.
pub(super) const UPLOAD_TIMEOUT: Duration = Duration::from_secs(1_800);

/// The greatest number of attempts of an idempotent call.
const ATTEMPTS: usize = 3;

/// The time that the remote host waits for a renewal of the lease, in addition to the linger time, before it treats
/// this app as dead.
pub(super) const LEASE_TIMEOUT: Duration = Duration::from_secs(30);

/// The greatest number of bytes of a reply in addition to the requested bytes.
const REPLY_OVERHEAD: usize = 64 << 10;

/// The private folder of a sandbox on the remote host, with its scripts.
#[derive(Debug, Clone)]
pub(crate) struct RemoteHost {
    transport: Arc<dyn Transport>,
    folder: String,
    id: SandboxId,
}

pub(super) type Arg = Vec<u8>;

pub(super) fn arg(text: impl AsRef<str>) -> Arg {
    text.as_ref().as_bytes().to_vec()
}

pub(super) fn path_arg(path: &Path) -> Arg {
    path.as_os_str().as_bytes().to_vec()
}

pub(super) struct RemoteCall {
    words: Vec<Arg>,
    input: CommandInput,
    limit: usize,
    deadline: Duration,
}

impl RemoteCall {
    pub(super) fn new(words: impl IntoIterator<Item: Into<Arg>>) -> Self {
        Self {
            words: words.into_iter().map(Into::into).collect(),
            input: CommandInput::Bytes(Vec::new()),
            limit: REPLY_OVERHEAD,
            deadline: PROMPT,
        }
    }

    pub(super) fn input(mut self, input: CommandInput) -> Self {
        self.input = input;
        self
    }

    /// Sets the greatest number of requested bytes in the reply.
    pub(super) fn bytes(mut self, limit: usize) -> Self {
        self.limit = limit.saturating_add(REPLY_OVERHEAD);
        self
    }

    /// Adds to the time limit of the reply.
    pub(super) fn with_extra_time(mut self, wait: Duration) -> Self {
        self.deadline = PROMPT + wait;
        self
    }
}

/// The reply of the scripts: a line, then bytes.
#[derive(Debug)]
pub(super) struct HostReply {
    line: String,
    pub(super) body: Vec<u8>,
}

impl HostReply {
    pub(super) fn words(&self) -> Vec<&str> {
        self.line.split(' ').collect()
    }

    pub(super) fn line_rest(&self) -> &str {
        self.line.split_once(' ').map_or("", |(_, rest)| rest)
    }

    pub(super) fn line(&self) -> &str {
        &self.line
    }
}

impl RemoteHost {
    /// Creates the handle of a sandbox folder, without accessing the host.
    pub(crate) fn new(transport: Arc<dyn Transport>, parent: &str, id: SandboxId) -> Self {
        let folder = format!("{}/{id}", parent.trim_end_matches('/'));
        Self {
            transport,
            folder,
            id,
        }
    }

    pub(crate) fn id(&self) -> &SandboxId {
        &self.id
    }

    pub(crate) fn folder(&self) -> &str {
        &self.folder
    }

    pub(super) fn transport(&self) -> &dyn Transport {
        &*self.transport
    }

    /// Installs the scripts, and checks that the remote host can run them.
    ///
    /// With `linger`, a process is started when the folder is created. The process removes the sandbox after that time
    /// without a lease, so that no folder is left of an app that never acquired a lease. Without `linger`, the caller
    /// ends the sandbox in another way.
    pub(crate) async fn install(
        &self,
        config: &RemoteConfig,
        linger: Option<Duration>,
    ) -> Result<(), SandboxError> {
        // A login shell with different quoting rules would run another command.
        let hard = "a'b \"$HOME\" \\ *";
        let folder = quote(&self.folder);
        let kept = serde_json::to_string(config)
            .map_err(|error| failure("describing the sandbox", error.into()))?;
        let mut names = String::new();
        for root in &config.roots {
            let name = root.to_str().filter(|name| !name.contains('\n'));
            let name = name.ok_or_else(|| SandboxError::Unavailable {
                kind: "remote".to_owned(),
                why: format!(
                    "the folder {} cannot be named there: it is not UTF-8, or holds a line break",
                    display_path(root)
                ),
            })?;
            names.push_str(name);
            names.push('\n');
        }
        let script = format!(
            "[ {hard} = \"a'b \\\"\\$HOME\\\" \\\\ *\" ] || {{ echo quotes; exit 0; }}\n\
             for program in {programs}; do command -v $program >/dev/null || {{ echo \"missing $program\"; exit 0; }}; done\n\
             umask 077; mkdir -p {parent} 2>/dev/null; mkdir {folder} || {{ echo folder; exit 0; }}\n\
             trap 'rm -rf {folder}' HUP INT TERM\n\
             mkdir {folder}/p {folder}/leases {folder}/projects && head -c {first} >{folder}/all && \
             head -c {size} {folder}/all >{folder}/far.sh && tail -c +{next} {folder}/all >{folder}/files.sh && \
             [ \"$(stat -c %s {folder}/all)\" = {first} ] && \
             rm {folder}/all && printf %s {roots} >{folder}/roots && printf %s {kept} >{folder}/ground && \
             {{ {keeper}; echo ok; exit 0; }}\n\
             rm -rf {folder}",
            keeper = linger.map_or_else(|| ":".to_owned(), |linger| self.keep_command(linger)),
            roots = quote(&names),
            kept = quote(&kept),
            hard = quote(hard),
            parent = quote(
                self.folder
                    .rsplit_once('/')
                    .map_or("/", |(parent, _)| parent)
            ),
            programs = PROGRAMS.join(" "),
            first = PROCESSES.len() + FILES.len(),
            size = PROCESSES.len(),
            next = PROCESSES.len() + 1,
        );
        let script = format!("exec sh -c {}", quote(&script));
        let input = CommandInput::Bytes([PROCESSES, FILES].concat().into_bytes());
        let answer = run_to_end(self.transport(), &script, input, REPLY_OVERHEAD, PROMPT)
            .await
            .map_err(|error| failure("putting the scripts into the sandbox", error))?;
        let said = String::from_utf8_lossy(&answer.stdout);
        let why = match said.trim() {
            "ok" => return Ok(()),
            "quotes" => "the remote login shell does not quote like a POSIX shell".to_owned(),
            "folder" => format!("`{}` cannot be made there: {}", self.folder, answer.stderr),
            said => match said.strip_prefix("missing ") {
                Some(program) => format!("the remote machine has no program `{program}`"),
                None => format!(
                    "the remote shell did not answer ({}): {}",
                    answer.code, answer.stderr
                ),
            },
        };
        Err(SandboxError::Unavailable {
            kind: "remote".to_owned(),
            why,
        })
    }

    /// Reads the settings that were stored when the sandbox was opened.
    pub(crate) async fn read_record(&self) -> Result<RemoteConfig, SandboxError> {
        let doing = "reading what is known of the sandbox";
        let call = || RemoteCall::new(["ground"]).bytes(1 << 20);
        let reply = self.call_idempotent(call).await;
        let reply = reply.map_err(|error| failure(doing, error))?;
        serde_json::from_slice(&reply.body).map_err(|error| failure(doing, error.into()))
    }

    /// Returns the command that starts the process that removes the sandbox when it has no lease any more.
    fn keep_command(&self, linger: Duration) -> String {
        let silence = (linger + LEASE_TIMEOUT).as_secs().to_string();
        let words = ["keep", &linger.as_secs().to_string(), &silence].map(arg);
        // Like all processes, this one is started in the background, in a separate session, and without ignoring
        // interrupts.
        format!(
            "export HELVE_SANDBOX_KEEPER={}';'; setsid sh -c 'exec setsid \"$@\"' sh {} </dev/null >/dev/null 2>&1",
            self.id,
            self.words(&words),
        )
    }

    fn words(&self, words: &[Arg]) -> String {
        let mut all = vec![arg("sh"), arg(format!("{}/far.sh", self.folder))];
        all.extend_from_slice(words);
        quote_command(&all)
    }

    pub(super) fn command(&self, words: &[Arg]) -> String {
        // The marker distinguishes the processes of the sandbox itself from its commands.
        let words = self.words(words);
        format!("export HELVE_SANDBOX_KEEPER={}';'; {words}", self.id)
    }

    pub(super) async fn ask(&self, call: RemoteCall) -> io::Result<HostReply> {
        let command = self.command(&call.words);
        let answer = run_to_end(
            self.transport(),
            &command,
            call.input,
            call.limit,
            call.deadline,
        )
        .await?;
        self.read(answer)
    }

    /// Makes an idempotent call of the scripts, and retries if the connection breaks.
    pub(super) async fn call_idempotent(
        &self,
        call: impl Fn() -> RemoteCall,
    ) -> io::Result<HostReply> {
        for _ in 1..ATTEMPTS {
            match self.ask(call()).await {
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                reply => return reply,
            }
        }
        self.ask(call()).await
    }

    /// Calls the scripts for a reply of any length: returns the line of the reply, then the parts as they arrive.
    ///
    /// The bytes are complete if no part is an error.
    pub(super) async fn fetch(
        &self,
        words: &[Arg],
    ) -> io::Result<(HostReply, mpsc::Receiver<io::Result<Vec<u8>>>)> {
        let RunningCommand { input, mut output } =
            self.transport().run(&self.command(words)).await?;
        let mut start = Vec::new();
        let ended = tokio::time::timeout(PROMPT, async {
            while !start.contains(&b'\n') {
                match output.next().await.transpose()? {
                    Some(CommandEvent::Stdout(bytes)) if start.len() < REPLY_OVERHEAD => {
                        start.extend_from_slice(&bytes)
                    }
                    Some(CommandEvent::Stderr(_)) => {}
                    Some(CommandEvent::Exit(code)) => return Ok(Some(code)),
                    Some(CommandEvent::Stdout(_)) => {
                        return Err(invalid_data("the reply line is not terminated"));
                    }
                    None => {
                        return Err(unreachable_error(
                            "the connection closed before the reply was complete",
                        ));
                    }
                }
            }
            Ok(None)
        });
        let code = ended
            .await
            .map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??;
        let reply = self.read(CommandOutput {
            stdout: start,
            stderr: String::new(),
            code: code.unwrap_or(0),
        })?;
        let (parts, receiver) = mpsc::channel(4);
        if code.is_none() {
            tokio::spawn(async move {
                // The input is held until the end: closing one direction of a connection may close the other.
                let _input = input;
                loop {
                    let part = match output.next().await {
                        Some(Ok(CommandEvent::Stdout(bytes))) => Ok(bytes),
                        Some(Ok(CommandEvent::Stderr(_))) => continue,
                        Some(Ok(CommandEvent::Exit(0))) => return,
                        Some(Ok(CommandEvent::Exit(code))) => Err(io::Error::other(format!(
                            "the remote command failed with {code}"
                        ))),
                        Some(Err(error)) => Err(error),
                        None => Err(unreachable_error(
                            "the connection closed before the reply was complete",
                        )),
                    };
                    let failed = part.is_err();
                    let unheard = tokio::time::timeout(READ_STALL_TIMEOUT, parts.send(part)).await;
                    if failed || !matches!(unheard, Ok(Ok(()))) {
                        return;
                    }
                }
            });
        }
        Ok((reply, receiver))
    }

    fn read(&self, answer: CommandOutput) -> io::Result<HostReply> {
        let (mut output, error, code) = (answer.stdout, answer.stderr, answer.code);
        let Some(end) = output.iter().position(|&byte| byte == b'\n') else {
            // The scripts always reply, so the reply was lost, which happens occasionally with some engines.
            if code == 0 {
                return Err(unreachable_error(format!("no reply: {error}")));
            }
            // The shell did not find the script: its folder is removed together with the sandbox.
            return Err(io::Error::new(
                io::ErrorKind::NotFound,
                format!("its folder {} is gone", self.folder),
            ));
        };
        if code != 0 {
            return Err(io::Error::other(format!(
                "the scripts there failed with {code}: {error}"
            )));
        }
        let body = output.split_off(end + 1);
        output.pop();
        let line = String::from_utf8_lossy(&output).into_owned();
        Ok(HostReply { line, body })
    }
}

/// Converts the error of a call.
pub(crate) fn failure(doing: &str, source: io::Error) -> SandboxError {
    match source.kind() {
        io::ErrorKind::NotFound => SandboxError::Closed {
            why: source.to_string(),
        },
        io::ErrorKind::ConnectionAborted => SandboxError::Unreachable {
            why: source.to_string(),
        },
        _ => SandboxError::Io {
            doing: doing.to_owned(),
            source,
        },
    }
}

/// Returns a new sandbox ID.
pub(crate) fn new_id() -> SandboxId {
    let name = format!("helve-{}", nonce());
    SandboxId::new(&name).unwrap_or_else(|_| unreachable!("letters and digits are a handle"))
}

/// Returns a unique name, for temporary files and for sandboxes.
pub(super) fn nonce() -> String {
    random::hex::<12>()
}
