//! Checks the configuration of the MCP servers. Servers are not started; `mcp list` starts them.

use super::finding::Finding;
use crate::app_context::AppContext;
use crate::config::Config;
use crate::mcp::{KnownServer, render_endpoint};
use helve_mcp::{ServerConfig, Transport};
use helve_terminal::sanitize;

pub(super) fn findings(app: &AppContext, config: Option<&Config>) -> Vec<Finding> {
    let Some(config) = config else {
        return Vec::new();
    };
    let known = app.known_servers(config);
    let mut findings: Vec<Finding> = known.servers.iter().map(server_finding).collect();
    if let Some(unaccepted) = &known.unaccepted {
        findings.push(Finding::not_in_force(unaccepted, app.binary()));
    }
    if let Some(problem) = &known.problem {
        let problem = problem.to_string();
        let hint = "fix the file; its servers are not used until then";
        findings.push(Finding::problem(&sanitize::one_line(&problem), hint));
    }
    findings
}

fn server_finding(server: &KnownServer) -> Finding {
    let (name, origin) = (&server.name, &server.origin);
    match &server.config {
        _ if server.is_disabled => {
            let text = format!("{name}: disabled ({origin})");
            Finding::note(sanitize::one_line(&text))
        }
        Ok(config) => match missing_program(config) {
            Some(program) => Finding::problem(
                &sanitize::one_line(&format!(
                    "{name}: program `{program}` not found in PATH ({origin})"
                )),
                "install the program, or configure its absolute path",
            ),
            None => {
                let text = format!("{name}: {} ({origin})", render_endpoint(config));
                Finding::ok(sanitize::one_line(&text))
            }
        },
        Err(problem) => {
            let text = format!("{name}: {problem}");
            Finding::problem(
                &sanitize::one_line(&text),
                "fix the configuration; the server is not used until then",
            )
        }
    }
}

/// Returns the program of a server, where it is a bare name that no folder of PATH has.
fn missing_program(config: &ServerConfig) -> Option<&str> {
    let Transport::Stdio(server) = config.transport() else {
        return None;
    };
    let program = server.command.as_str();
    let is_bare = std::path::Path::new(program).components().count() == 1;
    let path = std::env::var_os("PATH").filter(|_| is_bare && cfg!(unix))?;
    let mut places = std::env::split_paths(&path).map(|folder| folder.join(program));
    let is_missing = !places.any(|place| place.is_file());
    is_missing.then_some(program)
}
