//! Checks the agents: their origins, held agents, and files that define none.

use std::collections::BTreeMap;

use super::finding::Finding;
use crate::app_context::AppContext;
use helve_terminal::render::counted;
use helve_terminal::sanitize;

pub(super) fn findings(app: &AppContext) -> Vec<Finding> {
    let catalog = match crate::agents::read(app) {
        Ok(catalog) => catalog,
        Err(error) => {
            return vec![Finding::problem(
                &error.to_string(),
                "repair or delete the file",
            )];
        }
    };
    let mut origins: BTreeMap<&str, usize> = BTreeMap::new();
    for agent in catalog.agents() {
        *origins.entry(agent.origin().kind()).or_default() += 1;
    }
    let origins = origins.into_iter();
    let mut findings: Vec<Finding> = origins
        .map(|(kind, agents)| Finding::ok(format!("{} ({kind})", counted(agents, "agent"))))
        .collect();
    for (agent, reason) in catalog.unused() {
        let text = format!("agent {} is not used: {reason}", agent.spec().name);
        findings.push(Finding::note(sanitize::one_line(&text).into_owned()));
    }
    for file in catalog.skipped() {
        let text = format!(
            "`{}` defines no agent: {}",
            file.path.display(),
            file.reason
        );
        findings.push(Finding::note(sanitize::one_line(&text).into_owned()));
    }
    findings
}
