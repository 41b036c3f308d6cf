//! The entries of `resources/list` and `resources/templates/list`.

use std::fmt;
use std::sync::Arc;

use crate::prompts::SuggestFn;

/// The entry of a resource in a list (MCP's `Resource`).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedResource {
    /// The URI.
    pub uri: String,
    /// A short name.
    pub name: String,
    /// The title, a name for display.
    pub title: Option<String>,
    /// The description.
    pub description: Option<String>,
    /// The media type, such as `text/markdown`.
    pub mime_type: Option<String>,
    /// The size in bytes.
    pub size: Option<u64>,
}

impl ListedResource {
    /// Creates the entry of a resource with a URI and a short name.
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

    /// Sets the description.
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

    pub(crate) fn into_rmcp(self) -> rmcp::model::Resource {
        let mut resource = rmcp::model::Resource::new(self.uri, self.name);
        resource.title = self.title;
        resource.description = self.description;
        resource.mime_type = self.mime_type;
        resource.size = self.size;
        resource
    }
}

/// A template of resources: a URI with variables (RFC 6570).
#[derive(Clone)]
pub struct ResourceTemplate {
    uri_template: String,
    name: String,
    description: Option<String>,
    mime_type: Option<String>,
    suggest: Vec<(String, SuggestFn)>,
}

impl ResourceTemplate {
    /// Creates a template with a short name: `ResourceTemplate::new("note://{id}", "note")`.
    pub fn new(uri_template: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri_template: uri_template.into(),
            name: name.into(),
            description: None,
            mime_type: None,
            suggest: Vec::new(),
        }
    }

    /// Sets the description.
    #[must_use]
    pub fn described(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Sets the media type of all resources of the template.
    #[must_use]
    pub fn typed(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }

    /// Sets the function that suggests values of a variable for the beginning of a value. A client receives the first
    /// hundred.
    #[must_use]
    pub fn suggesting(
        mut self,
        variable: impl Into<String>,
        suggest: impl Fn(&str) -> Vec<String> + Send + Sync + 'static,
    ) -> Self {
        self.suggest.push((variable.into(), Arc::new(suggest)));
        self
    }

    /// Returns the URI template.
    #[must_use]
    pub fn uri_template(&self) -> &str {
        &self.uri_template
    }

    pub(crate) fn suggestions(&self, variable: &str, typed: &str) -> Vec<String> {
        let suggest = self.suggest.iter().find(|(known, _)| known == variable);
        suggest
            .map(|(_, suggest)| suggest(typed))
            .unwrap_or_default()
    }

    pub(crate) fn to_rmcp(&self) -> rmcp::model::ResourceTemplate {
        let mut template = rmcp::model::ResourceTemplate::new(&self.uri_template, &self.name);
        template.description.clone_from(&self.description);
        template.mime_type.clone_from(&self.mime_type);
        template
    }
}

impl fmt::Debug for ResourceTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResourceTemplate")
            .field("uri_template", &self.uri_template)
            .finish_non_exhaustive()
    }
}
