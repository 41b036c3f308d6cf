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
    /// The network.
    pub http: Option<Arc<dyn HttpBackend>>,
    /// Secrets.
    pub secrets: Option<Arc<dyn SecretsBackend>>,
    /// Storage.
    pub key_value: Option<Arc<dyn KeyValueBackend>>,
    /// The attachments of the user.
    pub attachments: Option<Arc<dyn AttachmentsBackend>>,
    /// The client.
    pub client: Option<Arc<dyn ClientBackend>>,
}
