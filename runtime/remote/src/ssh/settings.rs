//! The settings of an SSH connection: the machine, the user and the credential.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// The settings of a connection to another machine through SSH.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SshSettings {
    /// The name or address of the machine.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The name of the user on the machine.
    pub user: String,
    /// The credential of the user.
    pub credential: SshCredential,
    /// The file of known host keys, in the format of OpenSSH. A host whose key is not in the file is rejected.
    pub known_hosts: PathBuf,
    /// The time limit of a connection, from the first packet until the machine has accepted the user.
    pub connect_timeout: Duration,
    /// The interval of keepalive messages; three messages without a reply end the connection.
    pub keepalive: Duration,
    /// The time that processes outlive an app that died without closing the sandbox, or whose connection broke; a new
    /// connection within this time finds the processes again.
    pub linger: Duration,
}

impl SshSettings {
    /// Returns settings for a machine on the default port; the other fields can be set afterwards.
    pub fn new(
        host: impl Into<String>,
        user: impl Into<String>,
        credential: SshCredential,
        known_hosts: impl Into<PathBuf>,
    ) -> Self {
        Self {
            host: host.into(),
            port: 22,
            user: user.into(),
            credential,
            known_hosts: known_hosts.into(),
            connect_timeout: Duration::from_secs(20),
            keepalive: Duration::from_secs(15),
            linger: Duration::from_secs(30),
        }
    }
}

/// The credential by which the user authenticates.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SshCredential {
    /// A private key in a file.
    Key {
        /// The path of the file.
        path: PathBuf,
        /// The passphrase of an encrypted key.
        passphrase: Option<String>,
    },
    /// The keys of a running agent.
    Agent {
        /// The socket of the agent; if `None`, the socket of `SSH_AUTH_SOCK`.
        socket: Option<PathBuf>,
    },
}

impl fmt::Debug for SshCredential {
    /// Omits the passphrase.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key { path, .. } => f
                .debug_struct("Key")
                .field("path", path)
                .finish_non_exhaustive(),
            Self::Agent { socket } => f.debug_struct("Agent").field("socket", socket).finish(),
        }
    }
}
