//! Missing host state that tools need.

use std::fmt;
use std::sync::Arc;

use crate::tool::{State, StateRequirement, Tool};

/// The tools whose host state is missing; reported before any tool runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingState {
    missing: Vec<MissingStateEntry>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct MissingStateEntry {
    tool: Arc<str>,
    location: String,
    type_name: &'static str,
    is_receiver: bool,
}

impl MissingState {
    pub(super) fn among(tools: &[Arc<dyn Tool>], scopes: &[&State]) -> Result<(), Self> {
        let has =
            |need: &StateRequirement| scopes.iter().any(|scope| scope.contains((need.type_id)()));
        let mut missing = Vec::new();
        for tool in tools {
            let Some(definition) = tool.definition() else {
                continue;
            };
            let receiver = definition.receiver().filter(|_| !tool.is_bound());
            let receiver = receiver.map(|need| (need, true)).into_iter();
            let needs = definition.required_state().filter(|need| !need.optional);
            let needs = receiver.chain(needs.map(|need| (need, false)));
            missing.extend(
                needs
                    .filter(|(need, _)| !has(need))
                    .map(|(need, is_receiver)| MissingStateEntry {
                        tool: tool.spec().name.clone(),
                        location: definition.location(),
                        type_name: (need.type_name)(),
                        is_receiver,
                    }),
            );
        }
        if missing.is_empty() {
            return Ok(());
        }
        Err(Self { missing })
    }
}

impl fmt::Display for MissingState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("some tools need state that this app does not provide:")?;
        for MissingStateEntry {
            tool,
            location,
            type_name,
            is_receiver,
        } in &self.missing
        {
            let mend = if *is_receiver {
                format!("add `.pack({type_name}::toolset(…))` or `.state(…)`")
            } else {
                "add it with `.state(…)` or `.state_with(…)`".to_owned()
            };
            write!(f, "\n  `{tool}` ({location}) takes `&{type_name}`: {mend}")?;
        }
        Ok(())
    }
}

impl std::error::Error for MissingState {}
