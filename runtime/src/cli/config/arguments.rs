//! What the environment and the flags say of the settings.

use std::env;

use clap::{Arg, ArgAction, ArgMatches};

use super::error::ConfigDiagnostic;
use super::key::Key;
use super::keys::KEYS;
use super::layer::ConfigLayer;
use super::location::SettingOrigin;

/// The flags of the settings, all but `--mode`, which stands with the other flags of permission, and `--sandbox`, which
/// every command takes.
pub(in crate::cli) fn arguments() -> Vec<Arg> {
    let with_flags = KEYS
        .iter()
        .filter_map(|key| key.flag.map(|flag| (key, flag)));
    let own = with_flags.filter(|(key, _)| !matches!(&*key.name, "mode" | "sandbox.kind"));
    own.map(|(key, flag)| argument(key, flag)).collect()
}

/// The flag `--sandbox`.
pub(in crate::cli) fn sandbox_argument() -> Option<Arg> {
    let key = KEYS.iter().find(|key| key.name == "sandbox.kind")?;
    let argument = argument(key, key.flag?);
    Some(argument.action(ArgAction::Set).global(true))
}

fn argument(key: &'static Key, flag: &'static str) -> Arg {
    let environment = key.environment.map(|name| format!(" [env: {name}]"));
    let help = format!("{}{}", key.about, environment.unwrap_or_default());
    Arg::new(flag)
        .long(flag)
        .value_name(key.kind.value_name())
        .action(ArgAction::Append)
        .value_parser(move |text: &str| key.kind.parse_text(text).map(|_| text.to_owned()))
        .help(help)
}

/// Reads what the environment says.
pub(super) fn read_environment() -> ConfigLayer {
    let mut unreadable = Vec::new();
    let said = KEYS.iter().filter_map(|key| {
        let name = key.environment?;
        let value = env::var_os(name).filter(|value| !value.is_empty())?;
        let origin = SettingOrigin::Environment(name);
        match value.into_string() {
            Ok(text) => Some((key, origin, text)),
            Err(_) => {
                unreadable.push(ConfigDiagnostic::new(&origin, "its value is no UTF-8"));
                None
            }
        }
    });
    let mut layer = ConfigLayer::from_texts(said);
    layer.diagnostics.extend(unreadable);
    layer
}

/// Reads what the flags of a command say; the last one of a name wins, and a list goes on.
pub(super) fn read_flags(matches: &ArgMatches) -> ConfigLayer {
    ConfigLayer::from_texts(KEYS.iter().filter_map(|key| {
        let flag = key.flag?;
        let values = matches.try_get_raw(flag).ok().flatten()?;
        let values: Vec<&str> = values.filter_map(|value| value.to_str()).collect();
        let text = if key.kind.is_list() {
            values.join(",")
        } else {
            (*values.last()?).to_owned()
        };
        Some((key, SettingOrigin::Flag(flag), text))
    }))
}
