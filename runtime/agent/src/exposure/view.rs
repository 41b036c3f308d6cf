//! The tools of an agent as its switches stand: the data that the visible tools and the meta tools share.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{BASIC, ExposedTools, ToolExposure};
use helve_core::registry::nearest;
use helve_core::tool::{Availability, Tool, ToolContext, ToolSpec};
use helve_core::toolset::Toolset;

/// The availability of the tools that are not available, by their names.
pub(super) type UnavailableTools = BTreeMap<Arc<str>, Availability>;

/// The state of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GroupState {
    pub(super) name: Arc<str>,
    pub(super) description: Arc<str>,
    pub(super) instructions: Option<Arc<str>>,
    pub(super) is_on: bool,
}

/// Whether the model sees a tool, and why not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Visibility {
    /// The agent has no such tool.
    Missing,
    /// The group of the tool is off.
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
    /// Returns the visibility of a tool of the toolset.
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
            spec.always
                || self.exposure.always.contains(name)
                || self
                    .exposed
                    .expanded
                    .iter()
                    .any(|tool| tool.as_str() == name)
                || self
                    .exposed
                    .suggested
                    .iter()
                    .any(|tool| tool.as_str() == name)
        };
        match !self.needs_selection || is_named() {
            true => Visibility::Visible,
            false => Visibility::Hidden,
        }
    }

    /// Returns the visibility of the tool with the given name.
    pub(super) fn visibility_by_name(&self, name: &str) -> Visibility {
        let tool = self.toolset.get(name);
        tool.map_or(Visibility::Missing, |tool| self.visibility(tool.spec()))
    }

    /// Returns the name of the tool that a mistyped name most likely means.
    pub(super) fn nearest(&self, name: &str) -> Option<String> {
        let names = self.toolset.names();
        nearest(name, names.iter().map(String::as_str)).map(str::to_owned)
    }
}

/// Lists the tools that are not available in the context.
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
