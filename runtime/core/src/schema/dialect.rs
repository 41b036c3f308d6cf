//! Schema dialects: the forms in which readers accept schemas.

use serde_json::Value;

/// The number of dialect texts that a schema caches, besides its own.
pub(super) const MAX_DIALECTS: usize = 4;

/// A form in which a reader accepts schemas, such as a model's provider.
pub trait SchemaDialect: Copy {
    /// Returns the index of the dialect's text among those that a schema caches; `None` for the canonical form itself.
    fn index(&self) -> Option<usize>;

    /// Renders a canonical schema that contains the private markers.
    fn render(&self, schema: &Value) -> String;

    /// Checks that the dialect can express all constraints of the schema.
    ///
    /// # Errors
    ///
    /// The location in the schema and what the reader does not support.
    fn supports(&self, schema: &Value) -> Result<(), String>;
}
