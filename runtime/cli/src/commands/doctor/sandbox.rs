//! The sandbox: which one, and what it really enforces on this machine.

use std::time::Duration;

use super::finding::Finding;
use crate::app_context::AppContext;
use crate::config::Config;
use crate::sandbox::{NamedSandbox, SandboxFactory};
use helve_core::sandbox::{Enforcement, Gap, Layer, LayerStatus, NewPaths, SandboxError};
use helve_core::support::wildcard;
use helve_remote::SandboxChoice;

const OPEN_TIMEOUT: Duration = Duration::from_secs(10);

pub(super) struct SandboxReport {
    pub(super) choice: Option<SandboxChoice>,
    /// The enforcement of the sandbox, if it was opened.
    pub(super) enforcement: Option<Enforcement>,
    pub(super) findings: Vec<Finding>,
}

pub(super) async fn probe(app: &AppContext, config: Option<&Config>) -> SandboxReport {
    let nothing = |finding| SandboxReport {
        choice: None,
        enforcement: None,
        findings: vec![finding],
    };
    let Some(config) = config else {
        return nothing(Finding::note("not checked: the settings cannot be read"));
    };
    match app.sandbox_factory(config) {
        Ok(sandboxes) => {
            let named = named_findings(app, &sandboxes.named).await;
            let mut report = probe_sandbox(sandboxes).await;
            report.findings.extend(named);
            report
        }
        Err(error) => nothing(Finding::problem(&error.to_string(), "fix the settings")),
    }
}

/// Opens the sandbox, asks it, and closes it: what a machine enforces is only known once it was tried.
async fn probe_sandbox(sandboxes: SandboxFactory) -> SandboxReport {
    let (choice, origin) = (&sandboxes.choice, sandboxes.origin.to_string());
    let asked = open_for_enforcement(&sandboxes).await;
    let findings = match &asked {
        Ok(enforcement) => enforcement_findings(choice, &origin, enforcement, |layer| {
            sandboxes.policy.accepted.contains(&layer)
        }),
        Err(error) => error_findings(choice, &origin, error),
    };
    SandboxReport {
        choice: Some(sandboxes.choice),
        enforcement: asked.ok(),
        findings,
    }
}

/// Reports the named sandboxes, and the tools that use them.
async fn named_findings(app: &AppContext, named: &[NamedSandbox]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for NamedSandbox {
        name,
        tools,
        factory,
    } in named
    {
        let (choice, origin) = (&factory.choice, &factory.origin);
        let head = format!("`sandbox.{name}` ({origin}): {choice}");
        let users: Vec<String> = tools.iter().map(|tool| format!("`{tool}`")).collect();
        findings.push(match open_for_enforcement(factory).await {
            Ok(_) if users.is_empty() => {
                let hint =
                    format!("set `tools.TOOL.sandbox = {name:?}` for the tools that are to use it");
                Finding::note(format!("{head}, for no tool")).with_hint(hint)
            }
            Ok(_) => Finding::ok(format!("{head}, for {}", users.join(", "))),
            Err(error) => {
                let hint =
                    "fix the problem, or set another `kind`; commands do not run there until then";
                Finding::problem(&format!("{head}: {error}"), hint)
            }
        });
        for tool in tools.iter().filter(|tool| !starts_commands(app, tool)) {
            let what =
                format!("`tools.{tool}.sandbox` has no effect: no such tool starts commands");
            findings.push(Finding::note(what));
        }
    }
    findings
}

/// Reports whether a tool with a name starts commands.
fn starts_commands(app: &AppContext, pattern: &str) -> bool {
    let tools = app.tools.all().tools();
    let mut specs = tools.iter().map(|tool| tool.spec());
    specs.any(|spec| spec.requires.process && wildcard::matches(pattern, &spec.name))
}

async fn open_for_enforcement(sandboxes: &SandboxFactory) -> Result<Enforcement, SandboxError> {
    let opened = tokio::time::timeout(OPEN_TIMEOUT, sandboxes.open()).await;
    let opened = opened.map_err(|_| SandboxError::Unavailable {
        kind: sandboxes.choice.to_string(),
        why: format!("timed out after {} seconds", OPEN_TIMEOUT.as_secs()),
    })??;
    let enforcement = opened.enforcement().clone();
    let _ = tokio::time::timeout(OPEN_TIMEOUT, opened.close()).await;
    Ok(enforcement)
}

fn enforcement_findings(
    choice: &SandboxChoice,
    origin: &str,
    enforcement: &Enforcement,
    is_accepted: impl Fn(Layer) -> bool,
) -> Vec<Finding> {
    let head = format!("{choice} ({origin}), by {}", enforcement.mechanism);
    let mut findings = vec![match choice {
        SandboxChoice::Passthrough => Finding::note(format!(
            "{head}: commands are not isolated and run with your permissions"
        )),
        _ => Finding::ok(head),
    }];
    let by_design = *choice == SandboxChoice::Passthrough;
    for layer in Layer::ALL {
        let holds = enforcement.layers.get(&layer);
        findings.push(layer_finding(layer, holds, by_design || is_accepted(layer)));
        if layer == Layer::ProtectedPaths {
            // Mounts cannot cover new paths: watching or sweeping is weaker than enforcement.
            findings.extend(enforcement.new_paths.as_ref().map(|new_paths| {
                let text = format!("protected paths that a command creates: {new_paths}");
                Finding::ok_or_note(!matches!(new_paths, NewPaths::Swept { .. }), text)
            }));
        }
    }
    findings
}

/// Reports a layer that is not enforced as a problem, unless the settings accept it.
fn layer_finding(layer: Layer, holds: Option<&LayerStatus>, is_accepted: bool) -> Finding {
    let gap = |text: String, mend: &str| match is_accepted {
        true => Finding::note(format!("{text} (accepted)")),
        false => Finding::problem(&text, mend),
    };
    match holds {
        Some(LayerStatus::Yes { by }) => Finding::ok(format!("{layer}: {by}")),
        Some(LayerStatus::Partly { by, lacks, mend }) => {
            gap(format!("{layer}: {by}; but {lacks}"), mend)
        }
        Some(LayerStatus::No { why, mend }) => gap(format!("{layer}: {why}"), mend),
        None => gap(format!("{layer}: not enforced"), "select another sandbox"),
    }
}

fn error_findings(choice: &SandboxChoice, origin: &str, error: &SandboxError) -> Vec<Finding> {
    let SandboxError::Isolation { missing } = error else {
        return vec![Finding::problem(
            &format!("{choice} ({origin}): {error}"),
            "fix the problem, or select another sandbox with `--sandbox`; commands do not run until then",
        )];
    };
    let head = Finding::problem(
        &format!("{choice} ({origin}): commands cannot be isolated on this machine and do not run"),
        "fix the problems below, or list the layers in `sandbox.accept_missing`",
    );
    let gap = |gap: &Gap| Finding::problem(&format!("{}: {}", gap.layer, gap.why), &gap.hint);
    let gaps = missing.iter().map(gap);
    std::iter::once(head).chain(gaps).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::doctor::FindingLevel;

    #[test]
    fn a_gap_is_a_problem_until_it_is_accepted() {
        let gap = LayerStatus::No {
            why: "the kernel has none".into(),
            mend: "use a newer one".into(),
        };
        let open = layer_finding(Layer::Landlock, Some(&gap), false);
        assert!(open.level == FindingLevel::Problem);
        assert_eq!(
            open.to_string(),
            "✗ landlock: the kernel has none\n    → use a newer one"
        );
        let accepted = layer_finding(Layer::Landlock, Some(&gap), true);
        assert!(accepted.level == FindingLevel::Note);
        assert!(layer_finding(Layer::Files, None, false).level == FindingLevel::Problem);
    }
}
