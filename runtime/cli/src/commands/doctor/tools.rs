//! Checks the linked tools and which of them the app grants.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::finding::Finding;
use crate::app_context::AppContext;
use crate::config::Config;
use crate::tool_network::ToolReach;
use helve_core::registry::Registry;
use helve_core::tool::{Availability, Tool};
use helve_terminal::render::counted;
use helve_terminal::sanitize;

pub(super) fn findings(app: &AppContext, config: Option<&Config>) -> Vec<Finding> {
    let mut packs: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for tool in Registry::linked() {
        let (linked, granted) = packs.entry(tool.package()).or_default();
        *linked += 1;
        *granted += usize::from(app.tools.has_linked(tool));
    }
    if packs.is_empty() {
        let text = "no tools are linked: add a pack with `.pack(…)` or `helve::link_tools!(…)`";
        return vec![Finding::note(text)];
    }
    let describe = |(package, (linked, granted)): (&str, (usize, usize))| {
        let text = format!("{package}: {granted} of {linked} granted");
        Finding::ok_or_note(granted > 0, text)
    };
    let mut findings: Vec<Finding> = packs.into_iter().map(describe).collect();
    let warnings = app.tools.all().warnings().into_iter();
    findings.extend(warnings.map(|text| Finding::problem(&text, "fix it where the app is built")));
    findings.extend(filtered_finding(app));
    findings.extend(unmatched_filter_names(app, config));
    findings.extend(unavailable_findings(app));
    let reach = config.map(ToolReach::read).unwrap_or_default();
    findings.extend(reach.iter().flat_map(reach_findings));
    findings
}

/// Reports the number of tools that filters disable.
fn filtered_finding(app: &AppContext) -> Option<Finding> {
    let tools = app.tools.all().tools();
    let is_left_out = |tool: &&Arc<dyn Tool>| app.tools.closing_filter(tool.spec()).is_some();
    let count = tools.iter().filter(is_left_out).count();
    let verb = match count {
        0 => return None,
        1 => "is",
        _ => "are",
    };
    let tools = counted(count, "tool");
    let binary = app.binary();
    Some(Finding::note(format!(
        "{tools} {verb} disabled by filters; run `{binary} tools --all` for the reasons"
    )))
}

/// Lists the names in filters that match no tool. Names that may belong to an MCP server are not reported, since the
/// servers are not connected.
fn unmatched_filter_names(app: &AppContext, config: Option<&Config>) -> Vec<Finding> {
    let servers = server_names(app, config);
    let tools = app.tools.all().tools();
    let mut findings = Vec::new();
    for narrowing in app.tools.filters() {
        let idle = narrowing.filter.unmatched_names(&tools).into_iter();
        let idle = idle.filter(|name| !name.may_belong_to(&servers));
        findings.extend(idle.map(|name| {
            let text = sanitize::one_line(&format!("{name} ({narrowing})")).into_owned();
            match narrowing.is_from_app() {
                true => Finding::problem(&text, "fix it where the app is built"),
                // Settings are for other apps, too, which may have it.
                false => Finding::note(text),
            }
        }));
    }
    findings
}

#[cfg(feature = "mcp")]
fn server_names(app: &AppContext, config: Option<&Config>) -> Vec<String> {
    let known = config.map(|config| app.known_servers(config));
    let servers = known.into_iter().flat_map(|known| known.servers);
    servers.map(|server| server.name).collect()
}

#[cfg(not(feature = "mcp"))]
fn server_names(_: &AppContext, _: Option<&Config>) -> Vec<String> {
    Vec::new()
}

/// Says what the settings let a tool reach, and which of its secrets are not set.
fn reach_findings(reach: &ToolReach) -> Vec<Finding> {
    let tool = &reach.tool;
    let mut parts = Vec::new();
    match reach.hosts.as_deref() {
        Some([]) => parts.push("reaches no other host".to_owned()),
        Some(hosts) => parts.push(format!("reaches {}", hosts.join(", "))),
        None => {}
    }
    let sends = |(name, origins): &(String, Vec<String>)| {
        format!("sends `{name}` to {}", origins.join(", "))
    };
    parts.extend(reach.secrets.iter().map(sends));
    let text = format!("`{tool}` {}", parts.join(", and "));
    let mut findings = vec![Finding::ok(sanitize::one_line(&text).into_owned())];
    let is_unset = |name: &str| std::env::var_os(name).is_none_or(|value| value.is_empty());
    let unset = reach.secrets.iter().filter(|(name, _)| is_unset(name));
    findings.extend(unset.map(|(name, _)| {
        let text = format!("`{tool}`: the secret `{name}` is not set");
        let hint = format!("set `{name}` in the environment");
        Finding::note(sanitize::one_line(&text).into_owned()).with_hint(hint)
    }));
    findings
}

/// Lists the granted tools that are not available or not configured, with the solution.
fn unavailable_findings(app: &AppContext) -> Vec<Finding> {
    let context = app.tool_context();
    let tools = app.tools.granted().tools();
    let finding = |tool: &Arc<dyn Tool>| {
        let name = &tool.spec().name;
        match tool.availability(&context) {
            Availability::Unavailable => Some(Finding::note(format!(
                "`{name}` is not available and is hidden from the model"
            ))),
            Availability::NotConfigured(what) => {
                let finding = Finding::note(format!("`{name}` is not configured"));
                Some(finding.with_hint(what.clone()))
            }
            _ => None,
        }
    };
    tools.iter().filter_map(finding).collect()
}
