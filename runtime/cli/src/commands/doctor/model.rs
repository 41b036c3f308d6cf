//! Checks the selected model, its API key and its provider.

use clap::ArgMatches;

use super::finding::Finding;
use crate::app_context::AppContext;
use crate::config::Config;

#[cfg(not(feature = "models"))]
#[expect(clippy::unused_async, reason = "with providers it waits for them")]
pub(super) async fn findings(app: &AppContext, _: Option<&Config>, _: &ArgMatches) -> Vec<Finding> {
    vec![match &app.definition.model {
        Some(_) => Finding::ok("set by the app"),
        None => {
            Finding::note("none (built without the `models` feature); `run` needs `--replay FILE`")
        }
    }]
}

#[cfg(feature = "models")]
pub(super) async fn findings(
    app: &AppContext,
    config: Option<&Config>,
    matches: &ArgMatches,
) -> Vec<Finding> {
    let Some(config) = config else {
        return vec![Finding::note("not checked: the settings are invalid")];
    };
    with_providers::findings(app, config, matches.get_flag("offline")).await
}

#[cfg(feature = "models")]
mod with_providers {
    use std::iter::{repeat, zip};
    use std::time::Duration;

    use super::super::finding::Finding;
    use crate::app_context::AppContext;
    use crate::config::{Config, ConfigError};
    use crate::providers;
    use helve_core::tool::chain_text;
    use helve_model::{KeyOrigin, KnownModel, ModelName, Providers};
    use helve_terminal::render::{format_count, format_dollars};

    /// The timeout of the request that checks whether a provider is reachable.
    const PROBE_TIMEOUT: Duration = Duration::from_secs(3);

    pub(super) async fn findings(app: &AppContext, config: &Config, offline: bool) -> Vec<Finding> {
        let (providers, names) = match named_models(config) {
            Ok(chosen) => chosen,
            Err(error) => {
                let hint = "complete the settings, or select another model";
                return vec![Finding::failed(&error, hint)];
            }
        };
        let mut findings = Vec::new();
        if !matches!(providers::chosen_name(config), Ok(Some(_))) {
            findings.push(match &app.definition.model {
                Some(_) => Finding::ok("set by the app"),
                None => {
                    let keys = providers::key_hint(config);
                    Finding::note("none: `run` needs `--model PROVIDER/MODEL`").with_hint(keys)
                }
            });
        }
        for (name, role) in &names {
            let text = format!("{name} ({role})");
            match providers.model(name) {
                Ok(_) => findings.push(Finding::ok(text)),
                Err(error) => {
                    findings.push(Finding::problem(&text, &chain_text(&error)));
                    continue;
                }
            }
            findings.extend(known_finding(config, &providers, name));
            findings.extend(key_finding(app.binary(), &providers, name));
            if !offline {
                findings.push(probe_provider(&providers, name).await);
            }
        }
        findings
    }

    /// Returns the models of the settings with their roles, and their providers.
    fn named_models(config: &Config) -> Result<(Providers, Vec<(ModelName, String)>), ConfigError> {
        let chosen = providers::chosen_name(config)?;
        let chosen = chosen.map(|chosen| chosen.origin.to_string());
        let roles = chosen.into_iter().chain(repeat("fallback".to_owned()));
        let mut names: Vec<_> = zip(providers::model_names(config)?, roles).collect();
        let tiers = providers::tier_names(config)?.into_iter();
        let tiers: Vec<_> = tiers
            .map(|(tier, name)| (name.value, format!("models.{tier}, {}", name.origin)))
            .collect();
        let others: Vec<ModelName> = tiers.iter().map(|(name, _)| name.clone()).collect();
        names.extend(tiers);
        Ok((providers::providers_with(config, &others)?, names))
    }

    /// Reports what helve knows of a model that the settings give no price.
    fn known_finding(config: &Config, providers: &Providers, name: &ModelName) -> Option<Finding> {
        let is_priced = |id: &&str| *id == name.to_string();
        if config.table_keys(&["prices"]).iter().any(is_priced) {
            return None;
        }
        let known = providers.known_model(name)?;
        let tokens = format_count(known.context_window);
        let price = known.price.map_or(String::new(), |price| {
            let [input, output] = [price.input, price.output].map(format_dollars);
            format!("; {input} a million tokens of input, {output} of output")
        });
        let date = KnownModel::date();
        Some(Finding::ok(format!(
            "{name}: {tokens} tokens of context{price} (price list of {date})"
        )))
    }

    fn key_finding(binary: &str, providers: &Providers, name: &ModelName) -> Option<Finding> {
        let status = providers.status(name.provider()).ok()?;
        let provider = &status.name;
        Some(match status.key {
            KeyOrigin::Configured => Finding::ok(format!("{provider}: API key from the settings")),
            KeyOrigin::Environment { variable } => {
                Finding::ok(format!("{provider}: API key from {variable}"))
            }
            KeyOrigin::Stored => Finding::ok(format!("{provider}: API key from `{binary} login`")),
            KeyOrigin::Missing { variables } => Finding::problem(
                &format!("{provider}: no API key"),
                &format!(
                    "run `{binary} login {provider}`, or export {}=…",
                    variables.first().map_or("", String::as_str)
                ),
            ),
            _ => Finding::ok(format!("{provider}: no API key needed")),
        })
    }

    async fn probe_provider(providers: &Providers, name: &ModelName) -> Finding {
        let provider = name.provider();
        let Ok(status) = providers.status(provider) else {
            return Finding::note(format!(
                "{provider}: not checked: the client does not expose its URL"
            ));
        };
        let url = crate::config::redact_credentials(&status.base_url);
        match providers.probe(provider, PROBE_TIMEOUT).await {
            // The response time varies and is not shown.
            Ok(_) => Finding::ok(format!("{provider}: {url} is reachable")),
            Err(error) => Finding::problem(
                &format!("{provider}: {url} is not reachable: {}", chain_text(&error)),
                "check the network, the proxy (HTTPS_PROXY) and the URL (`base_url`, `--base-url`)",
            ),
        }
    }
}
