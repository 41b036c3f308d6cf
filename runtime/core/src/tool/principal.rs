//! The principal of a call.

use serde::{Deserialize, Serialize};

/// The principal that a call is made for: the key of rules, caches, connections and stores, so that one process can
/// serve many.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::ToolContext;
/// use helve::tool::Principal;
///
/// let ann = Principal::user("ann").with_team("billing").with_platform("chat");
/// let context = ToolContext::builder().principal(ann).build();
/// assert_eq!(context.principal().team.as_deref(), Some("billing"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Principal {
    /// The user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The platform of the user: a chat platform, an editor. The command line sets `cli`, and the MCP server sets `mcp`
    /// for standard input and output and `http` for HTTP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub platform: Option<String>,
    /// The team of the user in the organisation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    /// The organisation that owns the data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
}

impl Principal {
    /// Creates a principal from a user.
    pub fn user(name: impl Into<String>) -> Self {
        Self {
            user: Some(name.into()),
            ..Self::default()
        }
    }

    /// Adds the platform.
    #[must_use]
    pub fn with_platform(mut self, platform: impl Into<String>) -> Self {
        self.platform = Some(platform.into());
        self
    }

    /// Adds the team.
    #[must_use]
    pub fn with_team(mut self, team: impl Into<String>) -> Self {
        self.team = Some(team.into());
        self
    }

    /// Adds the tenant.
    #[must_use]
    pub fn with_tenant(mut self, tenant: impl Into<String>) -> Self {
        self.tenant = Some(tenant.into());
        self
    }
}
