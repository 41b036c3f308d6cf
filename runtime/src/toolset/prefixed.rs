//! A source with a prefix before every name.

use std::hash::BuildHasher;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::source::{ToolList, ToolSource};
use crate::schema::Mistakes;
use crate::tool::{Coverage, Execution, Facts, Tool, ToolContext, ToolDef, ToolResult, ToolSpec};

/// The longest name that every provider takes.
const LONGEST_NAME: usize = 64;

/// Puts a prefix before the names of a source.
pub(super) struct Prefixed {
    inner: Arc<dyn ToolSource>,
    prefix: String,
}

impl Prefixed {
    pub(super) fn new(inner: Arc<dyn ToolSource>, prefix: String) -> Self {
        Self { inner, prefix }
    }
}

impl ToolSource for Prefixed {
    fn list(&self) -> ToolList {
        let list = self.inner.list();
        let renamed = list
            .tools()
            .iter()
            .map(|tool| Arc::new(Renamed::new(tool.clone(), &self.prefix)) as Arc<dyn Tool>);
        ToolList::new(renamed)
            .at_revision(list.revision())
            .with_warnings(list.warnings().iter().cloned())
    }
}

/// A tool under another name.
struct Renamed {
    inner: Arc<dyn Tool>,
    spec: ToolSpec,
}

impl Renamed {
    fn new(inner: Arc<dyn Tool>, prefix: &str) -> Self {
        let spec = ToolSpec {
            name: join(prefix, &inner.spec().name).into(),
            ..inner.spec().clone()
        };
        Self { inner, spec }
    }
}

/// Joins prefix and name; what is too long ends in a hash of the whole.
fn join(prefix: &str, name: &str) -> String {
    let whole = format!("{prefix}_{name}");
    if whole.len() <= LONGEST_NAME {
        return whole;
    }
    let hash = foldhash::quality::FixedState::default().hash_one(&whole);
    let kept: String = whole.chars().take(LONGEST_NAME - 9).collect();
    format!("{kept}_{:08x}", hash >> 32)
}

impl Tool for Renamed {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn facts(&self, context: &ToolContext, arguments: &str) -> Result<Facts, Mistakes> {
        self.inner.facts(context, arguments)
    }

    fn call<'a>(
        &'a self,
        context: &'a ToolContext,
        arguments: &'a str,
    ) -> Result<BoxFuture<'a, ToolResult>, Mistakes> {
        self.inner.call(context, arguments)
    }

    fn execution(&self, arguments: &str) -> Execution {
        self.inner.execution(arguments)
    }

    fn match_rule(
        &self,
        context: &ToolContext,
        arguments: &str,
        rule: &str,
    ) -> Option<Result<Coverage, Mistakes>> {
        self.inner.match_rule(context, arguments, rule)
    }

    fn definition(&self) -> Option<&'static ToolDef> {
        self.inner.definition()
    }

    fn is_bound(&self) -> bool {
        self.inner.is_bound()
    }
}

#[cfg(test)]
mod tests {
    use super::join;

    #[test]
    fn long_names_keep_their_difference() {
        let long = "a".repeat(64);
        let (one, two) = (
            join("server", &format!("{long}1")),
            join("server", &format!("{long}2")),
        );
        assert_eq!(one.len(), 64);
        assert_ne!(one, two);
        assert_eq!(join("server", "list"), "server_list");
    }
}
