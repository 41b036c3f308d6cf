//! Lists and reads resources, prompts and skills.

use rmcp::model::{
    ClientRequest, GetPromptRequest, GetPromptRequestParams, GetPromptResult, GetSkillRequest,
    GetSkillRequestParams, GetSkillResult, ListPromptsRequest, ListResourceTemplatesRequest,
    ListResourcesRequest, ListSkillsRequest, PaginatedRequestParams, Prompt, ReadResourceRequest,
    ReadResourceRequestParams, ReadResourceResult, Resource, ResourceTemplate, ServerResult, Skill,
};
use serde_json::{Map, Value};

use super::pages;
use super::request::{InputRound, OutboundRequest};
use super::{CallError, Connection, Operation};
use crate::sanitize::one_line;
use helve_core::tool::ToolContext;

/// Lists all pages of a list with the request and the result of the protocol.
macro_rules! list_all {
    ($live:expr, $request:expr, $Request:ident, $Result:ident . $items:ident) => {{
        let make = |params: Option<PaginatedRequestParams>| {
            let mut request = $Request::default();
            request.params = params;
            ClientRequest::$Request(request)
        };
        let read = |result: ServerResult| match result {
            ServerResult::$Result(page) => Some((page.$items, page.next_cursor)),
            _ => None,
        };
        Ok(pages::list($live, $request, make, read).await?.items)
    }};
}

impl Connection {
    /// Lists the server's resources; returns none if the server does not support resources.
    ///
    /// # Errors
    /// Fails if there is no connection, or if the list fails.
    pub async fn resources(&self, cx: &ToolContext) -> Result<Vec<Resource>, CallError> {
        let live = self.live().await?;
        if live.info.capabilities.resources.is_none() {
            return Ok(Vec::new());
        }
        let request = self.listing("the list of its resources", cx);
        list_all!(
            &live,
            &request,
            ListResourcesRequest,
            ListResourcesResult.resources
        )
    }

    /// Lists the server's resource templates; returns none if the server does not support resources.
    ///
    /// # Errors
    /// Fails if there is no connection, or if the list fails.
    pub async fn resource_templates(
        &self,
        cx: &ToolContext,
    ) -> Result<Vec<ResourceTemplate>, CallError> {
        let live = self.live().await?;
        if live.info.capabilities.resources.is_none() {
            return Ok(Vec::new());
        }
        let request = self.listing("the list of its resource templates", cx);
        list_all!(
            &live,
            &request,
            ListResourceTemplatesRequest,
            ListResourceTemplatesResult.resource_templates
        )
    }

    /// Reads a resource.
    ///
    /// # Errors
    /// Fails if there is no connection, or if the server refuses the resource.
    pub async fn read_resource(
        &self,
        uri: &str,
        cx: &ToolContext,
    ) -> Result<ReadResourceResult, CallError> {
        let live = self.live().await?;
        let request = self.reading(format!("the resource `{}`", one_line(uri, 200)), cx);
        let result = request.send_with_input(&live, |again: InputRound| {
            let mut params = ReadResourceRequestParams::new(uri.to_owned());
            params.input_responses = again.responses;
            params.request_state = again.state;
            ClientRequest::ReadResourceRequest(ReadResourceRequest::new(params))
        });
        match result.await? {
            ServerResult::ReadResourceResult(result) => Ok(result),
            _ => Err(request.unusable("it is the answer to something else")),
        }
    }

    /// Lists the server's prompts; returns none if the server does not support prompts.
    ///
    /// # Errors
    /// Fails if there is no connection, or if the list fails.
    pub async fn prompts(&self, cx: &ToolContext) -> Result<Vec<Prompt>, CallError> {
        let live = self.live().await?;
        if live.info.capabilities.prompts.is_none() {
            return Ok(Vec::new());
        }
        let request = self.listing("the list of its prompts", cx);
        list_all!(
            &live,
            &request,
            ListPromptsRequest,
            ListPromptsResult.prompts
        )
    }

    /// Gets a prompt with arguments.
    ///
    /// # Errors
    /// Fails if there is no connection, or if the server refuses the prompt.
    pub async fn prompt(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        cx: &ToolContext,
    ) -> Result<GetPromptResult, CallError> {
        let live = self.live().await?;
        let request = self.reading(format!("the prompt `{}`", one_line(name, 128)), cx);
        let result = request.send_with_input(&live, |again: InputRound| {
            let mut params = GetPromptRequestParams::new(name.to_owned());
            params.arguments = Some(arguments.clone());
            params.input_responses = again.responses;
            params.request_state = again.state;
            ClientRequest::GetPromptRequest(GetPromptRequest::new(params))
        });
        match result.await? {
            ServerResult::GetPromptResult(result) => Ok(result),
            _ => Err(request.unusable("it is the answer to something else")),
        }
    }

    /// Lists the server's skills (SEP-2640); returns none if the server does not support skills.
    ///
    /// # Errors
    /// Fails if there is no connection, or if the list fails.
    pub async fn skills(&self, cx: &ToolContext) -> Result<Vec<Skill>, CallError> {
        let live = self.live().await?;
        if !live.info.capabilities.supports_skills() {
            return Ok(Vec::new());
        }
        let request = self.listing("the list of its skills", cx);
        list_all!(&live, &request, ListSkillsRequest, ListSkillsResult.skills)
    }

    /// Returns the server's entry of one skill (SEP-2640).
    ///
    /// # Errors
    /// Fails if there is no connection, or if the server has no such skill.
    pub async fn skill(&self, uri: &str, cx: &ToolContext) -> Result<GetSkillResult, CallError> {
        let live = self.live().await?;
        let request = self.reading(format!("the skill `{}`", one_line(uri, 200)), cx);
        if !live.info.capabilities.supports_skills() {
            return Err(request.unusable("it says that it has no skills"));
        }
        let result = request.send_with_input(&live, |_| {
            let params = GetSkillRequestParams::new(uri.to_owned());
            ClientRequest::GetSkillRequest(GetSkillRequest::new(params))
        });
        match result.await? {
            ServerResult::GetSkillResult(result) => Ok(result),
            _ => Err(request.unusable("it is the answer to something else")),
        }
    }

    fn listing<'a>(&'a self, what: &str, cx: &'a ToolContext) -> OutboundRequest<'a> {
        let what = Operation::Reading(what.to_owned());
        OutboundRequest::new(self.name(), what, Some(cx), self.config().timeouts().list)
    }

    fn reading<'a>(&'a self, what: String, cx: &'a ToolContext) -> OutboundRequest<'a> {
        let (what, timeouts) = (Operation::Reading(what), self.config().timeouts());
        OutboundRequest::new(self.name(), what, Some(cx), timeouts.call).with_stall(timeouts.stall)
    }
}
