//! `agents show`.

use std::process::ExitCode;

use clap::ArgMatches;
use serde_json::{Value, json};

use crate::agents;
use crate::app_context::AppContext;
use crate::args;
use crate::exit::{self, CommandResult, OrExit as _};
use helve_agent::turn::Bounds;
use helve_agents::{AgentCatalog, NamedAgent, SessionAuthority};
use helve_permission::Policy;
use helve_terminal::{output, sanitize};

pub(super) fn run(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let name = args::text(matches, "name");
    let catalog = agents::read(app).or_failed()?;
    let agent = find(&catalog, name)?;
    if matches.get_flag("json") {
        output::json(&as_json(app, agent).or_failed()?);
    } else {
        let text = as_text(app, &catalog, agent).or_failed()?;
        output::line(&sanitize::replace_controls(&text));
    }
    Ok(ExitCode::SUCCESS)
}

/// Finds an agent, or else one that is not used: what it would be is shown, too.
fn find<'c>(catalog: &'c AgentCatalog, name: &str) -> Result<&'c NamedAgent, ExitCode> {
    let unused = || {
        let mut unused = catalog.unused();
        unused.find_map(|(agent, _)| (agent.spec().name == name).then_some(agent))
    };
    catalog.get(name).or_else(unused).ok_or_else(|| {
        let name = sanitize::one_line(name);
        let near = match catalog.nearest(&name) {
            Some(near) => format!("; did you mean `{near}`?"),
            None => String::new(),
        };
        exit::with_message(
            exit::WRONG_USAGE,
            format_args!("no agent is called `{name}`{near}"),
        )
    })
}

/// Lists the tools that the agent has.
fn tools(app: &AppContext, agent: &NamedAgent) -> Vec<String> {
    let (policy, bounds) = (Policy::default(), Bounds::new(1));
    let tools = app.tools.granted();
    let resolved = agent.spec().resolve(&SessionAuthority {
        tools,
        policy: &policy,
        bounds: &bounds,
    });
    resolved.tools(tools).names()
}

fn as_json(app: &AppContext, agent: &NamedAgent) -> Result<Value, serde_json::Error> {
    let warnings = agent.warnings().iter().map(ToString::to_string);
    Ok(json!({
        "spec": serde_json::to_value(agent.spec())?,
        "origin": agent.origin().to_string(),
        "digest": agent.digest_text(),
        "tools": tools(app, agent),
        "warnings": warnings.chain(agents::notes_with_lines(app, agent)).collect::<Vec<_>>(),
    }))
}

fn as_text(
    app: &AppContext,
    catalog: &AgentCatalog,
    agent: &NamedAgent,
) -> Result<String, serde_json::Error> {
    let spec = agent.spec();
    let mut text = format!("{}\nfrom {}\n", spec.name, agent.origin());
    let mut unused = catalog.unused();
    let is_it = |(other, _): &(&NamedAgent, String)| std::ptr::eq(*other, agent);
    if let Some((_, reason)) = unused.find(is_it) {
        text.push_str(&format!("not used: {reason}\n"));
    }
    text.push_str(&format!("tools: {}\n", listed(&tools(app, agent))));
    let fields = serde_json::to_value(spec)?;
    for (key, value) in fields.as_object().into_iter().flatten() {
        if !matches!(&**key, "name" | "description" | "instructions" | "tools") {
            text.push_str(&format!("{key}: {value}\n"));
        }
    }
    for warning in agent.warnings() {
        text.push_str(&format!("warning: {warning}\n"));
    }
    for note in agents::notes_with_lines(app, agent) {
        text.push_str(&format!("warning: {note}\n"));
    }
    let (description, instructions) = (&spec.description, &spec.instructions);
    text.push_str(&format!("\n{description}\n\n{instructions}"));
    Ok(text)
}

fn listed(names: &[String]) -> String {
    match names.is_empty() {
        true => "none".to_owned(),
        false => names.join(", "),
    }
}
