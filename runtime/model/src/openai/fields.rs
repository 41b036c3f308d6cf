//! Fields that the requests of both protocols share.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde_json::value::RawValue;

use crate::ModelRequest;
use crate::dialect::Dialect;
use helve_core::schema::CanonicalSchema;
use helve_core::transcript::ToolCall;

/// Returns a schema as JSON that is serialized unchanged.
pub(super) fn schema(schema: &CanonicalSchema, dialect: Dialect) -> &RawValue {
    // A rendered schema is always JSON; otherwise the provider rejects the request.
    serde_json::from_str(schema.render(dialect)).unwrap_or(RawValue::NULL)
}

/// Returns the schema of structured output, and whether it is in strict mode, which cannot express every schema.
pub(super) fn output_schema(canonical: &CanonicalSchema) -> (&RawValue, bool) {
    let strict = canonical.supports(Dialect::OpenAiStrict).is_ok();
    let dialect = match strict {
        true => Dialect::OpenAiStrict,
        false => Dialect::OpenAi,
    };
    (schema(canonical, dialect), strict)
}

/// Returns the arguments of an earlier call as the model wrote them; the result of the call describes their defect.
pub(super) fn arguments(call: &ToolCall) -> &str {
    match call.arguments.as_str() {
        // Several providers send no text for a call without arguments; a truncated call is the exception.
        "" if call.defect.is_none() => "{}",
        text => text,
    }
}

/// Returns the configured key, or derives one from the values that are constant in a conversation: the instructions,
/// the tools, and the first message, which distinguishes conversations.
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
        // A message that cannot be serialized is left out of the key.
        serde_json::to_string(first).ok().hash(&mut hasher);
    }
    format!("helve-{:016x}", hasher.finish()).into()
}
