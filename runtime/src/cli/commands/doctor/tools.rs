//! What is linked, and what of it the app grants.

use std::collections::BTreeMap;

use super::Finding;
use crate::cli::assembly::Assembly;
use crate::registry::Registry;

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
    findings
}
