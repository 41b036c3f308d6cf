//! The settings of environment variables and flags.

use std::env;

use clap::{Arg, ArgAction, ArgMatches};

use super::error::ConfigDiagnostic;
use super::key::Key;
use super::keys::KEYS;
use super::layer::ConfigLayer;
use super::location::SettingOrigin;

/// The flags of the settings. `--mode` is defined with the other permission flags, and `--sandbox` is a flag of every
/// command.
pub fn arguments() -> Vec<Arg> {
    let with_flags = KEYS
        .iter()
        .filter_map(|key| key.flag.map(|flag| (key, flag)));
    let own = with_flags.filter(|(key, _)| !matches!(&*key.name, "mode" | "sandbox.kind"));
    own.map(|(key, flag)| argument(key, flag)).collect()
}

/// The flag `--sandbox`.
pub fn sandbox_argument() -> Option<Arg> {
    let key = KEYS.iter().find(|key| key.name == "sandbox.kind")?;
    Some(argument(key, key.flag?).action(ArgAction::Set))
}

fn argument(key: &'static Key, flag: &'static str) -> Arg {
    let environment = key.environment.map(|name| format!(" [env: {name}]"));
    let help = format!("{}{}", key.about, environment.unwrap_or_default());
    let argument = Arg::new(flag)
        .long(flag)
        .value_name(key.kind.value_name())
        .action(ArgAction::Append)
        .value_parser(move |text: &str| key.kind.parse_text(text).map(|_| text.to_owned()))
        .help(help);
    match flag {
        "model" => argument.short('m'),
        _ => argument,
    }
}

pub(crate) fn read_environment() -> ConfigLayer {
    let mut unreadable = Vec::new();
    let said = KEYS.iter().filter_map(|key| {
        let name = key.environment?;
        let value = env::var_os(name).filter(|value| !value.is_empty())?;
        let origin = SettingOrigin::Environment(name);
        match value.into_string() {
            Ok(text) => Some((key, origin, text)),
            Err(_) => {
                unreadable.push(ConfigDiagnostic::new(
                    &origin,
                    "the value is not valid UTF-8",
                ));
                None
            }
        }
    });
    let mut layer = ConfigLayer::from_texts(said);
    layer.diagnostics.extend(unreadable);
    layer
}

/// Reads the settings of the flags of a command. The last flag of a name overrides the others; lists are joined.
pub(crate) fn read_flags(matches: &ArgMatches) -> ConfigLayer {
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
