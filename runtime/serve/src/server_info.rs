//! Describes the server to its clients: name, capabilities and instructions.

use rmcp::model::{
    Implementation, InitializeResult, JsonObject, PromptsCapability, ResourcesCapability,
    SKILLS_EXTENSION_ID, ServerCapabilities, ServerConfig, SkillsCapability,
};
use serde_json::Value;

use super::settings::Settings;

pub(super) fn server_config(settings: &Settings) -> ServerConfig {
    let mut identity = Implementation::new(&*settings.name, &*settings.version);
    identity.title.clone_from(&settings.title);
    let info = InitializeResult::new(capabilities(settings)).with_server_info(identity);
    match instructions(settings) {
        Some(text) => info.with_instructions(text),
        None => info,
    }
}

fn capabilities(settings: &Settings) -> ServerCapabilities {
    #[expect(
        deprecated,
        reason = "deprecated by the protocol of 2026-07-28, and spoken before it"
    )]
    let builder = ServerCapabilities::builder().enable_logging();
    let builder = builder.enable_tools().enable_tool_list_changed();
    let mut capabilities = builder.enable_tasks().build();
    let has_prompts = settings.prompts.is_some();
    let has_sources = !settings.resources.is_empty();
    #[cfg(feature = "skills")]
    let has_skills = settings.skills.is_some();
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
        // A struct of flags always serializes.
        if let Ok(Value::Object(declaration)) = serde_json::to_value(skills) {
            let extensions = capabilities.extensions.get_or_insert_default();
            extensions.insert(SKILLS_EXTENSION_ID.to_owned(), declaration);
        }
    }
    capabilities
}

/// Joins the instructions of the server and those of its tool groups.
fn instructions(settings: &Settings) -> Option<String> {
    let groups = settings.toolset.instructions();
    let groups = groups
        .iter()
        .map(|(group, text)| format!("# {group}\n\n{text}"));
    let own = settings.instructions.iter().cloned();
    let parts: Vec<String> = own.chain(groups).collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}
