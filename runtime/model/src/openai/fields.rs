//! Fields that the requests of both protocols have.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde_json::value::RawValue;

use crate::ModelRequest;
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

/// Returns the given key, or makes one of what stays the same for a whole conversation: the instructions, the tools, and
/// the first message, which distinguishes conversations.
pub(super) fn cache_key<'a>(given: Option<&'a str>, request: &ModelRequest) -> Cow<'a, str> {
    if let Some(key) = given {
        return key.into();
    }
    let mut hasher = DefaultHasher::new();
    request.system.hash(&mut hasher);
    for tool in request.tools.iter() {
        tool.name.hash(&mut hasher);
    }
    if let Some(first) = request.messages.first() {
        // What cannot be written is no part of the key.
        serde_json::to_string(first).ok().hash(&mut hasher);
    }
    format!("helve-{:016x}", hasher.finish()).into()
}
