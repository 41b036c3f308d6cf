//! What the suite says of the server that it plays.

use std::error::Error;

use helve::mcp::ServerAuth;
use serde_json::{Map, Value};

/// The document that describes the client, as the suite expects it; nothing is there.
const DOCUMENT: &str = "https://conformance-test.local/client-metadata.json";

/// A scenario of the suite.
pub(crate) struct Scenario {
    name: String,
    context: Map<String, Value>,
}

impl Scenario {
    /// Reads the variables that the suite sets.
    pub(crate) fn from_environment() -> Result<Self, Box<dyn Error>> {
        let name = std::env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_default();
        let context = match std::env::var("MCP_CONFORMANCE_CONTEXT") {
            Ok(text) => serde_json::from_str(&text)?,
            Err(_) => Map::new(),
        };
        Ok(Self { name, context })
    }

    /// Says whether the server offers skills.
    pub(crate) fn is_about_skills(&self) -> bool {
        self.name.starts_with("sep-2640-")
    }

    /// Says whether the skills are loaded; one scenario looks at what happens before that.
    pub(crate) fn loads_skills(&self) -> bool {
        self.name != "sep-2640-client-no-prefetch"
    }

    /// Returns the calls that are to be made, where the scenario names them.
    pub(crate) fn calls(&self) -> Option<Vec<(String, Value)>> {
        let calls = self.context.get("toolCalls")?.as_array()?;
        let call = |call: &Value| {
            Some((
                call.get("name")?.as_str()?.to_owned(),
                call["arguments"].clone(),
            ))
        };
        calls.iter().map(call).collect()
    }

    /// Says who the program is: who the scenario says, else a client that has a document.
    pub(crate) fn auth(&self) -> ServerAuth {
        let mut auth = ServerAuth::default();
        auth.login = !self.name.starts_with("auth/client-credentials-");
        auth.client_id = self.text("client_id").or_else(|| Some(DOCUMENT.to_owned()));
        auth.client_secret = self
            .text("client_secret")
            .or_else(|| self.text("private_key_pem"));
        auth
    }

    fn text(&self, key: &str) -> Option<String> {
        Some(self.context.get(key)?.as_str()?.to_owned())
    }
}
