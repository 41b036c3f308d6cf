//! What the environment and the flags say of the settings.

use std::env;

use clap::{Arg, ArgAction, ArgMatches};

use super::error::Mistake;
use super::key::Key;
use super::keys::KEYS;
use super::layer::Layer;
use super::place::Origin;

/// The flags of the settings, all but `--mode`, which stands with the other flags of permission, and `--sandbox`, which
/// every command takes.
pub(in crate::cli) fn arguments() -> Vec<Arg> {
    let with_flags = KEYS
        .iter()
        .filter_map(|key| key.flag.map(|flag| (key, flag)));
    let own = with_flags.filter(|(key, _)| !matches!(key.name, "mode" | "sandbox.kind"));
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
        .value_name(key.kind.word())
        .action(ArgAction::Append)
        .value_parser(move |text: &str| key.kind.parse(text).map(|_| text.to_owned()))
        .help(help)
}

/// Reads what the environment says.
pub(super) fn of_environment() -> Layer {
    let mut unreadable = Vec::new();
    let said = KEYS.iter().filter_map(|key| {
        let name = key.environment?;
        let value = env::var_os(name).filter(|value| !value.is_empty())?;
        let origin = Origin::Environment(name);
        match value.into_string() {
            Ok(text) => Some((key, origin, text)),
            Err(_) => {
                unreadable.push(Mistake::new(&origin, "its value is no UTF-8"));
                None
            }
        }
    });
    let mut layer = Layer::of_texts(said);
    layer.mistakes.extend(unreadable);
    layer
}

/// Reads what the flags of a command say; the last one of a name wins, and a list goes on.
pub(super) fn of_flags(matches: &ArgMatches) -> Layer {
    Layer::of_texts(KEYS.iter().filter_map(|key| {
        let flag = key.flag?;
        let values = matches.try_get_raw(flag).ok().flatten()?;
        let values: Vec<&str> = values.filter_map(|value| value.to_str()).collect();
        let text = if key.kind.is_list() {
            values.join(",")
        } else {
            (*values.last()?).to_owned()
        };
        Some((key, Origin::Flag(flag), text))
    }))
}
