//! `agents new`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, value_parser};
use helve_skill_format::parse_agent;

use crate::app_context::AppContext;
use crate::args;
use crate::exit::{self, CommandResult, OrExit as _};
use helve_terminal::{output, sanitize};

const DEFAULT_FOLDER: &str = ".agents/agents";

pub(super) fn command() -> Command {
    let folder = Arg::new("in")
        .long("in")
        .value_name("DIR")
        .value_parser(value_parser!(PathBuf))
        .help(format!(
            "The folder of agents; use `agents` for agents that the package embeds [default: {DEFAULT_FOLDER}]"
        ));
    Command::new("new").about("Create a new agent").arg(folder)
}

/// The reason why a file is not written.
#[derive(Debug, thiserror::Error)]
enum NewAgentError {
    #[error("`{0}` exists; choose another name, or delete it")]
    Exists(PathBuf),
    #[error("failed to write `{0}`")]
    Write(PathBuf, #[source] std::io::Error),
}

pub(super) fn run(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let name = args::text(matches, "name");
    let text = render_file(name);
    let parsed = parse_agent(&text);
    if let Some(problem) = parsed.errors().next() {
        let (name, problem) = (
            sanitize::one_line(name),
            sanitize::one_line(&problem.message),
        );
        return Err(exit::with_message(
            exit::WRONG_USAGE,
            format_args!("invalid agent name `{name}`: {problem}"),
        ));
    }
    let folder = match matches.get_one::<PathBuf>("in") {
        Some(folder) => folder.clone(),
        None => app.folder.join(DEFAULT_FOLDER),
    };
    let path = folder.join(format!("{name}.md"));
    if path.symlink_metadata().is_ok() {
        return Err(NewAgentError::Exists(path)).or_wrong_usage();
    }
    let written = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&path, text));
    let failed = |error| NewAgentError::Write(path.clone(), error);
    written.map_err(failed).or_failed()?;
    output::line(&path.display().to_string());
    Ok(ExitCode::SUCCESS)
}

fn render_file(name: &str) -> String {
    format!(
        "---\nname: {name}\ndescription: Describe in one or two sentences what the agent does and when to use \
         it.\ntools: Read, Grep, Glob\n---\n\nWrite instructions for the agent: what it works on, step by step, and what it \
         returns.\n"
    )
}
