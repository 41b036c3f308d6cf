//! The canonical schema, and its cached text for each reader.

use std::fmt;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::dialect::{MAX_DIALECTS, SchemaDialect};
use super::parameter::ParameterSchema;
use super::shape;
use super::shown::UnmarkedSchema;
use super::tree::{self, Tree};

/// Holds one schema in the canonical form, from which every dialect is rendered.
///
/// The form: references written out, except that recursive types stay under `$defs` at the root; no `$schema`, `title`
/// or numeric `format`; an optional property is absent from `required` and does not say null; `const` and documented
/// unit variants are an `enum`; `oneOf` is `anyOf`, since serde takes the first branch that fits; keywords in one order.
///
/// The schema of a tool's parameters is made when it is first asked for. Its text for MCP and whether it
/// [requires the walk](Self::requires_walk) come straight from what is known of each parameter's type, so that a tool whose
/// calls all fit never has a tree.
#[derive(Clone)]
pub struct CanonicalSchema {
    /// What the tree is made of, where it is not made yet.
    parameters: Option<ParameterListFn>,
    tree: OnceLock<Tree>,
    requires_walk: OnceLock<bool>,
    rendered: OnceLock<Value>,
    text: OnceLock<Box<str>>,
    texts: [OnceLock<Box<str>>; MAX_DIALECTS],
    /// As it was given, where it comes from elsewhere.
    original: Option<Arc<Value>>,
}

type ParameterListFn = Arc<dyn Fn() -> Vec<ParameterSchema<'static>> + Send + Sync>;

impl CanonicalSchema {
    pub(super) fn new(tree: Tree) -> Self {
        Self::from_parts(None, tree.into())
    }

    /// Makes the input schema of a tool, later.
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

    /// Makes a schema of a part of another one, with the private markers.
    #[doc(hidden)]
    pub fn from_part(schema: Value) -> Self {
        Self::new(Tree {
            schema,
            marked: true,
            walk: true,
        })
    }

    /// Keeps the schema as it was given, too.
    pub(super) fn with_original(mut self, given: Value) -> Self {
        self.original = Some(Arc::new(given));
        self
    }

    /// Returns the schema as it was given, where it comes from elsewhere, and the canonical schema otherwise: for readers
    /// that understand all of JSON Schema, and perhaps more than it has.
    pub fn as_given(&self) -> &Value {
        self.original.as_deref().unwrap_or_else(|| self.value())
    }

    /// Returns the canonical schema.
    pub fn value(&self) -> &Value {
        let tree = self.built_tree();
        if tree.marked {
            let shown = || serde_json::to_value(UnmarkedSchema(&tree.schema));
            // A tree of strings, numbers and lists always serialises.
            self.rendered.get_or_init(|| shown().unwrap_or_default())
        } else {
            &tree.schema
        }
    }

    /// Returns the schema's text in a dialect, rendered on first use.
    ///
    /// There is always a text. Where [`supports`](Self::supports) says that a dialect cannot express the schema, the text is
    /// the nearest thing that the provider accepts.
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

    /// Checks that a dialect expresses everything that decides which values fit; the error says what it cannot express.
    ///
    /// # Errors
    ///
    /// A sentence for the programmer: the place in the schema and what the provider does not take.
    pub fn supports(&self, dialect: impl SchemaDialect) -> Result<(), String> {
        dialect.supports(self.marked())
    }

    /// Returns whether the schema promises something that serde does not enforce below the top-level parameters.
    ///
    /// A nested `minimum` or `pattern`, `uniqueItems`, `minItems` and the like; then a call is checked with
    /// [`explain`](super::explain()) even when it decodes. The ranges of Rust's number types, unit variants and denied
    /// unknown fields are serde's own work, and the constraints of parameters are the argument parser's. A schema from
    /// elsewhere always requires the walk.
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
