//! The errors of external schemas.

/// Why an external schema cannot be used.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::schema::{SchemaError, from_value};
///
/// let error = from_value(serde_json::json!({ "type": "string" })).unwrap_err();
/// assert!(matches!(error, SchemaError::Root(_)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// The root does not describe an object, so that the schema cannot describe named arguments.
    #[error("the root of the schema must describe an object, not {0}")]
    Root(String),
    /// A `$ref` points to nothing in the document.
    #[error("`$ref` to `{0}` resolves to nothing in the document")]
    Unresolved(String),
    /// A `$ref` points out of the document; helve fetches no documents.
    #[error("`$ref` to `{0}` leaves the document, and no schema is ever fetched")]
    Remote(String),
    /// The schema is nested too deeply.
    #[error(
        "the schema is nested more than {} levels deep",
        super::normalize::MAX_DEPTH
    )]
    TooDeep,
    /// The schema is too large after its references are inlined.
    #[error(
        "the schema has more than {} parts once its references are written out",
        super::normalize::MAX_NODES
    )]
    TooLarge,
    /// A keyword has an invalid value.
    #[error("the value of `{0}` is not of the form that JSON Schema gives it")]
    Malformed(String),
}
