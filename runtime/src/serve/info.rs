//! What a client is told of the server itself.

use rmcp::model::{Implementation, InitializeResult, ServerCapabilities, ServerConfig};

use super::Server;

/// Says who the server is, what it can do, and what a model is told of it.
pub(super) fn of(server: &Server) -> ServerConfig {
    let settings = &server.inner.settings;
    let mut identity = Implementation::new(&*settings.name, &*settings.version);
    identity.title.clone_from(&settings.title);
    let info = InitializeResult::new(capabilities()).with_server_info(identity);
    match instructions(server) {
        Some(text) => info.with_instructions(text),
        None => info,
    }
}

fn capabilities() -> ServerCapabilities {
    #[expect(
        deprecated,
        reason = "deprecated by the protocol of 2026-07-28, and spoken before it"
    )]
    let builder = ServerCapabilities::builder().enable_logging();
    builder.enable_tools().enable_tool_list_changed().build()
}

/// Joins what the server says with what the groups of its tools say.
fn instructions(server: &Server) -> Option<String> {
    let settings = &server.inner.settings;
    let groups = settings.toolset.instructions();
    let groups = groups
        .iter()
        .map(|(group, text)| format!("# {group}\n\n{text}"));
    let parts: Vec<String> = settings
        .instructions
        .iter()
        .cloned()
        .chain(groups)
        .collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}
