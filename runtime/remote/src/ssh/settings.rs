//! Which machine to reach, and as whom.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// How to reach another machine through SSH.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SshSettings {
    /// The name or address of the machine.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// Who to be there.
    pub user: String,
    /// How to prove it.
    pub credential: SshCredential,
    /// The file of known host keys, as OpenSSH writes it. A host whose key is not in it is refused.
    pub known_hosts: PathBuf,
    /// How long a connection may take, from the first packet until the machine has accepted the user.
    pub connect_timeout: Duration,
    /// How often the machine is asked whether it is still there; three questions without an answer end the connection.
    pub keepalive: Duration,
    /// How long processes outlive an app that died without a word, or whose connection broke; a new connection within
    /// this time finds them again.
    pub linger: Duration,
}

impl SshSettings {
    /// Reaches a machine on the usual port; the other fields are open.
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

/// What proves to the other machine who the user is.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SshCredential {
    /// A private key in a file.
    Key {
        /// The file.
        path: PathBuf,
        /// What opens it, where it is encrypted.
        passphrase: Option<String>,
    },
    /// The keys of a running agent.
    Agent {
        /// Its socket; without one, the socket that `SSH_AUTH_SOCK` names.
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
