//! Tools that read the resources and prompts of a server.

use std::fmt::Write as _;
use std::sync::Arc;

use rmcp::model::{GetPromptResult, ServerCapabilities};
use serde_json::{Map, Value, json};

use super::{check, object, result, source, tool_name};
use crate::ServerConfig;
use crate::connection::Connection;
use helve_core::schema::{self, Mistakes};
use helve_core::tool::{
    Annotations, Facts, PreparedCall, Tool, ToolContext, ToolOrigin, ToolOutput, ToolResult,
    ToolSpec,
};
use helve_core::transcript::ContentBlock;

/// A tool that reads the resources or prompts of a server.
#[derive(Clone)]
pub(crate) struct ContextTool {
    spec: ToolSpec,
    kind: Kind,
    connection: Connection,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    ListResources,
    ReadResource,
    ListPrompts,
    GetPrompt,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Self::ListResources => "list_resources",
            Self::ReadResource => "read_resource",
            Self::ListPrompts => "list_prompts",
            Self::GetPrompt => "get_prompt",
        }
    }

    const fn description(self) -> &'static str {
        match self {
            Self::ListResources => {
                "Lists the resources of the server: texts and data that can be read by their URI, and templates of URIs."
            }
            Self::ReadResource => "Reads a resource of the server.",
            Self::ListPrompts => {
                "Lists the prompts of the server: ready-made instructions, with the arguments that they take."
            }
            Self::GetPrompt => "Fills in a prompt of the server, and returns its messages.",
        }
    }

    fn schema(self) -> Value {
        match self {
            Self::ListResources | Self::ListPrompts => {
                json!({ "type": "object", "properties": {}, "additionalProperties": false })
            }
            Self::ReadResource => json!({
                "type": "object",
                "properties": {
                    "uri": { "type": "string", "description": "Its URI, as `list_resources` gives it or a template filled in." }
                },
                "required": ["uri"],
                "additionalProperties": false
            }),
            Self::GetPrompt => json!({
                "type": "object",
                "properties": {
                    "name": { "type": "string", "description": "Its name, as `list_prompts` gives it." },
                    "arguments": {
                        "type": "object",
                        "description": "Its arguments by name.",
                        "additionalProperties": { "type": "string" }
                    }
                },
                "required": ["name"],
                "additionalProperties": false
            }),
        }
    }
}

impl ContextTool {
    /// The names of the tools, without the prefix of the server.
    pub(crate) const NAMES: [&'static str; 4] = [
        Kind::ListResources.name(),
        Kind::ReadResource.name(),
        Kind::ListPrompts.name(),
        Kind::GetPrompt.name(),
    ];

    /// Creates the tools for the capabilities of a server.
    pub(crate) fn all_of(
        config: &ServerConfig,
        connection: &Connection,
        capabilities: &ServerCapabilities,
    ) -> Vec<Self> {
        let resources = capabilities.resources.as_ref();
        let resources = resources.map(|_| [Kind::ListResources, Kind::ReadResource]);
        let prompts = capabilities.prompts.as_ref();
        let prompts = prompts.map(|_| [Kind::ListPrompts, Kind::GetPrompt]);
        let kinds = resources.into_iter().chain(prompts).flatten();
        kinds
            .filter_map(|kind| Self::new(config, connection, kind))
            .collect()
    }

    fn new(config: &ServerConfig, connection: &Connection, kind: Kind) -> Option<Self> {
        let name = tool_name(config.name().as_str(), kind.name());
        let schema = schema::from_value(kind.schema()).ok()?;
        let reads = Annotations::new(Some(true), None, None, Some(true));
        let mut spec = ToolSpec::new(name, kind.description(), schema).with_annotations(reads);
        spec.origin = ToolOrigin::server(config.name().as_str(), kind.name());
        spec.group = Some(config.name().as_str().into());
        spec.untrusted_output = !config.trust().output;
        spec.output_source = Some(source(config).into());
        Some(Self {
            spec,
            kind,
            connection: connection.clone(),
        })
    }

    /// Returns the name without the prefix of the server.
    pub(crate) fn original(&self) -> &'static str {
        self.kind.name()
    }

    /// Sets the instructions of the server's tool group.
    pub(crate) fn instructed(mut self, instructions: Option<Arc<str>>) -> Self {
        self.spec.group_instructions = instructions;
        self
    }

    async fn list_resources(&self, context: &ToolContext) -> ToolResult {
        let resources = self.connection.resources(context).await?;
        // Some servers support resources and not templates.
        let templates = self.connection.resource_templates(context).await;
        let templates = templates.unwrap_or_default();
        let resources = resources.iter().map(|resource| {
            entry([
                ("uri", Some(&resource.uri)),
                ("name", resource.title.as_ref().or(Some(&resource.name))),
                ("description", resource.description.as_ref()),
                ("mimeType", resource.mime_type.as_ref()),
            ])
        });
        let templates = templates.iter().map(|template| {
            entry([
                ("uriTemplate", Some(&template.uri_template)),
                ("name", template.title.as_ref().or(Some(&template.name))),
                ("description", template.description.as_ref()),
                ("mimeType", template.mime_type.as_ref()),
            ])
        });
        let (resources, templates): (Vec<_>, Vec<_>) = (resources.collect(), templates.collect());
        ToolOutput::json(&json!({ "resources": resources, "templates": templates }))
    }

    async fn read_resource(
        &self,
        arguments: &Map<String, Value>,
        context: &ToolContext,
    ) -> ToolResult {
        let uri = text(arguments, "uri");
        let read = self.connection.read_resource(uri, context).await?;
        let contents = read.contents.into_iter().filter_map(result::resource);
        let blocks: Vec<_> = contents
            .map(|resource| ContentBlock::Resource { resource })
            .collect();
        if blocks.is_empty() {
            return Ok(ToolOutput::plain("(the resource is empty)"));
        }
        Ok(ToolOutput::blocks(blocks))
    }

    async fn list_prompts(&self, context: &ToolContext) -> ToolResult {
        let prompts = self.connection.prompts(context).await?;
        let prompts = prompts.iter().map(|prompt| {
            let mut listed = entry([
                ("name", Some(&prompt.name)),
                ("title", prompt.title.as_ref()),
                ("description", prompt.description.as_ref()),
            ]);
            let arguments = prompt.arguments.iter().flatten().map(|argument| {
                let mut listed = entry([
                    ("name", Some(&argument.name)),
                    ("description", argument.description.as_ref()),
                ]);
                listed.insert(
                    "required".to_owned(),
                    argument.required.unwrap_or(false).into(),
                );
                Value::Object(listed)
            });
            listed.insert("arguments".to_owned(), arguments.collect());
            Value::Object(listed)
        });
        ToolOutput::json(&json!({ "prompts": prompts.collect::<Value>() }))
    }

    async fn get_prompt(
        &self,
        arguments: &Map<String, Value>,
        context: &ToolContext,
    ) -> ToolResult {
        let given = arguments.get("arguments").and_then(Value::as_object);
        let (name, given) = (text(arguments, "name"), given.cloned().unwrap_or_default());
        let prompt = self.connection.prompt(name, given, context).await?;
        Ok(ToolOutput::blocks(messages(prompt)))
    }
}

/// Renders the messages of a prompt, each below its role.
fn messages(prompt: GetPromptResult) -> Vec<ContentBlock> {
    let mut blocks = Vec::new();
    let description = prompt.description.map(|said| said + "\n");
    let mut text = description.unwrap_or_default();
    for message in prompt.messages {
        let role = serde_json::to_value(&message.role).ok();
        let role = role.as_ref().and_then(Value::as_str).unwrap_or("user");
        let _ = writeln!(text, "\n[{role}]");
        match result::block(message.content) {
            Some(ContentBlock::Text { text: said }) => text.push_str(&said),
            Some(other) => {
                blocks.push(ContentBlock::text(std::mem::take(&mut text)));
                blocks.push(other);
            }
            None => {}
        }
    }
    if !text.is_empty() {
        blocks.push(ContentBlock::text(text));
    }
    blocks
}

/// Renders the available fields of a description.
fn entry<const N: usize>(fields: [(&str, Option<&String>); N]) -> Map<String, Value> {
    let fields = fields.into_iter();
    fields
        .filter_map(|(key, value)| Some((key.to_owned(), value?.as_str().into())))
        .collect()
}

fn text<'a>(arguments: &'a Map<String, Value>, key: &str) -> &'a str {
    let text = arguments.get(key).and_then(Value::as_str);
    text.unwrap_or_default()
}

impl Tool for ContextTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn is_always_available(&self) -> bool {
        true
    }

    fn prepare(&self, _: &ToolContext, text: Arc<str>) -> Result<PreparedCall, Mistakes> {
        check(&self.spec, &text)?;
        let arguments = object(&text);
        let tool = self.clone();
        let facts = Facts::from_spec(&self.spec);
        Ok(PreparedCall::new(text, facts, move |context| {
            Box::pin(async move {
                match tool.kind {
                    Kind::ListResources => tool.list_resources(&context).await,
                    Kind::ReadResource => tool.read_resource(&arguments, &context).await,
                    Kind::ListPrompts => tool.list_prompts(&context).await,
                    Kind::GetPrompt => tool.get_prompt(&arguments, &context).await,
                }
            })
        }))
    }
}
