//! Sources of resources.

use std::fmt;

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream, StreamExt as _};

use super::{ListedResource, ResourceTemplate};
use helve_core::tool::{ToolContext, ToolError};
use helve_core::transcript::Resource;

/// A source of resources.
///
/// The methods must not block the executor. The context is that of the request: [`principal`](ToolContext::principal) is
/// the principal of the client, and a source may request input of the [`client`](ToolContext::client) while it reads a
/// resource.
pub trait ResourceSource: fmt::Debug + Send + Sync {
    /// Lists the resources.
    ///
    /// # Errors
    ///
    /// Fails if the resources cannot be listed.
    fn list<'a>(
        &'a self,
        context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<Vec<ListedResource>, ToolError>>;

    /// Returns the templates of further resources, which are not listed.
    fn templates(&self) -> Vec<ResourceTemplate> {
        Vec::new()
    }

    /// Reads a resource; returns `None` if this source has no resource at that URI.
    ///
    /// # Errors
    ///
    /// Fails if the source has the resource and cannot read it.
    fn read<'a>(
        &'a self,
        context: &'a ToolContext,
        uri: &'a str,
    ) -> BoxFuture<'a, Result<Option<Vec<Resource>>, ToolError>>;

    /// Returns a stream of changes, one for each caller. The default implementation reports none.
    fn changes(&self) -> BoxStream<'static, ResourceChange> {
        stream::pending().boxed()
    }
}

/// A change of resources.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResourceChange {
    /// The list of resources has changed.
    List,
    /// The contents of the resource at this URI have changed.
    Contents(String),
}
