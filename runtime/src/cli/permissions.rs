//! The flags that say what an agent may do, and the policy that they make with the app's own and the files of rules.

use clap::{Arg, ArgAction, ArgMatches};

use super::assembly::Assembly;
use super::config::{Config, ConfigError};
use super::output;
use crate::permission::{
    AddedPath, Mode, NotInForce, Policy, Rule, RuleFiles, Rules, UntrustedPolicy,
};

/// The flags `--mode`, `--allow`, `--ask` and `--deny`.
pub(super) fn arguments() -> [Arg; 4] {
    let mode = Arg::new("mode")
        .long("mode")
        .value_name("MODE")
        .value_parser(|text: &str| text.parse::<Mode>())
        .help("How freely: default, accept_edits, explore, bypass or dont_ask");
    let rule = |name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("RULE")
            .action(ArgAction::Append)
            .value_parser(|text: &str| text.parse::<Rule>())
            .help(help)
    };
    [
        mode,
        rule(
            "allow",
            "Lets calls run, such as `bash(git commit:*)`, `write_file(src/**)` or `mcp__github__*`",
        ),
        rule("ask", "Asks about calls"),
        rule("deny", "Stops calls"),
    ]
}

/// Makes the policy of a command: the app's own, with the rules of the project and the user, and those of the flags, in the
/// mode that is set. Tells the user which of them are not in force.
pub(super) fn policy(
    assembly: &Assembly,
    config: &Config,
    matches: &ArgMatches,
) -> Result<Policy, ConfigError> {
    let loaded = files(assembly).load()?;
    if let Some(not_in_force) = &loaded.not_in_force {
        tell(assembly, not_in_force);
    }
    let policy = assembly.policy.for_session().rules(loaded.rules);
    let policy = policy.rules(rules(matches));
    let policy = after_untrusted(policy, assembly, config)?;
    let dangerous = assembly
        .policy
        .shut()
        .clone()
        .with_added(&dangerous(config)?);
    let policy = policy.dangerous_paths(assembly.use_dangerous(dangerous));
    let mode = config.text(["mode"])?;
    // What is no mode was refused when it was read.
    let mode = mode.and_then(|mode| mode.value.parse::<Mode>().ok());
    Ok(match mode {
        Some(mode) => policy.mode(mode),
        None => policy,
    })
}

/// Returns the dangerous paths that the settings add.
pub(super) fn dangerous(config: &Config) -> Result<Vec<AddedPath>, ConfigError> {
    let said = config.all_texts(["permissions", "dangerous"])?;
    let texts = said.iter().flat_map(|said| &said.value);
    // What is none was refused when it was read.
    Ok(texts.filter_map(|text| text.parse().ok()).collect())
}

/// Sets what asks after untrusted text was read: what the app says, and the settings on top of it.
fn after_untrusted(
    policy: Policy,
    assembly: &Assembly,
    config: &Config,
) -> Result<Policy, ConfigError> {
    let mut hosts = assembly.network.even_tainted.clone();
    let said = config.texts(["sandbox", "even_tainted"])?;
    hosts.extend(said.map(|said| said.value).unwrap_or_default());
    let policy = policy.even_tainted(hosts);
    let what_asks = config.text(["untrusted", "ask"])?;
    // What is none was refused when it was read.
    let what_asks = what_asks.and_then(|said| UntrustedPolicy::of_name(&said.value));
    Ok(match what_asks {
        Some(what_asks) => policy.untrusted(what_asks),
        None => policy,
    })
}

/// Tells the user what is not in force, and what to do about it.
pub(super) fn tell(assembly: &Assembly, not_in_force: &NotInForce) {
    let text = format!(
        "note: {not_in_force}; `{} permissions trust` shows and accepts it",
        assembly.binary()
    );
    output::note(&output::one_line(&text));
}

/// Names the files of rules that hold here.
pub(super) fn files(assembly: &Assembly) -> RuleFiles {
    RuleFiles::of(assembly.folder())
}

fn rules(matches: &ArgMatches) -> Rules {
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
