//! The list of agents for the terminal.

use crate::bundles;
use helve_agents::{AgentCatalog, NamedAgent};
use helve_terminal::render::counted;
use helve_terminal::sanitize;

/// The maximum length of a description, in characters.
const MAX_DESCRIPTION: usize = 100;

/// Renders the agents; with `all`, also those that are not used, and the files that define none, with the reasons.
pub(crate) fn render_catalog(catalog: &AgentCatalog, all: bool, binary: &str) -> String {
    let mut text = String::new();
    let agents = catalog.agents();
    let width = agents.iter().map(|agent| agent.spec().name.chars().count());
    let width = width.max().unwrap_or_default().min(30);
    for agent in agents {
        let (name, about) = (sanitize::one_line(&agent.spec().name), description(agent));
        let origin = agent.origin();
        let bundle = origin.path().and_then(bundles::name_of);
        let bundle = bundle.map_or(String::new(), |bundle| format!(" {bundle}"));
        text.push_str(&format!(
            "{name:width$}  {about} ({}{bundle})\n",
            origin.kind()
        ));
    }
    if agents.is_empty() {
        text.push_str("no agents\n");
    }
    let unused: Vec<_> = catalog.unused().collect();
    if all {
        for (agent, reason) in &unused {
            let name = sanitize::one_line(&agent.spec().name);
            let origin = agent.origin().to_string();
            let line = format!("not used: {name} of {origin}: {reason}");
            text.push_str(&format!("{}\n", sanitize::one_line(&line)));
        }
        for file in catalog.skipped() {
            let line = format!("no agent: `{}`: {}", file.path.display(), file.reason);
            text.push_str(&format!("{}\n", sanitize::one_line(&line)));
        }
    }
    let held = catalog.held().count();
    if held > 0 {
        let held = counted(held, "agent");
        text.push_str(&format!(
            "{held} of the project held: run `{binary} permissions trust` to review and accept the files\n"
        ));
    }
    let hidden = unused.len() + catalog.skipped().len();
    if !all && hidden > 0 {
        let hidden = counted(hidden, "file");
        text.push_str(&format!(
            "{hidden} not used: run `{binary} agents list --all` for the reasons\n"
        ));
    }
    text
}

/// Returns the first line of a description.
pub(crate) fn description(agent: &NamedAgent) -> String {
    let description = sanitize::replace_controls(&agent.spec().description).into_owned();
    sanitize::first_line(&description, MAX_DESCRIPTION)
}
