//! Creates sandboxes on other machines, and attaches to them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::connection::SshConnection;
use super::enforcement::table;
use super::{SshSandbox, SshSettings};
use crate::remote::{
    CommandInput, RemoteConfig, RemoteHost, failure, new_id, quote, require, run_to_end, variables,
};
use helve_core::sandbox::{SandboxError, SandboxId, SandboxPolicy};

/// The time limit for the machine to describe itself.
const DESCRIBE_TIMEOUT: Duration = Duration::from_secs(30);

/// The variables of the remote machine that commands see.
const REMOTE_VARIABLES: [&str; 8] = [
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TMPDIR",
];

/// The parent of private folders. The script fails if its folder exists already, so no other user can have created it
/// before.
const PARENT: &str = "/tmp";

impl SshSandbox {
    /// Connects to a machine, and creates a sandbox on it.
    ///
    /// # Errors
    /// Fails if the machine cannot be reached, if its key is not a known key, if it does not accept the user, if it
    /// lacks a required program ([`SandboxError::Unavailable`]), or if a layer is missing that the policy does not
    /// accept as missing ([`SandboxError::Isolation`]).
    pub async fn open(settings: SshSettings, policy: SandboxPolicy) -> Result<Self, SandboxError> {
        policy.reject_staged("ssh")?;
        let enforcement = table();
        require(&enforcement, &policy)?;
        let linger = settings.linger;
        let connection = Arc::new(SshConnection::new(settings));
        let machine = RemoteMachine::inspect(&connection, &policy).await?;
        let config = RemoteConfig {
            roots: vec![machine.root],
            environment: variables(machine.environment, &policy),
            refuses_read_only: false,
            enforcement,
        };
        let host = RemoteHost::new(Arc::clone(&connection) as _, PARENT, new_id());
        host.install(&config, Some(linger)).await?;
        Self::with_lease(connection, host, config).await
    }

    /// Connects to a machine, and attaches to a sandbox that another process opened.
    ///
    /// # Errors
    /// Like [`open`](SshSandbox::open); also fails if the sandbox has ended.
    pub async fn attach(settings: SshSettings, id: &SandboxId) -> Result<Self, SandboxError> {
        let connection = Arc::new(SshConnection::new(settings));
        let host = RemoteHost::new(Arc::clone(&connection) as _, PARENT, id.clone());
        let config = host.read_record().await?;
        Self::with_lease(connection, host, config).await
    }
}

/// The attributes of the remote machine, as the machine reports them.
struct RemoteMachine {
    /// The workspace, without links.
    root: PathBuf,
    environment: BTreeMap<String, String>,
}

impl RemoteMachine {
    async fn inspect(
        connection: &SshConnection,
        policy: &SandboxPolicy,
    ) -> Result<Self, SandboxError> {
        let unavailable = |why: String| SandboxError::Unavailable {
            kind: "ssh".to_owned(),
            why,
        };
        let workspace = policy.workspace.to_str();
        let Some(workspace) = workspace.filter(|workspace| workspace.starts_with('/')) else {
            let why = "the workspace has to be an absolute path in UTF-8";
            return Err(unavailable(why.to_owned()));
        };
        let mut script = format!(
            "cd {} 2>/dev/null || {{ printf absent; exit 0; }}\n\
             printf '%s\\000' \"$(uname -s)\" \"$(pwd -P)\" \"$(id -u)\"",
            quote(workspace)
        );
        for name in REMOTE_VARIABLES {
            script.push_str(&format!(" \"${{{name}-}}\""));
        }
        let script = format!("exec sh -c {}", quote(&script));
        let input = CommandInput::Bytes(Vec::new());
        let answer = run_to_end(connection, &script, input, 64 << 10, DESCRIBE_TIMEOUT).await;
        let answer = answer.map_err(|error| match error.kind() {
            std::io::ErrorKind::PermissionDenied => unavailable(error.to_string()),
            _ => failure("inspecting the remote machine", error),
        })?;
        if answer.stdout == b"absent" {
            return Err(unavailable(format!(
                "folder {workspace} does not exist on the remote machine; create it first"
            )));
        }
        let text = String::from_utf8_lossy(&answer.stdout).into_owned();
        let mut values = text.split('\0');
        let mut next = || values.next().unwrap_or_default().to_owned();
        let (system, root, user) = (next(), next(), next());
        if system != "Linux" || !root.starts_with('/') || user.is_empty() {
            let said = if answer.stderr.is_empty() {
                system
            } else {
                answer.stderr
            };
            return Err(unavailable(format!(
                "the remote machine must run Linux with a POSIX shell; it reports `{said}`"
            )));
        }
        let environment = REMOTE_VARIABLES.map(|name| (name.to_owned(), next()));
        let environment = environment.into_iter();
        Ok(Self {
            root: PathBuf::from(root),
            environment: environment.filter(|(_, value)| !value.is_empty()).collect(),
        })
    }
}
