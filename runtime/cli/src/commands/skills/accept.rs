//! `skills accept`: a skill in which a scan found something is shown, and accepted.

use std::process::ExitCode;

use clap::{ArgMatches, Command};

use super::skill_name;
use crate::app_context::AppContext;
use crate::exit::WRONG_USAGE;
#[cfg(feature = "mcp")]
use crate::mcp::{self, McpSession};
#[cfg(feature = "mcp")]
use crate::skills;
use crate::{acceptance, exit, output};
use helve_core::support::hex;
use helve_permission::acceptances::{
    AcceptanceContent, AcceptanceKind, AcceptanceSubject, ContentEntry, EntryKind, digest_of_fields,
};
use helve_skill::{Skill, SkillCatalog, SkillError};

pub(super) fn command() -> Command {
    Command::new("accept")
        .about("Shows a skill in which a scan found something, or what has changed in it, and accepts it")
        .after_help(
            "A skill in which a scan finds what a reviewer would refuse is left out until you accept it. Once one of its files \
             changes, it is left out again.",
        )
        .arg(acceptance::argument())
}

pub(super) async fn run(app: &AppContext, matches: &ArgMatches) -> ExitCode {
    // The servers stay connected until the files of their skills are read.
    #[cfg(feature = "mcp")]
    let servers = match add_server_skills(app).await {
        Ok(servers) => servers,
        Err(code) => return code,
    };
    let code = accept(app, skill_name::get(matches), matches.get_flag("yes")).await;
    #[cfg(feature = "mcp")]
    if let Some(servers) = servers {
        servers.close().await;
    }
    code
}

/// Connects to the MCP servers, and adds their skills as far as the user has approved them.
#[cfg(feature = "mcp")]
async fn add_server_skills(app: &AppContext) -> Result<Option<McpSession>, ExitCode> {
    let config = app.settings().map_err(|error| exit::wrong_usage(error))?;
    let configs = app.known_servers(config).enabled_configs();
    if configs.is_empty() {
        return Ok(None);
    }
    let sandboxes = app.sandbox_factory(config);
    let sandboxes = sandboxes.map_err(|error| exit::wrong_usage(&error))?;
    let servers = mcp::build_servers(app.package, configs, &sandboxes);
    let session = McpSession::start(servers, &tokio::runtime::Handle::current());
    session.wait_ready().await;
    skills::add_server_skills(&app.skills, session.servers()).await;
    Ok(Some(session))
}

/// Shows a skill that is left out, asks, and accepts it.
async fn accept(app: &AppContext, name: &str, is_answered: bool) -> ExitCode {
    let catalog = app.skills.current();
    let Some(skill) = catalog.withheld().find(|skill| skill.name() == name) else {
        return report_not_withheld(&catalog, name);
    };
    let acceptances = acceptance::user_store();
    let content = match acceptance_content(skill).await {
        Ok(content) => content,
        Err(error) => return exit::failed(&error),
    };
    let subject = AcceptanceSubject::new(AcceptanceKind::Skill, name, skill.origin().to_string());
    let difference = match acceptances.read() {
        Ok(accepted) => accepted.difference(subject, content),
        Err(error) => return exit::failed(&error),
    };
    let command = format!("{} skills accept {name}", app.binary());
    if let Err(code) = acceptance::ask(&[&difference], is_answered, &command).await {
        return code;
    }
    match acceptances.accept(&difference) {
        Ok(()) => {
            output::line(&format!("accepted until one of its files changes: {name}"));
            ExitCode::SUCCESS
        }
        Err(error) => exit::failed(&error),
    }
}

/// Says of a skill that is not left out that it is used, or that there is none.
fn report_not_withheld(catalog: &SkillCatalog, name: &str) -> ExitCode {
    match catalog.find(name) {
        Ok(_) => {
            output::line(&format!(
                "the skill `{name}` is used: there is nothing to accept"
            ));
            ExitCode::SUCCESS
        }
        Err(error) => {
            output::error(&error);
            ExitCode::from(WRONG_USAGE)
        }
    }
}

/// Takes down a skill: what the scan found, and its files. Of its instructions and of what it can run, the text is shown.
async fn acceptance_content(skill: &Skill) -> Result<AcceptanceContent, SkillError> {
    let mut entries = Vec::new();
    for finding in skill.findings() {
        let place = format!(
            "{}[{}] {}:{}",
            finding.severity, finding.rule, finding.path, finding.line
        );
        let text = format!("{}: `{}`", finding.message, finding.excerpt);
        entries.push(ContentEntry::with_text(EntryKind::Finding, place, &text));
    }
    for file in skill.files() {
        let sha256 = hex::encode(file.sha256);
        let mode = if file.executable { "executable" } else { "" };
        let entry = ContentEntry::from_name(EntryKind::File, file.path)
            .digest(digest_of_fields([sha256.as_str(), mode]));
        let is_read =
            file.path == "SKILL.md" || file.executable || file.path.starts_with("scripts/");
        let text = if is_read {
            String::from_utf8(skill.read(file.path).await?.into_owned()).ok()
        } else {
            None
        };
        let text = text.unwrap_or_else(|| format!("{} bytes, SHA-256 {sha256}", file.size));
        entries.push(entry.text(&text));
    }
    Ok(AcceptanceContent::with_digest(
        skill.digest().to_string(),
        entries,
    ))
}
