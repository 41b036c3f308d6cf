//! Resolves the connection to a provider from built-in values, the configuration and the environment.

use std::sync::Arc;

use super::builtin::{BUILTIN_PROVIDERS, BuiltinProvider, ProviderLocation};
use super::{Api, KeyOrigin, Provider, Providers, error};
use crate::{
    AnthropicModel, Endpoint, Model, ModelError, ModelName, OpenAiChatModel, OpenAiResponsesModel,
};
use helve_core::capability::Secret;

#[derive(Debug)]
pub(super) struct ProviderConnection {
    pub(super) api: Api,
    pub(super) base_url: String,
    pub(super) key_origin: KeyOrigin,
    pub(super) endpoint: Endpoint,
}

impl Providers {
    /// Resolves the connection to a provider; its key may be missing.
    pub(super) fn connection(&self, name: &str) -> Result<ProviderConnection, ModelError> {
        let (known, configured) = (BuiltinProvider::find(name), self.configured.get(name));
        if known.is_none() && configured.is_none() {
            return Err(error::unknown_provider(name, &self.names()));
        }
        let none = Provider::default();
        let configured = configured.unwrap_or(&none);
        let api = configured.api.or(known.map(|known| known.api));
        let api = api.unwrap_or(Api::OpenaiChat);
        let (base_url, is_overridden) = self.resolve_location(name, known, configured)?;
        let mut endpoint = Endpoint::new(name, &base_url)?;
        for (header, value) in &configured.headers {
            // A gateway may have its key in a custom header.
            endpoint = endpoint.secret_header(header, value)?;
        }
        let (key, key_origin) = self.resolve_key(name, known, configured, is_overridden);
        if let Some(source) = key_origin.source(name) {
            endpoint = endpoint.key_source(source);
        }
        if let Some(key) = key {
            let (header, value) = api.key_header(key.expose());
            if !endpoint.has_header(header) {
                endpoint = endpoint.secret_header(header, &value)?;
            }
        }
        Ok(ProviderConnection {
            api,
            base_url,
            key_origin,
            endpoint,
        })
    }

    /// Returns the base URL, and whether it differs from the default.
    pub(super) fn resolve_location(
        &self,
        name: &str,
        known: Option<&BuiltinProvider>,
        configured: &Provider,
    ) -> Result<(String, bool), ModelError> {
        let variable = known.and_then(|known| known.base_url_variable);
        let moved = configured.base_url.clone();
        let moved = moved.or_else(|| self.variable(variable?));
        let is_overridden = moved.is_some();
        let base_url = match (moved, known.map(|known| known.location)) {
            (Some(url), _) => url,
            (None, Some(ProviderLocation::Fixed(url))) => url.to_owned(),
            (None, Some(ProviderLocation::Bedrock)) => self.bedrock_url(),
            (None, Some(ProviderLocation::Vertex)) => self.vertex_url()?,
            (None, None) => return Err(error::missing_base_url(name)),
        };
        let base_url = base_url.trim().trim_end_matches('/').to_owned();
        Ok((base_url, is_overridden))
    }

    fn bedrock_url(&self) -> String {
        let region = self.any_variable(["AWS_REGION", "AWS_DEFAULT_REGION"]);
        let region = region.as_deref().unwrap_or("us-east-1");
        format!("https://bedrock-runtime.{region}.amazonaws.com")
    }

    fn vertex_url(&self) -> Result<String, ModelError> {
        let project = self.any_variable(["VERTEX_PROJECT_ID", "GOOGLE_CLOUD_PROJECT"]);
        let project = project.ok_or_else(error::missing_project)?;
        let location = self.any_variable(["VERTEX_LOCATION", "GOOGLE_CLOUD_LOCATION"]);
        let (region, location) = match location.as_deref() {
            None | Some("global") => (String::new(), "global"),
            Some(location) => (format!("{location}-"), location),
        };
        Ok(format!(
            "https://{region}aiplatform.googleapis.com/v1/projects/{project}/locations/{location}"
        ))
    }

    fn any_variable<const N: usize>(&self, names: [&str; N]) -> Option<String> {
        names.iter().find_map(|name| self.variable(name))
    }

    fn resolve_key(
        &self,
        name: &str,
        known: Option<&BuiltinProvider>,
        configured: &Provider,
        is_overridden: bool,
    ) -> (Option<Secret>, KeyOrigin) {
        if let Some(key) = &configured.key {
            return (Some(key.clone()), KeyOrigin::Configured);
        }
        let own = key_variable(name);
        let variables = known.map_or(vec![&*own], |known| known.key_variables.to_vec());
        let mut found = variables.iter();
        let found = found.find_map(|variable| Some((self.variable(variable)?, variable)));
        if let Some((key, variable)) = found {
            let variable = (*variable).to_owned();
            let key = Secret::new(key.trim());
            return (Some(key), KeyOrigin::Environment { variable });
        }
        if let Some(key) = &configured.stored_key {
            return (Some(key.clone()), KeyOrigin::Stored);
        }
        // Another server at a custom base URL may need no key, or a key in a header.
        let is_needed = known.is_some_and(|known| known.key_help.is_some());
        if is_needed && !is_overridden && configured.headers.is_empty() {
            let variables = variables.into_iter().map(str::to_owned).collect();
            return (None, KeyOrigin::Missing { variables });
        }
        (None, KeyOrigin::NotNeeded)
    }

    pub(super) fn names(&self) -> Vec<&str> {
        let own = self.configured.keys().map(String::as_str);
        let own = own.filter(|name| BuiltinProvider::find(name).is_none());
        let known = BUILTIN_PROVIDERS.iter().map(|known| known.name);
        known.chain(own).collect()
    }
}

/// Returns the variable for the key of an unknown provider.
fn key_variable(name: &str) -> String {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric();
    let name = name.to_ascii_uppercase();
    format!("{}_API_KEY", name.replace(|letter| !is_letter(letter), "_"))
}

impl ProviderConnection {
    /// Reports that the key of the provider is missing.
    pub(super) fn check_key(&self, provider: &str) -> Result<(), ModelError> {
        match (&self.key_origin, BuiltinProvider::find(provider)) {
            (KeyOrigin::Missing { .. }, Some(known)) => Err(error::missing_key(known)),
            _ => Ok(()),
        }
    }

    /// Creates the client, if no required value is missing.
    pub(super) fn model(self, name: &ModelName) -> Result<Arc<dyn Model>, ModelError> {
        let provider = name.provider();
        if self.api.needs_genai() && cfg!(not(feature = "genai")) {
            return Err(error::missing_genai(provider, self.api));
        }
        self.check_key(provider)?;
        let (name, endpoint) = (name.clone(), self.endpoint);
        Ok(match self.api {
            Api::Anthropic => Arc::new(AnthropicModel::new(name, endpoint)),
            Api::OpenaiChat => Arc::new(OpenAiChatModel::new(name, endpoint)),
            Api::OpenaiResponses => Arc::new(OpenAiResponsesModel::new(name, endpoint)),
            #[cfg(feature = "genai")]
            api => Arc::new(crate::GenaiModel::new(name, api, endpoint)?),
            #[cfg(not(feature = "genai"))]
            api => return Err(error::missing_genai(provider, api)),
        })
    }
}
