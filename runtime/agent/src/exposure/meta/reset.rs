//! `reset_tools`: sets the state of all groups.

use futures_util::future::{self, FutureExt as _};
use serde_json::{Map, Value, json};

use super::tool::{MetaTool, MetaToolContext, RESET_TOOLS};
use crate::exposure::ExposedTools;
use crate::exposure::view::{ExposureView, GroupState, group_of};
use helve_core::tool::ToolOutput;
use helve_core::transcript::ToolName;

const DESCRIPTION: &str = "Switches groups of tools on and off. Name the final state of all groups: those that are not \
    set to true are off afterwards. The tools of a group that is on can be called from your next message on.";

pub(super) fn tool(view: &ExposureView, context: &MetaToolContext) -> Option<MetaTool> {
    let mut properties = Map::new();
    for group in &view.groups {
        let state = if group.is_on { "on" } else { "off" };
        properties.insert(
            group.name.to_string(),
            json!({
                "type": "boolean",
                "default": false,
                "description": format!("{} (Now {state}.)", group.description),
            }),
        );
    }
    let schema =
        json!({ "type": "object", "properties": properties, "additionalProperties": false });
    let (view, context) = (view.clone(), context.share());
    MetaTool::new(RESET_TOOLS, DESCRIPTION, schema, move |arguments| {
        let (exposed, said) = reset(&view, &arguments);
        context.set_exposed(exposed);
        future::ready(Ok(ToolOutput::plain(said))).boxed()
    })
}

/// Sets the state of all groups. The arguments are valid.
fn reset(view: &ExposureView, arguments: &Value) -> (ExposedTools, String) {
    let mut exposed = view.exposed.clone();
    let (mut on, mut instructions) = (Vec::new(), String::new());
    for group in &view.groups {
        let is_on = arguments[&*group.name].as_bool().unwrap_or_default();
        exposed.groups.insert(group.name.to_string(), is_on);
        if !is_on {
            continue;
        }
        on.push(&*group.name);
        // Groups that were on count, too: their instructions may be far up in the conversation.
        if let Some(text) = group_instructions(view, group) {
            instructions.push_str(&format!("\n<group name=\"{}\">{text}</group>", group.name));
        }
    }
    let mut said = match on.is_empty() {
        true => "All groups of tools are off now.".to_owned(),
        false => format!("The groups of tools that are on now: {}.", on.join(", ")),
    };
    if !instructions.is_empty() {
        said.push_str("\n<tool-instructions>");
        said.push_str(&instructions);
        said.push_str("\n</tool-instructions>");
    }
    (with_switched_tools(view, exposed), said)
}

fn group_instructions(view: &ExposureView, group: &GroupState) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(group.instructions.as_deref().map(str::to_owned));
    #[cfg(feature = "skills")]
    parts.extend(super::skills::list_skills(view, &group.name));
    #[cfg(not(feature = "skills"))]
    let _ = view;
    Some(parts.join("\n")).filter(|parts| !parts.is_empty())
}

/// Exposes tools of the groups that were just switched on, as many as a suggestion may have, since the model is about to
/// call them.
fn with_switched_tools(view: &ExposureView, exposed: ExposedTools) -> ExposedTools {
    let was_off = |name: &str| {
        let group = view.groups.iter().find(|group| &*group.name == name);
        group.is_some_and(|group| !group.is_on)
    };
    let is_new = |name: &str| was_off(name) && exposed.groups.get(name) == Some(&true);
    let tools = view.toolset.tools();
    let specs = tools.iter().map(|tool| tool.spec());
    let new = specs.filter(|spec| group_of(spec).is_some_and(|group| is_new(group)));
    let new = new.map(|spec| ToolName::new(spec.name.clone()));
    let new: Vec<ToolName> = new.take(view.exposure.limit).collect();
    exposed.with_suggestions(new, view.exposure.max_suggested())
}
