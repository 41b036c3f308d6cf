//! The features of a client, as it declares them in each request or in its handshake.

use rmcp::model::{ClientCapabilities, ProtocolVersion};

pub(crate) type RequestContext = rmcp::service::RequestContext<rmcp::RoleServer>;

/// The kinds of requests for input that a client supports.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ClientFeatures {
    pub(crate) form: bool,
    pub(crate) url: bool,
    pub(crate) sampling: bool,
    pub(crate) roots: bool,
    /// Whether the request is of the protocol from 2026-07-28; see [`is_modern`].
    pub(crate) is_modern: bool,
    /// Whether an undeclared capability fails the whole request, as the protocol from 2026-07-28 demands, or only the
    /// tool.
    pub(crate) must_declare: bool,
}

impl ClientFeatures {
    /// Reads the features that the client of a request has declared.
    pub(crate) fn from_context(context: &RequestContext) -> Self {
        let is_modern = is_modern(context);
        let capabilities = context.client_capabilities();
        Self {
            is_modern,
            must_declare: is_modern && capabilities.is_some(),
            ..capabilities.map_or_else(Self::default, |declared| Self::from_capabilities(&declared))
        }
    }

    fn from_capabilities(capabilities: &ClientCapabilities) -> Self {
        let elicitation = capabilities.elicitation.as_ref();
        Self {
            // The first version of elicitation had forms only, and no field to declare them.
            form: elicitation.is_some_and(|kinds| kinds.form.is_some() || kinds.url.is_none()),
            url: elicitation.is_some_and(|kinds| kinds.url.is_some()),
            sampling: capabilities.sampling.is_some(),
            roots: capabilities.roots.is_some(),
            ..Self::default()
        }
    }
}

/// Returns whether a request is of the protocol from 2026-07-28, in which a server asks for input in its results instead
/// of sending requests of its own.
pub(crate) fn is_modern(context: &RequestContext) -> bool {
    // Versions are dates, which compare as their texts do.
    let version = context.protocol_version();
    version.is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}
