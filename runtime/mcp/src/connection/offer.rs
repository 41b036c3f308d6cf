//! The tools of a server, as of its last list.

use std::collections::HashSet;

use rmcp::model::{ClientRequest, ListToolsRequest, ServerResult, Tool};

use super::CallError;
use super::live::LiveConnection;
use super::pages::{self, CollectedPages};
use super::request::OutboundRequest;
use crate::sanitize::one_line;

const MAX_DESCRIPTION: usize = 64 << 10;

/// The tools of a server, as of its last list.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ToolsOffer {
    /// The tools, in the server's order, with unique names.
    pub tools: Vec<Tool>,
    /// The number of changes of the list; 0 before the first list.
    pub revision: u64,
    /// Remarks for the user: tools that were left out or truncated, and whether the list is outdated.
    pub notes: Vec<String>,
}

pub(super) async fn list(
    live: &LiveConnection,
    request: &OutboundRequest<'_>,
) -> Result<CollectedPages<Tool>, CallError> {
    if live.info.capabilities.tools.is_none() {
        return Ok(CollectedPages {
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
    let listed = pages::list(live, request, make, |result| match result {
        ServerResult::ListToolsResult(page) => Some((page.tools, page.next_cursor)),
        _ => None,
    });
    Ok(sanitize_tools(listed.await?))
}

/// Removes tools without a unique name, and truncates long descriptions.
fn sanitize_tools(listed: CollectedPages<Tool>) -> CollectedPages<Tool> {
    let mut notes = listed.notes;
    let mut names = HashSet::new();
    let mut items = Vec::with_capacity(listed.items.len());
    for mut tool in listed.items {
        let name = one_line(&tool.name, 80);
        if tool.name.is_empty() {
            notes.push("a tool without a name is left out".to_owned());
            continue;
        }
        if !names.insert(tool.name.clone()) {
            notes.push(format!("`{name}` is listed twice: the second is left out"));
            continue;
        }
        if let Some(description) = &tool.description
            && description.len() > MAX_DESCRIPTION
        {
            let end = description.floor_char_boundary(MAX_DESCRIPTION);
            tool.description = Some(format!("{}…", &description[..end]).into());
            let most = MAX_DESCRIPTION >> 10;
            notes.push(format!(
                "the description of `{name}` is longer than {most} KiB and is cut"
            ));
        }
        items.push(tool);
    }
    CollectedPages { items, notes }
}
