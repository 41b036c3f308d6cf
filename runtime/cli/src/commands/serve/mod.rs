//! `serve`: the app as an MCP server, over standard input and output or over HTTP.

mod http;
mod print_config;
mod signals;

use std::process::ExitCode;
use std::sync::Arc;

use clap::{ArgGroup, ArgMatches, Command};
use tokio_util::sync::CancellationToken;

use crate::app_context::AppContext;
use crate::exit::{self, CommandResult, OrExit as _};
use crate::runner;
use crate::{args, hooks, permissions, session_folder};
use helve_core::authority;
use helve_core::support::wildcard;
use helve_core::toolset::Toolset;
use helve_results::ResultPipeline;
use helve_serve::Server;

pub(super) fn command() -> Command {
    let tools = args::repeated(
        "tools",
        "NAMES",
        "Serve only these tools: comma-separated names, with `*` as a wildcard",
    );
    Command::new("serve")
        .about("Run the app as an MCP server")
        .after_help(
            "The rules of the user and the project apply, and --mode, --allow, --ask and --deny. Questions are sent \
             to the client; if the client cannot ask its user, the call is denied, and the error says how to allow \
             it.\n\n\
             --print-config prints the configuration for a client and exits.",
        )
        .arg(args::flag("stdio", "Serve over standard input and output"))
        .args(http::arguments())
        .arg(print_config::argument())
        .group(
            ArgGroup::new("how")
                .args(["stdio", "http", "print-config"])
                .multiple(true)
                .required(true),
        )
        .mut_arg("stdio", |stdio| stdio.conflicts_with("http"))
        .arg(tools.value_delimiter(','))
        .args(permissions::arguments())
        .args(hooks::argument())
}

pub(super) async fn run(app: AppContext, matches: &ArgMatches) -> CommandResult {
    if let Some(client) = matches.get_one::<String>("print-config") {
        return Ok(print_config::run(&app, client, matches));
    }
    let listener = matches
        .get_one::<http::ListenAddress>("http")
        .map(|address| http::HttpListener::open(address, matches))
        .transpose()
        .or_wrong_usage()?;
    let server = build_server(app, matches)?;
    let stop = CancellationToken::new();
    let _listening = signals::cancel_on_signals(stop.clone());
    match listener {
        None => server.serve_stdio(stop).await.or_failed()?,
        Some(listener) => listener.serve(&server, stop).await.or_failed()?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Creates the server of an app, with the same permissions as the agent.
fn build_server(app: AppContext, matches: &ArgMatches) -> Result<Server, ExitCode> {
    let config = app.settings_with_notes().or_wrong_usage()?;
    let policy = app.policy(config, matches).or_wrong_usage()?;
    hooks::set_policy(&app, &policy);
    let toolset = select_tools(&app, matches).map_err(|error| {
        let binary = app.binary();
        let message = format_args!("{error}\nhelp: run `{binary} tools` for a list");
        exit::with_message(exit::WRONG_USAGE, message)
    })?;
    let mut pipeline = ResultPipeline::new();
    if let Ok(results) = session_folder::result_spill(app.package.name) {
        pipeline = pipeline.spill(Arc::new(results));
    }
    if runner::reduces_results(config) {
        pipeline = pipeline.reducers(app.definition.reducers.clone());
    }
    let package = app.package;
    let builder = Server::builder(app.binary(), package.version)
        .tools(toolset)
        .policy(policy)
        .results(pipeline)
        .hooks(app.definition.hooks.clone())
        .allow_command(render_allow_command(&app));
    #[cfg(feature = "skills")]
    let builder = builder.skills(Arc::clone(&app.skills));
    let sandboxes = app.sandbox_factory(config).or_wrong_usage()?;
    // Each session has its own state and its own sandbox: when one session reads untrusted text, the connections of
    // other sessions are not held.
    let builder = builder.contexts(move |_| {
        let context = app.tool_context();
        let mut grants = authority::grants(&context).clone();
        sandboxes.grant(&mut grants);
        context.derive().grants(grants).build()
    });
    Ok(builder.build())
}

/// Keeps the tools that were named with `--tools`. A name that fits none is a mistake.
fn select_tools(app: &AppContext, matches: &ArgMatches) -> Result<Toolset, String> {
    let all = app.tools.granted();
    let Some(patterns) = matches.get_many::<String>("tools") else {
        return Ok(all.clone());
    };
    let patterns: Vec<String> = patterns.map(|pattern| pattern.trim().to_owned()).collect();
    let names = all.names();
    let fits_none = |pattern: &&String| !names.iter().any(|name| wildcard::matches(pattern, name));
    if let Some(pattern) = patterns.iter().find(fits_none) {
        return Err(match pattern.contains('*') {
            true => format!("no tool matches `{pattern}`"),
            false => all.unknown(pattern).to_string(),
        });
    }
    let is_named = move |name: &str| patterns.iter().any(|one| wildcard::matches(one, name));
    Ok(all.filtered(move |spec| is_named(&spec.name)))
}

/// Renders the command that allows a rule, which works in every folder.
fn render_allow_command(app: &AppContext) -> String {
    let root = print_config::absolute_text(&app.folder);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    let root = match root.chars().all(is_plain) {
        true => root,
        false => format!("'{}'", root.replace('\'', r"'\''")),
    };
    format!("{} --root {root} permissions allow", app.binary())
}
