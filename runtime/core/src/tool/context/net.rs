//! The connections of a tool.

use super::ToolContext;
use crate::capability::Net;

impl ToolContext {
    /// Returns the capability to open connections, available to a tool that declares `requires(net)`.
    #[must_use]
    pub fn net(&self) -> Net {
        Net::new(self.requires, self.inner.host.grants.http.clone())
    }
}
