//! The errors of a provider or model that cannot be used.

use super::Api;
use super::builtin::BuiltinProvider;
use crate::ModelError;
use helve_core::registry::nearest;
use helve_core::support::text::first_chars;

pub(super) fn unknown_provider(name: &str, known: &[&str]) -> ModelError {
    let shown = first_chars(name, 80);
    let guess = match nearest(name, known.iter().copied()) {
        Some(near) => format!("; did you mean `{near}`?"),
        None => ".".to_owned(),
    };
    ModelError::not_configured(format!(
        "unknown provider `{shown}`{guess} Known providers: {}. To use another provider, add its `base_url` under \
         `[providers.{shown}]` in `helve.toml`",
        known.join(", ")
    ))
}

pub(super) fn missing_key(known: &BuiltinProvider) -> ModelError {
    let (name, variables) = (known.name, known.key_variables.join(" or "));
    let help = known.key_help.unwrap_or_default();
    ModelError::not_configured(format!(
        "{name} needs a key: set {variables} (get a key at {help}), or add `key` under `[providers.{name}]` in `helve.toml`"
    ))
}

pub(super) fn missing_project() -> ModelError {
    ModelError::not_configured(
        "vertex needs a project: set VERTEX_PROJECT_ID, and VERTEX_LOCATION where it is not `global`",
    )
}

pub(super) fn missing_genai(provider: &str, api: Api) -> ModelError {
    ModelError::not_configured(format!(
        "{provider} needs genai (protocol `{api}`), which this binary does not include: build with the feature `genai` of \
         helve"
    ))
}

pub(super) fn missing_base_url(name: &str) -> ModelError {
    ModelError::not_configured(format!(
        "the provider `{name}` has no base URL: add `base_url` under `[providers.{name}]` in `helve.toml`"
    ))
}
