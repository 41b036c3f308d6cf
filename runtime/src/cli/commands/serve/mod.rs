//! `serve`: the app as an MCP server, over standard input and output or over HTTP.

mod http;
mod print;
mod stop;
mod tools;

use std::process::ExitCode;
use std::sync::Arc;

use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command};
use tokio_util::sync::CancellationToken;

use super::block_on_threads;
use crate::cli::assembly::Assembly;
use crate::cli::at_work;
use crate::cli::doors::Sandboxes;
use crate::cli::{config, exit, output, permissions, session_folder};
use crate::results::ResultPipeline;
use crate::serve::Server;

pub(super) fn command() -> Command {
    let stdio = Arg::new("stdio")
        .long("stdio")
        .action(ArgAction::SetTrue)
        .help("Serve the program that started this one, over standard input and output");
    let tools = Arg::new("tools")
        .long("tools")
        .value_name("NAMES")
        .action(ArgAction::Append)
        .value_delimiter(',')
        .help(
            "Serve these tools alone: names with commas between them, and `*` for any part of one",
        );
    Command::new("serve")
        .about("Serves the tools to other programs, as an MCP server")
        .after_help(
            "What calls may do is what they may do everywhere: rules of the user and the project, and --mode, --allow, --ask, \
             --deny. A question goes to the person who uses the client; where the client cannot ask, the call is refused, and \
             the refusal says how to allow it.\n\n\
             --print-config prints what to paste into the settings of a client, and serves nothing.",
        )
        .arg(stdio)
        .args(http::arguments())
        .arg(print::argument())
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

pub(super) fn run(assembly: Assembly, matches: &ArgMatches) -> ExitCode {
    if let Some(client) = matches.get_one::<print::Client>("print-config") {
        return print::run(&assembly, *client, matches);
    }
    let door = match matches.get_one::<http::Address>("http") {
        None => None,
        Some(address) => match http::Door::open(address, matches) {
            Ok(door) => Some(door),
            Err(error) => return exit::wrong_usage(&error),
        },
    };
    let server = match server(assembly, matches) {
        Ok(server) => server,
        Err(code) => return code,
    };
    let served = block_on_threads(|| async move {
        let stop = CancellationToken::new();
        let _listening = stop::on_signals(stop.clone());
        match door {
            None => server.serve_stdio(stop).await.map_err(Failure::from),
            Some(door) => Ok(door.serve(&server, stop).await?),
        }
    });
    match served {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error)) => exit::failed(&error),
        Err(error) => exit::failed(&error),
    }
}

/// Says why serving ended otherwise than it was told to.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Http(#[from] crate::serve::HttpError),
    #[error(transparent)]
    Stdio(#[from] crate::serve::StdioError),
}

/// Makes the server of an app, with the permissions that hold everywhere.
fn server(assembly: Assembly, matches: &ArgMatches) -> Result<Server, ExitCode> {
    let config = config::load(&assembly, matches).map_err(|error| exit::wrong_usage(&error))?;
    let policy = permissions::policy(&assembly, &config, matches);
    let policy = policy.map_err(|error| exit::wrong_usage(&error))?;
    let toolset = tools::chosen(&assembly, matches).map_err(|error| {
        output::note(&format!("error: {error}; `tools` lists them"));
        ExitCode::from(exit::WRONG_USAGE)
    })?;
    let mut pipeline = ResultPipeline::new();
    if let Ok(results) = session_folder::results(assembly.package.name) {
        pipeline = pipeline.spill(Arc::new(results));
    }
    if at_work::reduces(&config) {
        pipeline = pipeline.reducers(assembly.reducers.clone());
    }
    let package = assembly.package;
    let builder = Server::builder(assembly.binary(), package.version)
        .tools(toolset)
        .policy(policy)
        .results(pipeline)
        .hooks(assembly.hooks.clone())
        .allow_command(allow_command(&assembly));
    #[cfg(feature = "skills")]
    let builder = builder.skills(Arc::clone(&assembly.skills));
    let sandboxes = Sandboxes::of(&assembly, &config);
    let sandboxes = sandboxes.map_err(|error| exit::wrong_usage(&error))?;
    // Each session has state of its own, and a sandbox: what one reads holds the connections of no other.
    let builder = builder.contexts(move |_| {
        let context = assembly.context();
        let mut grants = context.grants().clone();
        sandboxes.grant(&mut grants);
        context.derive().grants(grants).build()
    });
    Ok(builder.build())
}

/// Writes the command line that allows a rule, whatever folder it is written in.
fn allow_command(assembly: &Assembly) -> String {
    let root = std::path::absolute(assembly.folder());
    let root = root.unwrap_or_else(|_| assembly.folder().to_owned());
    let root = root.display().to_string();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    let root = match root.chars().all(is_plain) {
        true => root,
        false => format!("'{}'", root.replace('\'', r"'\''")),
    };
    format!("{} --root {root} permissions allow", assembly.binary())
}
