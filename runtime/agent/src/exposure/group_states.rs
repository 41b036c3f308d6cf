//! The groups of an agent and whether they are on.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::view::{GroupState, group_of};
use super::{ExposedTools, ToolExposure};
use helve_core::tool::{Tool, ToolSpec};

/// Lists the states of the groups in the order of their names: the groups that were added, and those that only tools name.
pub(super) fn group_states(
    tools: &[Arc<dyn Tool>],
    exposure: &ToolExposure,
    exposed: &ExposedTools,
) -> Vec<GroupState> {
    let mut members: BTreeMap<Arc<str>, Vec<&ToolSpec>> = BTreeMap::new();
    for tool in tools {
        if let Some(group) = group_of(tool.spec()) {
            members.entry(group.clone()).or_default().push(tool.spec());
        }
    }
    #[cfg(feature = "skills")]
    for group in exposure.groups_with_skills() {
        members.entry(Arc::clone(group)).or_default();
    }
    let switched = |name: &str, is_on| exposed.groups.get(name).copied().unwrap_or(is_on);
    let groups = members.into_iter().map(|(name, specs)| {
        let added = exposure.groups.iter().find(|group| group.name == name);
        GroupState {
            is_on: switched(&name, added.is_none_or(|group| group.is_on)),
            description: match added {
                Some(group) => group.description.clone(),
                None => describe_by_tools(&specs).into(),
            },
            instructions: specs
                .iter()
                .find_map(|spec| spec.group_instructions.clone())
                .or_else(|| added.and_then(|group| group.instructions.clone()))
                .filter(|text| !text.trim().is_empty()),
            name,
        }
    });
    groups.collect()
}

/// Describes a group without a description by its tools.
fn describe_by_tools(specs: &[&ToolSpec]) -> String {
    const NAMED: usize = 5;
    let names: Vec<&str> = specs.iter().take(NAMED).map(|spec| &*spec.name).collect();
    match specs.len().saturating_sub(NAMED) {
        0 => format!("The tools {}.", names.join(", ")),
        more => format!("The tools {} and {more} more.", names.join(", ")),
    }
}
