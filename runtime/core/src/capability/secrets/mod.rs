//! The capability to read secrets.

mod granted;
mod reference;

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;

pub use granted::GrantedSecrets;
pub use reference::{Credential, SecretRef};

use crate::capability::handle::CapabilityHandle;
use crate::capability::{BackendError, Capability, CapabilityError, Refusal, Requires};

/// The value of a secret, which is neither printed nor serialised.
#[derive(Clone)]
pub struct Secret(Arc<str>);

impl Secret {
    /// Wraps a value.
    pub fn new(value: impl Into<Arc<str>>) -> Self {
        Self(value.into())
    }

    /// Returns the value; call this only where the value is used.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Stores secrets for tools.
pub trait SecretsBackend: Send + Sync + fmt::Debug {
    /// Looks up a secret; `None` if there is no secret of that name.
    ///
    /// # Errors
    /// When the store fails.
    fn get<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<Secret>, BackendError>>;
}

/// The secrets that a tool declared by name.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::prelude::*;
///
/// /// Tells whether the service is configured.
/// #[tool(read_only, requires(secrets("SERVICE_TOKEN")))]
/// async fn is_configured(context: &ToolContext) -> bool {
///     context.secrets().get("SERVICE_TOKEN").await.is_ok()
/// }
/// ```
#[derive(Debug, Clone)]
pub struct Secrets {
    handle: CapabilityHandle<dyn SecretsBackend>,
    declared: &'static [&'static str],
}

impl Secrets {
    /// Combines the declaration of a tool with the grant of the host.
    pub fn new(requires: &Requires, backend: Option<Arc<dyn SecretsBackend>>) -> Self {
        Self {
            // Each name is checked separately, so only the grant is left to check.
            handle: CapabilityHandle::new(Capability::Secrets, true, backend),
            declared: requires.secrets,
        }
    }

    /// Returns a secret.
    ///
    /// # Errors
    /// When the tool did not declare the secret in `requires(secrets("…"))`, the host has no secret of that
    /// name, or the store fails.
    pub async fn get(&self, name: &str) -> Result<Secret, CapabilityError> {
        if !self.declared.iter().any(|declared| covers(declared, name)) {
            return Err(Refusal::secret_not_declared(name).into());
        }
        let found = self.handle.backend()?.get(name).await;
        let found = found.map_err(CapabilityError::failed(Capability::Secrets))?;
        found.ok_or_else(|| Refusal::secret_not_granted(name).into())
    }
}

/// Reports whether a declaration covers a name: the declaration is the name, or is `folder/*` and the name is
/// below the folder.
pub(super) fn covers(declared: &str, name: &str) -> bool {
    if declared == name {
        return true;
    }
    let below = declared
        .strip_suffix('*')
        .filter(|folder| folder.len() > 1 && folder.ends_with('/'))
        .and_then(|folder| name.strip_prefix(folder));
    // A name with `..` would be a different one for backends whose names are paths.
    below.is_some_and(|below| {
        below
            .split('/')
            .all(|part| !matches!(part, "" | "." | ".."))
    })
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use futures_util::future::ready;

    use super::*;

    const REQUIRES: Requires = Requires {
        secrets: &["KEY", "GONE"],
        ..Requires::NONE
    };

    #[derive(Debug)]
    struct One;

    impl SecretsBackend for One {
        fn get<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<Secret>, BackendError>> {
            Box::pin(ready(Ok((name == "KEY").then(|| Secret::new("s3cret")))))
        }
    }

    async fn refusal(secrets: &Secrets, name: &str) -> Refusal {
        let error = secrets.get(name).await.expect_err("refused");
        // Finds the error as a tool's error conversion does: along the chain of sources.
        let source = error.source().expect("a source");
        source.downcast_ref::<Refusal>().expect("a refusal").clone()
    }

    #[tokio::test]
    async fn a_secret_needs_its_name_declared_and_a_value_granted() {
        let secrets = Secrets::new(&REQUIRES, Some(Arc::new(One)));
        let secret = secrets.get("KEY").await.expect("granted");
        assert_eq!(secret.expose(), "s3cret");
        assert!(!format!("{secret:?} {secrets:?}").contains("s3cret"));
        assert_eq!(
            refusal(&secrets, "OTHER").await.to_string(),
            r#"this tool did not declare the secret `OTHER`; declare `requires(secrets("OTHER"))` on the tool"#
        );
        assert_eq!(
            refusal(&secrets, "GONE").await.to_string(),
            "this app does not grant the secret `GONE`; grant it where the app is built"
        );
        let none = Secrets::new(&REQUIRES, None);
        assert_eq!(refusal(&none, "KEY").await.code.as_str(), "NOT_GRANTED");
    }
}
