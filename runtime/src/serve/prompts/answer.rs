//! What the requests about prompts are answered with.

use std::sync::Arc;

use futures_util::FutureExt as _;
use rmcp::model::{
    CacheScope, ErrorData, GetPromptRequestParams, GetPromptResponse, GetPromptResult,
    ListPromptsResult, Role,
};
use rmcp::service::{RequestContext, RoleServer};

use super::{Prompt, PromptArguments, PromptMessage};
use crate::serve::asking::{self, Asking};
use crate::serve::call::arguments;
use crate::serve::client::block_to_rmcp;
use crate::serve::list::FRESH_MS;
use crate::serve::page::page;
use crate::serve::reply::Reply;
use crate::serve::session::Session;
use crate::serve::{Server, client};

/// Answers `prompts/list`.
pub(in crate::serve) fn list(
    server: &Server,
    cursor: Option<&str>,
    context: &RequestContext<RoleServer>,
) -> Result<ListPromptsResult, ErrorData> {
    let prompts = server.inner.settings.prompts.as_ref();
    let prompts = prompts.map(super::Prompts::list).unwrap_or_default();
    let (page, next) = page(&prompts, |prompt| prompt.name(), cursor)?;
    let mut result =
        ListPromptsResult::with_all_items(page.iter().map(|prompt| prompt.shown()).collect());
    result.next_cursor = next;
    if client::is_modern(context) {
        result.ttl_ms = Some(FRESH_MS);
        result.cache_scope = Some(CacheScope::Private);
    }
    Ok(result)
}

/// Answers `prompts/get`.
pub(in crate::serve) async fn get(
    server: &Server,
    session: &Arc<Session>,
    request: GetPromptRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<GetPromptResponse, ErrorData> {
    let prompt = find(server, &request.name)?;
    let asking = Asking {
        name: format!("prompts/get {}", request.name),
        arguments: arguments(request.arguments.as_ref())?,
        state: request.request_state,
        answers: request.input_responses,
    };
    let given = PromptArguments::read(request.arguments).map_err(|name| {
        ErrorData::invalid_params(format!("the argument `{name}` has to be text"), None)
    })?;
    if let Some(missing) = prompt.missing(&given) {
        return Err(ErrorData::invalid_params(
            format!(
                "the prompt `{}` needs the argument `{missing}`",
                prompt.name()
            ),
            None,
        ));
    }
    let write = |context| {
        async move {
            let messages = prompt.write(&context, given).await?;
            let messages = messages.into_iter().map(shown).collect();
            let result = GetPromptResult::new(messages).with_description(prompt.description());
            Ok(Reply::Prompt(result))
        }
        .boxed()
    };
    let answered = asking::answer(server, session, asking, context, write).await;
    answered?.prompt()
}

/// Finds a prompt by its name.
pub(in crate::serve) fn find(server: &Server, name: &str) -> Result<Arc<Prompt>, ErrorData> {
    let prompts = server.inner.settings.prompts.as_ref();
    let found = prompts.and_then(|prompts| prompts.get(name));
    found.ok_or_else(|| {
        let why = format!("there is no prompt `{name}`; `prompts/list` says which there are");
        ErrorData::invalid_params(why, None)
    })
}

fn shown(message: PromptMessage) -> rmcp::model::PromptMessage {
    let role = match message.from_model {
        true => Role::Assistant,
        false => Role::User,
    };
    rmcp::model::PromptMessage::new(role, block_to_rmcp(message.content))
}
