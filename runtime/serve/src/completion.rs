//! Answers `completion/complete` with suggestions for an argument of a prompt or of a resource template.

use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, ErrorData, Reference};

use super::settings::Settings;
use super::{prompts, resources};

/// Answers `completion/complete`.
pub(super) fn complete(
    settings: &Settings,
    request: &CompleteRequestParams,
) -> Result<CompleteResult, ErrorData> {
    let argument = &request.argument;
    let (name, typed) = (argument.name.as_str(), argument.value.as_str());
    let suggestions = match &request.r#ref {
        Reference::Prompt(reference) => {
            let prompt = prompts::requests::find(settings, &reference.name)?;
            // An unknown argument has no suggestions, and is no error.
            let argument = prompt.find_argument(name);
            argument.map(|argument| argument.suggestions(typed))
        }
        Reference::Resource(reference) => {
            let templates = resources::requests::all_templates(settings);
            let mut templates = templates.iter();
            let found = templates.find(|template| template.uri_template() == reference.uri);
            let template = found.ok_or_else(|| {
                let uri = &reference.uri;
                ErrorData::invalid_params(format!("unknown template `{uri}`"), None)
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
