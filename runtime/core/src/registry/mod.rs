//! The registry of linked tools. The registry lists tools and grants nothing: the tools that an agent may call form a
//! [`Toolset`](crate::toolset::Toolset).

mod error;
mod registration;

use std::collections::HashMap;
use std::future::ready;

use futures_util::future::BoxFuture;

pub use error::DuplicateTools;
pub(crate) use registration::linked;
#[doc(hidden)]
pub use registration::private;

use crate::support::text::first_chars;
use crate::tool::{ToolContext, ToolDef, ToolError, ToolResult, dispatch};

/// All `#[tool]` functions that are linked into this binary, sorted by name.
///
/// ```standalone_crate
/// # extern crate helve_core as helve;
/// use helve::prelude::*;
/// use helve::Registry;
///
/// /// Tells the answer.
/// #[tool(read_only)]
/// fn answer() -> u32 {
///     42
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let registry = Registry::collect()?;
/// let output = registry.call("answer", "{}", &ToolContext::new()).await.expect("the tool does not fail");
/// assert_eq!(output.text(), "42");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Registry {
    tools: Vec<&'static ToolDef>,
    /// A separate index, since every call looks up its tool.
    by_name: HashMap<&'static str, &'static ToolDef, foldhash::fast::FixedState>,
}

impl Registry {
    /// Collects the linked tools.
    ///
    /// A crate that the code never names is not linked, and its tools are missing from the registry:
    /// [`link_tools!`](macro@crate::link_tools) names such crates.
    ///
    /// # Errors
    ///
    /// When two tools have the same name; the error contains the source locations of both.
    pub fn collect() -> Result<Self, DuplicateTools> {
        Self::from_definitions(linked())
    }

    /// Collects the linked tools of some packages; the tools of other packages may have the same names.
    ///
    /// # Errors
    ///
    /// When two of these tools have the same name.
    pub fn from_packages(packages: &[&str]) -> Result<Self, DuplicateTools> {
        Self::from_definitions(linked().filter(|tool| packages.contains(&tool.package())))
    }

    /// Returns all linked tools sorted by name; tools with the same name are adjacent.
    #[must_use]
    pub fn linked() -> Vec<&'static ToolDef> {
        sort_tools(linked())
    }

    fn from_definitions(
        tools: impl Iterator<Item = &'static ToolDef>,
    ) -> Result<Self, DuplicateTools> {
        let tools = sort_tools(tools);
        if let Some(duplicates) = DuplicateTools::among(&tools) {
            return Err(duplicates);
        }
        let by_name = tools.iter().map(|tool| (tool.name(), *tool)).collect();
        Ok(Self { tools, by_name })
    }

    /// Returns the tools sorted by name.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'static ToolDef> {
        self.tools.iter().copied()
    }

    /// Returns the number of tools.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Reports whether the registry is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// Finds a tool by its name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&'static ToolDef> {
        self.by_name.get(name).copied()
    }

    /// Calls a tool by its name with JSON text; see [`dispatch::call`].
    ///
    /// No permission is checked here: the agent checks permissions and calls through a toolset.
    ///
    /// # Errors
    ///
    /// The errors of the tool; [`ToolError::NotAvailable`] with the nearest name if there is no such tool.
    #[inline]
    pub fn call<'a>(
        &'a self,
        name: &str,
        arguments: &'a str,
        context: &'a ToolContext,
    ) -> impl Future<Output = ToolResult> + Send + use<'a> {
        // Not an `async fn`: a further async function would copy every result once more.
        match self.get(name) {
            Some(tool) => dispatch::DirectCall::new(tool, context, arguments),
            None => dispatch::DirectCall::Pending(self.fail_unknown(name)),
        }
    }

    /// Boxed, so that the future of every other call stays small.
    #[cold]
    fn fail_unknown(&self, name: &str) -> BoxFuture<'static, ToolResult> {
        let error = unknown_tool(name, self.iter().map(ToolDef::name));
        Box::pin(ready(Err(error)))
    }
}

fn sort_tools(tools: impl Iterator<Item = &'static ToolDef>) -> Vec<&'static ToolDef> {
    let mut tools: Vec<_> = tools.collect();
    // The location breaks ties, so that errors and lists are the same in every build.
    tools.sort_unstable_by_key(|tool| (tool.name(), tool.package(), tool.location_key()));
    tools
}

/// Creates the error of a call to a tool that does not exist.
pub(crate) fn unknown_tool<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> ToolError {
    let shown = first_chars(name, 80);
    ToolError::NotAvailable(match nearest(name, known) {
        Some(near) => format!("unknown tool `{shown}`; did you mean `{near}`?"),
        None => format!("unknown tool `{shown}`"),
    })
}

/// Returns the known name that is most similar to a mistyped one.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > 256 {
        return None;
    }
    known
        .into_iter()
        .map(|known| (strsim::jaro_winkler(name, known), known))
        .filter(|(likeness, _)| *likeness >= 0.8)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, known)| known)
}
