//! What a model is shown, at one state of its tools and switches.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::meta::{self, Desk, View};
use super::{BASIC, Offered, Offering};
use crate::model::OfferedTool;
use crate::registry::nearest;
use crate::tool::{Availability, Tool, ToolContext, ToolError, ToolSpec};
use crate::toolset::Toolset;
use crate::transcript::ToolName;

/// The tools of an agent, as its switches stand: which the model sees, and which way leads to the others.
pub(in crate::agent) struct Window {
    view: View,
    revision: u64,
    /// The revisions of the groups' skills.
    skills: Vec<u64>,
    /// The tools that have to be asked whether they are of any use.
    asked: Vec<Arc<dyn Tool>>,
    /// The tools that reach the others.
    meta: Vec<Arc<dyn Tool>>,
    request: Arc<[OfferedTool]>,
}

/// What is missing of tools, by their names.
pub(super) type Gaps = BTreeMap<Arc<str>, Availability>;

/// A group as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) name: Arc<str>,
    pub(super) description: Arc<str>,
    pub(super) instructions: Option<Arc<str>>,
    pub(super) is_on: bool,
}

/// Where a tool stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// The agent has no such tool.
    Missing,
    /// Its group is off.
    GroupOff(Arc<str>),
    /// It is of no use here.
    Unavailable,
    /// It may be called once it is asked for.
    Hidden,
    /// The model sees it.
    Shown,
}

impl Window {
    pub(in crate::agent) fn new(
        toolset: Toolset,
        offering: Arc<Offering>,
        offered: Offered,
        context: &ToolContext,
        desk: &Arc<Desk>,
    ) -> Self {
        let (resolved, skills) = (toolset.resolve(), offering.skill_revisions());
        let tools = resolved.tools();
        let asked = tools.iter().filter(|tool| !tool.is_always_available());
        let asked: Vec<Arc<dyn Tool>> = asked.cloned().collect();
        let gaps = gaps(&asked, context);
        let groups = groups(tools, &offering, &offered);
        let off: BTreeSet<&str> = groups
            .iter()
            .filter(|group| !group.is_on)
            .map(|group| &*group.name)
            .collect();
        let is_there = |spec: &ToolSpec| gaps.get(&spec.name) != Some(&Availability::Unavailable);
        let is_always = |spec: &ToolSpec| spec.always || offering.always.contains(&*spec.name);
        let is_on = |spec: &ToolSpec| group_of(spec).is_none_or(|group| !off.contains(&**group));
        let eligible = tools
            .iter()
            .map(|tool| tool.spec())
            .filter(|spec| !is_always(spec) && is_there(spec) && is_on(spec));
        let is_chosen = eligible.count() > offering.limit;
        let view = View {
            toolset,
            offering,
            offered,
            groups,
            gaps,
            is_chosen,
        };
        let meta = meta::tools(&view, desk);
        Self {
            request: write(&view, tools, &meta),
            view,
            revision: resolved.revision(),
            skills,
            asked,
            meta,
        }
    }

    /// Reports whether it still shows a toolset and switches as they are.
    pub(in crate::agent) fn is_of(
        &self,
        toolset: &Toolset,
        offered: &Offered,
        context: &ToolContext,
    ) -> bool {
        self.revision == toolset.revision()
            && self.view.offered == *offered
            && self.skills == self.view.offering.skill_revisions()
            && self.view.gaps == gaps(&self.asked, context)
    }

    /// Returns what goes into a request: the same for the same tools and switches, byte for byte.
    pub(in crate::agent) fn request(&self) -> Arc<[OfferedTool]> {
        Arc::clone(&self.request)
    }

    /// Reports whether somebody has to choose among the tools.
    pub(in crate::agent) fn is_chosen(&self) -> bool {
        self.view.is_chosen
    }

    pub(in crate::agent) fn limit(&self) -> usize {
        self.view.offering.limit
    }

    /// Returns the tools that a suggestion may name: those that may be called as the groups stand.
    pub(in crate::agent) fn reachable(&self) -> Toolset {
        let view = self.view.clone();
        let is_there =
            move |spec: &ToolSpec| matches!(view.place(spec), Place::Hidden | Place::Shown);
        self.view.toolset.filtered(is_there)
    }

    /// Returns the tools that the model would see only after asking for them.
    pub(super) fn hidden(&self) -> Vec<Arc<dyn Tool>> {
        let tools = self.view.toolset.tools().into_iter();
        tools
            .filter(|tool| self.view.place(tool.spec()) == Place::Hidden)
            .collect()
    }

    /// Finds a tool that the model may call now.
    ///
    /// # Errors
    ///
    /// Says what is in the way, and what leads past it where anything does. What is in no toolset of the agent is missing,
    /// whoever else may have it.
    pub(in crate::agent) fn find(&self, name: &str) -> Result<Arc<dyn Tool>, ToolError> {
        let is_it = |tool: &&Arc<dyn Tool>| &*tool.spec().name == name;
        if let Some(tool) = self.meta.iter().find(is_it) {
            return Ok(Arc::clone(tool));
        }
        let toolset = &self.view.toolset;
        let Some(tool) = toolset.get(name) else {
            return Err(toolset.unknown(name));
        };
        let why = match self.view.place(tool.spec()) {
            Place::Shown => return Ok(tool),
            Place::GroupOff(group) => format!(
                "`{name}` is in the tool group `{group}`, which is off: call `{}` with `{group}` set to true first",
                meta::RESET_TOOLS
            ),
            Place::Unavailable => format!("`{name}` is not available here"),
            Place::Hidden | Place::Missing => format!(
                "`{name}` is not among the tools of this request: call `{}` with its name first, then call it",
                meta::EXPAND_TOOLS
            ),
        };
        Err(ToolError::NotAvailable(why))
    }

    /// Finds a tool whatever the switches say, for a call that was let through before they changed.
    pub(in crate::agent) fn any(&self, name: &str) -> Option<Arc<dyn Tool>> {
        let is_it = |tool: &&Arc<dyn Tool>| &*tool.spec().name == name;
        let meta = self.meta.iter().find(is_it).cloned();
        meta.or_else(|| self.view.toolset.get(name))
    }
}

/// Lists what goes into a request: the tools that are shown, and those that reach the others.
fn write(view: &View, tools: &[Arc<dyn Tool>], meta: &[Arc<dyn Tool>]) -> Arc<[OfferedTool]> {
    let is_meta = |name: &str| meta.iter().any(|meta| &*meta.spec().name == name);
    // What reaches the others stands in its place among the names, whichever of them a toolset has, too.
    let is_shown = |spec: &&ToolSpec| view.place(spec) == Place::Shown && !is_meta(&spec.name);
    let mut shown: Vec<&ToolSpec> = Vec::with_capacity(tools.len() + meta.len());
    shown.extend(tools.iter().map(|tool| tool.spec()).filter(is_shown));
    if !meta.is_empty() {
        shown.extend(meta.iter().map(|tool| tool.spec()));
        shown.sort_by(|a, b| a.name.cmp(&b.name));
    }
    shown.iter().map(|spec| offered_tool(view, spec)).collect()
}

fn offered_tool(view: &View, spec: &ToolSpec) -> OfferedTool {
    let description = match view.gaps.get(&spec.name) {
        Some(Availability::NotConfigured(what)) => {
            format!("[NOT CONFIGURED] {what}\n\n{}", spec.description).into()
        }
        _ => spec.description.clone(),
    };
    let name = ToolName::new(spec.name.clone());
    OfferedTool::new(name, description, spec.input_schema.clone())
}

/// Asks the tools whether they are of any use.
fn gaps(tools: &[Arc<dyn Tool>], context: &ToolContext) -> Gaps {
    let gaps = tools.iter().filter_map(|tool| {
        let availability = tool.availability(context);
        (availability != Availability::Available).then(|| (tool.spec().name.clone(), availability))
    });
    gaps.collect()
}

/// Returns the group that switches a tool, where one does.
pub(super) fn group_of(spec: &ToolSpec) -> Option<&Arc<str>> {
    spec.group.as_ref().filter(|group| &***group != BASIC)
}

/// Lists the groups: those that were added, then those that tools name by themselves, each in the order of the names.
fn groups(tools: &[Arc<dyn Tool>], offering: &Offering, offered: &Offered) -> Vec<Group> {
    let mut members: BTreeMap<Arc<str>, Vec<&ToolSpec>> = BTreeMap::new();
    for tool in tools {
        if let Some(group) = group_of(tool.spec()) {
            members.entry(group.clone()).or_default().push(tool.spec());
        }
    }
    #[cfg(feature = "skills")]
    for group in offering.groups_with_skills() {
        members.entry(Arc::clone(group)).or_default();
    }
    let switched = |name: &str, is_on| offered.groups.get(name).copied().unwrap_or(is_on);
    let groups = members.into_iter().map(|(name, specs)| {
        let added = offering.groups.iter().find(|group| group.name == name);
        Group {
            is_on: switched(&name, added.is_none_or(|group| group.is_on)),
            description: match added {
                Some(group) => group.description.clone(),
                None => described(&specs).into(),
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

/// Describes a group by its tools, where nobody else did.
fn described(specs: &[&ToolSpec]) -> String {
    const NAMED: usize = 5;
    let names: Vec<&str> = specs.iter().take(NAMED).map(|spec| &*spec.name).collect();
    match specs.len().saturating_sub(NAMED) {
        0 => format!("The tools {}.", names.join(", ")),
        more => format!("The tools {} and {more} more.", names.join(", ")),
    }
}

impl View {
    /// Says where a tool of the toolset stands.
    pub(super) fn place(&self, spec: &ToolSpec) -> Place {
        if let Some(group) = group_of(spec)
            && self.groups.iter().any(|of| of.name == *group && !of.is_on)
        {
            return Place::GroupOff(Arc::clone(group));
        }
        if self.gaps.get(&spec.name) == Some(&Availability::Unavailable) {
            return Place::Unavailable;
        }
        let name = &*spec.name;
        let is_named = || {
            spec.always
                || self.offering.always.contains(name)
                || self
                    .offered
                    .expanded
                    .iter()
                    .any(|tool| tool.as_str() == name)
                || self
                    .offered
                    .suggested
                    .iter()
                    .any(|tool| tool.as_str() == name)
        };
        match !self.is_chosen || is_named() {
            true => Place::Shown,
            false => Place::Hidden,
        }
    }

    /// Says where a name stands.
    pub(super) fn place_of(&self, name: &str) -> Place {
        let tool = self.toolset.get(name);
        tool.map_or(Place::Missing, |tool| self.place(tool.spec()))
    }

    /// Returns the name that a mistyped one most likely meant.
    pub(super) fn nearest(&self, name: &str) -> Option<String> {
        let names = self.toolset.names();
        nearest(name, names.iter().map(String::as_str)).map(str::to_owned)
    }
}
