//! The tools that the model sees, for one state of the tools and the switches.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::meta::{self, EXPAND_TOOLS, MetaToolContext, RESET_TOOLS};
use super::view::{ExposureView, Visibility, group_of, group_states, unavailable_tools};
use super::{ExposedTools, ToolExposure};
use helve_core::tool::{Availability, Tool, ToolContext, ToolError, ToolSpec};
use helve_core::toolset::{ResolvedTools, Toolset};
use helve_core::transcript::ToolName;
use helve_model::OfferedTool;

/// The tools that the model sees, and the meta tools that reach the others.
pub(crate) struct VisibleTools {
    view: ExposureView,
    /// The tools of the toolset when they were selected.
    resolved: Arc<ResolvedTools>,
    /// The revisions of the skills of the groups.
    skill_revisions: Vec<u64>,
    /// The tools that may be unavailable in some contexts.
    conditional_tools: Vec<Arc<dyn Tool>>,
    meta: Vec<Arc<dyn Tool>>,
    request: Arc<[OfferedTool]>,
}

impl VisibleTools {
    pub(crate) fn new(
        toolset: Toolset,
        exposure: Arc<ToolExposure>,
        exposed: ExposedTools,
        context: &ToolContext,
        meta_context: &MetaToolContext,
    ) -> Self {
        let (resolved, skills) = (toolset.resolve(), exposure.skill_revisions());
        let tools = resolved.tools();
        let asked = tools.iter().filter(|tool| !tool.is_always_available());
        let asked: Vec<Arc<dyn Tool>> = asked.cloned().collect();
        let unavailable = unavailable_tools(&asked, context);
        let groups = group_states(tools, &exposure, &exposed);
        let off = groups.iter().filter(|group| !group.is_on);
        let off: BTreeSet<&str> = off.map(|group| &*group.name).collect();
        let is_there =
            |spec: &ToolSpec| unavailable.get(&spec.name) != Some(&Availability::Unavailable);
        let is_always = |spec: &ToolSpec| spec.always || exposure.always.contains(&*spec.name);
        let is_on = |spec: &ToolSpec| group_of(spec).is_none_or(|group| !off.contains(&**group));
        let eligible = tools
            .iter()
            .map(|tool| tool.spec())
            .filter(|spec| !is_always(spec) && is_there(spec) && is_on(spec));
        let is_chosen = eligible.count() > exposure.limit;
        let view = ExposureView {
            toolset,
            exposure,
            exposed,
            groups,
            unavailable,
            needs_selection: is_chosen,
        };
        let meta = meta::tools(&view, meta_context);
        Self {
            request: request_tools(&view, tools, &meta),
            view,
            resolved,
            skill_revisions: skills,
            conditional_tools: asked,
            meta,
        }
    }

    /// Returns the toolset that these tools were selected from.
    pub(crate) fn toolset(&self) -> &Toolset {
        &self.view.toolset
    }

    /// Reports whether the toolset and the switches are still those that these tools were selected for.
    pub(crate) fn is_current(&self, exposed: &ExposedTools, context: &ToolContext) -> bool {
        self.resolved.revision() == self.view.toolset.revision()
            && self.view.exposed == *exposed
            && self.skill_revisions == self.view.exposure.skill_revisions()
            && (self.conditional_tools.is_empty()
                || self.view.unavailable == unavailable_tools(&self.conditional_tools, context))
    }

    /// Returns the tools of a request. The same tools and switches give the same bytes.
    pub(crate) fn request(&self) -> Arc<[OfferedTool]> {
        Arc::clone(&self.request)
    }

    /// Reports whether there are more tools than a request may have, so that tools have to be selected.
    pub(crate) fn needs_selection(&self) -> bool {
        self.view.needs_selection
    }

    pub(crate) fn limit(&self) -> usize {
        self.view.exposure.limit
    }

    /// Returns the tools that a suggestion may name: the available tools of the groups that are on.
    pub(crate) fn reachable(&self) -> Toolset {
        let view = self.view.clone();
        self.view.toolset.filtered(move |spec| {
            let visibility = view.visibility(spec);
            matches!(visibility, Visibility::Hidden | Visibility::Visible)
        })
    }

    /// Returns the tools that the model sees only after asking for them.
    pub(super) fn hidden(&self) -> Vec<Arc<dyn Tool>> {
        let mut tools = self.view.toolset.tools();
        tools.retain(|tool| self.view.visibility(tool.spec()) == Visibility::Hidden);
        tools
    }

    fn meta_tool(&self, name: &str) -> Option<Arc<dyn Tool>> {
        let mut tools = self.meta.iter();
        tools.find(|tool| &*tool.spec().name == name).cloned()
    }

    /// Finds a tool that the model may call now.
    ///
    /// # Errors
    ///
    /// The model does not see the tool. The error states the reason, and the meta tool that makes the tool visible.
    pub(crate) fn find(&self, name: &str) -> Result<Arc<dyn Tool>, ToolError> {
        if let Some(tool) = self.meta_tool(name) {
            return Ok(tool);
        }
        let Some(tool) = self.current_tool(name) else {
            return Err(self.view.toolset.unknown(name));
        };
        let why = match self.view.visibility(tool.spec()) {
            Visibility::Visible => return Ok(tool),
            Visibility::GroupOff(group) => format!(
                "`{name}` is in the tool group `{group}`, which is off: call `{RESET_TOOLS}` with `{group}` set to true first"
            ),
            Visibility::Unavailable => format!("`{name}` is not available here"),
            Visibility::Hidden | Visibility::Missing => format!(
                "`{name}` is not among the tools of this request: call `{EXPAND_TOOLS}` with its name first, then call it"
            ),
        };
        Err(ToolError::NotAvailable(why))
    }

    /// Finds a tool regardless of the switches, for a call that was permitted before they changed.
    pub(crate) fn find_any(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self.meta_tool(name).or_else(|| self.current_tool(name))
    }

    /// Finds a tool of the toolset, without a lock as long as its list has not changed.
    fn current_tool(&self, name: &str) -> Option<Arc<dyn Tool>> {
        let toolset = &self.view.toolset;
        match self.resolved.revision() == toolset.revision() {
            true => self.resolved.get(name).cloned(),
            false => toolset.get(name),
        }
    }
}

/// Lists the tools of a request: the visible tools and the meta tools.
fn request_tools(
    view: &ExposureView,
    tools: &[Arc<dyn Tool>],
    meta: &[Arc<dyn Tool>],
) -> Arc<[OfferedTool]> {
    let is_visible = |spec: &ToolSpec| view.visibility(spec) == Visibility::Visible;
    let is_meta = |name: &str| meta.iter().any(|meta| &*meta.spec().name == name);
    if meta.is_empty() && tools.iter().all(|tool| is_visible(tool.spec())) {
        let offered = tools.iter().map(|tool| offered_tool(view, tool.spec()));
        return offered.collect();
    }
    // A meta tool replaces a tool of the toolset with the same name.
    let is_shown = |spec: &&ToolSpec| is_visible(spec) && !is_meta(&spec.name);
    let mut shown: Vec<&ToolSpec> = Vec::with_capacity(tools.len() + meta.len());
    shown.extend(tools.iter().map(|tool| tool.spec()).filter(is_shown));
    if !meta.is_empty() {
        shown.extend(meta.iter().map(|tool| tool.spec()));
        shown.sort_by(|a, b| a.name.cmp(&b.name));
    }
    shown.iter().map(|spec| offered_tool(view, spec)).collect()
}

fn offered_tool(view: &ExposureView, spec: &ToolSpec) -> OfferedTool {
    let description = match view.unavailable.get(&spec.name) {
        Some(Availability::NotConfigured(what)) => {
            format!("[NOT CONFIGURED] {what}\n\n{}", spec.description).into()
        }
        _ => spec.description.clone(),
    };
    let name = ToolName::new(spec.name.clone());
    OfferedTool::new(name, description, spec.input_schema.clone())
}
