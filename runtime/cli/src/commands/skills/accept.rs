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
        .about("Show a skill with scan findings, or its changes, and accept it")
        .after_help(
            "A skill with severe scan findings is disabled until you accept it, and again when one of its files \
             changes.",
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
            output::line(&format!("accepted {name} until one of its files changes"));
            ExitCode::SUCCESS
        }
        Err(error) => exit::failed(&error),
    }
}

/// Reports that a skill is already in use, or that it does not exist.
fn report_not_withheld(catalog: &SkillCatalog, name: &str) -> ExitCode {
    match catalog.find(name) {
        Ok(_) => {
            output::line(&format!("the skill `{name}` is already in use"));
            ExitCode::SUCCESS
        }
        Err(error) => {
            output::error(&error);
            ExitCode::from(WRONG_USAGE)
        }
    }
}

/// Returns the content of an acceptance: the scan findings and the files of the skill. Instructions and executable
/// files are shown as text.
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
