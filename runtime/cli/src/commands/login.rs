//! `login` and `logout`: store and remove the API key of a provider.

use std::io;
use std::process::ExitCode;

use clap::{ArgMatches, Command};

use crate::app_context::AppContext;
use crate::args;
use crate::exit::{self, CommandResult, OrExit as _};
use crate::providers::{self, StoredKeys};
use helve_model::{KeyOrigin, ProviderStatus};
use helve_terminal::output;
use helve_terminal::questions::{self, Terminal};

pub(super) fn command() -> Command {
    let provider = args::positional("provider", "PROVIDER", "The provider, such as `anthropic`");
    Command::new("login")
        .about("Store the API key of a provider")
        .after_help(
            "The key is read from the terminal without echo, or from a pipe, and stored in a file that only you can \
             read. A key in the settings or in the environment takes precedence.",
        )
        .arg(provider.required(true))
}

pub(super) fn logout_command() -> Command {
    let provider = args::positional("provider", "PROVIDER", "The provider, such as `anthropic`");
    Command::new("logout")
        .about("Remove the stored API key of a provider")
        .arg(provider.required(true))
}

pub(super) async fn login(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let name = args::text(matches, "provider");
    let config = app.settings.as_ref().or_wrong_usage()?;
    let status = providers::all_providers(config).status(name);
    let status = status.or_wrong_usage()?;
    let keys = stored_keys()?;
    let key = read_key(&status).await?;
    let key = key.trim();
    if key.is_empty() || key.contains(char::is_control) {
        let message = "the key is empty or has a line break: nothing was stored";
        return Err(exit::with_message(exit::WRONG_USAGE, message));
    }
    let path = keys.path().display();
    keys.store(name, key).map_err(|error| {
        let message = format_args!("failed to write `{path}`: {error}");
        exit::with_message(exit::FAILED, message)
    })?;
    output::line(&format!("stored the key of {name} in {path}"));
    let own = match status.key {
        KeyOrigin::Environment { variable } => variable,
        KeyOrigin::Configured => format!("`key` under `[providers.{name}]`"),
        _ => return Ok(ExitCode::SUCCESS),
    };
    output::note(&format!("note: {own} takes precedence over the stored key"));
    Ok(ExitCode::SUCCESS)
}

pub(super) fn logout(matches: &ArgMatches) -> CommandResult {
    let name = args::text(matches, "provider");
    let keys = stored_keys()?;
    let path = keys.path().display();
    let removed = keys.remove(name).map_err(|error| {
        let message = format_args!("failed to change `{path}`: {error}");
        exit::with_message(exit::FAILED, message)
    })?;
    if !removed {
        let message = format_args!("no key of `{name}` is stored in {path}");
        return Err(exit::with_message(exit::FAILED, message));
    }
    output::line(&format!("removed the key of {name} from {path}"));
    Ok(ExitCode::SUCCESS)
}

fn stored_keys() -> Result<StoredKeys, ExitCode> {
    StoredKeys::for_user().ok_or_else(|| {
        let message = "no configuration folder was found\nhelp: set `HOME` or `XDG_CONFIG_HOME`";
        exit::with_message(exit::FAILED, message)
    })
}

/// Asks for the key at a terminal, without echo, or reads a line from standard input.
async fn read_key(status: &ProviderStatus) -> Result<String, ExitCode> {
    if !Terminal::is_attached() {
        // The only other task of this command is the runtime's own.
        let mut line = String::new();
        io::stdin()
            .read_line(&mut line)
            .map_err(exit::stdin_failed)?;
        return Ok(line);
    }
    let name = &status.name;
    let question = match status.key_help {
        Some(help) => format!("The key of {name}, which is not shown (get a key at {help})"),
        None => format!("The key of {name}, which is not shown"),
    };
    let key = questions::ask_secret(&question).await;
    key.ok_or_else(|| {
        output::line("nothing was stored");
        ExitCode::from(exit::INTERRUPTED)
    })
}
