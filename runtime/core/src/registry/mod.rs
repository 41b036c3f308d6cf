//! The catalogue of linked tools. It lists what there is and grants nothing: what an agent may call is a
//! [`Toolset`](crate::toolset::Toolset).

mod error;
mod registration;

use std::collections::HashMap;
use std::future::ready;

use futures_util::future::Either;

pub use error::DuplicateTools;
pub(crate) use registration::linked;
#[doc(hidden)]
pub use registration::private;

use crate::support::text::first_chars;
use crate::tool::{ToolContext, ToolDef, ToolError, ToolResult, dispatch};

/// All `#[tool]` functions that are linked into this binary, sorted by name.
#[derive(Debug)]
pub struct Registry {
    tools: Vec<&'static ToolDef>,
    /// An index of its own, since a look-up stands in the way of every call.
    by_name: HashMap<&'static str, &'static ToolDef, foldhash::fast::FixedState>,
}

impl Registry {
    /// Collects the linked tools.
    ///
    /// A crate that is never named in the code is not linked, and its tools are not here:
    /// [`link_tools!`](macro@crate::link_tools) names it.
    ///
    /// # Errors
    ///
    /// Fails where two tools have one name; the error shows where both are written.
    pub fn collect() -> Result<Self, DuplicateTools> {
        Self::from_definitions(linked())
    }

    /// Collects the linked tools of some packages; what else is linked may have the same names.
    ///
    /// # Errors
    ///
    /// Fails where two of these tools have one name.
    pub fn from_packages(packages: &[&str]) -> Result<Self, DuplicateTools> {
        Self::from_definitions(linked().filter(|tool| packages.contains(&tool.package())))
    }

    /// Returns all linked tools in the order of their names, those of one name beside each other.
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

    /// Returns the tools in the order of their names.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'static ToolDef> {
        self.tools.iter().copied()
    }

    /// Returns how many tools there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Reports whether no tool is linked.
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
    /// As the tool fails; [`ToolError::NotAvailable`] with the nearest name where there is no such tool.
    pub fn call<'a>(
        &'a self,
        name: &str,
        arguments: &'a str,
        context: &'a ToolContext,
    ) -> impl Future<Output = ToolResult> + Send + use<'a> {
        // No `async fn`: one more of them would copy every result once more.
        match self.by_name.get(name) {
            Some(tool) => Either::Left(dispatch::DirectCall::new(tool, context, arguments)),
            None => {
                let names = self.iter().map(ToolDef::name);
                Either::Right(ready(Err(unknown_tool(name, names))))
            }
        }
    }
}

fn sort_tools(tools: impl Iterator<Item = &'static ToolDef>) -> Vec<&'static ToolDef> {
    let mut tools: Vec<_> = tools.collect();
    // The place breaks ties, so that errors and lists are the same in every build.
    tools.sort_unstable_by_key(|tool| (tool.name(), tool.package(), tool.location_key()));
    tools
}

/// Makes the error of a call to a tool that is not there.
pub(crate) fn unknown_tool<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> ToolError {
    let shown = first_chars(name, 80);
    ToolError::NotAvailable(match nearest(name, known) {
        Some(near) => format!("unknown tool `{shown}`; did you mean `{near}`?"),
        None => format!("unknown tool `{shown}`"),
    })
}

/// Returns the known name that a mistyped one most likely meant.
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
