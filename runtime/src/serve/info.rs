//! What a client is told of the server itself.

use rmcp::model::{
    Implementation, InitializeResult, JsonObject, PromptsCapability, ResourcesCapability,
    SKILLS_EXTENSION_ID, ServerCapabilities, ServerConfig, SkillsCapability,
};
use serde_json::Value;

use super::Server;

/// Says who the server is, what it can do, and what a model is told of it.
pub(super) fn of(server: &Server) -> ServerConfig {
    let settings = &server.inner.settings;
    let mut identity = Implementation::new(&*settings.name, &*settings.version);
    identity.title.clone_from(&settings.title);
    let info = InitializeResult::new(capabilities(server)).with_server_info(identity);
    match instructions(server) {
        Some(text) => info.with_instructions(text),
        None => info,
    }
}

fn capabilities(server: &Server) -> ServerCapabilities {
    #[expect(
        deprecated,
        reason = "deprecated by the protocol of 2026-07-28, and spoken before it"
    )]
    let builder = ServerCapabilities::builder().enable_logging();
    let builder = builder.enable_tools().enable_tool_list_changed();
    let mut capabilities = builder.enable_tasks().build();
    let has_prompts = server.inner.settings.prompts.is_some();
    let has_sources = !server.inner.settings.resources.is_empty();
    #[cfg(feature = "skills")]
    let has_skills = server.inner.skills.is_some();
    #[cfg(not(feature = "skills"))]
    let has_skills = false;
    if has_prompts {
        let mut prompts = PromptsCapability::default();
        prompts.list_changed = Some(true);
        capabilities.prompts = Some(prompts);
    }
    if has_sources || has_skills {
        let mut resources = ResourcesCapability::default();
        resources.list_changed = Some(true);
        resources.subscribe = has_sources.then_some(true);
        capabilities.resources = Some(resources);
    }
    if has_prompts || has_sources {
        capabilities.completions = Some(JsonObject::new());
    }
    if has_skills {
        let skills = SkillsCapability::new().with_directory_read();
        // A few flags always serialise.
        if let Ok(Value::Object(settings)) = serde_json::to_value(skills) {
            let extensions = capabilities.extensions.get_or_insert_default();
            extensions.insert(SKILLS_EXTENSION_ID.to_owned(), settings);
        }
    }
    capabilities
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
