//! `serve`: the app as an MCP server, over standard input and output or over HTTP.

mod http;
mod print_config;
mod signals;
mod tools;

use helve_core::authority;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command};
use tokio_util::sync::CancellationToken;

use crate::app_context::AppContext;
use crate::runner;
use crate::{exit, output, permissions, session_folder};
use helve_results::ResultPipeline;
use helve_serve::Server;

pub(super) fn command() -> Command {
    let stdio = Arg::new("stdio")
        .long("stdio")
        .action(ArgAction::SetTrue)
        .help("Serve over standard input and output");
    let tools = Arg::new("tools")
        .long("tools")
        .value_name("NAMES")
        .action(ArgAction::Append)
        .value_delimiter(',')
        .help("Serve only these tools: comma-separated names, with `*` as a wildcard");
    Command::new("serve")
        .about("Run the app as an MCP server")
        .after_help(
            "The rules of the user and the project apply, and --mode, --allow, --ask and --deny. Questions are sent \
             to the client; if the client cannot ask its user, the call is denied, and the error says how to allow \
             it.\n\n\
             --print-config prints the configuration for a client and exits.",
        )
        .arg(stdio)
        .args(http::arguments())
        .arg(print_config::argument())
        .group(
            ArgGroup::new("how")
                .args(["stdio", "http", "print-config"])
                .multiple(true)
                .required(true),
        )
        .mut_arg("stdio", |stdio| stdio.conflicts_with("http"))
        .arg(tools)
        .args(permissions::arguments())
}

pub(super) async fn run(app: AppContext, matches: &ArgMatches) -> ExitCode {
    if let Some(client) = matches.get_one::<print_config::ConfigClient>("print-config") {
        return print_config::run(&app, *client, matches);
    }
    let listener = match matches.get_one::<http::ListenAddress>("http") {
        None => None,
        Some(address) => match http::HttpListener::open(address, matches) {
            Ok(listener) => Some(listener),
            Err(error) => return exit::wrong_usage(&error),
        },
    };
    let server = match build_server(app, matches) {
        Ok(server) => server,
        Err(code) => return code,
    };
    match serve(&server, listener).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => exit::failed(&error),
    }
}

/// Serves until a signal stops it.
async fn serve(
    server: &Server,
    listener: Option<http::HttpListener>,
) -> Result<(), ServeCommandError> {
    let stop = CancellationToken::new();
    let _listening = signals::cancel_on_signals(stop.clone());
    match listener {
        None => Ok(server.serve_stdio(stop).await?),
        Some(listener) => Ok(listener.serve(server, stop).await?),
    }
}

/// The reason why the server failed.
#[derive(Debug, thiserror::Error)]
enum ServeCommandError {
    #[error(transparent)]
    Http(#[from] helve_serve::HttpError),
    #[error(transparent)]
    Stdio(#[from] helve_serve::StdioError),
}

/// Creates the server of an app, with the same permissions as the agent.
fn build_server(app: AppContext, matches: &ArgMatches) -> Result<Server, ExitCode> {
    let config = app.settings_with_notes();
    let config = config.map_err(|error| exit::wrong_usage(error))?;
    let policy = permissions::policy(app.policy_source(), config, matches);
    let policy = policy.map_err(|error| exit::wrong_usage(&error))?;
    let toolset = tools::select_tools(&app, matches).map_err(|error| {
        output::note(&format!(
            "error: {error}\nhelp: run `{} tools` for a list",
            app.binary()
        ));
        ExitCode::from(exit::WRONG_USAGE)
    })?;
    let mut pipeline = ResultPipeline::new();
    if let Ok(results) = session_folder::result_spill(app.package.name) {
        pipeline = pipeline.spill(Arc::new(results));
    }
    if runner::reduces_results(config) {
        pipeline = pipeline.reducers(app.reducers.clone());
    }
    let package = app.package;
    let builder = Server::builder(app.binary(), package.version)
        .tools(toolset)
        .policy(policy)
        .results(pipeline)
        .hooks(app.hooks.clone())
        .allow_command(render_allow_command(&app));
    #[cfg(feature = "skills")]
    let builder = builder.skills(Arc::clone(&app.skills));
    let sandboxes = app.sandbox_factory(config);
    let sandboxes = sandboxes.map_err(|error| exit::wrong_usage(&error))?;
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

/// Renders the command that allows a rule, which works in every folder.
fn render_allow_command(app: &AppContext) -> String {
    let root = std::path::absolute(app.folder());
    let root = root.unwrap_or_else(|_| app.folder().to_owned());
    let root = root.display().to_string();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    let root = match root.chars().all(is_plain) {
        true => root,
        false => format!("'{}'", root.replace('\'', r"'\''")),
    };
    format!("{} --root {root} permissions allow", app.binary())
}
