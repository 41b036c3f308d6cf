//! The format of an answer that is a value: the schema of its type, and how the text is parsed.

use std::fmt::Write as _;
use std::sync::Arc;

use schemars::{JsonSchema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use helve_core::schema::{
    CanonicalSchema, Constraints, Mistake, Mistakes, ParameterSchema, explain, input_schema,
    object_schema, repair,
};
use helve_model::OutputFormat;

/// The key of a value that is no object: providers require an object at the root.
const VALUE_KEY: &str = "value";

/// The greatest length of the name of an output format that all providers accept.
const MAX_NAME_CHARS: usize = 64;

/// The format of an answer that is a value.
pub(super) struct AnswerFormat {
    name: String,
    schema: Arc<CanonicalSchema>,
    /// Whether the value is below [`VALUE_KEY`].
    is_wrapped: bool,
}

impl AnswerFormat {
    pub(super) fn for_type<T: JsonSchema>() -> Self {
        let object = object_schema(SchemaGenerator::subschema_for::<T>);
        Self {
            name: format_name(&T::schema_name()),
            is_wrapped: object.is_none(),
            schema: Arc::new(object.unwrap_or_else(wrapped_schema::<T>)),
        }
    }

    /// Returns the format of the answers of an agent that returns objects.
    pub(super) fn for_output(output: &OutputFormat) -> Self {
        Self {
            name: output.name.to_string(),
            schema: Arc::clone(&output.schema),
            is_wrapped: false,
        }
    }

    /// Returns the format as an option of the model.
    pub(super) fn output_format(&self) -> OutputFormat {
        OutputFormat::new(&*self.name, Arc::clone(&self.schema))
    }

    /// Parses an answer, repaired where it has only one possible meaning.
    pub(super) fn parse<T: DeserializeOwned>(&self, answer: &str) -> Result<T, Mistakes> {
        let repaired = repair(&self.schema, answer);
        let answer = match &repaired {
            Some(repaired) => &*repaired.arguments,
            None => answer,
        };
        let mistakes = explain(&self.schema, answer);
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        self.decode(answer).map_err(|error| {
            // A constraint that a schema cannot express, such as that of a `TryFrom`.
            Mistake::new("", "a value of the requested type", error.to_string()).into()
        })
    }

    fn decode<T: DeserializeOwned>(&self, answer: &str) -> serde_json::Result<T> {
        if !self.is_wrapped {
            return serde_json::from_str(answer);
        }
        let mut object: Map<String, Value> = serde_json::from_str(answer)?;
        serde_json::from_value(object.remove(VALUE_KEY).unwrap_or_default())
    }

    /// Returns the message that asks the model to correct its answer.
    pub(super) fn repair_prompt(&self, mistakes: &Mistakes) -> String {
        let mut prompt = "The answer does not match the required format:\n".to_owned();
        for mistake in mistakes.iter().take(Mistakes::MAX_SHOWN) {
            let _ = writeln!(prompt, "- {}", describe_mistake(mistake));
        }
        let _ = write!(
            prompt,
            "\nAnswer again with one JSON object that matches this JSON Schema, and nothing else:\n{}",
            self.schema.text()
        );
        prompt
    }
}

/// Describes a mistake in an answer, with its location.
pub(super) fn describe_mistake(mistake: &Mistake) -> String {
    match &*mistake.path {
        "" => format!("the answer: {}", mistake.describe()),
        path => format!("`{path}`: {}", mistake.describe()),
    }
}

/// Returns the schema of an object that holds a value.
fn wrapped_schema<T: JsonSchema>() -> CanonicalSchema {
    input_schema(vec![ParameterSchema {
        name: VALUE_KEY,
        description: "",
        schema: SchemaGenerator::subschema_for::<T>,
        required: true,
        default: None,
        examples: Vec::new(),
        constraints: Constraints::NONE,
    }])
}

/// Returns the name of a type in the characters that providers allow.
fn format_name(name: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    let characters = name.chars().take(MAX_NAME_CHARS);
    characters
        .map(|c| if allowed(c) { c } else { '_' })
        .collect()
}
