//! `agents new`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgMatches, Command};
use helve_skill_format::parse_agent;

use crate::app_context::AppContext;
use crate::args;
use crate::commands::new_definition::NewDefinition;
use crate::exit::{CommandResult, OrExit as _};
use helve_terminal::output;

const AGENT: NewDefinition = NewDefinition {
    kind: "agent",
    folder: "agents",
};

/// The reason why the file is not written.
#[derive(Debug, thiserror::Error)]
#[error("failed to write `{0}`")]
struct WriteError(PathBuf, #[source] std::io::Error);

pub(super) fn command() -> Command {
    AGENT.command()
}

pub(super) fn run(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let name = args::text(matches, "name");
    let text = render_file(name);
    let parsed = parse_agent(&text);
    if let Some(problem) = parsed.errors().next() {
        return Err(AGENT.invalid_name(name, &problem.message));
    }
    let folder = AGENT.folder(app, matches);
    let path = AGENT.free_path(&folder, &format!("{name}.md"))?;
    let written = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&path, text));
    let failed = |error| WriteError(path.clone(), error);
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
