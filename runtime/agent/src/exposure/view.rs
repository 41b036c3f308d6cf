//! The tools of an agent in the current state of the switches: the data that the visible tools and the meta tools
//! share.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{BASIC, ExposedTools, ToolExposure};
use helve_core::registry::nearest;
use helve_core::tool::{Availability, Tool, ToolContext, ToolSpec};
use helve_core::toolset::Toolset;

/// The availability of the tools that are not available, by their names.
pub(super) type UnavailableTools = BTreeMap<Arc<str>, Availability>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GroupState {
    pub(super) name: Arc<str>,
    pub(super) description: Arc<str>,
    pub(super) instructions: Option<Arc<str>>,
    pub(super) is_on: bool,
}

/// The visibility of a tool, and the reason if it is not visible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Visibility {
    /// The agent has no such tool.
    Missing,
    GroupOff(Arc<str>),
    /// The tool is not available in this context.
    Unavailable,
    /// The model can call the tool after it has asked for it.
    Hidden,
    /// The model sees the tool.
    Visible,
}

/// The tools of an agent and the state of its switches.
#[derive(Clone)]
pub(super) struct ExposureView {
    pub(super) toolset: Toolset,
    pub(super) exposure: Arc<ToolExposure>,
    pub(super) exposed: ExposedTools,
    pub(super) groups: Vec<GroupState>,
    pub(super) unavailable: UnavailableTools,
    /// Whether there are more tools than a request may have, so that tools have to be selected.
    pub(super) needs_selection: bool,
}

impl ExposureView {
    pub(super) fn visibility(&self, spec: &ToolSpec) -> Visibility {
        if let Some(group) = group_of(spec)
            && self.groups.iter().any(|of| of.name == *group && !of.is_on)
        {
            return Visibility::GroupOff(Arc::clone(group));
        }
        if self.unavailable.get(&spec.name) == Some(&Availability::Unavailable) {
            return Visibility::Unavailable;
        }
        let name = &*spec.name;
        let is_named = || {
            let exposed = &self.exposed;
            let mut named = exposed.expanded.iter().chain(&exposed.suggested);
            spec.always
                || self.exposure.always.contains(name)
                || named.any(|tool| tool.as_str() == name)
        };
        match !self.needs_selection || is_named() {
            true => Visibility::Visible,
            false => Visibility::Hidden,
        }
    }

    pub(super) fn visibility_by_name(&self, name: &str) -> Visibility {
        let tool = self.toolset.get(name);
        tool.map_or(Visibility::Missing, |tool| self.visibility(tool.spec()))
    }

    /// Returns the name of the tool that a misspelled name most likely refers to.
    pub(super) fn nearest(&self, name: &str) -> Option<String> {
        let names = self.toolset.names();
        nearest(name, names.iter().map(String::as_str)).map(str::to_owned)
    }
}

pub(super) fn unavailable_tools(
    tools: &[Arc<dyn Tool>],
    context: &ToolContext,
) -> UnavailableTools {
    let missing = tools.iter().filter_map(|tool| {
        let availability = tool.availability(context);
        (availability != Availability::Available).then(|| (tool.spec().name.clone(), availability))
    });
    missing.collect()
}

/// Returns the group that switches a tool, if there is one.
pub(super) fn group_of(spec: &ToolSpec) -> Option<&Arc<str>> {
    spec.group.as_ref().filter(|group| &***group != BASIC)
}

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
