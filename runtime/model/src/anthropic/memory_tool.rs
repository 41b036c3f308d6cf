//! The provider's own memory tool, which its models are trained to use. The app runs it; only its declaration differs.

use serde_json::Value;

use super::AnthropicModel;
use super::capabilities::Capabilities;
use crate::OfferedTool;
use crate::dialect::Dialect;

/// The type of the tool in a request.
pub(super) const TYPE: &str = "memory_20250818";

/// The host of the provider. Gateways and other providers of the protocol reject a type that they do not know.
const HOST: &str = "api.anthropic.com";

/// The name of the tool, and its commands.
const NAME: &str = "memory";
const COMMANDS: [&str; 6] = [
    "create",
    "delete",
    "insert",
    "rename",
    "str_replace",
    "view",
];

/// Reports whether a tool is declared as that of the provider: a tool of its name with its commands, where the model has it.
pub(super) fn is_native(model: &AnthropicModel, offered: &OfferedTool) -> bool {
    offered.name.as_str() == NAME
        && model.endpoint.host() == HOST
        && Capabilities::for_model(model.name.model()).memory_tool
        && has_commands(offered.input_schema.render(Dialect::Anthropic))
}

/// Reports whether the commands of a schema are those of the tool.
fn has_commands(schema: &str) -> bool {
    let schema: Value = serde_json::from_str(schema).unwrap_or_default();
    let mut commands = Vec::new();
    collect(&schema, &schema["properties"]["command"], &mut commands);
    commands.sort_unstable();
    commands == COMMANDS
}

/// Collects the values that a schema of a text accepts.
fn collect<'a>(root: &'a Value, schema: &'a Value, values: &mut Vec<&'a str>) {
    let listed = schema["enum"].as_array().into_iter().flatten();
    values.extend(listed.chain(schema.get("const")).filter_map(Value::as_str));
    for alternatives in ["anyOf", "oneOf"] {
        for schema in schema[alternatives].as_array().into_iter().flatten() {
            collect(root, schema, values);
        }
    }
    let pointer = schema["$ref"].as_str().and_then(|at| at.strip_prefix('#'));
    // A definition that refers to itself ends here.
    if let Some(defined) = pointer.and_then(|pointer| root.pointer(pointer))
        && defined.get("$ref").is_none()
    {
        collect(root, defined, values);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_commands_tell_the_tool_from_others_of_its_name() {
        let with = |command: Value| json!({ "properties": { "command": command } }).to_string();
        assert!(has_commands(&with(json!({ "enum": COMMANDS }))));
        let each = COMMANDS.map(|command| json!({ "const": command, "description": "…" }));
        assert!(has_commands(&with(json!({ "oneOf": each }))));
        let mut defined = json!({ "$defs": { "Command": { "enum": COMMANDS } } });
        defined["properties"]["command"] = json!({ "$ref": "#/$defs/Command" });
        assert!(has_commands(&defined.to_string()));
        assert!(!has_commands(&with(json!({ "enum": ["view", "create"] }))));
        assert!(!has_commands(&with(json!({ "type": "string" }))));
        assert!(!has_commands("no JSON"));
    }

    #[test]
    fn the_provider_declares_its_own_tool() {
        let declared = |host: &str, model: &str, commands: &[&str]| {
            let schema = json!({
                "type": "object",
                "properties": { "command": { "enum": commands } },
                "required": ["command"]
            });
            let schema = std::sync::Arc::new(helve_core::schema::from_value(schema).unwrap());
            let mut request = crate::ModelRequest::new(Vec::new());
            request.tools = [OfferedTool::new("memory", "Files.", schema)].into();
            let endpoint = crate::Endpoint::new("anthropic", host).unwrap();
            let model = AnthropicModel::new(crate::ModelName::new("anthropic", model), endpoint);
            let body = super::super::request::body(&model, &request);
            let body: Value = serde_json::from_slice(&body).unwrap();
            body["tools"][0].clone()
        };
        let own = "https://api.anthropic.com";
        let native = json!({
            "type": "memory_20250818",
            "name": "memory",
            "cache_control": { "type": "ephemeral" }
        });
        assert_eq!(declared(own, "claude-sonnet-4-6", &COMMANDS), native);
        for (host, model, commands) in [
            (
                "https://gateway.example.com",
                "claude-sonnet-4-6",
                &COMMANDS[..],
            ),
            (own, "claude-3-5-haiku-latest", &COMMANDS),
            (own, "claude-sonnet-4-6", &COMMANDS[1..]),
        ] {
            let tool = declared(host, model, commands);
            assert_eq!(tool["description"], "Files.", "{tool}");
            assert!(tool.get("type").is_none(), "{tool}");
        }
    }
}
