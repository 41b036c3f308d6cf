//! The MCP servers of an app, as one source of tools.

mod builder;
mod selection;
mod server;
mod status;
mod view;

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::future;

pub use builder::McpServersBuilder;
pub(super) use server::Server;
pub use status::{ApprovalState, ServerStatus, ServersError, WithheldReason, WithheldTool};

use crate::tool::shown;
use crate::{ServerConfig, ServerName};
use helve_core::registry::nearest;
use helve_core::support::lock::Mutex;
use helve_core::tool::chain_text;
use helve_core::toolset::{ToolList, ToolSource, Toolset};
use helve_permission::acceptances::{
    AcceptanceError, AcceptanceKind, AcceptanceList, Acceptances, Difference,
};

/// The MCP servers of an app, as one source of tools that follows the lists of the servers. Clones share the servers.
///
/// No server starts before [`connect`](Self::connect). The definitions of a server are untrusted text: its tools are
/// withheld until the user has [approved](Self::approve) the definitions, and a tool is withheld again when its definition
/// changes.
///
/// The name of a tool is `mcp__server__tool`. A permission [rule](helve_permission::Rule) for its calls may match an
/// argument by a pattern, in which `*` matches any characters: `mcp__slack__send_message(channel=#general)`.
///
/// ```
/// use helve::acceptances::Acceptances;
/// use helve::mcp::{McpServers, ServerConfig};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let files = ServerConfig::stdio("files".parse()?, "a-program-that-is-not-there", ["."]);
/// let servers = McpServers::builder().server(files).acceptances(Acceptances::in_memory()).build();
/// for failed in servers.connect().await {
///     eprintln!("{}", failed.error);
/// }
/// assert!(servers.toolset().names().is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct McpServers(Arc<ServersState>);

pub(super) struct ServersState {
    servers: Vec<Arc<Server>>,
    acceptances: Acceptances,
    context_tools: bool,
    /// The revision of the list, which changes with the tools and with the approvals.
    revision: AtomicU64,
    list: Mutex<ToolList>,
    warnings: Vec<String>,
    /// The error of the last attempt to read the approvals.
    read_error: Mutex<Option<String>>,
    /// Serializes reads of the approvals, so that an older state does not replace a newer one.
    read_lock: tokio::sync::Mutex<()>,
}

/// The error of one server; the other servers are not affected.
#[derive(Debug)]
#[non_exhaustive]
pub struct ServerFailure {
    /// The server.
    pub server: ServerName,
    /// The error, for the user.
    pub error: ServersError,
}

impl McpServers {
    /// Returns a builder without servers.
    pub fn builder() -> McpServersBuilder {
        McpServersBuilder::new()
    }

    /// Connects to all servers concurrently and lists their tools. Each server has its own time limit and its own error.
    ///
    /// Returns the servers that cannot be used; further attempts to connect to them follow in the background. The method may
    /// be called again: it retries failed servers and reads the approvals again.
    pub async fn connect(&self) -> Vec<ServerFailure> {
        self.read_acceptances().await;
        let starts = self.0.servers.iter().map(|one| async move {
            let error = one.start(&self.0).await.err()?;
            let server = one.config.name().clone();
            Some(ServerFailure { server, error })
        });
        let failures = future::join_all(starts).await;
        failures.into_iter().flatten().collect()
    }

    /// Connects to one server and lists its tools.
    ///
    /// # Errors
    ///
    /// Fails if there is no such server, or if the server cannot be used.
    pub async fn connect_to(&self, name: &str) -> Result<(), ServersError> {
        let server = self.find(name)?;
        self.read_acceptances().await;
        server.start(&self.0).await
    }

    /// Returns the tools of all servers. The toolset follows the lists of the servers.
    #[must_use]
    pub fn toolset(&self) -> Toolset {
        Toolset::new(self.clone())
    }

    /// Returns the configurations of the servers, in the order in which they were added.
    pub fn configs(&self) -> impl ExactSizeIterator<Item = &ServerConfig> {
        self.0.servers.iter().map(|server| &server.config)
    }

    /// Returns the status of each server, in the order in which they were added.
    #[must_use]
    pub fn status(&self) -> Vec<ServerStatus> {
        let servers = self.0.servers.iter();
        servers.map(|server| server.status()).collect()
    }

    /// Returns the status of one server.
    #[must_use]
    pub fn status_of(&self, name: &str) -> Option<ServerStatus> {
        self.find(name).ok().map(|server| server.status())
    }

    /// Returns warnings about the servers as a whole, such as duplicate names, and approvals that cannot be read.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let read_error = self.0.read_error.lock().clone();
        self.0.warnings.iter().cloned().chain(read_error).collect()
    }

    /// Connects to a server, and compares its definitions with those that the user has approved.
    ///
    /// # Errors
    ///
    /// Fails if there is no such server, if the server cannot be used, or if the approvals cannot be read.
    pub async fn difference(&self, name: &str) -> Result<Difference, ServersError> {
        let server = self.find(name)?;
        server.follow(&self.0);
        let accepted = self.accepted().await?;
        server.difference(&accepted).await
    }

    /// Records that the user approves the definitions of a server as they were shown. Its tools are available from now on.
    ///
    /// Tools that the server has changed since then remain withheld.
    ///
    /// # Errors
    ///
    /// Fails if the approvals cannot be written.
    pub async fn approve(&self, shown: &Difference) -> Result<(), ServersError> {
        let shown = shown.clone();
        self.with_acceptances(move |acceptances| acceptances.accept(&shown))
            .await?;
        self.refresh_views().await;
        Ok(())
    }

    /// Revokes the approvals of all servers of this name, also of servers that are not in this list. Returns whether there was
    /// an approval.
    ///
    /// # Errors
    ///
    /// Fails if the approvals cannot be written.
    pub async fn forget(&self, name: &str) -> Result<bool, ServersError> {
        let owned = name.to_owned();
        let revoked = self.with_acceptances(move |acceptances| {
            acceptances.revoke(|one| one.kind == AcceptanceKind::McpServer && one.name == owned)
        });
        let revoked = revoked.await?;
        self.refresh_views().await;
        Ok(!revoked.is_empty())
    }

    /// Closes all connections for good, and ends the programs of the servers.
    pub async fn close(&self) {
        let servers = self.0.servers.iter();
        future::join_all(servers.map(|server| server.connection.close())).await;
    }

    #[cfg(feature = "skills")]
    pub(super) fn servers(&self) -> impl Iterator<Item = &Arc<Server>> {
        self.0.servers.iter()
    }

    fn find(&self, name: &str) -> Result<&Arc<Server>, ServersError> {
        let mut servers = self.0.servers.iter();
        let found = servers.find(|server| server.config.name().as_str() == name);
        found.ok_or_else(|| ServersError::Unknown {
            name: shown(name),
            nearest: nearest(name, self.configs().map(|config| config.name().as_str()))
                .map(str::to_owned),
        })
    }

    /// Reads the approvals. If that fails, no server counts as approved, and the error is a warning.
    async fn read_acceptances(&self) {
        let _one = self.0.read_lock.lock().await;
        let accepted = self.accepted().await;
        let read_error = accepted.as_ref().err().map(|error| chain_text(error));
        let accepted = accepted.unwrap_or_default();
        for server in &self.0.servers {
            server.set_approval(&accepted);
        }
        *self.0.read_error.lock() = read_error;
    }

    async fn refresh_views(&self) {
        self.read_acceptances().await;
        let servers = self.0.servers.iter();
        future::join_all(servers.map(|server| server.refresh_view(&self.0))).await;
    }

    async fn accepted(&self) -> Result<AcceptanceList, AcceptanceError> {
        self.with_acceptances(Acceptances::read).await
    }

    /// Runs work on the file of approvals on a thread for blocking work.
    async fn with_acceptances<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Acceptances) -> Result<T, AcceptanceError> + Send + 'static,
    ) -> Result<T, AcceptanceError> {
        let acceptances = self.0.acceptances.clone();
        let path = acceptances
            .path()
            .map(std::path::Path::to_owned)
            .unwrap_or_default();
        let worked = tokio::task::spawn_blocking(move || work(&acceptances)).await;
        worked.unwrap_or_else(|error| {
            Err(AcceptanceError::Read {
                path,
                source: std::io::Error::other(error),
            })
        })
    }
}

impl ServersState {
    /// Joins the tools of all servers to one list.
    fn join(&self) {
        // The views are read under the lock, so that the newest list wins if two threads join at once.
        let mut list = self.list.lock();
        let mut names = HashSet::new();
        let (mut tools, mut warnings) = (Vec::new(), Vec::new());
        for server in &self.servers {
            let view = server.view();
            for tool in &view.tools {
                let name = &tool.spec().name;
                if names.insert(name.clone()) {
                    tools.push(tool.clone());
                } else {
                    let server = server.config.name();
                    warnings.push(format!("the tool `{name}` of the MCP server `{server}` is hidden by another of that name"));
                }
            }
        }
        let revision = self.revision.fetch_add(1, Ordering::Relaxed) + 1;
        *list = ToolList::new(tools)
            .with_warnings(warnings)
            .with_revision(revision);
    }
}

impl ToolSource for McpServers {
    fn list(&self) -> ToolList {
        self.0.list.lock().clone()
    }

    // `join` changes the number while it holds the lock of the list, so that a later `list` has at least this revision.
    fn revision(&self) -> u64 {
        self.0.revision.load(Ordering::Relaxed)
    }
}

impl fmt::Debug for McpServers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.0.servers.iter().map(|server| server.config.name());
        f.debug_set().entries(names).finish()
    }
}
