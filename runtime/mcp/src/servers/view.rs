//! The tools of a server that a model may call, after the comparison with the approved definitions.

use std::collections::HashSet;
use std::sync::Arc;

use rmcp::model::ServerCapabilities;

use super::selection;
use super::status::{ApprovalState, WithheldReason, WithheldTool};
use crate::ServerConfig;
use crate::approval;
use crate::connection::{Connection, ToolsOffer};
use crate::tool::{self, ContextTool, McpTool, shown};
use helve_core::tool::Tool;
use helve_permission::acceptances::{Acceptance, EntryKind, EntryState};

/// The tools of a server that a model may call, and those that are withheld.
#[derive(Default)]
pub(super) struct ToolView {
    pub(super) tools: Vec<Arc<dyn Tool>>,
    pub(super) withheld: Vec<WithheldTool>,
    pub(super) notes: Vec<String>,
    pub(super) approval: ApprovalState,
}

pub(super) struct ViewInput<'a> {
    pub(super) config: &'a ServerConfig,
    pub(super) connection: &'a Connection,
    pub(super) offer: &'a ToolsOffer,
    pub(super) instructions: Option<&'a str>,
    pub(super) capabilities: Option<&'a ServerCapabilities>,
    pub(super) approved: Option<&'a Acceptance>,
    /// Whether resources and prompts are available as tools.
    pub(super) context_tools: bool,
}

impl ViewInput<'_> {
    /// Compares each tool with its approved definition.
    pub(super) fn view(&self) -> ToolView {
        let mut view = ToolView {
            notes: self.offer.notes.clone(),
            approval: self.initial_approval(),
            ..ToolView::default()
        };
        let instructions = self.instructions(&mut view);
        let mut names = HashSet::new();
        for offered in &self.offer.tools {
            if !selection::is_selected(self.config.tools(), &offered.name) {
                continue;
            }
            let made = self.tool(offered, &mut view);
            let made = made.and_then(|tool| {
                let tool = tool.instructed(instructions.clone());
                if names.insert(tool.spec().name.clone()) {
                    Ok(tool)
                } else {
                    Err(WithheldReason::NameTaken)
                }
            });
            match made {
                Ok(tool) => view.tools.push(Arc::new(tool)),
                Err(reason) => view.withheld.push(WithheldTool {
                    tool: shown(&offered.name),
                    reason,
                }),
            }
        }
        self.add_context_tools(&mut view, &mut names, instructions.as_ref());
        self.note_unmatched_patterns(&mut view);
        view
    }

    fn initial_approval(&self) -> ApprovalState {
        match self.approved {
            _ if self.config.trust().definitions => ApprovalState::NotNeeded,
            None => ApprovalState::Missing,
            Some(_) => ApprovalState::Given,
        }
    }

    fn tool(
        &self,
        offered: &rmcp::model::Tool,
        view: &mut ToolView,
    ) -> Result<McpTool, WithheldReason> {
        let approved = self.approved;
        let approved = approved.and_then(|approved| approved.entry(EntryKind::Tool, &offered.name));
        let state = approved.map_or(EntryState::New, |approved| {
            approved.state(&approval::tool_entry(offered))
        });
        match view.approval {
            ApprovalState::NotNeeded => {}
            ApprovalState::Missing => return Err(WithheldReason::NotApproved),
            ApprovalState::Given | ApprovalState::Outdated => {
                if state != EntryState::Accepted {
                    view.approval = ApprovalState::Outdated;
                }
                if state == EntryState::Changed {
                    return Err(WithheldReason::Changed);
                }
            }
        }
        let made = McpTool::new(self.config, self.connection, offered, state);
        let (tool, notes) = made.map_err(|why| WithheldReason::Unusable { why })?;
        view.notes.extend(notes);
        Ok(tool)
    }

    /// Returns the instructions for the model, if they are approved.
    fn instructions(&self, view: &mut ToolView) -> Option<Arc<str>> {
        let said = self.instructions?.trim();
        if said.is_empty() {
            return None;
        }
        let is_approved = match view.approval {
            ApprovalState::NotNeeded => true,
            ApprovalState::Missing => false,
            ApprovalState::Given | ApprovalState::Outdated => {
                let approved = self
                    .approved
                    .and_then(|approved| approved.entry(EntryKind::Instructions, ""));
                let now = approval::instructions_entry(said);
                approved.is_some_and(|approved| approved.state(&now) == EntryState::Accepted)
            }
        };
        if !is_approved {
            if view.approval == ApprovalState::Given {
                view.approval = ApprovalState::Outdated;
                let changed = "its instructions have changed since they were approved, and the model is not told them";
                view.notes.push(changed.to_owned());
            }
            return None;
        }
        let (instructions, was_cut) = tool::described(said);
        if was_cut {
            let length = said.len();
            view.notes.push(format!(
                "its instructions are {length} bytes long and are cut"
            ));
        }
        Some(instructions.into())
    }

    /// Adds the tools for resources and prompts, if the server has them and is approved.
    fn add_context_tools(
        &self,
        view: &mut ToolView,
        names: &mut HashSet<Arc<str>>,
        instructions: Option<&Arc<str>>,
    ) {
        if !self.context_tools || view.approval == ApprovalState::Missing {
            return;
        }
        let Some(capabilities) = self.capabilities else {
            return;
        };
        for tool in ContextTool::all_of(self.config, self.connection, capabilities) {
            let selected = selection::is_selected(self.config.tools(), tool.original());
            // A tool of the server itself has precedence.
            if selected && names.insert(tool.spec().name.clone()) {
                view.tools
                    .push(Arc::new(tool.instructed(instructions.cloned())));
            }
        }
    }

    fn note_unmatched_patterns(&self, view: &mut ToolView) {
        if self.offer.revision == 0 {
            return;
        }
        let own = self.offer.tools.iter().map(|tool| &*tool.name);
        let names: Vec<&str> = own.chain(ContextTool::NAMES).collect();
        for pattern in selection::unmatched(self.config.tools(), &names) {
            view.notes.push(format!(
                "it has no tool `{pattern}`, which the configuration names"
            ));
        }
    }
}
