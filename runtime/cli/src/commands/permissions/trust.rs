//! `permissions trust` and `permissions untrust`.

use std::error::Error;
use std::process::ExitCode;

use clap::{ArgMatches, Command};

use crate::app_context::AppContext;
use crate::config::ProjectFile;
use crate::{acceptance, exit, output, permissions};
use helve_permission::acceptances::{AcceptanceSubject, Acceptances, Difference};
use helve_permission::{RuleFiles, RuleScope};

pub(super) fn command() -> Command {
    Command::new("trust")
        .about("Show the project's rules and settings, and accept them until they change")
        .after_help(
            "Ask and deny rules of a project always apply. Allow rules, settings of `helve.toml` that could send a \
             key or a conversation to another host, and the MCP servers of `.mcp.json` apply only while the files are \
             unchanged since you accepted them. If you accepted an earlier version, the differences are shown.",
        )
        .arg(acceptance::argument())
}

pub(super) fn untrust_command() -> Command {
    Command::new("untrust").about("Revoke the acceptance of this project")
}

/// Shows the content of the project files that needs acceptance, asks the user, and accepts it.
pub(super) async fn trust(app: &AppContext, matches: &ArgMatches) -> ExitCode {
    let acceptances = acceptance::user_store();
    let differences = match differences(app, &acceptances) {
        Ok(differences) => differences,
        Err(error) => return exit::failed(&*error),
    };
    if differences.is_empty() {
        let file = project_path(&permissions::rule_files(app.folder()));
        output::line(&format!("nothing to accept in {file}"));
        return ExitCode::SUCCESS;
    }
    let (same, new): (Vec<&Difference>, Vec<_>) = differences
        .iter()
        .partition(|difference| difference.is_empty());
    for difference in same {
        output::line(&format!("unchanged: {}", difference.path()));
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
        output::line(&format!("accepted {path} until the file changes"));
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
    let all = all.chain(crate::mcp::McpJsonFile::read(app.folder())?.difference(acceptances)?);
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
        output::note(&format!("error: {file} is not accepted"));
        return ExitCode::FAILURE;
    }
    for path in revoked
        .iter()
        .filter_map(helve_permission::acceptances::Acceptance::path)
    {
        output::line(&format!("revoked {}", path.display()));
    }
    ExitCode::SUCCESS
}

/// Returns the subjects of the project files.
fn subjects(app: &AppContext) -> Result<Vec<AcceptanceSubject>, Box<dyn Error>> {
    let rules = permissions::rule_files(app.folder()).subject();
    let settings = ProjectFile::read(app.folder(), &app.setting_keys)?.subject();
    let all = [rules, settings].into_iter();
    #[cfg(feature = "mcp")]
    let all = all.chain([crate::mcp::McpJsonFile::read(app.folder())?.subject()]);
    // A file without a subject was never accepted.
    Ok(all.filter_map(Result::ok).collect())
}

fn project_path(files: &RuleFiles) -> String {
    let mut files = files.files().iter();
    let project = files.find(|file| file.scope() == RuleScope::Project);
    project.map_or_else(String::new, |file| file.path().display().to_string())
}
