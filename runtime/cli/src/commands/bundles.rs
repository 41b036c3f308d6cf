//! `bundles`: folders of skills, agents, commands, hooks and MCP servers, installed and accepted as one.

use std::process::ExitCode;

use clap::{ArgMatches, Command};
use helve_permission::acceptances::AcceptanceState;
use helve_skill_install::{
    BundleStore, FetchedBundle, InstallError, InstallSource, InstalledBundle,
};
use serde_json::json;

use super::skills::report_error;
use crate::app_context::AppContext;
use crate::exit::{self, CommandResult, OrExit as _};
use crate::{acceptance, args, bundles, skills};
use helve_terminal::output;

pub(super) fn command() -> Command {
    let named = |name: &'static str, about: &'static str| {
        let argument = args::positional("name", "BUNDLE", "The name of the bundle");
        Command::new(name).about(about).arg(argument.required(true))
    };
    Command::new("bundles")
        .about("Install bundles of skills, agents, commands, hooks and MCP servers")
        .after_help(
            "A bundle is a folder in the layout of the plugins of Claude Code, with a `.claude-plugin/plugin.json`. It is in \
             force once you accept it, with all that it has, and until one of its files changes.",
        )
        .arg(args::json())
        .subcommand(
            Command::new("list")
                .about("List the installed bundles (the default)")
                .arg(args::json()),
        )
        .subcommand(
            Command::new("add")
                .about("Install a bundle, or another version of it")
                .after_help("Sources: owner/repo[@REF][#PATH], https://host/bundle.tar.gz, ./folder, ./bundle.zip.")
                .arg(args::positional("source", "SOURCE", "The source of the bundle").required(true))
                .arg(acceptance::argument())
                .arg(acceptance::findings_argument()),
        )
        .subcommand(named("show", "Show what a bundle has"))
        .subcommand(
            named("accept", "Accept an installed bundle")
                .arg(acceptance::argument())
                .arg(acceptance::findings_argument()),
        )
        .subcommand(named("remove", "Remove a bundle with all that it has"))
}

pub(super) async fn run(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let Some(store) = BundleStore::for_user() else {
        let message = format_args!("bundles are installed in the home folder, and there is none");
        return Err(exit::with_message(exit::FAILED, message));
    };
    match matches.subcommand() {
        Some(("add", matches)) => add(app, &store, matches).await,
        Some(("show", matches)) => show(&store, matches),
        Some(("accept", matches)) => {
            let bundle = find(&store, matches)?;
            accept(app, &store, &bundle, matches).await
        }
        Some(("remove", matches)) => {
            let name = args::text(matches, "name");
            let removed = store.remove(name, &acceptance::user_store());
            removed.map_err(|error| report_error(&error))?;
            output::line(&format!("removed {name}"));
            Ok(ExitCode::SUCCESS)
        }
        Some((_, matches)) => list(&store, matches.get_flag("json"), app.binary()),
        None => list(&store, matches.get_flag("json"), app.binary()),
    }
}

fn find(store: &BundleStore, matches: &ArgMatches) -> Result<InstalledBundle, ExitCode> {
    let found = store.get(args::text(matches, "name"));
    found.map_err(|error| report_error(&error))
}

async fn add(app: &AppContext, store: &BundleStore, matches: &ArgMatches) -> CommandResult {
    let config = app.settings.as_ref().map_err(|error| exit::failed(error))?;
    let sources = skills::install_sources(config, &app.folder);
    let source: InstallSource = sources
        .parse(args::text(matches, "source"), &mut Vec::new())
        .or_wrong_usage()?;
    let fetched = sources.fetch_bundle(&source).await.or_failed()?;
    check(&fetched).or_failed()?;
    let installed = store.install(&fetched).or_failed()?;
    output::line(&format!("installed {}", title(&installed)));
    accept(app, store, &installed, matches).await
}

/// Refuses a bundle whose settings a start could not read.
fn check(bundle: &FetchedBundle) -> Result<(), InstallError> {
    let name = &bundle.manifest.name;
    let refused = |reason| InstallError::Refused {
        subject: format!("the bundle `{name}`"),
        reason,
    };
    bundles::check_hooks(&bundle.hooks()?).map_err(refused)?;
    #[cfg(feature = "mcp")]
    for servers in bundle.servers()? {
        let file = crate::mcp::McpJsonFile::of_bundle(servers.path, servers.text);
        let read = file.servers_of_bundle(name);
        read.map_err(|error| refused(error.to_string()))?;
    }
    Ok(())
}

/// Shows a bundle and asks the user to accept it.
async fn accept(
    app: &AppContext,
    store: &BundleStore,
    bundle: &InstalledBundle,
    matches: &ArgMatches,
) -> CommandResult {
    let acceptances = acceptance::user_store();
    let fetched = store.review(bundle).or_failed()?;
    let difference = fetched.difference(&acceptances).or_failed()?;
    let name = bundle.name();
    if difference.is_empty() {
        output::line(&format!("{name} is accepted already"));
        return Ok(ExitCode::SUCCESS);
    }
    check(&fetched).or_failed()?;
    let command = format!("{} bundles accept {name}", app.binary());
    let (text, severe) = (difference.to_string(), fetched.severe_findings());
    acceptance::ask_about_findings(&text, severe, matches, &command).await?;
    acceptances.accept(&difference).or_failed()?;
    output::line(&format!(
        "accepted {name}; it is in force when the program starts next"
    ));
    Ok(ExitCode::SUCCESS)
}

fn show(store: &BundleStore, matches: &ArgMatches) -> CommandResult {
    let bundle = find(store, matches)?;
    let acceptances = acceptance::user_store();
    let state = store.state(&bundle, &acceptances).or_failed()?;
    output::line(&format!("{}: {}", title(&bundle), describe(state)));
    let fetched = store.review(&bundle).or_failed()?;
    // Compared with nothing, everything is shown.
    let whole = fetched.difference(&Default::default()).or_failed()?;
    output::print(&whole.to_string());
    Ok(ExitCode::SUCCESS)
}

fn list(store: &BundleStore, is_json: bool, binary: &str) -> CommandResult {
    let acceptances = acceptance::user_store();
    let mut rows = Vec::new();
    let mut lines = Vec::new();
    for bundle in store.list().or_failed()? {
        let bundle = match bundle {
            Ok(bundle) => bundle,
            Err(error) => {
                rows.push(json!({ "problem": error.to_string(), "accepted": false }));
                lines.push(error.to_string());
                continue;
            }
        };
        let state = store.state(&bundle, &acceptances).or_failed()?;
        rows.push(json!({
            "name": bundle.name(), "version": bundle.manifest.version, "source": bundle.source,
            "commit": bundle.commit, "digest": bundle.digest, "folder": bundle.root,
            "accepted": state == AcceptanceState::Accepted,
        }));
        let hint = match state {
            AcceptanceState::Accepted => String::new(),
            _ => format!("; run `{binary} bundles accept {}`", bundle.name()),
        };
        lines.push(format!("{}: {}{hint}", title(&bundle), describe(state)));
    }
    if is_json {
        output::json(&rows);
        return Ok(ExitCode::SUCCESS);
    }
    if lines.is_empty() {
        output::line(&format!(
            "no bundles are installed; `{binary} bundles add SOURCE` installs one"
        ));
    }
    lines.iter().for_each(|line| output::line(line));
    Ok(ExitCode::SUCCESS)
}

/// Names a bundle with its version and source.
fn title(bundle: &InstalledBundle) -> String {
    let version = bundle.manifest.version.as_deref();
    let version = version.map_or(String::new(), |version| format!(" {version}"));
    format!("{}{version} from {}", bundle.name(), bundle.source)
}

fn describe(state: AcceptanceState) -> String {
    match state {
        AcceptanceState::Accepted => "in force".to_owned(),
        state => format!("not in force: {state}"),
    }
}
