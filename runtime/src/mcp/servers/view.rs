//! What of a server a model is offered: its tools, held against what was approved.

use std::collections::HashSet;
use std::sync::Arc;

use rmcp::model::ServerCapabilities;

use super::selection;
use super::status::{Approval, WithheldReason, WithheldTool};
use crate::acceptances::{Acceptance, EntryKind, EntryState};
use crate::mcp::ServerConfig;
use crate::mcp::approval;
use crate::mcp::connection::{Connection, ToolsOffer};
use crate::mcp::tool::{self, ContextTool, McpTool, shown};
use crate::tool::Tool;

/// What of a server a model is offered.
pub(super) struct View {
    pub(super) tools: Vec<Arc<dyn Tool>>,
    /// The servers' own names of the tools, in the same order.
    pub(super) originals: Vec<Arc<str>>,
    pub(super) withheld: Vec<WithheldTool>,
    pub(super) notes: Vec<String>,
    pub(super) approval: Approval,
}

/// What a view is made of.
pub(super) struct Sight<'a> {
    pub(super) config: &'a ServerConfig,
    pub(super) connection: &'a Connection,
    pub(super) offer: &'a ToolsOffer,
    /// What the server says about the use of its tools.
    pub(super) instructions: Option<&'a str>,
    pub(super) capabilities: Option<&'a ServerCapabilities>,
    pub(super) approved: Option<&'a Acceptance>,
    /// Whether resources and prompts are tools.
    pub(super) context_tools: bool,
}

impl View {
    /// Holds what there is before a server was asked for anything.
    pub(super) fn empty() -> Self {
        Self {
            tools: Vec::new(),
            originals: Vec::new(),
            withheld: Vec::new(),
            notes: Vec::new(),
            approval: Approval::Missing,
        }
    }
}

impl Sight<'_> {
    /// Holds every tool against what was approved.
    pub(super) fn view(&self) -> View {
        let mut view = View {
            notes: self.offer.notes.clone(),
            approval: self.begin(),
            ..View::empty()
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
                Ok(tool) => {
                    view.tools.push(Arc::new(tool));
                    view.originals.push(offered.name.as_ref().into());
                }
                Err(reason) => view.withheld.push(WithheldTool {
                    tool: shown(&offered.name),
                    reason,
                }),
            }
        }
        self.add_context_tools(&mut view, &mut names, instructions.as_ref());
        self.note_idle_patterns(&mut view);
        view
    }

    fn begin(&self) -> Approval {
        match self.approved {
            _ if self.config.trust().definitions => Approval::NotNeeded,
            None => Approval::Missing,
            Some(_) => Approval::Given,
        }
    }

    fn tool(
        &self,
        offered: &rmcp::model::Tool,
        view: &mut View,
    ) -> Result<McpTool, WithheldReason> {
        let approved = self.approved;
        let approved = approved.and_then(|approved| approved.entry(EntryKind::Tool, &offered.name));
        let state = approved.map_or(EntryState::New, |approved| {
            approved.state(&approval::tool_entry(offered))
        });
        match view.approval {
            Approval::NotNeeded => {}
            Approval::Missing => return Err(WithheldReason::NotApproved),
            Approval::Given | Approval::Outdated => {
                if state != EntryState::Accepted {
                    view.approval = Approval::Outdated;
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

    /// Returns what the model is told of the use of the tools, which is what was approved or nothing.
    fn instructions(&self, view: &mut View) -> Option<Arc<str>> {
        let said = self.instructions?.trim();
        if said.is_empty() {
            return None;
        }
        let is_approved = match view.approval {
            Approval::NotNeeded => true,
            Approval::Missing => false,
            Approval::Given | Approval::Outdated => {
                let approved = self
                    .approved
                    .and_then(|approved| approved.entry(EntryKind::Instructions, ""));
                let now = approval::instructions_entry(said);
                approved.is_some_and(|approved| approved.state(&now) == EntryState::Accepted)
            }
        };
        if !is_approved {
            if view.approval == Approval::Given {
                view.approval = Approval::Outdated;
                let changed = "its instructions have changed since they were approved, and the model is not told them";
                view.notes.push(changed.to_owned());
            }
            return None;
        }
        let (instructions, was_cut) = tool::described(said);
        if was_cut {
            view.notes.push(format!(
                "its instructions are {} bytes long and are cut",
                said.len()
            ));
        }
        Some(instructions.into())
    }

    /// Adds the tools that read resources and prompts, where the server has them and is approved.
    fn add_context_tools(
        &self,
        view: &mut View,
        names: &mut HashSet<Arc<str>>,
        instructions: Option<&Arc<str>>,
    ) {
        if !self.context_tools || view.approval == Approval::Missing {
            return;
        }
        let Some(capabilities) = self.capabilities else {
            return;
        };
        for tool in ContextTool::all_of(self.config, self.connection, capabilities) {
            let original = tool.original();
            let selected = selection::is_selected(self.config.tools(), original);
            // A tool of the server's own stands.
            if selected && names.insert(tool.spec().name.clone()) {
                view.originals.push(original.into());
                view.tools
                    .push(Arc::new(tool.instructed(instructions.cloned())));
            }
        }
    }

    fn note_idle_patterns(&self, view: &mut View) {
        if self.offer.revision == 0 {
            return;
        }
        let own = self.offer.tools.iter().map(|tool| &*tool.name);
        let names: Vec<&str> = own.chain(ContextTool::NAMES).collect();
        for pattern in selection::idle(self.config.tools(), &names) {
            view.notes.push(format!(
                "it has no tool `{pattern}`, which the configuration names"
            ));
        }
    }
}
