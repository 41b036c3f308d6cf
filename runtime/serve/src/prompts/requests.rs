//! Answers `prompts/list` and `prompts/get`.

use std::sync::Arc;

use futures_util::FutureExt as _;
use rmcp::model::{
    ErrorData, GetPromptRequestParams, GetPromptResponse, GetPromptResult, ListPromptsResult, Role,
};

use super::{Prompt, PromptArguments, PromptMessage};
use crate::call::serialize_arguments;
use crate::client::{RequestContext, block_to_rmcp};
use crate::interactive::{self, InteractiveRequest};
use crate::page::{page, page_result};
use crate::response::RequestResult;
use crate::session::Session;
use crate::settings::Settings;
use crate::state::ServerState;

/// Answers `prompts/list`.
pub(crate) fn list(
    settings: &Settings,
    cursor: Option<&str>,
    context: &RequestContext,
) -> Result<ListPromptsResult, ErrorData> {
    let prompts = settings.prompts.as_ref();
    let prompts = prompts.map(super::Prompts::list).unwrap_or_default();
    let (page, next_cursor) = page(&prompts, |prompt| prompt.name(), cursor)?;
    let page = page.iter().map(|prompt| prompt.to_rmcp()).collect();
    page_result!(ListPromptsResult, page, next_cursor, context)
}

/// Answers `prompts/get`.
pub(crate) async fn get(
    state: &ServerState,
    session: &Arc<Session>,
    request: GetPromptRequestParams,
    context: RequestContext,
) -> Result<GetPromptResponse, ErrorData> {
    let prompt = find(&state.settings, &request.name)?;
    let interactive_request = InteractiveRequest {
        name: format!("prompts/get {}", request.name),
        arguments: serialize_arguments(request.arguments.as_ref())?,
        state: request.request_state,
        responses: request.input_responses,
    };
    let arguments = PromptArguments::parse(request.arguments).map_err(|name| {
        ErrorData::invalid_params(format!("the argument `{name}` has to be text"), None)
    })?;
    if let Some(missing) = prompt.find_missing(&arguments) {
        let name = prompt.name();
        let why = format!("the prompt `{name}` needs the argument `{missing}`");
        return Err(ErrorData::invalid_params(why, None));
    }
    let write = |context| {
        async move {
            let messages = prompt.write(&context, arguments).await?;
            let messages = messages.into_iter().map(to_rmcp_message).collect();
            let result = GetPromptResult::new(messages).with_description(prompt.description());
            Ok(RequestResult::Prompt(result))
        }
        .boxed()
    };
    let response = interactive::run(state, session, interactive_request, context, write).await;
    response?.into_prompt()
}

pub(crate) fn find(settings: &Settings, name: &str) -> Result<Arc<Prompt>, ErrorData> {
    let prompts = settings.prompts.as_ref();
    let found = prompts.and_then(|prompts| prompts.get(name));
    found.ok_or_else(|| {
        let why = format!("unknown prompt `{name}`; `prompts/list` lists the prompts");
        ErrorData::invalid_params(why, None)
    })
}

fn to_rmcp_message(message: PromptMessage) -> rmcp::model::PromptMessage {
    let role = if message.from_model {
        Role::Assistant
    } else {
        Role::User
    };
    rmcp::model::PromptMessage::new(role, block_to_rmcp(message.content))
}
