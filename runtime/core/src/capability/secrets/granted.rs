//! Secrets from environment variables and from explicit values.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use futures_util::future::{BoxFuture, ready};

use crate::capability::{BackendError, Secret, SecretsBackend};

/// The secrets that a host grants by name; no others are granted.
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
    /// Creates an empty set, which grants nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Grants environment variables by their names; a variable is read when its secret is requested.
    #[must_use]
    pub fn with_variables<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.variables.extend(names.into_iter().map(Into::into));
        self
    }

    /// Grants a value under a name; it takes precedence over a variable of that name.
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
            // Users unset a variable by making it empty.
            let value = std::env::var(granted).ok()?;
            (!value.is_empty()).then(|| Secret::new(value))
        });
        Box::pin(ready(Ok(found)))
    }
}

// Implemented by hand, so that not even the length of a value is shown.
impl fmt::Debug for GrantedSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GrantedSecrets")
            .field("variables", &self.variables)
            .field("values", &self.values.keys())
            .finish()
    }
}
