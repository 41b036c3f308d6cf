//! Secrets that the HTTP client alone reads.

/// A reference to a secret by its name, bound to the origin of a URL: its scheme, host and port.
///
/// A tool that sends a secret by a reference never holds the value. The HTTP client reads it when it sends the request,
/// sends it to this origin alone, and masks it in the response. A redirect to another origin is followed without it.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::capability::{HttpRequest, SecretRef};
/// use helve::prelude::*;
///
/// /// Lists the stations.
/// #[tool(read_only, requires(net("api.example.org"), secrets("STATIONS_KEY")))]
/// async fn list_stations(cx: &ToolContext) -> Result<String, ToolError> {
///     let mut request = HttpRequest::new("GET", "https://api.example.org/stations");
///     let key = SecretRef::new("STATIONS_KEY", "https://api.example.org");
///     request.credentials.push(key.in_header("x-api-key", ""));
///     let response = cx.http().send(request).await?;
///     Ok(String::from_utf8_lossy(&response.body).into_owned())
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SecretRef {
    /// The name of the secret.
    pub name: String,
    /// The URL whose origin the secret is bound to. Without an origin, every request with the secret is refused.
    pub url: String,
}

impl SecretRef {
    /// Creates a reference to a secret that is sent to the origin of `url` alone.
    pub fn new(name: impl Into<String>, url: impl Into<String>) -> Self {
        let (name, url) = (name.into(), url.into());
        Self { name, url }
    }

    /// Sends the secret as the value of a header, after `prefix`, such as `Bearer `.
    pub fn in_header(self, name: impl Into<String>, prefix: impl Into<String>) -> Credential {
        let (name, prefix) = (name.into(), prefix.into());
        Credential::Header(self, name, prefix)
    }

    /// Sends the secret as the password of a user, by the scheme `Basic`.
    pub fn as_password(self, user: impl Into<String>) -> Credential {
        Credential::Password(self, user.into())
    }

    /// Sends the secret as a parameter of the query. No error and no log shows it.
    pub fn in_query(self, name: impl Into<String>) -> Credential {
        Credential::Query(self, name.into())
    }
}

/// A secret of a request, and where the HTTP client puts it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Credential {
    /// The value of the named header, after a prefix.
    Header(SecretRef, String, String),
    /// The password of the named user, by the scheme `Basic`.
    Password(SecretRef, String),
    /// The named parameter of the query.
    Query(SecretRef, String),
}
