//! The backends that a host grants.

use std::sync::Arc;

use super::{AttachmentsBackend, ClientBackend, HttpBackend, KeyValueBackend, SecretsBackend};
use crate::sandbox::{LazySandbox, SandboxFs};

/// The backends of a host. A capability without a backend is refused.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::ToolContext;
/// use helve::capability::Grants;
///
/// let context = ToolContext::builder().grants(Grants::default()).build();
/// assert!(context.fs().is_err());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Grants {
    /// Files.
    pub files: Option<Arc<dyn SandboxFs>>,
    /// The sandbox in which commands run.
    pub sandbox: Option<Arc<LazySandbox>>,
    /// The sandboxes of individual tools, whose commands run there and not in [`sandbox`](Self::sandbox). The first one
    /// that names a tool is that of the tool.
    pub tool_sandboxes: Vec<ToolSandbox>,
    /// The network.
    pub http: Option<Arc<dyn HttpBackend>>,
    /// The network of individual tools, in place of [`http`](Self::http). The first one that names a tool is its own.
    pub tool_http: Vec<ToolHttp>,
    /// Secrets.
    pub secrets: Option<Arc<dyn SecretsBackend>>,
    /// Storage.
    pub key_value: Option<Arc<dyn KeyValueBackend>>,
    /// The attachments of the user.
    pub attachments: Option<Arc<dyn AttachmentsBackend>>,
    /// The client.
    pub client: Option<Arc<dyn ClientBackend>>,
}

/// The sandbox of individual tools.
#[derive(Debug, Clone)]
pub struct ToolSandbox {
    /// The names of the tools, in which `*` matches any characters.
    pub tools: Vec<String>,
    /// The sandbox in which the commands of these tools run.
    pub sandbox: Arc<LazySandbox>,
    /// The files that these tools reach.
    pub files: Option<Arc<dyn SandboxFs>>,
}

/// The network of individual tools.
#[derive(Debug, Clone)]
pub struct ToolHttp {
    /// The names of the tools, in which `*` matches any characters.
    pub tools: Vec<String>,
    /// The network that these tools reach.
    pub http: Arc<dyn HttpBackend>,
}
