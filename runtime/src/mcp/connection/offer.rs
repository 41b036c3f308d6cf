//! What a server offers: its tools, as it last listed them.

use std::collections::HashSet;

use rmcp::model::{ClientRequest, ListToolsRequest, ServerResult, Tool};

use super::CallError;
use super::live::Live;
use super::pages::{self, Listed};
use super::request::Ask;
use super::words::tidy;
use crate::support::text::first_bytes;

/// The most bytes of a description.
const DESCRIPTION: usize = 64 << 10;

/// The tools of a server, as it last listed them.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ToolsOffer {
    /// The tools, in the server's order, no name twice.
    pub tools: Vec<Tool>,
    /// How often the list has changed; 0 before there is one.
    pub revision: u64,
    /// What is not as the server meant it: what was left out or cut, and whether the list is an old one.
    pub notes: Vec<String>,
}

/// Asks for the tools.
pub(super) async fn list(live: &Live, ask: &Ask<'_>) -> Result<Listed<Tool>, CallError> {
    if live.info.capabilities.tools.is_none() {
        return Ok(Listed {
            items: Vec::new(),
            notes: Vec::new(),
        });
    }
    let make = |params| {
        ClientRequest::ListToolsRequest(ListToolsRequest {
            params,
            ..ListToolsRequest::default()
        })
    };
    let listed = pages::list(live, ask, make, |result| match result {
        ServerResult::ListToolsResult(page) => Some((page.tools, page.next_cursor)),
        _ => None,
    });
    Ok(tidied(listed.await?))
}

/// Leaves out what has no name of its own, and cuts what is too long.
fn tidied(listed: Listed<Tool>) -> Listed<Tool> {
    let mut notes = listed.notes;
    let mut names = HashSet::new();
    let mut items = Vec::with_capacity(listed.items.len());
    for mut tool in listed.items {
        let name = tidy(&tool.name, 80);
        if tool.name.is_empty() {
            notes.push("a tool without a name is left out".to_owned());
            continue;
        }
        if !names.insert(tool.name.clone()) {
            notes.push(format!("`{name}` is listed twice: the second is left out"));
            continue;
        }
        if let Some(description) = &tool.description
            && description.len() > DESCRIPTION
        {
            let kept = first_bytes(description, DESCRIPTION);
            tool.description = Some(format!("{kept}…").into());
            notes.push(format!(
                "the description of `{name}` is longer than {} KiB and is cut",
                DESCRIPTION >> 10
            ));
        }
        items.push(tool);
    }
    Listed { items, notes }
}
