//! What several suites share.

#[cfg(feature = "sandbox")]
pub(crate) mod isolation;
#[cfg(feature = "mcp")]
pub(crate) mod mcp_server;
pub(crate) mod vectors;
#[cfg(feature = "serve")]
pub(crate) mod wire;
