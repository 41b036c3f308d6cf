//! What is said of a server: where it is, how long it may take, what of it is used and how far it is trusted.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// An MCP server, before anything of it is started or reached.
///
/// ```
/// # extern crate helve_runtime as helve;
/// use helve::mcp::{ServerConfig, ServerName};
///
/// let name: ServerName = "files".parse()?;
/// let server = ServerConfig::stdio(name, "npx", ["-y", "@modelcontextprotocol/server-filesystem", "."])
///     .only(["read_file"])
///     .variables(["LANG"]);
/// assert_eq!(server.name().as_str(), "files");
/// # Ok::<(), helve::mcp::InvalidServerName>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerConfig {
    name: ServerName,
    transport: Transport,
    timeouts: CallTimeouts,
    tools: ToolSelection,
    trust: ServerTrust,
    auth: ServerAuth,
}

/// The name of a server: 1 to 64 characters of `A-Z`, `a-z`, `0-9`, `.`, `_` and `-`, without `__`
/// and not of dots alone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServerName(Arc<str>);

/// Says why a text is no name of a server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is no name for an MCP server: 1 to 64 characters of A-Z, a-z, 0-9, `.`, `_` and `-`, without `__`, and not of dots alone"
)]
pub struct InvalidServerName(String);

/// How a server is reached.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Transport {
    /// A program of this machine, spoken to through its standard input and output.
    Stdio(StdioServer),
    /// Streamable HTTP.
    Http {
        /// The address of its endpoint.
        url: String,
        /// Headers of every request; their values are shown to nobody.
        headers: BTreeMap<String, String>,
    },
    /// HTTP with a stream of events beside it, as before 2025-03-26.
    Sse {
        /// The address of its stream.
        url: String,
        /// Headers of every request; their values are shown to nobody.
        headers: BTreeMap<String, String>,
    },
}

/// The program of a stdio server.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StdioServer {
    /// The program, looked up in `PATH` where it is a bare name.
    pub command: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Variables that are set for it; their values are shown to nobody.
    pub environment: BTreeMap<String, String>,
    /// Variables of this process that it sees, beside the few that every program needs: names, or `PREFIX*`.
    pub inherited: Vec<String>,
    /// The folder that it starts in; without one, that of this process.
    pub folder: Option<PathBuf>,
    /// Whether it runs in the sandbox.
    pub sandboxed: bool,
}

/// How long a server may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallTimeouts {
    /// From the start to the end of the handshake.
    pub connect: Duration,
    /// One whole list, with all its pages.
    pub list: Duration,
    /// One call, however much progress it reports.
    pub call: Duration,
    /// One call without a word from the server; progress starts it anew.
    pub stall: Duration,
}

/// Which tools of a server are used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolSelection {
    /// Only these, by the server's own names, where there are any; `*` stands for any characters.
    pub only: Option<Vec<String>>,
    /// Not these.
    pub without: Vec<String>,
}

/// What a server is granted beyond answering calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerTrust {
    /// Whether its hints count before its definitions were approved.
    pub hints: bool,
    /// Whether it may use the app's model.
    pub sampling: bool,
    /// Whether its results are text like any other, rather than text that may try to steer the model.
    pub output: bool,
    /// Whether its definitions are used without being approved: for a server that the app ships itself.
    pub definitions: bool,
}

/// How the program shows a server who it is.
#[derive(Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerAuth {
    /// Whether the user may be sent to log in where the server asks for it.
    pub login: bool,
    /// The id under which the program is registered there, or the `https` address of the document that describes it;
    /// without one it registers itself.
    pub client_id: Option<String>,
    /// The secret that belongs to that id, or its private key in PEM. Without `login` the program gets its tokens with
    /// it by itself.
    pub client_secret: Option<String>,
    /// What is asked for; without any, what the server names.
    pub scopes: Vec<String>,
    /// The port of this machine that a login ends at, where the registration names one; any that is free without.
    pub callback_port: Option<u16>,
    /// Whether the server is in a private network: its authorization server may then have a private address, and both
    /// may be reached over plain HTTP.
    pub private_network: bool,
}

impl ServerConfig {
    /// Says how a server is reached; everything else is as careful as it can be.
    #[must_use]
    pub fn new(name: ServerName, transport: Transport) -> Self {
        Self {
            name,
            transport,
            timeouts: CallTimeouts::default(),
            tools: ToolSelection::default(),
            trust: ServerTrust::default(),
            auth: ServerAuth::default(),
        }
    }

    /// Describes a program of this machine.
    pub fn stdio<A: Into<String>>(
        name: ServerName,
        command: impl Into<String>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        let arguments = arguments.into_iter().map(Into::into).collect();
        Self::new(
            name,
            Transport::Stdio(StdioServer::new(command.into(), arguments)),
        )
    }

    /// Describes a server at an address that speaks streamable HTTP.
    pub fn http(name: ServerName, url: impl Into<String>) -> Self {
        Self::new(
            name,
            Transport::Http {
                url: url.into(),
                headers: BTreeMap::new(),
            },
        )
    }

    /// Describes a server at an address that speaks HTTP with a stream of events beside it.
    pub fn sse(name: ServerName, url: impl Into<String>) -> Self {
        Self::new(
            name,
            Transport::Sse {
                url: url.into(),
                headers: BTreeMap::new(),
            },
        )
    }

    /// Adds a header to every request; a stdio server has none.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        match &mut self.transport {
            Transport::Http { headers, .. } | Transport::Sse { headers, .. } => {
                headers.insert(name.into(), value.into());
            }
            Transport::Stdio(_) => {}
        }
        self
    }

    /// Lets a stdio server see these variables of this process.
    #[must_use]
    pub fn variables<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        if let Transport::Stdio(server) = &mut self.transport {
            server.inherited.extend(names.into_iter().map(Into::into));
        }
        self
    }

    /// Uses only these tools, by the server's own names; `*` stands for any characters.
    #[must_use]
    pub fn only<N: Into<String>>(mut self, tools: impl IntoIterator<Item = N>) -> Self {
        self.tools.only = Some(tools.into_iter().map(Into::into).collect());
        self
    }

    /// Does not use these tools.
    #[must_use]
    pub fn without<N: Into<String>>(mut self, tools: impl IntoIterator<Item = N>) -> Self {
        self.tools.without.extend(tools.into_iter().map(Into::into));
        self
    }

    /// Sets how long it may take.
    #[must_use]
    pub fn with_timeouts(mut self, timeouts: CallTimeouts) -> Self {
        self.timeouts = timeouts;
        self
    }

    /// Sets what it is granted.
    #[must_use]
    pub fn with_trust(mut self, trust: ServerTrust) -> Self {
        self.trust = trust;
        self
    }

    /// Sets which tools are used.
    #[must_use]
    pub fn with_tools(mut self, tools: ToolSelection) -> Self {
        self.tools = tools;
        self
    }

    /// Sets how the program shows it who it is.
    #[must_use]
    pub fn with_auth(mut self, auth: ServerAuth) -> Self {
        self.auth = auth;
        self
    }

    /// Returns its name.
    #[must_use]
    pub fn name(&self) -> &ServerName {
        &self.name
    }

    /// Returns how it is reached.
    #[must_use]
    pub fn transport(&self) -> &Transport {
        &self.transport
    }

    /// Returns how long it may take.
    #[must_use]
    pub fn timeouts(&self) -> CallTimeouts {
        self.timeouts
    }

    /// Returns which of its tools are used.
    #[must_use]
    pub fn tools(&self) -> &ToolSelection {
        &self.tools
    }

    /// Returns what it is granted.
    #[must_use]
    pub fn trust(&self) -> ServerTrust {
        self.trust
    }

    /// Returns how the program shows it who it is.
    #[must_use]
    pub fn auth(&self) -> &ServerAuth {
        &self.auth
    }
}

impl StdioServer {
    /// Describes a program that gets its arguments and nothing else.
    #[must_use]
    pub fn new(command: String, arguments: Vec<String>) -> Self {
        Self {
            command,
            arguments,
            environment: BTreeMap::new(),
            inherited: Vec::new(),
            folder: None,
            sandboxed: false,
        }
    }
}

// By hand, because the variables may hold credentials.
impl fmt::Debug for StdioServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StdioServer")
            .field("command", &self.command)
            .field("arguments", &self.arguments)
            .field("environment", &self.environment.keys())
            .field("inherited", &self.inherited)
            .field("folder", &self.folder)
            .field("sandboxed", &self.sandboxed)
            .finish()
    }
}

// By hand, because headers hold credentials.
impl fmt::Debug for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, url, headers) = match self {
            Self::Stdio(server) => return server.fmt(f),
            Self::Http { url, headers } => ("Http", url, headers),
            Self::Sse { url, headers } => ("Sse", url, headers),
        };
        f.debug_struct(name)
            .field("url", url)
            .field("headers", &headers.keys())
            .finish()
    }
}

// By hand, because of the secret.
impl fmt::Debug for ServerAuth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerAuth")
            .field("login", &self.login)
            .field("client_id", &self.client_id)
            .field("client_secret", &self.client_secret.is_some())
            .field("scopes", &self.scopes)
            .field("callback_port", &self.callback_port)
            .field("private_network", &self.private_network)
            .finish()
    }
}

impl Default for CallTimeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(30),
            list: Duration::from_secs(30),
            call: Duration::from_secs(600),
            stall: Duration::from_secs(120),
        }
    }
}

impl ServerName {
    /// Returns it as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::str::FromStr for ServerName {
    type Err = InvalidServerName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // A name of dots would be a step of a path where it names a file or a folder.
        let is_fit = (1..=64).contains(&text.len())
            && text.bytes().any(|byte| byte != b'.')
            && !text.contains("__")
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
        if is_fit {
            Ok(Self(text.into()))
        } else {
            Err(InvalidServerName(text.to_owned()))
        }
    }
}

impl fmt::Display for ServerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod name_tests {
    use super::ServerName;

    #[test]
    fn a_name_is_no_step_of_a_path() {
        for name in [".", "..", "...", "", "a__b", "a/b"] {
            assert!(name.parse::<ServerName>().is_err(), "{name}");
        }
        for name in [".a", "a.", "a..b", "files"] {
            assert!(name.parse::<ServerName>().is_ok(), "{name}");
        }
    }
}
