//! All servers of an app: one source of tools.

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
pub use status::{Approval, ServerStatus, ServersError, WithheldReason, WithheldTool};

use crate::acceptances::{AcceptanceError, AcceptanceKind, Acceptances, Accepted, Difference};
use crate::mcp::tool::shown;
use crate::mcp::{ServerConfig, ServerName};
use crate::registry::nearest;
use crate::support::lock::Mutex;
use crate::toolset::{ToolList, ToolSource, Toolset};

/// The MCP servers of an app, as one source of tools that follows what the servers offer. A clone is the same servers.
///
/// Nothing is started before [`connect`](Self::connect). What a server says of itself is text of somebody else's: its
/// tools are withheld until the user has [approved](Self::approve) what it says, and again where a description changes.
///
/// A tool is called `mcp__server__tool`. A [rule](crate::permission::Rule) about calls of it names an argument and what it
/// is, in which `*` stands for any characters: `mcp__slack__send_message(channel=#general)`.
///
/// ```
/// # extern crate helve_runtime as helve;
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
pub struct McpServers(Arc<Inner>);

pub(super) struct Inner {
    /// In the order in which they were added.
    servers: Vec<Arc<Server>>,
    acceptances: Acceptances,
    context_tools: bool,
    /// Another one after each change of the list or of what is approved.
    revision: AtomicU64,
    list: Mutex<ToolList>,
    /// What is wrong with what the servers were put together of.
    warnings: Vec<String>,
    /// Why it cannot be read what was approved.
    unreadable: Mutex<Option<String>>,
    /// Approvals are read one after another, so that what an earlier reading found never counts after a later one.
    reading: tokio::sync::Mutex<()>,
}

/// A server that could not be used when the servers were connected; the others can.
#[derive(Debug)]
#[non_exhaustive]
pub struct ServerFailure {
    /// The server.
    pub server: ServerName,
    /// Why, in words for the user.
    pub error: ServersError,
}

impl McpServers {
    /// Starts without any servers.
    pub fn builder() -> McpServersBuilder {
        McpServersBuilder::new()
    }

    /// Connects to every server at once and lists its tools; each fails alone, within its own time.
    ///
    /// It may be called again: what failed is tried anew, and what was approved meanwhile counts. It returns the servers
    /// that cannot be used, and goes on trying to reach them.
    pub async fn connect(&self) -> Vec<ServerFailure> {
        self.read_acceptances().await;
        let starts = self.0.servers.iter().map(|server| async move {
            let error = server.start(&self.0).await.err()?;
            Some(ServerFailure {
                server: server.config.name().clone(),
                error,
            })
        });
        future::join_all(starts)
            .await
            .into_iter()
            .flatten()
            .collect()
    }

    /// Connects to one server and lists its tools.
    ///
    /// # Errors
    ///
    /// Fails where there is no such server, or it cannot be used.
    pub async fn connect_to(&self, name: &str) -> Result<(), ServersError> {
        let server = self.find(name)?;
        self.read_acceptances().await;
        server.start(&self.0).await
    }

    /// Returns the tools of all servers, which follow what the servers offer.
    #[must_use]
    pub fn toolset(&self) -> Toolset {
        Toolset::new(self.clone())
    }

    /// Returns what is said of each server, in the order in which they were added.
    pub fn configs(&self) -> impl ExactSizeIterator<Item = &ServerConfig> {
        self.0.servers.iter().map(|server| &server.config)
    }

    /// Tells how each server stands, in the order in which they were added.
    #[must_use]
    pub fn status(&self) -> Vec<ServerStatus> {
        self.0
            .servers
            .iter()
            .map(|server| server.status())
            .collect()
    }

    /// Tells how one server stands.
    #[must_use]
    pub fn status_of(&self, name: &str) -> Option<ServerStatus> {
        self.find(name).ok().map(|server| server.status())
    }

    /// Returns what a person should know of the servers together: names that are there twice, approvals that cannot be
    /// read.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let unreadable = self.0.unreadable.lock().clone();
        self.0.warnings.iter().cloned().chain(unreadable).collect()
    }

    /// Holds what a server says of itself now against what the user approved; it is connected to first.
    ///
    /// # Errors
    ///
    /// Fails where there is no such server, it cannot be used, or what was approved cannot be read.
    pub async fn difference(&self, name: &str) -> Result<Difference, ServersError> {
        let server = self.find(name)?;
        server.follow(&self.0);
        let accepted = self.accepted().await?;
        server.difference(&accepted).await
    }

    /// Notes that the user approves what a server said, as it was shown to them; its tools are offered from now on.
    ///
    /// What the server has changed since then stays withheld.
    ///
    /// # Errors
    ///
    /// Fails where it cannot be kept.
    pub async fn approve(&self, shown: &Difference) -> Result<(), ServersError> {
        let shown = shown.clone();
        self.with_acceptances(move |acceptances| acceptances.accept(&shown))
            .await?;
        self.look_again().await;
        Ok(())
    }

    /// Forgets what the user approved of every server of this name, be it one of these or not, and says whether there was
    /// anything.
    ///
    /// # Errors
    ///
    /// Fails where it cannot be kept.
    pub async fn forget(&self, name: &str) -> Result<bool, ServersError> {
        let owned = name.to_owned();
        let revoked = self.with_acceptances(move |acceptances| {
            acceptances.revoke(|one| one.kind == AcceptanceKind::McpServer && one.name == owned)
        });
        let revoked = revoked.await?;
        self.look_again().await;
        Ok(!revoked.is_empty())
    }

    /// Ends every connection for good, and the programs with them.
    pub async fn close(&self) {
        let closing = self
            .0
            .servers
            .iter()
            .map(|server| server.connection.close());
        future::join_all(closing).await;
    }

    #[cfg(feature = "skills")]
    pub(super) fn servers(&self) -> impl Iterator<Item = &Arc<Server>> {
        self.0.servers.iter()
    }

    /// Returns a number that is another one after each change.
    #[cfg(feature = "skills")]
    pub(super) fn revision(&self) -> u64 {
        self.0.revision.load(Ordering::Relaxed)
    }

    fn find(&self, name: &str) -> Result<&Arc<Server>, ServersError> {
        let mut servers = self.0.servers.iter();
        let found = servers.find(|server| server.config.name().as_str() == name);
        found.ok_or_else(|| {
            let known = self
                .0
                .servers
                .iter()
                .map(|server| server.config.name().as_str());
            ServersError::Unknown {
                name: shown(name),
                nearest: nearest(name, known).map(str::to_owned),
            }
        })
    }

    /// Reads what was approved. Where that fails nothing counts as approved, and it is said.
    async fn read_acceptances(&self) {
        let _one = self.0.reading.lock().await;
        let accepted = self.accepted().await;
        let unreadable = accepted
            .as_ref()
            .err()
            .map(|error| crate::tool::chain_text(error));
        let accepted = accepted.unwrap_or_default();
        for server in &self.0.servers {
            server.take(&accepted);
        }
        *self.0.unreadable.lock() = unreadable;
    }

    async fn look_again(&self) {
        self.read_acceptances().await;
        let looks = self.0.servers.iter().map(|server| server.look(&self.0));
        future::join_all(looks).await;
    }

    async fn accepted(&self) -> Result<Accepted, AcceptanceError> {
        self.with_acceptances(Acceptances::read).await
    }

    /// Works on the file of acceptances where blocking is allowed.
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

impl Inner {
    /// Joins what the servers offer into one list.
    fn join(&self) {
        // Under the lock, so that of two who join at once the later list stands.
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
            .at_revision(revision);
    }
}

impl ToolSource for McpServers {
    fn list(&self) -> ToolList {
        self.0.list.lock().clone()
    }
}

impl fmt::Debug for McpServers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.0.servers.iter().map(|server| server.config.name());
        f.debug_set().entries(names).finish()
    }
}
