//! What is told to a user whose choice of a model comes to nothing.

use super::Api;
use super::known::{Key, Known};
use crate::model::ModelError;
use crate::registry::nearest;

fn not_configured(what: String) -> ModelError {
    ModelError::NotConfigured { what }
}

pub(super) fn no_provider(name: &str, known: &[&str]) -> ModelError {
    let shown: String = name.chars().take(80).collect();
    let guess = nearest(name, known.iter().copied());
    let guess = guess.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
    not_configured(format!(
        "there is no provider `{shown}`{guess}{} There are: {}. For another one, write `[providers.{shown}]` with a \
         `base_url` into the configuration",
        if guess.is_empty() { "." } else { "" },
        known.join(", ")
    ))
}

pub(super) fn no_key(known: &Known) -> ModelError {
    let (Key::Needed { variables, page } | Key::Ambient { variables, page }) = known.key else {
        return not_configured(format!("{} has no key", known.name));
    };
    not_configured(format!(
        "{name} needs a key: set {variable} (keys are at {page}), or write `key` under `[providers.{name}]` into the \
         configuration",
        name = known.name,
        variable = variables.join(" or "),
    ))
}

pub(super) fn no_genai(provider: &str, api: Api) -> ModelError {
    not_configured(format!(
        "{provider} is spoken to through genai ({api}), which is not in this binary: build it with the feature `genai` of \
         helve"
    ))
}

pub(super) fn no_base_url(name: &str) -> ModelError {
    not_configured(format!(
        "nobody said where {name} is: write `base_url` under `[providers.{name}]` into the configuration"
    ))
}

/// Takes a base URL that can be one, without the slashes at its end.
pub(super) fn checked_url(name: &str, url: String) -> Result<String, ModelError> {
    let trimmed = url.trim().trim_end_matches('/');
    let good = reqwest::Url::parse(trimmed)
        .is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    match good {
        true => Ok(trimmed.to_owned()),
        // A URL may hold a password, so it is not repeated.
        false => Err(not_configured(format!(
            "the base URL of {name} is none: write it as in `https://api.example.com/v1`"
        ))),
    }
}
