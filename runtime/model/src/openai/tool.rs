//! The schemas of a request, and the arguments of earlier calls.

use serde_json::value::RawValue;

use crate::dialect::Dialect;
use helve_core::schema::CanonicalSchema;
use helve_core::transcript::ToolCall;

/// Returns a schema as JSON that is written as it is.
pub(super) fn schema(schema: &CanonicalSchema, dialect: Dialect) -> &RawValue {
    // A rendered schema is JSON; if it ever was not, the provider says so.
    serde_json::from_str(schema.render(dialect)).unwrap_or(RawValue::NULL)
}

/// Returns the schema of an answer, and whether it is in strict mode, which cannot express every schema.
pub(super) fn output_schema(canonical: &CanonicalSchema) -> (&RawValue, bool) {
    let strict = canonical.supports(Dialect::OpenAiStrict).is_ok();
    let dialect = match strict {
        true => Dialect::OpenAiStrict,
        false => Dialect::OpenAi,
    };
    (schema(canonical, dialect), strict)
}

/// Returns the arguments of an earlier call as the model wrote them: what is wrong with them stands in its result.
pub(super) fn arguments(call: &ToolCall) -> &str {
    match call.arguments.as_str() {
        // No text at all is how several providers spell a call without arguments, unless it was cut off there.
        "" if call.defect.is_none() => "{}",
        text => text,
    }
}
