//! `permissions trust` and `permissions untrust`.

use std::process::ExitCode;

use clap::Command;

use crate::cli::assembly::Assembly;
use crate::cli::config::{ConfigError, Place, ProjectFile};
use crate::cli::{exit, output, permissions};
use crate::permission::{RuleFiles, RuleScope};

pub(super) fn command() -> Command {
    Command::new("trust")
        .about("Accepts what this project's rules allow and its settings say, until they change")
        .after_help(
            "A project's rules that ask or deny always hold. Those that allow hold only while its file says what you \
             accepted here, and so do settings of `helve.toml` that could lead a key or a conversation elsewhere, and the MCP servers of \
             `.mcp.json`: the project may come from anybody.",
        )
}

pub(super) fn command_to_take_back() -> Command {
    Command::new("untrust").about("Takes back that this project's rules may allow something")
}

/// Shows what the project's file allows, and accepts it.
pub(super) fn trust(assembly: &Assembly) -> ExitCode {
    let files = permissions::files(assembly);
    let allowed = match files.trust() {
        Ok(allowed) => allowed,
        Err(error) => return exit::failed(&error),
    };
    let (settings, said) = match ProjectFile::of(assembly.folder()).and_then(|file| accepted(&file))
    {
        Ok(accepted) => accepted,
        Err(error) => return exit::failed(&error),
    };
    let servers = match servers::accept(assembly.folder()) {
        Ok(servers) => servers,
        Err(error) => return exit::failed(&*error),
    };
    let file = path(&files);
    if allowed.is_empty() && said.is_empty() && servers.is_none() {
        output::line(&format!(
            "{file} allows nothing: there is nothing to accept"
        ));
        return ExitCode::SUCCESS;
    }
    if !allowed.is_empty() {
        output::line(&format!("accepted until the file changes: {file}"));
    }
    for rule in allowed {
        let rule = rule.to_string();
        output::line(&format!("  allow {}", output::one_line(&rule)));
    }
    if !said.is_empty() {
        output::line(&format!("accepted until the file changes: {settings}"));
    }
    for (place, value) in said {
        let setting = format!("{place} = {value}");
        output::line(&format!("  {}", output::one_line(&setting)));
    }
    if let Some((file, servers)) = servers {
        output::line(&format!("accepted until the file changes: {file}"));
        for (name, shown) in servers {
            let server = format!("{name}: {shown}");
            output::line(&format!("  {}", output::one_line(&server)));
        }
    }
    ExitCode::SUCCESS
}

/// The settings of a project that had to be accepted, with their values.
type Said = Vec<(Place, String)>;

/// Accepts what the project's settings say.
fn accepted(file: &ProjectFile) -> Result<(String, Said), ConfigError> {
    Ok((file.path().display().to_string(), file.accept()?))
}

/// Takes the acceptance back: 0 where there was one, 1 where there was none.
pub(super) fn untrust(assembly: &Assembly) -> ExitCode {
    let files = permissions::files(assembly);
    let rules = match files.untrust() {
        Ok(were_accepted) => (path(&files), were_accepted),
        Err(error) => return exit::failed(&error),
    };
    let forget = |file: ProjectFile| Ok((file.path().display().to_string(), file.forget()?));
    let settings = match ProjectFile::of(assembly.folder()).and_then(forget) {
        Ok(settings) => settings,
        Err(error) => return exit::failed(&error),
    };
    let servers = match servers::forget(assembly.folder()) {
        Ok(servers) => servers,
        Err(error) => return exit::failed(&*error),
    };
    if !rules.1 && !settings.1 && !servers.1 {
        output::note(&format!("error: {} was not accepted", rules.0));
        return ExitCode::FAILURE;
    }
    for (file, _) in [rules, settings, servers].iter().filter(|(_, were)| *were) {
        output::line(&format!("no longer accepted: {file}"));
    }
    ExitCode::SUCCESS
}

/// The MCP servers that a project names in a file of their own.
#[cfg(feature = "mcp")]
mod servers {
    use std::error::Error;
    use std::path::Path;

    use crate::cli::mcp::ProjectServers;

    /// What was accepted: the file, and its servers with what is said of each.
    type Accepted = Option<(String, Vec<(String, String)>)>;

    /// Accepts what the file says; `None` where it names no server.
    pub(super) fn accept(folder: &Path) -> Result<Accepted, Box<dyn Error>> {
        let file = ProjectServers::of(folder)?;
        let servers = file.accept()?;
        let path = file.path().display().to_string();
        Ok((!servers.is_empty()).then_some((path, servers)))
    }

    /// Takes it back, and reports whether it was accepted.
    pub(super) fn forget(folder: &Path) -> Result<(String, bool), Box<dyn Error>> {
        let file = ProjectServers::of(folder)?;
        Ok((file.path().display().to_string(), file.forget()?))
    }
}

/// Without MCP nobody reads that file.
#[cfg(not(feature = "mcp"))]
mod servers {
    use std::error::Error;
    use std::path::Path;

    type Accepted = Option<(String, Vec<(String, String)>)>;

    pub(super) fn accept(_: &Path) -> Result<Accepted, Box<dyn Error>> {
        Ok(None)
    }

    pub(super) fn forget(_: &Path) -> Result<(String, bool), Box<dyn Error>> {
        Ok((String::new(), false))
    }
}

fn path(files: &RuleFiles) -> String {
    let mut files = files.files().iter();
    let project = files.find(|file| file.scope() == RuleScope::Project);
    project.map_or_else(String::new, |file| file.path().display().to_string())
}
