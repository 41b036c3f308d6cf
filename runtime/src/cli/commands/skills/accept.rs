//! `skills accept`: a skill in which a scan found something is shown, and accepted.

use std::process::ExitCode;

use clap::{ArgMatches, Command};

use super::{WRONG_USAGE, block_on, text};
use crate::acceptances::{AcceptanceKind, Content, Entry, EntryKind, Subject, digest_of_fields};
use crate::cli::assembly::Assembly;
use crate::cli::{acceptance, exit, output};
use crate::skill::{Skill, SkillCatalog, SkillError};
use crate::support::hex;

pub(super) fn command() -> Command {
    Command::new("accept")
        .about("Shows a skill in which a scan found something, or what has changed in it, and accepts it")
        .after_help(
            "A skill in which a scan finds what a reviewer would refuse is left out until you accept it. Once one of its files \
             changes, it is left out again.",
        )
        .arg(acceptance::argument())
}

pub(super) fn run(assembly: &Assembly, matches: &ArgMatches) -> ExitCode {
    let name = text(matches, "name");
    // The servers are needed until the files of their skills are read.
    #[cfg(feature = "mcp")]
    let _servers = match crate::cli::mcp::add_skills(assembly, matches) {
        Ok(servers) => servers,
        Err(error) => return exit::wrong_usage(&error),
    };
    let catalog = assembly.skills.current();
    let Some(skill) = catalog.withheld().find(|skill| skill.name() == name) else {
        return not_withheld(&catalog, name);
    };
    let acceptances = acceptance::user_store();
    let content = match block_on(content(skill)) {
        Ok(Ok(content)) => content,
        Ok(Err(error)) => return exit::failed(&error),
        Err(error) => return exit::failed(&error),
    };
    let subject = Subject::new(AcceptanceKind::Skill, name, skill.origin().to_string());
    let difference = match acceptances.read() {
        Ok(accepted) => accepted.difference(subject, content),
        Err(error) => return exit::failed(&error),
    };
    let command = format!("{} skills accept {name}", assembly.binary());
    if let Err(code) = acceptance::ask(&[&difference], matches.get_flag("yes"), &command) {
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
fn not_withheld(catalog: &SkillCatalog, name: &str) -> ExitCode {
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
async fn content(skill: &Skill) -> Result<Content, SkillError> {
    let mut entries = Vec::new();
    for finding in skill.findings() {
        let place = format!(
            "{}[{}] {}:{}",
            finding.severity, finding.rule, finding.path, finding.line
        );
        let text = format!("{}: `{}`", finding.message, finding.excerpt);
        entries.push(Entry::with_text(EntryKind::Finding, place, &text));
    }
    for file in skill.files() {
        let sha256 = hex::encode(file.sha256);
        let mode = if file.executable { "executable" } else { "" };
        let entry = Entry::named(EntryKind::File, file.path)
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
    Ok(Content::with_digest(skill.digest().to_string(), entries))
}
