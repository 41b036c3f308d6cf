//! The configuration of a server: transport, time limits, tool selection, trust and authentication.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The configuration of an MCP server.
///
/// ```
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
    lifetime: ServerLifetime,
    tools: ToolSelection,
    trust: ServerTrust,
    auth: ServerAuth,
}

/// The name of a server: 1 to 64 characters of `A-Z`, `a-z`, `0-9`, `.`, `_` and `-`, without `__`, and not only
/// dots.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServerName(Arc<str>);

/// The error of a text that is not a valid server name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a valid name for an MCP server: use 1 to 64 characters of A-Z, a-z, 0-9, `.`, `_` and `-`, without `__`, and not of dots alone"
)]
pub struct InvalidServerName(String);

/// The transport of a server.
#[derive(Clone, PartialEq, Eq)]
pub enum Transport {
    /// A local program, over its standard input and output.
    Stdio(StdioServer),
    /// Streamable HTTP.
    Http {
        /// The URL of the endpoint.
        url: String,
        /// The headers of every request. Their values are never displayed.
        headers: BTreeMap<String, String>,
    },
    /// The legacy HTTP transport with an event stream (before 2025-03-26).
    Sse {
        /// The URL of the event stream.
        url: String,
        /// The headers of every request. Their values are never displayed.
        headers: BTreeMap<String, String>,
    },
}

/// The program of a stdio server.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StdioServer {
    /// The program, searched in `PATH` if it is a bare name.
    pub command: String,
    /// The arguments.
    pub arguments: Vec<String>,
    /// The variables that are set. Their values are never displayed.
    pub environment: BTreeMap<String, String>,
    /// The variables that are inherited in addition to those that every program needs: names, or `PREFIX*`.
    pub inherited: Vec<String>,
    /// The working folder; by default that of this process.
    pub folder: Option<PathBuf>,
    /// Whether the program runs in the sandbox.
    pub sandboxed: bool,
}

/// How long a server runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServerLifetime {
    /// From its first use to the end of the session, over one connection.
    #[default]
    Session,
    /// For one request: the server is started, answers, and is ended before the next request starts it again. This is
    /// for servers that leak memory or hold locks. Their tools are listed once.
    Call,
}

/// The time limits of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallTimeouts {
    /// The time limit from the start to the end of the handshake.
    pub connect: Duration,
    /// The time limit of a list with all its pages.
    pub list: Duration,
    /// The time limit of a call, with or without progress.
    pub call: Duration,
    /// The time limit without a message about a call; a progress notification resets it.
    pub stall: Duration,
}

/// The selection of a server's tools.
///
/// ```
/// use helve::mcp::ToolSelection;
///
/// let mut tools = ToolSelection::default();
/// tools.without.push("delete_*".into());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolSelection {
    /// If set, only the tools whose names on the server match one of these patterns, in which `*` matches any
    /// characters.
    pub only: Option<Vec<String>>,
    /// The patterns of the tools that are excluded.
    pub without: Vec<String>,
}

/// The trust in a server.
///
/// ```
/// use helve::mcp::ServerTrust;
///
/// let mut trust = ServerTrust::default();
/// trust.hints = true;
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerTrust {
    /// Whether the server's hints are trusted without an approval of its definitions.
    pub hints: bool,
    /// Whether the server may use the app's model.
    pub sampling: bool,
    /// Whether the results are trusted text, and not text that may contain prompt injections.
    pub output: bool,
    /// Whether the definitions are used without an approval, for a server that is part of the app.
    pub definitions: bool,
}

/// The authentication to a server.
#[derive(Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerAuth {
    /// Whether the user may be asked to log in if the server requires it.
    pub login: bool,
    /// The id under which the program is registered, or the `https` URL of its client metadata document. `None`
    /// registers the program dynamically.
    pub client_id: Option<String>,
    /// The client secret of the id, or its private key in PEM. Without `login`, the program requests tokens with it
    /// (client credentials).
    pub client_secret: Option<String>,
    /// The scopes; by default those that the server requests.
    pub scopes: Vec<String>,
    /// The local port of the redirect URL, if the registration fixes one; any free port otherwise.
    pub callback_port: Option<u16>,
    /// Whether the server is in a private network: its authorization server may then have a private address, and both
    /// may be reached over plain HTTP.
    pub private_network: bool,
}

impl ServerConfig {
    /// Creates the configuration of a server with a transport, and without any trust.
    #[must_use]
    pub fn new(name: ServerName, transport: Transport) -> Self {
        Self {
            name,
            transport,
            timeouts: CallTimeouts::default(),
            lifetime: ServerLifetime::default(),
            tools: ToolSelection::default(),
            trust: ServerTrust::default(),
            auth: ServerAuth::default(),
        }
    }

    /// Creates the configuration of a local program.
    pub fn stdio<A: Into<String>>(
        name: ServerName,
        command: impl Into<String>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        let arguments = arguments.into_iter().map(Into::into).collect();
        let server = StdioServer::new(command.into(), arguments);
        Self::new(name, Transport::Stdio(server))
    }

    /// Creates the configuration of a server with streamable HTTP.
    pub fn http(name: ServerName, url: impl Into<String>) -> Self {
        let (url, headers) = (url.into(), BTreeMap::new());
        Self::new(name, Transport::Http { url, headers })
    }

    /// Creates the configuration of a server with the legacy HTTP transport.
    pub fn sse(name: ServerName, url: impl Into<String>) -> Self {
        let (url, headers) = (url.into(), BTreeMap::new());
        Self::new(name, Transport::Sse { url, headers })
    }

    /// Adds a header to every request; has no effect on a stdio server.
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

    /// Lets a stdio server inherit variables of this process.
    #[must_use]
    pub fn variables<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        if let Transport::Stdio(server) = &mut self.transport {
            server.inherited.extend(names.into_iter().map(Into::into));
        }
        self
    }

    /// Selects tools by their names on the server; `*` matches any characters.
    #[must_use]
    pub fn only<N: Into<String>>(mut self, tools: impl IntoIterator<Item = N>) -> Self {
        self.tools.only = Some(tools.into_iter().map(Into::into).collect());
        self
    }

    /// Excludes tools.
    #[must_use]
    pub fn without<N: Into<String>>(mut self, tools: impl IntoIterator<Item = N>) -> Self {
        self.tools.without.extend(tools.into_iter().map(Into::into));
        self
    }

    /// Sets the time limits.
    #[must_use]
    pub fn with_timeouts(mut self, timeouts: CallTimeouts) -> Self {
        self.timeouts = timeouts;
        self
    }

    /// Sets the lifetime.
    #[must_use]
    pub fn with_lifetime(mut self, lifetime: ServerLifetime) -> Self {
        self.lifetime = lifetime;
        self
    }

    /// Sets the trust.
    #[must_use]
    pub fn with_trust(mut self, trust: ServerTrust) -> Self {
        self.trust = trust;
        self
    }

    /// Sets the tool selection.
    #[must_use]
    pub fn with_tools(mut self, tools: ToolSelection) -> Self {
        self.tools = tools;
        self
    }

    /// Sets the authentication.
    #[must_use]
    pub fn with_auth(mut self, auth: ServerAuth) -> Self {
        self.auth = auth;
        self
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &ServerName {
        &self.name
    }

    /// Returns the transport.
    #[must_use]
    pub fn transport(&self) -> &Transport {
        &self.transport
    }

    /// Returns the time limits.
    #[must_use]
    pub fn timeouts(&self) -> CallTimeouts {
        self.timeouts
    }

    /// Returns the lifetime.
    #[must_use]
    pub fn lifetime(&self) -> ServerLifetime {
        self.lifetime
    }

    /// Returns the tool selection.
    #[must_use]
    pub fn tools(&self) -> &ToolSelection {
        &self.tools
    }

    /// Returns the trust.
    #[must_use]
    pub fn trust(&self) -> ServerTrust {
        self.trust
    }

    /// Returns the authentication.
    #[must_use]
    pub fn auth(&self) -> &ServerAuth {
        &self.auth
    }
}

impl StdioServer {
    /// Creates a program with arguments, without variables and outside of the sandbox.
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

// Not derived, because the variables may contain credentials.
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

// Not derived, because headers contain credentials.
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

// Not derived, because the secret must not be displayed.
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
    /// Returns the name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::str::FromStr for ServerName {
    type Err = InvalidServerName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // A name of dots would be a path component in a file name.
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
