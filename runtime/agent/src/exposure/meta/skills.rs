//! The skills of groups: `load_skill` and `read_skill_file` with the skills of the groups that are on.

use std::sync::Arc;

use futures_util::future::{self, FutureExt as _};
use serde_json::Value;

use super::tool::RESET_TOOLS;
use crate::exposure::view::{ExposureView, Visibility};
use helve_core::schema::Mistakes;
use helve_core::tool::{PreparedCall, Tool, ToolContext, ToolError, ToolSpec, ToolWrapper};
use helve_skill::{LOAD_SKILL, READ_SKILL_FILE, SkillLibrary};

/// The tools, each with the argument that names a skill.
const SKILL_TOOLS: [(&str, &str); 2] = [(LOAD_SKILL, "name"), (READ_SKILL_FILE, "skill")];

/// The maximum length of the list of the skills of a group, in characters.
const MAX_LIST_CHARS: usize = 4_000;

/// Wraps the skill tools of the agent, so that they find the skills of groups, too.
pub(super) fn tools(view: &ExposureView) -> Vec<Arc<dyn Tool>> {
    let groups = view.groups.iter().filter_map(|group| {
        Some(SkillGroup {
            name: Arc::clone(&group.name),
            is_on: group.is_on,
            library: view.exposure.group_skills(&group.name)?.clone(),
        })
    });
    let groups: Vec<SkillGroup> = groups.collect();
    if groups.is_empty() {
        return Vec::new();
    }
    let tools = SKILL_TOOLS.iter().filter_map(|(name, argument)| {
        let own = view.toolset.get(name)?;
        if view.visibility(own.spec()) != Visibility::Visible {
            return None;
        }
        Some(SkillTool::new(own, argument, &groups).into_tool())
    });
    tools.collect()
}

/// Lists the skills of a group, as a system prompt does; `None` if there are none, or no tool that loads them.
pub(super) fn list_skills(view: &ExposureView, group: &str) -> Option<String> {
    view.toolset.get(SKILL_TOOLS[0].0)?;
    let skills = view.exposure.group_skills(group)?.current();
    let listed = skills.prompt_within(MAX_LIST_CHARS);
    Some(listed.trim_end().to_owned()).filter(|listed| !listed.is_empty())
}

#[derive(Clone)]
struct SkillGroup {
    name: Arc<str>,
    is_on: bool,
    library: Arc<SkillLibrary>,
}

impl SkillGroup {
    fn has(&self, skill: &str) -> bool {
        self.library.current().get(skill).is_some()
    }
}

/// A skill tool of the agent that looks into the groups first.
struct SkillTool {
    spec: ToolSpec,
    inner: Arc<dyn Tool>,
    argument: &'static str,
    groups: Vec<SkillGroup>,
    /// The corresponding tool of each group that is on.
    group_tools: Vec<Option<Arc<dyn Tool>>>,
}

/// The tool that has a skill.
enum SkillLookup<'a> {
    Tool(&'a Arc<dyn Tool>),
    GroupOff(&'a SkillGroup, String),
}

impl SkillTool {
    fn new(own: Arc<dyn Tool>, argument: &'static str, groups: &[SkillGroup]) -> Self {
        let mut spec = own.spec().clone();
        let of_group = |group: &SkillGroup| {
            let tools = SkillLibrary::toolset(Arc::clone(&group.library));
            group.is_on.then(|| tools.get(&spec.name)).flatten()
        };
        let of_groups = groups.iter().map(of_group).collect();
        if argument == SKILL_TOOLS[0].1 {
            let on = groups.iter().filter(|group| group.is_on);
            let lists = on.map(|group| group.library.current().prompt_within(MAX_LIST_CHARS));
            let lists: String = lists.collect();
            if !lists.is_empty() {
                let (own, lists) = (&spec.description, lists.trim_end());
                let all = format!("{own}\n\nThose of the tool groups that are on:\n{lists}");
                spec.description = all.into();
            }
        }
        Self {
            spec,
            inner: own,
            argument,
            groups: groups.to_vec(),
            group_tools: of_groups,
        }
    }

    fn find(&self, arguments: &str) -> SkillLookup<'_> {
        let read = serde_json::from_str::<Value>(arguments).unwrap_or_default();
        let name = read[self.argument].as_str().unwrap_or_default();
        let mut on = std::iter::zip(&self.groups, &self.group_tools);
        let there = on.find_map(|(group, tool)| tool.as_ref().filter(|_| group.has(name)));
        if let Some(tool) = there {
            return SkillLookup::Tool(tool);
        }
        let mut off = self.groups.iter().filter(|group| !group.is_on);
        match off.find(|group| group.has(name)) {
            Some(group) => SkillLookup::GroupOff(group, name.to_owned()),
            None => SkillLookup::Tool(&self.inner),
        }
    }
}

impl ToolWrapper for SkillTool {
    fn inner(&self) -> &dyn Tool {
        &*self.inner
    }

    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn prepare(
        &self,
        context: &ToolContext,
        arguments: Arc<str>,
    ) -> Result<PreparedCall, Mistakes> {
        match self.find(&arguments) {
            SkillLookup::Tool(tool) => tool.prepare(context, arguments),
            SkillLookup::GroupOff(group, skill) => {
                let group = &group.name;
                let why = format!(
                    "the skill `{skill}` is in the tool group `{group}`, which is off: call `{RESET_TOOLS}` with `{group}` set \
                     to true first"
                );
                let own = self.inner.prepare(context, arguments)?;
                let text = Arc::clone(own.text());
                Ok(PreparedCall::new(text, own.into_facts(), |_| {
                    future::ready(Err(ToolError::NotAvailable(why))).boxed()
                }))
            }
        }
    }
}
