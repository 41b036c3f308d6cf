//! `doctor`: what is linked, granted, configured, enforced and reachable, and a hint for each problem.

#[cfg(feature = "agents")]
mod agents;
mod dangerous_paths;
mod finding;
#[cfg(feature = "hooks")]
mod hooks;
mod machine;
#[cfg(feature = "mcp")]
mod mcp;
mod model;
mod sandbox;
mod settings;
#[cfg(feature = "skills")]
mod skills;
#[cfg(feature = "state")]
mod state;
mod tools;

use std::process::ExitCode;

use clap::{ArgMatches, Command};
use serde_json::{Value, json};

use finding::{Finding, FindingLevel};

use crate::app_context::AppContext;
use crate::exit::{self, CommandResult};
use crate::{args, config};
use helve_terminal::output;

pub(super) fn command() -> Command {
    Command::new("doctor")
        .about("Check the tools, the settings, the sandbox and the model")
        .after_help(
            "✓ ok, · note, ✗ problem. The exit code is 1 if there is a problem. The provider of the model is \
             contacted without a key.",
        )
        .arg(args::flag(
            "offline",
            "Do not contact the provider of the model",
        ))
        .arg(args::json())
        .args(config::arguments())
}

pub(super) async fn run(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let config = app.settings.as_ref().ok();
    let tried = sandbox::probe(app, config).await;
    let dangerous = dangerous_paths::findings(
        tried.choice.as_ref(),
        tried.enforcement.as_ref(),
        config,
        app,
    );
    let sections = [
        ("Tools", tools::findings(app, config)),
        #[cfg(feature = "skills")]
        ("Skills", skills::findings(app)),
        #[cfg(feature = "agents")]
        ("Agents", agents::findings(app)),
        ("Settings", settings::findings(app, app.settings.as_ref())),
        #[cfg(feature = "hooks")]
        ("Hooks", hooks::findings(app)),
        #[cfg(feature = "mcp")]
        ("MCP servers", mcp::findings(app, config)),
        ("Model", model::findings(app, config, matches).await),
        ("Sandbox", tried.findings),
        ("Dangerous paths", dangerous),
        #[cfg(feature = "state")]
        ("State", state::findings(app).await),
        ("Machine", machine::findings(app)),
    ];
    if matches.get_flag("json") {
        output::json(&report_json(app, &sections));
    } else {
        output::line(&version_line(app));
        let told = sections.iter().filter(|(_, findings)| !findings.is_empty());
        for (name, findings) in told {
            output::line(&format!("\n{name}"));
            for finding in findings {
                output::line(&format!("  {finding}"));
            }
        }
    }
    let mut all = sections.iter().flat_map(|(_, findings)| findings);
    if all.any(|finding| finding.level == FindingLevel::Problem) {
        Err(ExitCode::from(exit::FAILED))
    } else {
        Ok(ExitCode::SUCCESS)
    }
}

fn report_json(app: &AppContext, sections: &[(&str, Vec<Finding>)]) -> Value {
    let sections = sections
        .iter()
        .map(|(name, findings)| json!({ "name": name, "findings": findings }));
    json!({ "version": version_line(app), "sections": sections.collect::<Vec<_>>() })
}

fn version_line(app: &AppContext) -> String {
    let package = app.package;
    format!(
        "{} {}, helve {}, {} {}",
        package.name,
        package.version,
        env!("CARGO_PKG_VERSION"),
        std::env::consts::OS,
        std::env::consts::ARCH
    )
}
