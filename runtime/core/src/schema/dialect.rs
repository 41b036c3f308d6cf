//! The forms in which readers take schemas.

use serde_json::Value;

/// How many texts of dialects a schema keeps, beside its own.
pub(super) const MAX_DIALECTS: usize = 4;

/// A form in which a reader takes schemas, such as a model's provider.
pub trait SchemaDialect: Copy {
    /// Returns the place of the dialect's text among the four that a schema keeps; `None` for the canonical form itself.
    fn index(&self) -> Option<usize>;

    /// Renders a canonical schema that has the private markers.
    fn render(&self, schema: &Value) -> String;

    /// Checks that the dialect expresses everything that decides which values fit.
    ///
    /// # Errors
    ///
    /// The place in the schema and what the reader does not take.
    fn supports(&self, schema: &Value) -> Result<(), String>;
}
