//! The schemas of a request.

use serde_json::value::RawValue;

use crate::schema::{Canonical, Dialect};

/// Returns a schema as JSON that is written as it is.
pub(super) fn schema(schema: &Canonical, dialect: Dialect) -> &RawValue {
    // A rendered schema is JSON; if it ever was not, the provider says so.
    serde_json::from_str(schema.render(dialect)).unwrap_or(RawValue::NULL)
}

/// Returns the schema of an answer, and whether it is in strict mode, which cannot express every schema.
pub(super) fn output(canonical: &Canonical) -> (&RawValue, bool) {
    let strict = canonical.supports(Dialect::OpenAiStrict).is_ok();
    let dialect = match strict {
        true => Dialect::OpenAiStrict,
        false => Dialect::OpenAi,
    };
    (schema(canonical, dialect), strict)
}
