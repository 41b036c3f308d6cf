//! What a client is told of a resource before it reads it.

use std::fmt;
use std::sync::Arc;

use crate::serve::prompts::Suggest;

/// A resource as it is listed, as MCP's `Resource`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedResource {
    /// Where it is.
    pub uri: String,
    /// A short name.
    pub name: String,
    /// A name for people.
    pub title: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// For example `text/markdown`.
    pub mime_type: Option<String>,
    /// How many bytes it has.
    pub size: Option<u64>,
}

impl ListedResource {
    /// Makes a resource with a URI and a short name.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            size: None,
        }
    }

    /// Says what it is.
    #[must_use]
    pub fn described(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Sets the media type.
    #[must_use]
    pub fn typed(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }

    pub(in crate::serve) fn shown(self) -> rmcp::model::Resource {
        let mut shown = rmcp::model::Resource::new(self.uri, self.name);
        shown.title = self.title;
        shown.description = self.description;
        shown.mime_type = self.mime_type;
        shown.size = self.size;
        shown
    }
}

/// A family of resources: a URI with places to fill in, as RFC 6570 has it.
#[derive(Clone)]
pub struct ResourceTemplate {
    uri_template: String,
    name: String,
    description: Option<String>,
    mime_type: Option<String>,
    suggest: Vec<(String, Suggest)>,
}

impl ResourceTemplate {
    /// Makes a family with a short name: `ResourceTemplate::new("note://{id}", "note")`.
    pub fn new(uri_template: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri_template: uri_template.into(),
            name: name.into(),
            description: None,
            mime_type: None,
            suggest: Vec::new(),
        }
    }

    /// Says what they are.
    #[must_use]
    pub fn described(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Sets the media type that all of them have.
    #[must_use]
    pub fn typed(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }

    /// Suggests values of a place for what somebody has begun to type. A client is shown the first hundred.
    #[must_use]
    pub fn suggesting(
        mut self,
        place: impl Into<String>,
        suggest: impl Fn(&str) -> Vec<String> + Send + Sync + 'static,
    ) -> Self {
        self.suggest.push((place.into(), Arc::new(suggest)));
        self
    }

    /// Returns the URI with its places.
    #[must_use]
    pub fn uri_template(&self) -> &str {
        &self.uri_template
    }

    pub(in crate::serve) fn suggestions(&self, place: &str, typed: &str) -> Vec<String> {
        let suggest = self.suggest.iter().find(|(known, _)| known == place);
        suggest
            .map(|(_, suggest)| suggest(typed))
            .unwrap_or_default()
    }

    pub(in crate::serve) fn shown(&self) -> rmcp::model::ResourceTemplate {
        let mut shown = rmcp::model::ResourceTemplate::new(&self.uri_template, &self.name);
        shown.description.clone_from(&self.description);
        shown.mime_type.clone_from(&self.mime_type);
        shown
    }
}

impl fmt::Debug for ResourceTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResourceTemplate")
            .field("uri_template", &self.uri_template)
            .finish_non_exhaustive()
    }
}
