//! A source without some of its tools.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::filter::{NameKind, ToolFilter, unknown};
use super::mapped::MappedSource;
use super::source::{ToolList, ToolSource};
use crate::tool::ToolSpec;

/// Keeps the tools that a predicate accepts.
pub(super) fn with_predicate(
    inner: &Arc<dyn ToolSource>,
    accepts: impl Fn(&ToolSpec) -> bool + Send + Sync + 'static,
) -> MappedSource {
    MappedSource::new(inner, move |list| keep(list, &accepts, []))
}

/// Keeps the tools that a filter grants.
pub(super) fn with_filter(inner: &Arc<dyn ToolSource>, filter: ToolFilter) -> MappedSource {
    MappedSource::new(inner, move |list| {
        let idle = filter.unmatched_names(list.tools());
        let warnings = idle.iter().map(ToString::to_string);
        keep(list, |spec| filter.check(spec).is_ok(), warnings)
    })
}

/// Keeps the tools with these names.
pub(super) fn with_names(inner: &Arc<dyn ToolSource>, names: Vec<String>) -> MappedSource {
    let filtered = MappedSource::new(inner, move |list| {
        let known: BTreeSet<&str> = list.tools().iter().map(|tool| &*tool.spec().name).collect();
        let unknown = unknown(&names, &known, &NameKind::Tool);
        let warnings = unknown.iter().map(ToString::to_string);
        keep(
            list,
            |spec| names.iter().any(|name| **name == *spec.name),
            warnings,
        )
    });
    for warning in filtered.list().warnings() {
        tracing::warn!("{warning}");
    }
    filtered
}

fn keep(
    list: &ToolList,
    accepts: impl Fn(&ToolSpec) -> bool,
    warnings: impl IntoIterator<Item = String>,
) -> ToolList {
    let kept = list.tools().iter().filter(|tool| accepts(tool.spec()));
    let known = list.warnings().iter().cloned();
    ToolList::new(kept.cloned()).with_warnings(known.chain(warnings))
}
