//! `agents list`.

use std::process::ExitCode;

use clap::ArgMatches;
use serde_json::{Value, json};

use crate::agent_list::render_catalog;
use crate::agents;
use crate::app_context::AppContext;
use crate::exit::{CommandResult, OrExit as _};
use helve_agents::{AgentCatalog, NamedAgent};
use helve_terminal::output;

pub(super) fn run(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let catalog = agents::read(app).or_failed()?;
    let all = matches.get_flag("all");
    if matches.get_flag("json") {
        output::json(&as_json(&catalog, all));
    } else {
        output::print(&render_catalog(&catalog, all, app.binary()));
    }
    Ok(ExitCode::SUCCESS)
}

fn as_json(catalog: &AgentCatalog, all: bool) -> Value {
    let agents = catalog.agents().iter().map(row);
    let mut listed = json!({ "agents": agents.collect::<Vec<_>>() });
    if all {
        let unused = catalog.unused().map(|(agent, reason)| {
            let mut row = row(agent);
            row["reason"] = reason.into();
            row
        });
        listed["unused"] = unused.collect();
        let skipped = catalog
            .skipped()
            .iter()
            .map(|file| json!({ "path": file.path.display().to_string(), "reason": file.reason }));
        listed["skipped"] = skipped.collect();
    }
    listed
}

fn row(agent: &NamedAgent) -> Value {
    let spec = agent.spec();
    let warnings = agent.warnings().iter().map(ToString::to_string);
    json!({
        "name": spec.name,
        "description": spec.description,
        "origin": agent.origin().kind(),
        "path": agent.origin().path().map(|path| path.display().to_string()),
        "digest": agent.digest_text(),
        "warnings": warnings.collect::<Vec<_>>(),
    })
}
