//! Secrets from where programs find them: the variables of their environment, and what they were given.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use futures_util::future::{BoxFuture, ready};

use crate::capability::{BackendError, Secret, SecretsBackend};

/// The secrets that a host grants by name, and no others.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::capability::GrantedSecrets;
///
/// let secrets = GrantedSecrets::new().with_variables(["GITHUB_TOKEN"]).with_value("DEPLOY_KEY", "from a vault");
/// ```
#[derive(Clone, Default)]
pub struct GrantedSecrets {
    variables: BTreeSet<String>,
    values: BTreeMap<String, Secret>,
}

impl GrantedSecrets {
    /// Grants nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Grants variables of the environment by their names; they are read when they are asked for.
    #[must_use]
    pub fn with_variables<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.variables.extend(names.into_iter().map(Into::into));
        self
    }

    /// Grants a value under a name, before a variable of that name.
    #[must_use]
    pub fn with_value(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let value: String = value.into();
        self.values.insert(name.into(), Secret::new(value));
        self
    }
}

impl SecretsBackend for GrantedSecrets {
    fn get<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<Secret>, BackendError>> {
        let given = self.values.get(name).cloned();
        let found = given.or_else(|| {
            let granted = self.variables.get(name)?;
            // An empty variable is how people take one away.
            let value = std::env::var(granted).ok()?;
            (!value.is_empty()).then(|| Secret::new(value))
        });
        Box::pin(ready(Ok(found)))
    }
}

// By hand, so that not even the number of letters is shown.
impl fmt::Debug for GrantedSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GrantedSecrets")
            .field("variables", &self.variables)
            .field("values", &self.values.keys())
            .finish()
    }
}
