//! The errors of a model choice that cannot be used.

use super::Api;
use super::builtin::BuiltinProvider;
use crate::ModelError;
use helve_core::registry::nearest;
use helve_core::support::text::first_chars;

fn not_configured(what: String) -> ModelError {
    ModelError::NotConfigured { what }
}

pub(super) fn unknown_provider(name: &str, known: &[&str]) -> ModelError {
    let shown = first_chars(name, 80);
    let guess = match nearest(name, known.iter().copied()) {
        Some(near) => format!("; did you mean `{near}`?"),
        None => ".".to_owned(),
    };
    not_configured(format!(
        "unknown provider `{shown}`{guess} Known providers: {}. To use another provider, add its `base_url` under \
         `[providers.{shown}]` in `helve.toml`",
        known.join(", ")
    ))
}

pub(super) fn missing_key(known: &BuiltinProvider) -> ModelError {
    let (name, key) = (known.name, known.key);
    not_configured(format!(
        "{name} needs a key: set {} (get a key at {}), or add `key` under `[providers.{name}]` in `helve.toml`",
        key.variables.join(" or "),
        key.help_page
    ))
}

pub(super) fn missing_project() -> ModelError {
    not_configured(
        "vertex needs a project: set VERTEX_PROJECT_ID, and VERTEX_LOCATION where it is not `global`".to_owned(),
    )
}

pub(super) fn missing_genai(provider: &str, api: Api) -> ModelError {
    not_configured(format!(
        "{provider} needs genai (protocol `{api}`), which this binary does not include: build with the feature `genai` of \
         helve"
    ))
}

pub(super) fn missing_base_url(name: &str) -> ModelError {
    not_configured(format!(
        "the provider `{name}` has no base URL: add `base_url` under `[providers.{name}]` in `helve.toml`"
    ))
}
