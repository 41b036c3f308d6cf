//! A server written with rmcp alone.

use std::borrow::Cow;
use std::sync::Arc;

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    InitializeResult, JsonObject, ListToolsResult, PaginatedRequestParams, ProtocolVersion,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde::Deserialize;

/// How many tools a page has, as in helve's server.
const PAGE: usize = 100;

/// Tools that all greet.
#[derive(Clone)]
pub(super) struct BareServer {
    tools: Arc<[Tool]>,
    is_mortal: bool,
    has_sessions: bool,
}

#[derive(Deserialize)]
struct Greeting {
    name: String,
    times: u32,
}

impl BareServer {
    pub(super) fn new(tools: Vec<Tool>) -> Self {
        Self {
            tools: tools.into(),
            is_mortal: false,
            has_sessions: false,
        }
    }

    /// Ends the process when a million greetings are asked for.
    pub(super) fn exit_on_request(self) -> Self {
        Self {
            is_mortal: true,
            ..self
        }
    }

    /// Speaks only protocols that have sessions.
    pub(super) fn with_sessions(self) -> Self {
        Self {
            has_sessions: true,
            ..self
        }
    }
}

/// The tool that is called.
pub(super) fn greet() -> Vec<Tool> {
    let schema = serde_json::json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "description": "Who is greeted." },
            "times": { "type": "integer", "minimum": 0, "maximum": u32::MAX, "description": "How often." },
        },
        "required": ["name", "times"],
    });
    vec![Tool::new("greet", "Greets a person.", object(schema))]
}

/// The tools of a long list.
pub(super) fn thousand() -> Vec<Tool> {
    let tools = (0..super::TOOLS).map(|number| {
        let (name, description, schema) = super::described(number);
        Tool::new(name, description, object(schema))
    });
    tools.collect()
}

fn object(schema: serde_json::Value) -> JsonObject {
    serde_json::from_value(schema).unwrap()
}

impl ServerHandler for BareServer {
    fn get_info(&self) -> ServerConfig {
        InitializeResult::new(ServerCapabilities::builder().enable_tools().build())
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        let newest = match self.has_sessions {
            true => ProtocolVersion::V_2025_11_25,
            false => ProtocolVersion::V_2026_07_28,
        };
        Cow::Borrowed(ProtocolVersion::known_up_to(&newest))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let start: usize = request
            .and_then(|request| request.cursor)
            .map_or(0, |cursor| cursor.parse().unwrap());
        let page: Vec<Tool> = self.tools.iter().skip(start).take(PAGE).cloned().collect();
        let end = start + page.len();
        let mut result = ListToolsResult::with_all_items(page);
        result.next_cursor = (end < self.tools.len()).then(|| end.to_string());
        Ok(result)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = serde_json::Value::Object(request.arguments.unwrap_or_default());
        let given: Greeting = serde_json::from_value(arguments)
            .map_err(|error| ErrorData::invalid_params(error.to_string(), None))?;
        if self.is_mortal && given.times == 1_000_000 {
            std::process::exit(1);
        }
        let text = super::greeting(&given.name, given.times);
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}
