//! `permissions trust` and `permissions untrust`.

use std::error::Error;
use std::process::ExitCode;

use clap::{ArgMatches, Command};

use crate::app_context::AppContext;
use crate::config::ProjectFile;
use crate::exit::{self, CommandResult, OrExit as _};
use crate::{acceptance, permissions};
use helve_permission::acceptances::{Acceptance, AcceptanceSubject, Acceptances, Difference};
use helve_permission::{RuleFiles, RuleScope};
use helve_terminal::output;

pub(super) fn command() -> Command {
    Command::new("trust")
        .about("Show the project's rules, settings, commands, agents and hooks, and accept them until they change")
        .after_help(
            "Ask and deny rules of a project always apply. Allow rules, settings of `helve.toml` that could send a \
             key or a conversation to another host, the MCP servers of `.mcp.json`, the commands of \
             `.agents/commands` and `.claude/commands`, the agents of `.agents/agents` and `.claude/agents`, and the hooks \
             of `helve.toml` and `.claude/settings.json` apply only while they are unchanged since you accepted them. A \
             hook that you accepted and that has changed blocks what it decides about. If you accepted an earlier version, \
             the differences are shown.",
        )
        .arg(acceptance::argument())
}

/// Shows the content of the project files that needs acceptance, asks the user, and accepts it.
pub(super) async fn trust(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let acceptances = acceptance::user_store();
    let differences = differences(app, &acceptances).map_err(|error| exit::failed(&*error))?;
    if differences.is_empty() {
        let file = project_path(&permissions::rule_files(&app.folder));
        output::line(&format!("nothing to accept in {file}"));
        return Ok(ExitCode::SUCCESS);
    }
    let (same, new): (Vec<&Difference>, Vec<_>) = differences
        .iter()
        .partition(|difference| difference.is_empty());
    for difference in same {
        output::line(&format!("unchanged: {}", difference.path()));
    }
    if new.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    let command = format!("{} permissions trust", app.binary());
    acceptance::ask(&new, matches.get_flag("yes"), &command).await?;
    for difference in new {
        acceptances.accept(difference).or_failed()?;
        let path = difference.path();
        output::line(&format!("accepted {path} until the file changes"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Compares the files of the project with what the user accepted. Nothing is shown where one of them has mistakes.
fn differences(
    app: &AppContext,
    acceptances: &Acceptances,
) -> Result<Vec<Difference>, Box<dyn Error>> {
    let rules = permissions::rule_files(&app.folder).difference()?;
    let settings = ProjectFile::read(&app.folder, &app.setting_keys)?.difference(acceptances)?;
    let all = rules.into_iter().chain(settings);
    #[cfg(feature = "mcp")]
    let all = all.chain(crate::mcp::McpJsonFile::read(&app.folder)?.difference(acceptances)?);
    #[cfg(feature = "chat")]
    let all = all.chain(crate::custom_commands::differences(
        &app.folder,
        acceptances,
    )?);
    #[cfg(feature = "agents")]
    let all = all.chain(crate::agents::differences(&app.folder, acceptances)?);
    #[cfg(feature = "hooks")]
    let all = all.chain(crate::hooks::differences(&app.folder, acceptances)?);
    Ok(all.collect())
}

/// Revokes the acceptances of the project's files: 0 where there was one, 1 where there was none.
pub(super) fn untrust(app: &AppContext) -> CommandResult {
    let subjects = subjects(app).map_err(|error| exit::failed(&*error))?;
    let revoked = acceptance::user_store()
        .revoke(|acceptance| subjects.iter().any(|subject| acceptance.matches(subject)));
    let revoked = revoked.or_failed()?;
    if revoked.is_empty() {
        let file = project_path(&permissions::rule_files(&app.folder));
        let message = format_args!("{file} is not accepted");
        return Err(exit::with_message(exit::FAILED, message));
    }
    for path in revoked.iter().filter_map(Acceptance::path) {
        output::line(&format!("revoked {}", path.display()));
    }
    Ok(ExitCode::SUCCESS)
}

fn subjects(app: &AppContext) -> Result<Vec<AcceptanceSubject>, Box<dyn Error>> {
    let rules = permissions::rule_files(&app.folder).subject();
    let settings = ProjectFile::read(&app.folder, &app.setting_keys)?.subject();
    let all = [rules, settings].into_iter();
    #[cfg(feature = "mcp")]
    let all = all.chain([crate::mcp::McpJsonFile::read(&app.folder)?.subject()]);
    #[cfg(feature = "chat")]
    let all = all.chain(crate::custom_commands::subjects(&app.folder));
    #[cfg(feature = "agents")]
    let all = all.chain(crate::agents::subjects(&app.folder));
    #[cfg(feature = "hooks")]
    let all = all.chain(crate::hooks::subjects(&app.folder));
    // A file without a subject was never accepted.
    Ok(all.filter_map(Result::ok).collect())
}

fn project_path(files: &RuleFiles) -> String {
    let mut files = files.files().iter();
    let project = files.find(|file| file.scope() == RuleScope::Project);
    project.map_or_else(String::new, |file| file.path().display().to_string())
}
