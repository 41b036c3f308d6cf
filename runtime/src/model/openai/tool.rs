//! The tools of a request, and what a call of an earlier reply looked like.

use serde_json::value::RawValue;

use crate::model::ModelError;
use crate::schema::{Canonical, Dialect};

/// Returns the text of a schema as JSON that is written as it is.
pub(super) fn schema(schema: &Canonical, dialect: Dialect) -> Result<&RawValue, ModelError> {
    // A schema that we rendered is JSON; an error that says otherwise is better than a panic.
    serde_json::from_str(schema.render(dialect)).map_err(ModelError::provider)
}

/// Returns the schema of an answer, in strict mode where that can express it.
pub(super) fn output(canonical: &Canonical) -> Result<(&RawValue, bool), ModelError> {
    let strict = canonical.supports(Dialect::OpenAiStrict).is_ok();
    let dialect = match strict {
        true => Dialect::OpenAiStrict,
        false => Dialect::OpenAi,
    };
    Ok((schema(canonical, dialect)?, strict))
}
