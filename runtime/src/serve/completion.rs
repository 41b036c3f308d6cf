//! `completion/complete`: what may be meant by what somebody has begun to type.

use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, ErrorData, Reference};

use super::Server;
use super::{prompts, resources};

/// Answers `completion/complete`.
pub(super) fn complete(
    server: &Server,
    request: &CompleteRequestParams,
) -> Result<CompleteResult, ErrorData> {
    let argument = &request.argument;
    let (name, typed) = (argument.name.as_str(), argument.value.as_str());
    let suggestions = match &request.r#ref {
        Reference::Prompt(reference) => {
            let prompt = prompts::answer::find(server, &reference.name)?;
            // A name that the prompt does not take has no values, which is no mistake of whoever types.
            let argument = prompt.find(name);
            argument.map(|argument| argument.suggestions(typed))
        }
        Reference::Resource(reference) => {
            let templates = resources::answer::all_templates(server);
            let mut templates = templates.iter();
            let found = templates.find(|template| template.uri_template() == reference.uri);
            let template = found.ok_or_else(|| {
                let uri = &reference.uri;
                ErrorData::invalid_params(format!("there is no template `{uri}`"), None)
            })?;
            Some(template.suggestions(name, typed))
        }
        _ => None,
    };
    let mut values = suggestions.unwrap_or_default();
    let total = u32::try_from(values.len()).ok();
    let has_more = values.len() > CompletionInfo::MAX_VALUES;
    values.truncate(CompletionInfo::MAX_VALUES);
    let completion = CompletionInfo::with_pagination(values, total, has_more);
    completion
        .map(CompleteResult::new)
        .map_err(|error| ErrorData::internal_error(error, None))
}
