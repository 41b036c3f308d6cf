//! The secrets of a request: read when it is sent, added for one origin, and masked in what comes back.

use helve_core::capability::{
    BackendError, Capability, Credential, HttpResponse, HttpScope, Refusal, Secret, SecretRef,
};
use helve_secrets::LiveSecrets;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use url::{Origin, Url};

use super::HttpError;
use super::hop::check_header_name;

/// The secrets of a request with their values.
#[derive(Debug, Default)]
pub(super) struct Credentials {
    resolved: Vec<ResolvedCredential>,
    live: LiveSecrets,
}

#[derive(Debug)]
struct ResolvedCredential {
    credential: Credential,
    origin: Origin,
    value: Secret,
}

impl Credentials {
    /// Reads the secrets that a request refers to. The tool must have declared each of them, or have been granted it, and
    /// the origin must be one for which it was granted.
    pub(super) async fn resolve(
        credentials: Vec<Credential>,
        scope: &HttpScope<'_>,
        granted: &[SecretRef],
    ) -> Result<Self, BackendError> {
        let mut all = Self::default();
        for credential in credentials {
            let secret = secret_of(&credential)?;
            let origin = origin_of(secret)?;
            let name = secret.name.as_str();
            check_grant(name, &origin, scope, granted)?;
            let store = scope.store;
            let store = store.ok_or_else(|| Refusal::not_granted(Capability::Secrets))?;
            let value = store.get(name).await?;
            let value = value.ok_or_else(|| Refusal::secret_not_granted(name))?;
            all.live.add(&value);
            all.resolved.push(ResolvedCredential {
                credential,
                origin,
                value,
            });
        }
        Ok(all)
    }

    /// Checks that a request goes to the origin that its secrets are bound to.
    pub(super) fn check_origin(&self, url: &Url) -> Result<(), HttpError> {
        let foreign = |one: &&ResolvedCredential| one.origin != url.origin();
        let Some(one) = self.resolved.iter().find(foreign) else {
            return Ok(());
        };
        let [bound, asked] = [&one.origin, &url.origin()].map(Origin::ascii_serialization);
        let why = format!("it is bound to `{bound}`, and the request goes to `{asked}`");
        Err(refuse(&secret_of(&one.credential)?.name, why))
    }

    /// Adds the secrets that are bound to the origin of a request.
    pub(super) fn add(&self, url: &mut Url, headers: &mut HeaderMap) -> Result<(), HttpError> {
        let origin = url.origin();
        for one in self.resolved.iter().filter(|one| one.origin == origin) {
            let value = one.value.expose();
            match &one.credential {
                Credential::Header(_, name, prefix) => {
                    let value = format!("{prefix}{value}");
                    headers.insert(check_header_name(name)?, sensitive(name, &value)?);
                }
                Credential::Password(_, user) => {
                    headers.insert(AUTHORIZATION, basic(user, value)?);
                }
                Credential::Query(_, name) => {
                    url.query_pairs_mut().append_pair(name, value);
                }
                _ => return Err(unknown_placement()),
            }
        }
        Ok(())
    }

    /// Masks the secrets in a text.
    pub(super) fn mask(&self, text: &str) -> String {
        self.live.mask(text).into_owned()
    }

    /// Reports whether a URL contains one of the secrets.
    pub(super) fn are_in(&self, url: &Url) -> bool {
        !self.live.find(url.as_str().as_bytes()).is_empty()
    }

    /// Masks the secrets in a response.
    pub(super) fn masked(&self, mut response: HttpResponse) -> HttpResponse {
        if self.live.is_empty() {
            return response;
        }
        for (_, value) in &mut response.headers {
            *value = self.mask(value);
        }
        response.body = self.live.mask_bytes(&response.body).into_owned();
        response
    }
}

/// Checks that the tool declared a secret, or was granted it for an origin.
fn check_grant(
    name: &str,
    origin: &Origin,
    scope: &HttpScope<'_>,
    granted: &[SecretRef],
) -> Result<(), BackendError> {
    let mut own = granted.iter().filter(|own| own.name == name).peekable();
    if own.peek().is_none() {
        let refused = || Refusal::secret_not_declared(name).into();
        return scope
            .declares_secret(name)
            .then_some(())
            .ok_or_else(refused);
    }
    if own.any(|own| origin_of(own).is_ok_and(|own| own == *origin)) {
        return Ok(());
    }
    let origin = origin.ascii_serialization();
    let why = format!("the settings do not grant it for `{origin}`");
    Err(refuse(name, why).into())
}

fn refuse(name: &str, why: impl Into<String>) -> HttpError {
    HttpError::Secret {
        name: name.to_owned(),
        why: why.into(),
    }
}

fn secret_of(credential: &Credential) -> Result<&SecretRef, HttpError> {
    match credential {
        Credential::Header(secret, ..)
        | Credential::Password(secret, _)
        | Credential::Query(secret, _) => Ok(secret),
        _ => Err(unknown_placement()),
    }
}

fn unknown_placement() -> HttpError {
    refuse("?", "this client does not know where to put it")
}

fn origin_of(secret: &SecretRef) -> Result<Origin, HttpError> {
    let url = Url::parse(&secret.url).ok();
    let url = url.filter(|url| matches!(url.scheme(), "http" | "https"));
    let origin = url.map(|url| url.origin()).filter(Origin::is_tuple);
    origin.ok_or_else(|| {
        let shown = secret.url.escape_debug();
        refuse(
            &secret.name,
            format!("it is bound to `{shown}`, which is no origin; write `https://host`"),
        )
    })
}

fn basic(user: &str, password: &str) -> Result<HeaderValue, HttpError> {
    use base64::Engine as _;
    if user.contains(':') {
        return Err(HttpError::Header {
            name: AUTHORIZATION.to_string(),
            why: "the name of the user has a colon",
        });
    }
    let pair = base64::engine::general_purpose::STANDARD.encode(format!("{user}:{password}"));
    sensitive(AUTHORIZATION.as_str(), &format!("Basic {pair}"))
}

/// Creates the value of a header that is not logged.
fn sensitive(name: &str, value: &str) -> Result<HeaderValue, HttpError> {
    let value = HeaderValue::from_bytes(value.as_bytes());
    let mut value = value.map_err(|_| HttpError::Header {
        name: name.to_owned(),
        why: "the value of its secret has a line break or another control character",
    })?;
    value.set_sensitive(true);
    Ok(value)
}
