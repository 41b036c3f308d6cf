//! Where resources come from.

use std::fmt;

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream, StreamExt as _};

use super::{ListedResource, ResourceTemplate};
use crate::tool::{ToolContext, ToolError};
use crate::transcript::Resource;

/// Something that has resources.
///
/// None of the methods may block the executor. The context is the caller's: [`principal`](ToolContext::principal) says
/// who asks, and [`client`](ToolContext::client) may be asked back while a resource is read.
pub trait ResourceSource: fmt::Debug + Send + Sync {
    /// Lists the resources.
    ///
    /// # Errors
    ///
    /// If they cannot be listed.
    fn list<'a>(
        &'a self,
        context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<Vec<ListedResource>, ToolError>>;

    /// Returns the families of resources that there are beside those that are listed.
    fn templates(&self) -> Vec<ResourceTemplate> {
        Vec::new()
    }

    /// Reads a resource; `None` where this source has none at that URI.
    ///
    /// # Errors
    ///
    /// If there is one that cannot be read.
    fn read<'a>(
        &'a self,
        context: &'a ToolContext,
        uri: &'a str,
    ) -> BoxFuture<'a, Result<Option<Vec<Resource>>, ToolError>>;

    /// Tells of changes as they happen, once to each who asks; nothing changes where this is not overridden.
    fn changes(&self) -> BoxStream<'static, ResourceChange> {
        stream::pending().boxed()
    }
}

/// What has changed about resources.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResourceChange {
    /// There are other resources.
    List,
    /// The resource at this URI has other contents.
    Contents(String),
}
