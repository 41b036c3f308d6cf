//! `skills accept`: a skill in which a scan found something is shown, and accepted.

use std::process::ExitCode;

use clap::{ArgMatches, Command};

use crate::app_context::AppContext;
use crate::exit::{CommandResult, OrExit as _};
#[cfg(feature = "mcp")]
use crate::mcp::{self, McpSession};
#[cfg(feature = "mcp")]
use crate::skills;
use crate::{acceptance, args};
use helve_core::support::hex;
use helve_permission::acceptances::{
    AcceptanceContent, AcceptanceKind, AcceptanceSubject, ContentEntry, EntryKind, digest_of_fields,
};
#[cfg(all(feature = "mcp", feature = "skill-install"))]
use helve_skill::SkillOrigin;
use helve_skill::{Skill, SkillError, is_script};
#[cfg(all(feature = "mcp", feature = "skill-install"))]
use helve_skill_install::{FetchedSkills, InstallError, InstallSource};
use helve_terminal::output;

pub(super) fn command() -> Command {
    let command = Command::new("accept")
        .about("Show a skill with scan findings, or its changes, and accept it")
        .after_help(
            "A skill with severe scan findings is disabled until you accept it, and again when one of its files \
             changes.",
        )
        .arg(acceptance::argument());
    #[cfg(feature = "skill-install")]
    let command = command.arg(acceptance::findings_argument());
    command
}

pub(super) async fn run(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    #[cfg(feature = "skill-install")]
    if let Some(done) =
        super::install::accept_draft(app, args::text(matches, "name"), matches).await
    {
        return done;
    }
    // The servers stay connected until the files of their skills are read.
    #[cfg(feature = "mcp")]
    let servers = add_server_skills(app).await?;
    let name = args::text(matches, "name");
    let done = accept(app, name, matches.get_flag("yes")).await;
    #[cfg(feature = "mcp")]
    if let Some(servers) = servers {
        servers.close().await;
    }
    done
}

/// Connects to the MCP servers, and adds their skills as far as the user has approved them.
#[cfg(feature = "mcp")]
async fn add_server_skills(app: &AppContext) -> Result<Option<McpSession>, ExitCode> {
    let config = app.settings.as_ref().or_wrong_usage()?;
    let configs = app.known_servers(config).enabled_configs();
    if configs.is_empty() {
        return Ok(None);
    }
    let sandboxes = app.sandbox_factory(config).or_wrong_usage()?;
    let servers = mcp::build_servers(app.package, configs, &sandboxes);
    let session = McpSession::start(servers, &tokio::runtime::Handle::current());
    session.wait_ready().await;
    skills::add_server_skills(&app.skills, session.servers()).await;
    Ok(Some(session))
}

/// Reads skills of an MCP server that the user has approved, as candidates for an installation.
#[cfg(all(feature = "mcp", feature = "skill-install"))]
pub(super) async fn fetch_from_server(
    app: &AppContext,
    source: &InstallSource,
    server: &str,
    names: &[String],
) -> Result<FetchedSkills, InstallError> {
    let binary = app.binary();
    let unavailable = || {
        InstallError::Unavailable(format!(
            "no MCP server `{server}` has skills that are approved\n\
             help: run `{binary} mcp list` for the servers, or `{binary} mcp approve {server}` to approve what it has"
        ))
    };
    let servers = add_server_skills(app).await.map_err(|_| unavailable())?;
    let catalog = app.skills.current();
    let skills = catalog.skills().chain(catalog.withheld()).cloned();
    let skills: Vec<Skill> = skills
        .filter(|skill| matches!(skill.origin(), SkillOrigin::Server { name } if name == server))
        .collect();
    let fetched = match skills.is_empty() {
        true => Err(unavailable()),
        false => FetchedSkills::read_catalog(source, &skills, names).await,
    };
    if let Some(servers) = servers {
        servers.close().await;
    }
    fetched
}

/// Shows a skill that is left out, asks, and accepts it.
async fn accept(app: &AppContext, name: &str, is_answered: bool) -> CommandResult {
    let catalog = app.skills.current();
    let Some(skill) = catalog.withheld().find(|skill| skill.name() == name) else {
        catalog.find(name).or_wrong_usage()?;
        output::line(&format!("the skill `{name}` is already in use"));
        return Ok(ExitCode::SUCCESS);
    };
    let acceptances = acceptance::user_store();
    let content = acceptance_content(skill).await.or_failed()?;
    let subject = AcceptanceSubject::new(AcceptanceKind::Skill, name, skill.origin().to_string());
    let difference = acceptances.read().or_failed()?.difference(subject, content);
    let command = format!("{} skills accept {name}", app.binary());
    acceptance::ask(&[&difference], is_answered, &command).await?;
    acceptances.accept(&difference).or_failed()?;
    output::line(&format!("accepted {name} until one of its files changes"));
    Ok(ExitCode::SUCCESS)
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
        let is_read = file.path == "SKILL.md" || is_script(file.path, file.executable);
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
