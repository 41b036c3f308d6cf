//! What is linked, and what of it the app grants.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Finding;
use crate::cli::assembly::Assembly;
use crate::registry::Registry;
use crate::tool::{Availability, Tool};

pub(super) fn findings(assembly: &Assembly) -> Vec<Finding> {
    let mut packs: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for tool in Registry::linked() {
        let (linked, granted) = packs.entry(tool.package()).or_default();
        *linked += 1;
        *granted += usize::from(assembly.grants_tool(tool));
    }
    if packs.is_empty() {
        let text = "no tools are linked: name a pack with `.pack(…)` or `helve::link_tools!(…)`";
        return vec![Finding::note(text)];
    }
    let describe = |(package, (linked, granted)): (&str, (usize, usize))| {
        let text = format!("{package}: {granted} of {linked} granted");
        match granted {
            0 => Finding::note(text),
            _ => Finding::fine(text),
        }
    };
    let mut findings: Vec<Finding> = packs.into_iter().map(describe).collect();
    let warnings = assembly.toolset.warnings().into_iter();
    findings.extend(
        warnings.map(|text| Finding::problem(&text, "mend it where the app is put together")),
    );
    findings.extend(gaps(assembly));
    findings
}

/// Lists the granted tools that are of no use as things are, and what would mend that.
fn gaps(assembly: &Assembly) -> Vec<Finding> {
    let context = assembly.context();
    let tools = assembly.toolset.tools();
    let finding = |tool: &Arc<dyn Tool>| {
        let name = &tool.spec().name;
        match tool.availability(&context) {
            Availability::Unavailable => Some(Finding::note(format!(
                "`{name}` is not available here, and no model sees it"
            ))),
            Availability::NotConfigured(what) => Some(Finding::note(format!(
                "`{name}` is not configured\n    → {what}"
            ))),
            _ => None,
        }
    };
    tools.iter().filter_map(finding).collect()
}
