//! Lists the models of a provider.

use std::time::Duration;

use serde_json::Value;

use super::{Api, Providers};
use crate::{ModelError, Price, http};
use helve_core::transcript::Cost;

/// A model that a provider offers.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct OfferedModel {
    /// The name of the model at the provider.
    pub id: String,
    /// The size of the context window in tokens, if the provider reports it.
    pub context_window: Option<u64>,
    /// The price per million tokens, if the provider reports it.
    pub price: Option<Price>,
}

impl Providers {
    /// Lists the models that a provider offers, sorted by name. The key of the provider is sent.
    ///
    /// # Errors
    /// If the provider does not exist, its key is missing, it does not list its models, or it does not respond before
    /// the deadline.
    pub async fn list_models(
        &self,
        name: &str,
        deadline: Duration,
    ) -> Result<Vec<OfferedModel>, ModelError> {
        let connection = self.connection(name)?;
        connection.check_key(name)?;
        let base = connection.endpoint.base_path();
        // The base URL is configured with or without the version.
        let versioned = |path: &str| match base.is_empty() {
            true => format!("v1/{path}"),
            false => path.to_owned(),
        };
        let (path, query) = match connection.api {
            Api::Anthropic if base.ends_with("/v1") => ("models".to_owned(), "limit=1000"),
            Api::Anthropic => ("v1/models".to_owned(), "limit=1000"),
            Api::Gemini => ("models".to_owned(), "pageSize=1000"),
            Api::Ollama => ("api/tags".to_owned(), ""),
            Api::OpenaiChat | Api::OpenaiResponses => (versioned("models"), ""),
            Api::Bedrock | Api::Vertex => {
                return Err(ModelError::not_configured(format!(
                    "{name} does not list its models through this API: see the console of the provider"
                )));
            }
        };
        let endpoint = match connection.api {
            Api::Anthropic => crate::anthropic::with_version(connection.endpoint),
            _ => connection.endpoint,
        };
        let answer = http::get_json(&endpoint, &path, query, deadline).await?;
        let mut models = parse_list(&answer).ok_or_else(|| {
            ModelError::malformed(format!("{name} does not answer with a list of models"))
        })?;
        models.sort_by(|one, other| one.id.cmp(&other.id));
        Ok(models)
    }
}

/// Parses a list of models in the format of any provider: a list, or an object with it as `data` or `models`.
fn parse_list(answer: &Value) -> Option<Vec<OfferedModel>> {
    let list = answer
        .as_array()
        .or_else(|| answer["data"].as_array())
        .or_else(|| answer["models"].as_array())?;
    Some(list.iter().filter_map(parse_model).collect())
}

fn parse_model(model: &Value) -> Option<OfferedModel> {
    let id = model["id"].as_str().or_else(|| model["name"].as_str())?;
    let sizes = [
        "context_length",
        "context_window",
        "max_context_length",
        "max_model_len",
        "max_input_tokens",
        "inputTokenLimit",
    ];
    let context_window = sizes.iter().find_map(|key| model[*key].as_u64());
    Some(OfferedModel {
        // Gemini puts its kind before the name.
        id: id.strip_prefix("models/").unwrap_or(id).to_owned(),
        context_window: context_window.filter(|size| *size > 0),
        price: parse_price(&model["pricing"]),
    })
}

/// Parses a price: dollars per token as `prompt` and `completion`, or per million tokens as `input` and `output`.
fn parse_price(pricing: &Value) -> Option<Price> {
    let cost = |key: &str, factor: f64| {
        let value = &pricing[key];
        let dollars = value
            .as_f64()
            .or_else(|| value.as_str()?.parse::<f64>().ok())?;
        let micros = (dollars * factor * 1e6).round();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is checked"
        )]
        (0.0..1e15)
            .contains(&micros)
            .then(|| Cost::from_micros(micros as u64))
    };
    let price =
        |input, output, factor| Some(Price::new(cost(input, factor)?, cost(output, factor)?));
    price("prompt", "completion", 1e6).or_else(|| price("input", "output", 1.0))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn price(input: u64, output: u64) -> Option<Price> {
        Some(Price::new(
            Cost::from_micros(input),
            Cost::from_micros(output),
        ))
    }

    #[test]
    fn lists_of_every_format_are_parsed() {
        let read = |answer: Value| {
            let models = parse_list(&answer).expect("a list");
            let models = models.into_iter();
            models
                .map(|model| (model.id, model.context_window, model.price))
                .collect::<Vec<_>>()
        };
        let openrouter = json!({ "data": [{ "id": "a/b", "context_length": 1000,
            "pricing": { "prompt": "0.0000025", "completion": "0.00001" } }] });
        let model = ("a/b".to_owned(), Some(1000), price(2_500_000, 10_000_000));
        assert_eq!(read(openrouter), [model]);
        let together =
            json!([{ "id": "c", "context_length": 0, "pricing": { "input": 0.2, "output": 0.6 } }]);
        let model = ("c".to_owned(), None, price(200_000, 600_000));
        assert_eq!(read(together), [model]);
        let gemini = json!({ "models": [{ "name": "models/g", "inputTokenLimit": 5 }] });
        assert_eq!(read(gemini), [("g".to_owned(), Some(5), None)]);
        let ollama = json!({ "models": [{ "name": "qwen3:8b", "size": 5 }] });
        assert_eq!(read(ollama), [("qwen3:8b".to_owned(), None, None)]);
        let negative = json!({ "data": [{ "id": "auto", "pricing": { "prompt": "-1", "completion": "-1" } }, {}] });
        assert_eq!(read(negative), [("auto".to_owned(), None, None)]);
        assert!(parse_list(&json!({ "error": "no" })).is_none());
    }
}
