//! `permissions trust` and `permissions untrust`.

use std::error::Error;
use std::process::ExitCode;

use clap::{ArgMatches, Command};

use crate::acceptances::{AcceptanceSubject, Acceptances, Difference};
use crate::cli::app_context::AppContext;
use crate::cli::config::ProjectFile;
use crate::cli::{acceptance, exit, output, permissions};
use crate::permission::{RuleFiles, RuleScope};

pub(super) fn command() -> Command {
    Command::new("trust")
        .about("Shows what this project's rules allow and its settings say, and accepts it until it changes")
        .after_help(
            "A project's rules that ask or deny always hold. Those that allow hold only while its file says what you \
             accepted here, and so do settings of `helve.toml` that could lead a key or a conversation elsewhere, and the MCP servers of \
             `.mcp.json`: the project may come from anybody. What you accepted before is shown as the difference to it.",
        )
        .arg(acceptance::argument())
}

pub(super) fn untrust_command() -> Command {
    Command::new("untrust").about("Revokes what you accepted of this project")
}

/// Shows what the project's files say that has to be accepted, asks, and accepts it.
pub(super) async fn trust(app: &AppContext, matches: &ArgMatches) -> ExitCode {
    let acceptances = acceptance::user_store();
    let differences = match differences(app, &acceptances) {
        Ok(differences) => differences,
        Err(error) => return exit::failed(&*error),
    };
    if differences.is_empty() {
        let file = project_path(&permissions::rule_files(app.folder()));
        output::line(&format!(
            "{file} allows nothing: there is nothing to accept"
        ));
        return ExitCode::SUCCESS;
    }
    let (same, new): (Vec<&Difference>, Vec<_>) = differences
        .iter()
        .partition(|difference| difference.is_empty());
    for difference in same {
        output::line(&format!("as you accepted it: {}", difference.path()));
    }
    if new.is_empty() {
        return ExitCode::SUCCESS;
    }
    let command = format!("{} permissions trust", app.binary());
    if let Err(code) = acceptance::ask(&new, matches.get_flag("yes"), &command).await {
        return code;
    }
    for difference in new {
        if let Err(error) = acceptances.accept(difference) {
            return exit::failed(&error);
        }
        let path = difference.path();
        output::line(&format!("accepted until the file changes: {path}"));
    }
    ExitCode::SUCCESS
}

/// Compares the files of the project with what the user accepted. Nothing is shown where one of them has mistakes.
fn differences(
    app: &AppContext,
    acceptances: &Acceptances,
) -> Result<Vec<Difference>, Box<dyn Error>> {
    let rules = permissions::rule_files(app.folder()).difference()?;
    let settings = ProjectFile::read(app.folder(), &app.setting_keys)?.difference(acceptances)?;
    let all = rules.into_iter().chain(settings);
    #[cfg(feature = "mcp")]
    let all = all.chain(crate::cli::mcp::McpJsonFile::read(app.folder())?.difference(acceptances)?);
    Ok(all.collect())
}

/// Revokes the acceptances of the project's files: 0 where there was one, 1 where there was none.
pub(super) fn untrust(app: &AppContext) -> ExitCode {
    let subjects = match subjects(app) {
        Ok(subjects) => subjects,
        Err(error) => return exit::failed(&*error),
    };
    let revoked = acceptance::user_store()
        .revoke(|acceptance| subjects.iter().any(|subject| acceptance.matches(subject)));
    let revoked = match revoked {
        Ok(revoked) => revoked,
        Err(error) => return exit::failed(&error),
    };
    if revoked.is_empty() {
        let file = project_path(&permissions::rule_files(app.folder()));
        output::note(&format!("error: {file} was not accepted"));
        return ExitCode::FAILURE;
    }
    for path in revoked
        .iter()
        .filter_map(crate::acceptances::Acceptance::path)
    {
        output::line(&format!("no longer accepted: {}", path.display()));
    }
    ExitCode::SUCCESS
}

/// Names the files of the project.
fn subjects(app: &AppContext) -> Result<Vec<AcceptanceSubject>, Box<dyn Error>> {
    let rules = permissions::rule_files(app.folder()).subject();
    let settings = ProjectFile::read(app.folder(), &app.setting_keys)?.subject();
    let all = [rules, settings].into_iter();
    #[cfg(feature = "mcp")]
    let all = all.chain([crate::cli::mcp::McpJsonFile::read(app.folder())?.subject()]);
    // What cannot be named was never accepted.
    Ok(all.filter_map(Result::ok).collect())
}

fn project_path(files: &RuleFiles) -> String {
    let mut files = files.files().iter();
    let project = files.find(|file| file.scope() == RuleScope::Project);
    project.map_or_else(String::new, |file| file.path().display().to_string())
}
