//! `tool_expand_tools`: adds tools by their exact names.

use std::collections::BTreeSet;

use futures_util::future::{self, FutureExt as _};
use serde_json::{Value, json};

use super::tool::{EXPAND_TOOLS, MetaTool, MetaToolContext, RESET_TOOLS, TOOL_SEARCH};
use crate::exposure::ExposedTools;
use crate::exposure::view::{ExposureView, Visibility};
use helve_core::support::text::first_chars;
use helve_core::tool::ToolOutput;
use helve_core::transcript::ToolName;

const DESCRIPTION: &str = "Adds tools to those that you can call, by their exact names, as `tool_search` finds them. They \
    can be called from your next message on.";

/// The maximum number of names in a call, and of remaining tools in the result.
const MAX_NAMES: usize = 50;

pub(super) fn tool(view: &ExposureView, context: &MetaToolContext) -> Option<MetaTool> {
    let schema = json!({
        "type": "object",
        "properties": {
            "tool_names": {
                "type": "array",
                "items": { "type": "string" },
                "minItems": 1,
                "maxItems": MAX_NAMES,
                "description": "The exact names.",
            },
        },
        "required": ["tool_names"],
        "additionalProperties": false,
    });
    let (view, context) = (view.clone(), context.share());
    MetaTool::new(EXPAND_TOOLS, DESCRIPTION, schema, move |arguments| {
        let expansion = Expansion::from_arguments(&view, &arguments);
        let said = expansion.to_json(&view);
        if let Some(exposed) = expansion.exposed {
            context.set_exposed(exposed);
        }
        future::ready(ToolOutput::json(&said)).boxed()
    })
}

/// The result for each name.
#[derive(Default)]
struct Expansion {
    expanded: BTreeSet<String>,
    already_visible: BTreeSet<String>,
    invalid: BTreeSet<String>,
    notes: Vec<String>,
    /// The new state of the switches, if it changes.
    exposed: Option<ExposedTools>,
}

impl Expansion {
    fn from_arguments(view: &ExposureView, arguments: &Value) -> Self {
        let mut expansion = Self::default();
        let names = arguments["tool_names"].as_array().into_iter().flatten();
        for name in names.filter_map(Value::as_str).map(str::trim) {
            expansion.classify(view, name);
        }
        if !expansion.expanded.is_empty() {
            let mut exposed = view.exposed.clone();
            let expanded = expansion.expanded.iter().map(String::as_str);
            exposed.expanded.extend(expanded.map(ToolName::from));
            expansion.exposed = Some(exposed);
        }
        expansion
    }

    fn classify(&mut self, view: &ExposureView, name: &str) {
        match view.visibility_by_name(name) {
            Visibility::Hidden => self.expanded.insert(name.to_owned()),
            Visibility::Visible => self.already_visible.insert(name.to_owned()),
            Visibility::GroupOff(group) => {
                self.notes.push(format!(
                    "`{name}` is in the tool group `{group}`, which is off: switch it on with `{RESET_TOOLS}`"
                ));
                self.invalid.insert(name.to_owned())
            }
            Visibility::Unavailable => {
                self.notes.push(format!("`{name}` is not available here"));
                self.invalid.insert(name.to_owned())
            }
            Visibility::Missing => {
                if let Some(near) = view.nearest(name) {
                    let name = first_chars(name, 80);
                    let note = format!("unknown tool `{name}`; did you mean `{near}`?");
                    self.notes.push(note);
                }
                self.invalid.insert(name.to_owned())
            }
        };
    }

    fn to_json(&self, view: &ExposureView) -> Value {
        let tools = view.toolset.tools();
        let is_left = |name: &str| {
            !self.expanded.contains(name) && view.visibility_by_name(name) == Visibility::Hidden
        };
        let left = tools.iter().map(|tool| &*tool.spec().name);
        let left: Vec<&str> = left.filter(|name| is_left(name)).collect();
        let mut said = json!({
            "success": !self.expanded.is_empty(),
            "expanded_tools": self.expanded,
            "invalid_tools": self.invalid,
            "already_selected_tools": self.already_visible,
            "available_expandable_tools": left.iter().take(MAX_NAMES).collect::<Vec<_>>(),
        });
        let more = left.len().saturating_sub(MAX_NAMES);
        let mut notes = self.notes.clone();
        if more > 0 {
            let note = format!("there are {more} more tools: `{TOOL_SEARCH}` finds them");
            notes.push(note);
        }
        if !notes.is_empty() {
            said["notes"] = json!(notes);
        }
        said
    }
}
