//! The permission flags, and the policy that combines them with the policy of the app and the rule files.

use std::path::Path;

use clap::{Arg, ArgMatches};

use super::app::AppDefinition;
use super::config::{Config, ConfigError};
use super::{acceptance, args, session_folder};
use helve_core::network::HostRules;
use helve_permission::{
    DangerousPathSetting, DangerousPaths, Mode, Policy, Rule, RuleFiles, Rules, UnacceptedRules,
    UntrustedPolicy,
};
use helve_terminal::output;

/// The flags `--mode`, `--allow`, `--ask` and `--deny`.
pub(super) fn arguments() -> [Arg; 4] {
    let mode = args::option(
        "mode",
        "MODE",
        "The permission mode: default, accept_edits, explore, plan, bypass or dont_ask",
    );
    let rule = |name, help| {
        args::repeated(name, "RULE", help).value_parser(|text: &str| text.parse::<Rule>())
    };
    [
        mode.value_parser(|text: &str| text.parse::<Mode>()),
        rule(
            "allow",
            "Allow calls, for example `bash(git commit:*)`, `write_file(src/**)` or `mcp__github__*`",
        ),
        rule("ask", "Ask before calls"),
        rule("deny", "Deny calls"),
    ]
}

/// Creates the policy of a command: the policy of the app, with the rules of the project, the user and the flags, in
/// the configured mode. Prints a note about rules that are not in force.
pub(super) fn policy(
    app: &AppDefinition,
    folder: &Path,
    config: &Config,
    matches: &ArgMatches,
) -> Result<Policy, ConfigError> {
    let loaded = rule_files(folder).load()?;
    if let Some(not_in_force) = &loaded.not_in_force {
        print_not_in_force(app.package.command_name(), not_in_force);
    }
    let policy = app.policy.for_session().rules(loaded.rules);
    let policy = policy.rules(flag_rules(matches));
    let policy = apply_untrusted_settings(policy, &app.network, config)?;
    let policy = policy.with_dangerous_paths(dangerous_paths(app, config, folder)?);
    let mode = config.text(&["mode"])?;
    // An invalid mode is an error when the settings are read.
    let mode = mode.and_then(|mode| mode.value.parse::<Mode>().ok());
    Ok(match mode {
        Some(mode) => policy.mode(mode),
        None => policy,
    })
}

pub(super) fn dangerous_paths(
    app: &AppDefinition,
    config: &Config,
    folder: &Path,
) -> Result<DangerousPaths, ConfigError> {
    let own = app.policy.dangerous_paths().clone();
    Ok(own.with_settings(&guarded_paths(app, config, folder)?))
}

/// Returns the dangerous paths that the table does not have: those of the settings, and the folder of the app's state.
pub(super) fn guarded_paths(
    app: &AppDefinition,
    config: &Config,
    folder: &Path,
) -> Result<Vec<DangerousPathSetting>, ConfigError> {
    let mut guarded = added_dangerous_paths(app, config, folder)?;
    guarded.extend(state_folder(app));
    Ok(guarded)
}

/// Returns the dangerous paths of the settings: those that they name, and the programs in the folder that hooks of the
/// user and of agents run.
pub(super) fn added_dangerous_paths(
    app: &AppDefinition,
    config: &Config,
    folder: &Path,
) -> Result<Vec<DangerousPathSetting>, ConfigError> {
    let said = config.cumulative_texts(&["permissions", "dangerous"])?;
    let texts = said.iter().flat_map(|said| &said.value);
    // Invalid texts are errors when the settings are read.
    let added = texts.filter_map(|text| text.parse().ok());
    #[cfg(feature = "hooks")]
    let added = added.chain(crate::hook_scripts::dangerous_paths(app, folder));
    #[cfg(not(feature = "hooks"))]
    let _ = (app, folder);
    Ok(added.collect())
}

/// Returns the folder of the app's state if `HELVE_STATE` or `XDG_STATE_HOME` names another than the table: entries of the
/// memory and plans would otherwise be files that a tool writes without a question.
fn state_folder(app: &AppDefinition) -> Option<DangerousPathSetting> {
    let sessions = session_folder::folder(app.package.name).ok()?;
    let state = std::path::absolute(sessions.parent()?).ok()?;
    let mut above = state.ancestors();
    // The tools resolve links, and the folder may not exist yet.
    let resolved = above.find_map(|above| {
        let below = state.strip_prefix(above).ok()?;
        Some(above.canonicalize().ok()?.join(below))
    });
    let resolved = resolved.unwrap_or(state);
    let pattern = format!("{}/", resolved.to_str()?);
    let own = app.policy.dangerous_paths();
    if own.find(&format!("{pattern}memory")).is_some() {
        return None;
    }
    let text = "STATE/ reading=open writing=always why=it has the memory and the state of the app";
    let mut setting: DangerousPathSetting = text.parse().ok()?;
    // A path may have blanks, which the syntax of a setting does not.
    setting.pattern = pattern;
    Some(setting)
}

/// Sets which calls need approval after untrusted text was read: the policy of the app, and then the settings.
fn apply_untrusted_settings(
    policy: Policy,
    network: &HostRules,
    config: &Config,
) -> Result<Policy, ConfigError> {
    let mut hosts = network.even_tainted.clone();
    hosts.extend(config.list(&["sandbox", "even_tainted"])?);
    let policy = policy.even_tainted(hosts);
    let what_asks = config.text(&["untrusted", "ask"])?;
    // Invalid texts are errors when the settings are read.
    let what_asks = what_asks.and_then(|said| UntrustedPolicy::from_name(&said.value));
    Ok(match what_asks {
        Some(what_asks) => policy.untrusted(what_asks),
        None => policy,
    })
}

/// Notes which rules are not in force, and how to accept them.
pub(super) fn print_not_in_force(binary: &str, not_in_force: &UnacceptedRules) {
    output::remark(&acceptance::trust_hint(not_in_force, binary));
}

pub(super) fn rule_files(folder: &Path) -> RuleFiles {
    RuleFiles::for_project(folder)
}

fn flag_rules(matches: &ArgMatches) -> Rules {
    let list = |name: &str| {
        // Not every command has the flags.
        let given = matches.try_get_many::<Rule>(name).ok().flatten();
        given.into_iter().flatten().cloned().collect()
    };
    Rules {
        allow: list("allow"),
        ask: list("ask"),
        deny: list("deny"),
    }
}
