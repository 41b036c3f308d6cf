//! All that it takes to talk to a provider, gathered from what is known, configured and in the environment.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::known::{Key, Known};
use super::{Api, KeyOrigin, Provider, Providers, complaint};
use crate::capability::Secret;
use crate::model::{Model, ModelError, ModelName};

/// All that it takes to talk to a provider.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) provider: String,
    pub(super) api: Api,
    /// Where it is; empty where its client knows.
    pub(super) base_url: String,
    pub(super) key: Option<Secret>,
    pub(super) key_origin: KeyOrigin,
    #[expect(dead_code, reason = "the clients follow")]
    pub(super) headers: BTreeMap<String, String>,
}

impl Providers {
    /// Gathers what it takes, and says what is missing.
    pub(super) fn connection(&self, name: &str) -> Result<Connection, ModelError> {
        let gathered = self.gather(name)?;
        let known = Known::find(name);
        match (&gathered.key_origin, known) {
            (KeyOrigin::Missing { .. }, Some(known)) => Err(complaint::no_key(known)),
            _ => Ok(gathered),
        }
    }

    /// Gathers what there is.
    pub(super) fn gather(&self, name: &str) -> Result<Connection, ModelError> {
        let (known, configured) = (Known::find(name), self.configured.get(name));
        if known.is_none() && configured.is_none() {
            return Err(complaint::no_provider(name, &self.names()));
        }
        let none = Provider::default();
        let configured = configured.unwrap_or(&none);
        let api = configured.api.or(known.map(|known| known.api));
        let (base_url, is_elsewhere) = self.where_is(name, known, configured)?;
        let (key, key_origin) = self.key(name, known, configured, is_elsewhere);
        Ok(Connection {
            provider: name.to_owned(),
            api: api.unwrap_or(Api::OpenaiChat),
            base_url,
            key,
            key_origin,
            headers: configured.headers.clone(),
        })
    }

    /// Finds the address, and whether it is another than the provider's own.
    fn where_is(
        &self,
        name: &str,
        known: Option<&Known>,
        configured: &Provider,
    ) -> Result<(String, bool), ModelError> {
        let variable = known.and_then(|known| known.base_url_variable);
        let moved = configured.base_url.clone();
        if let Some(url) = moved.or_else(|| self.variable(variable?)) {
            return Ok((complaint::checked_url(name, url)?, true));
        }
        let known = known.ok_or_else(|| complaint::no_base_url(name))?;
        Ok((known.base_url.to_owned(), false))
    }

    fn key(
        &self,
        name: &str,
        known: Option<&Known>,
        configured: &Provider,
        is_elsewhere: bool,
    ) -> (Option<Secret>, KeyOrigin) {
        if let Some(key) = &configured.key {
            return (Some(key.clone()), KeyOrigin::Configured);
        }
        let own;
        let variables: Vec<&str> = match known {
            Some(known) => known.key.variables().to_vec(),
            None => {
                own = own_variable(name);
                vec![&own]
            }
        };
        let found = variables
            .iter()
            .find_map(|variable| Some((self.variable(variable)?, variable)));
        if let Some((key, variable)) = found {
            let variable = (*variable).to_owned();
            let key = Secret::new(key.trim());
            return (Some(key), KeyOrigin::Environment { variable });
        }
        match known.map(|known| known.key) {
            // Whoever is there in the provider's place may want no key.
            Some(Key::Needed { variables, .. }) if !is_elsewhere => {
                let variables = variables.iter().map(ToString::to_string).collect();
                (None, KeyOrigin::Missing { variables })
            }
            _ => (None, KeyOrigin::NotNeeded),
        }
    }

    /// Returns the names of all providers.
    pub(super) fn names(&self) -> Vec<&str> {
        let known = super::known::KNOWN.iter().map(|known| known.name);
        let own = self.configured.keys().map(String::as_str);
        let own = own.filter(|name| Known::find(name).is_none());
        known.chain(own).collect()
    }
}

/// Returns the variable that holds the key of a provider that is not known.
fn own_variable(name: &str) -> String {
    let word = |letter: char| match letter.is_ascii_alphanumeric() {
        true => letter.to_ascii_uppercase(),
        false => '_',
    };
    let mut variable: String = name.chars().map(word).collect();
    variable.push_str("_API_KEY");
    variable
}

impl Connection {
    pub(super) fn model(self, _name: &ModelName) -> Result<Arc<dyn Model>, ModelError> {
        if self.api.needs_genai() && cfg!(not(feature = "genai")) {
            return Err(complaint::no_genai(&self.provider, self.api));
        }
        Err(complaint::no_genai(&self.provider, self.api))
    }
}
