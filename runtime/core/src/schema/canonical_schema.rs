//! The canonical schema, and its cached text for each dialect.

use std::fmt;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::dialect::{MAX_DIALECTS, SchemaDialect};
use super::parameter::ParameterSchema;
use super::shape;
use super::shown::UnmarkedSchema;
use super::tree::{self, Tree};

/// A schema in the canonical form, from which every dialect is rendered.
///
/// In the canonical form, references are inlined, except that recursive types stay under `$defs` at the root; there is
/// no `$schema`, `title` or numeric `format`; an optional property is absent from `required` and does not allow null;
/// `const` and documented unit variants are an `enum`; `oneOf` is `anyOf`, since serde takes the first branch that
/// matches; keywords are in a fixed order.
///
/// The schema of a tool's parameters is built when it is first used. Its text for MCP and the result of
/// [`requires_walk`](Self::requires_walk) are computed from the cached shapes of the parameter types, so that no tree
/// is built for a tool whose calls are all valid.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::schema::from_value;
///
/// let schema = from_value(serde_json::json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/n" } },
///     "$defs": { "n": { "type": "integer" } } }))?;
/// assert_eq!(schema.value()["properties"]["a"]["type"], "integer");
/// # Ok::<(), helve::schema::SchemaError>(())
/// ```
#[derive(Clone)]
pub struct CanonicalSchema {
    /// The parameters that the tree is built from, if it is not built yet.
    parameters: Option<ParameterListFn>,
    tree: OnceLock<Tree>,
    requires_walk: OnceLock<bool>,
    rendered: OnceLock<Value>,
    text: OnceLock<Box<str>>,
    texts: [OnceLock<Box<str>>; MAX_DIALECTS],
    /// The original value of an external schema.
    original: Option<Arc<Value>>,
}

type ParameterListFn = Arc<dyn Fn() -> Vec<ParameterSchema<'static>> + Send + Sync>;

impl CanonicalSchema {
    pub(super) fn new(tree: Tree) -> Self {
        Self::from_parts(None, tree.into())
    }

    /// Creates the input schema of a tool, which is built at its first use.
    pub(crate) fn from_parameters(
        parameters: impl Fn() -> Vec<ParameterSchema<'static>> + Send + Sync + 'static,
    ) -> Self {
        Self::from_parts(Some(Arc::new(parameters)), OnceLock::new())
    }

    fn from_parts(parameters: Option<ParameterListFn>, tree: OnceLock<Tree>) -> Self {
        Self {
            parameters,
            tree,
            requires_walk: OnceLock::new(),
            rendered: OnceLock::new(),
            text: OnceLock::new(),
            texts: Default::default(),
            original: None,
        }
    }

    /// Creates a schema from a part of another one, with the private markers.
    #[doc(hidden)]
    pub fn from_part(schema: Value) -> Self {
        Self::new(Tree {
            schema,
            marked: true,
            walk: true,
        })
    }

    /// Stores the original value of the schema.
    pub(super) fn with_original(mut self, given: Value) -> Self {
        self.original = Some(Arc::new(given));
        self
    }

    /// Returns the original of an external schema, and the canonical schema otherwise. This is for readers that
    /// understand all of JSON Schema, and possibly extensions of it.
    pub fn as_given(&self) -> &Value {
        self.original.as_deref().unwrap_or_else(|| self.value())
    }

    /// Returns the canonical schema.
    pub fn value(&self) -> &Value {
        let tree = self.built_tree();
        if tree.marked {
            let shown = || serde_json::to_value(UnmarkedSchema(&tree.schema));
            // Serialising a tree of strings, numbers and lists does not fail.
            self.rendered.get_or_init(|| shown().unwrap_or_default())
        } else {
            &tree.schema
        }
    }

    /// Returns the schema's text in a dialect, rendered on first use.
    ///
    /// A text is always returned. If [`supports`](Self::supports) returns an error because the dialect cannot express
    /// the schema, the text is the closest one that the provider accepts.
    pub fn render(&self, dialect: impl SchemaDialect) -> &str {
        let text = dialect.index().and_then(|index| self.texts.get(index));
        text.map_or_else(
            || self.text(),
            |text| text.get_or_init(|| dialect.render(self.marked()).into_boxed_str()),
        )
    }

    /// Returns the text of the canonical schema, rendered on first use.
    pub fn text(&self) -> &str {
        self.text.get_or_init(|| {
            let parameters = self.parameters.as_ref();
            let straight = parameters.and_then(|parameters| shape::text(parameters()));
            let text = straight.unwrap_or_else(|| UnmarkedSchema(self.marked()).to_string());
            text.into_boxed_str()
        })
    }

    /// Checks that a dialect can express all constraints of the schema.
    ///
    /// # Errors
    ///
    /// A sentence for the programmer: the location in the schema and what the provider does not support.
    pub fn supports(&self, dialect: impl SchemaDialect) -> Result<(), String> {
        dialect.supports(self.marked())
    }

    /// Returns whether the schema has constraints below the top-level parameters that serde does not enforce.
    ///
    /// These are a nested `minimum` or `pattern`, `uniqueItems`, `minItems` and similar keywords. A call is then
    /// checked with [`explain`](super::explain()) even if it decodes. Serde itself enforces the ranges of Rust's
    /// number types, unit variants and denied unknown fields, and the argument parser enforces the constraints of
    /// parameters. An external schema always requires the walk.
    pub fn requires_walk(&self) -> bool {
        *self.requires_walk.get_or_init(|| {
            let parameters = self.parameters.as_ref();
            let known = parameters.and_then(|parameters| shape::requires_walk(&parameters()));
            known.unwrap_or_else(|| self.built_tree().walk)
        })
    }

    /// Returns the schema with the private markers.
    #[doc(hidden)]
    pub fn marked(&self) -> &Value {
        &self.built_tree().schema
    }

    fn built_tree(&self) -> &Tree {
        self.tree.get_or_init(|| {
            let parameters = self.parameters.as_ref();
            tree::input_tree(parameters.map(|list| list()).unwrap_or_default())
        })
    }
}

impl fmt::Debug for CanonicalSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Canonical").field(self.value()).finish()
    }
}

impl PartialEq for CanonicalSchema {
    fn eq(&self, other: &Self) -> bool {
        self.marked() == other.marked()
    }
}
