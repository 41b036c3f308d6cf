//! Vectors of texts from embedding models.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Api, Providers};
use crate::{ModelError, ModelName, http};

impl Providers {
    /// Turns texts into vectors with an embedding model, through the API of OpenAI, which Ollama and many gateways have, too.
    /// The vectors are in the order of the texts, and all of one length.
    ///
    /// # Errors
    /// If the provider does not exist, its key is missing, it has no embeddings through this API, it answers with something
    /// else than a vector for each text, or it does not respond before the deadline.
    pub async fn embed(
        &self,
        model: &ModelName,
        texts: &[String],
        deadline: Duration,
    ) -> Result<Vec<Vec<f32>>, ModelError> {
        let provider = model.provider();
        let connection = self.connection(provider)?;
        connection.check_key(provider)?;
        let has_embeddings = matches!(
            connection.api,
            Api::OpenaiChat | Api::OpenaiResponses | Api::Ollama
        );
        if !has_embeddings {
            return Err(ModelError::not_configured(format!(
                "{provider} has no embeddings through the API of OpenAI: choose an embedding model of another provider"
            )));
        }
        // The base URL is configured with or without the version.
        let path = match connection.endpoint.base_path().is_empty() {
            true => "v1/embeddings",
            false => "embeddings",
        };
        let body = json!({ "model": model.model(), "input": texts, "encoding_format": "float" });
        let answer = http::post_json(&connection.endpoint, path, &body, deadline).await?;
        parse_vectors(&answer, texts.len()).ok_or_else(|| {
            let wanted = texts.len();
            ModelError::malformed(format!(
                "{provider} does not answer with {wanted} vectors of one length"
            ))
        })
    }
}

/// Parses the vectors of an answer, which may be in any order.
fn parse_vectors(answer: &Value, count: usize) -> Option<Vec<Vec<f32>>> {
    let data = answer["data"].as_array()?;
    let mut vectors = vec![Vec::new(); count];
    for (at, item) in data.iter().enumerate() {
        let index = item["index"]
            .as_u64()
            .and_then(|index| usize::try_from(index).ok());
        let numbers = item["embedding"].as_array()?.iter();
        let numbers = numbers.map(|number| Some(number.as_f64()? as f32));
        *vectors.get_mut(index.unwrap_or(at))? = numbers.collect::<Option<Vec<f32>>>()?;
    }
    let length = vectors.first().map_or(0, Vec::len);
    let is_whole = |vector: &Vec<f32>| vector.len() == length && !vector.is_empty();
    vectors.iter().all(is_whole).then_some(vectors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_is_needed_for_each_text() {
        let item = |index: u64, embedding: Value| json!({ "index": index, "embedding": embedding });
        let answer = |items: &[Value]| json!({ "data": items });
        let whole = answer(&[item(1, json!([3, 4.5])), item(0, json!([1, 2]))]);
        assert_eq!(
            parse_vectors(&whole, 2),
            Some(vec![vec![1.0, 2.0], vec![3.0, 4.5]])
        );
        for broken in [
            answer(&[item(0, json!([1, 2]))]),
            answer(&[item(0, json!([1, 2])), item(1, json!([1]))]),
            answer(&[item(0, json!([1, 2])), item(7, json!([1, 2]))]),
            answer(&[item(0, json!([1, 2])), item(1, json!(["a", 2]))]),
            answer(&[item(0, json!([])), item(1, json!([]))]),
            json!({ "data": "AAAA" }),
            json!([]),
        ] {
            assert_eq!(parse_vectors(&broken, 2), None, "{broken}");
        }
    }
}
