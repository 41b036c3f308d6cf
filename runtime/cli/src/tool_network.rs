//! The hosts and secrets that the settings grant to individual tools: `tools.NAME.hosts` and `tools.NAME.secrets`.

use std::collections::BTreeSet;
#[cfg(feature = "http")]
use std::sync::Arc;

#[cfg(feature = "http")]
use super::config::KeyPath;
use super::config::{Config, ConfigError};
#[cfg(feature = "http")]
use helve_core::capability::SecretRef;
use helve_core::capability::ToolHttp;
use helve_core::network::HostRules;
#[cfg(feature = "http")]
use helve_host::guarded_http::GuardedHttp;

/// The networks of individual tools.
#[derive(Debug, Default)]
pub(super) struct ToolNetworks {
    pub(super) networks: Vec<ToolHttp>,
    /// The names of the granted secrets.
    pub(super) secrets: BTreeSet<String>,
}

/// What the settings let a tool reach.
#[derive(Debug)]
pub(super) struct ToolReach {
    pub(super) tool: String,
    /// The hosts that replace those of the app.
    pub(super) hosts: Option<Vec<String>>,
    /// The secrets, each with the origins that it is sent to.
    pub(super) secrets: Vec<(String, Vec<String>)>,
}

impl ToolReach {
    /// Reads what the settings let tools reach. What cannot be read is left out: the app does not start with it.
    pub(super) fn read(config: &Config) -> Vec<Self> {
        let tools = config.table_keys(&["tools"]).into_iter();
        let reach = tools.map(|tool| {
            let hosts = config.texts(&["tools", tool, "hosts"]);
            let secrets = config.table_keys(&["tools", tool, "secrets"]).into_iter();
            let secrets = secrets.map(|name| {
                let origins = config.list(&["tools", tool, "secrets", name]);
                (name.to_owned(), origins.unwrap_or_default())
            });
            Self {
                tool: tool.to_owned(),
                hosts: hosts.ok().flatten().map(|hosts| hosts.value),
                secrets: secrets.collect(),
            }
        });
        reach
            .filter(|reach| reach.hosts.is_some() || !reach.secrets.is_empty())
            .collect()
    }
}

impl ToolNetworks {
    /// Reads the settings. What the app denies stays denied.
    ///
    /// # Errors
    /// Fails if a host is no rule, or a secret is granted for something that is no origin.
    #[cfg(feature = "http")]
    pub(super) fn read(config: &Config, app: &HostRules) -> Result<Self, ConfigError> {
        let mut all = Self::default();
        for tool in config.table_keys(&["tools"]) {
            let secrets = granted_secrets(config, tool)?;
            let hosts = config.texts(&["tools", tool, "hosts"])?;
            if secrets.is_empty() && hosts.is_none() {
                continue;
            }
            let mut rules = app.clone();
            if let Some(hosts) = hosts {
                rules.allow = hosts.value;
            }
            let origins = secrets.iter();
            let origins = origins.filter_map(|secret| GuardedHttp::host_rule(&secret.url));
            rules.allow.extend(origins);
            let http = GuardedHttp::new(&rules).map_err(|error| {
                let place = KeyPath::new(["tools", tool, "hosts"]);
                config.table_error(&place, format!("`{place}`: {error}"))
            })?;
            all.secrets
                .extend(secrets.iter().map(|secret| secret.name.clone()));
            all.networks.push(ToolHttp {
                tools: vec![tool.to_owned()],
                http: Arc::new(http.granted_secrets(secrets)),
            });
        }
        Ok(all)
    }

    /// Returns none: this app has no network for tools.
    #[cfg(not(feature = "http"))]
    pub(super) fn read(_: &Config, _: &HostRules) -> Result<Self, ConfigError> {
        Ok(Self::default())
    }
}

#[cfg(feature = "http")]
/// Reads the secrets that are granted to a tool, each once an origin.
fn granted_secrets(config: &Config, tool: &str) -> Result<Vec<SecretRef>, ConfigError> {
    let mut granted = Vec::new();
    for name in config.table_keys(&["tools", tool, "secrets"]) {
        let place = ["tools", tool, "secrets", name];
        for url in config.list(&place)? {
            if GuardedHttp::host_rule(&url).is_none() {
                let place = KeyPath::new(place);
                let what = format!("`{place}`: {url:?} is no origin; write `https://host`");
                return Err(config.table_error(&place, what));
            }
            granted.push(SecretRef::new(name, url));
        }
    }
    Ok(granted)
}

#[cfg(all(test, feature = "http"))]
mod tests {
    use super::*;

    use helve_core::capability::{Credential, GrantedSecrets, Http, HttpRequest, Requires};

    const NET: Requires = Requires {
        net: true,
        ..Requires::NONE
    };

    fn read(settings: &str) -> Result<ToolNetworks, ConfigError> {
        let mut app = HostRules::from_allowed(["*"]);
        app.deny.push("denied.example".into());
        ToolNetworks::read(&Config::from_text(settings), &app)
    }

    /// Returns the error of a request that a tool with these settings sends.
    async fn request(settings: &str, url: &str, secret: Option<Credential>) -> String {
        let networks = read(settings).expect("the settings are valid").networks;
        let [network] = &networks[..] else {
            panic!("{networks:?}")
        };
        let secrets = GrantedSecrets::new().with_value("KEY", "value");
        let http = Http::new(&NET, Some(Arc::clone(&network.http)));
        let http = http.with_secrets(Some(Arc::new(secrets)));
        let mut request = HttpRequest::new("GET", url);
        request.credentials.extend(secret);
        let error = http.send(request).await.expect_err("nothing is there");
        let mut text = error.to_string();
        let mut cause = std::error::Error::source(&error);
        while let Some(error) = cause {
            text += &format!(": {error}");
            cause = error.source();
        }
        text
    }

    #[tokio::test]
    async fn a_tool_reaches_its_hosts_and_the_origins_of_its_secrets() {
        let hosts = "[tools.fetch]\nhosts = [\"localhost:1\", \"denied.example\"]\n";
        let secrets = "[tools.fetch.secrets]\nKEY = [\"http://127.0.0.1:1/v1\"]\n";
        let both = format!("{hosts}{secrets}");
        let reached = async |url: &str| request(&both, url, None).await.contains("is allowed");
        assert!(reached("http://localhost:1/").await);
        assert!(reached("http://127.0.0.1:1/").await);
        for refused in [
            "http://denied.example/",
            "http://example.com/",
            "http://127.0.0.1:2/",
        ] {
            assert!(!reached(refused).await, "{refused}");
        }
    }

    #[tokio::test]
    async fn a_secret_is_for_its_origins() {
        let settings = "[tools.fetch.secrets]\nKEY = [\"http://127.0.0.1:1/v1\"]\n";
        let sent = async |name: &str, url: &str| {
            let secret = SecretRef::new(name, url).in_query("key");
            request(settings, url, Some(secret)).await
        };
        assert!(
            sent("KEY", "http://127.0.0.1:1/x")
                .await
                .contains("is allowed")
        );
        for (name, url) in [
            ("KEY", "https://example.com/"),
            ("OTHER", "http://127.0.0.1:1/"),
        ] {
            let error = sent(name, url).await;
            assert!(error.contains(&format!("the secret `{name}`")), "{error}");
        }
        let names = read(settings).expect("the settings are valid").secrets;
        assert_eq!(names, BTreeSet::from(["KEY".to_owned()]));
    }

    #[test]
    fn mistakes_are_errors() {
        for (settings, mistake) in [
            (
                "[tools.fetch]\nhosts = [\"a b\"]\n",
                "is not a valid host rule",
            ),
            (
                "[tools.fetch.secrets]\nKEY = [\"example.com\"]\n",
                "is no origin; write `https://host`",
            ),
        ] {
            let error = read(settings).expect_err("a mistake").to_string();
            assert!(error.contains(mistake), "{error}");
        }
        assert!(
            read("[tools.bash]\nsandbox = \"build\"\n")
                .expect("valid")
                .networks
                .is_empty()
        );
    }
}
