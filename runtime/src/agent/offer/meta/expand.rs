//! `tool_expand_tools`: tools by their exact names.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::future::{self, FutureExt as _};
use serde_json::{Value, json};

use super::{Desk, EXPAND_TOOLS, MetaTool, RESET_TOOLS, View};
use crate::agent::offer::Offered;
use crate::agent::offer::window::Place;
use crate::support::text::first_chars;
use crate::tool::ToolOutput;
use crate::transcript::ToolName;

const DESCRIPTION: &str = "Adds tools to those that you can call, by their exact names, as `tool_search` finds them. They \
    can be called from your next message on.";

/// How many names are taken at once, and how many of the others are listed.
const NAMES: usize = 50;

pub(super) fn tool(view: &View, desk: &Arc<Desk>) -> Option<MetaTool> {
    let schema = json!({
        "type": "object",
        "properties": {
            "tool_names": {
                "type": "array",
                "items": { "type": "string" },
                "minItems": 1,
                "maxItems": NAMES,
                "description": "The exact names.",
            },
        },
        "required": ["tool_names"],
        "additionalProperties": false,
    });
    let (view, desk) = (view.clone(), Arc::clone(desk));
    MetaTool::new(EXPAND_TOOLS, DESCRIPTION, schema, move |arguments| {
        let expansion = Expansion::of(&view, &arguments);
        let said = expansion.said(&view);
        if let Some(offered) = expansion.offered {
            desk.leave(offered);
        }
        future::ready(ToolOutput::json(&said)).boxed()
    })
}

/// What became of each name.
#[derive(Default)]
struct Expansion {
    expanded: BTreeSet<String>,
    known: BTreeSet<String>,
    invalid: BTreeSet<String>,
    notes: Vec<String>,
    /// The switches, where they change.
    offered: Option<Offered>,
}

impl Expansion {
    fn of(view: &View, arguments: &Value) -> Self {
        let mut expansion = Self::default();
        let names = arguments["tool_names"].as_array().into_iter().flatten();
        for name in names.filter_map(Value::as_str).map(str::trim) {
            expansion.sort_in(view, name);
        }
        if !expansion.expanded.is_empty() {
            let mut offered = view.offered.clone();
            let expanded = expansion.expanded.iter();
            offered
                .expanded
                .extend(expanded.map(|name| ToolName::from(&**name)));
            expansion.offered = Some(offered);
        }
        expansion
    }

    fn sort_in(&mut self, view: &View, name: &str) {
        match view.place_of(name) {
            Place::Hidden => self.expanded.insert(name.to_owned()),
            Place::Shown => self.known.insert(name.to_owned()),
            Place::GroupOff(group) => {
                self.notes.push(format!(
                    "`{name}` is in the tool group `{group}`, which is off: switch it on with `{RESET_TOOLS}`"
                ));
                self.invalid.insert(name.to_owned())
            }
            Place::Unavailable => {
                self.notes.push(format!("`{name}` is not available here"));
                self.invalid.insert(name.to_owned())
            }
            Place::Missing => {
                if let Some(near) = view.nearest(name) {
                    self.notes.push(format!(
                        "there is no tool `{}`; did you mean `{near}`?",
                        first_chars(name, 80)
                    ));
                }
                self.invalid.insert(name.to_owned())
            }
        };
    }

    fn said(&self, view: &View) -> Value {
        let tools = view.toolset.tools();
        let is_left =
            |name: &str| !self.expanded.contains(name) && view.place_of(name) == Place::Hidden;
        let left = tools.iter().map(|tool| &*tool.spec().name);
        let left: Vec<&str> = left.filter(|name| is_left(name)).collect();
        let mut said = json!({
            "success": !self.expanded.is_empty(),
            "expanded_tools": self.expanded,
            "invalid_tools": self.invalid,
            "already_selected_tools": self.known,
            "available_expandable_tools": left.iter().take(NAMES).collect::<Vec<_>>(),
        });
        let more = left.len().saturating_sub(NAMES);
        let mut notes = self.notes.clone();
        if more > 0 {
            notes.push(format!(
                "there are {more} more tools: `{}` finds them",
                super::SEARCH
            ));
        }
        if !notes.is_empty() {
            said["notes"] = json!(notes);
        }
        said
    }
}
