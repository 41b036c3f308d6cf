//! The official conformance suite against helve's server.
//!
//! What is expected to fail is in `expected-failures`, with a reason each; the suite itself fails where something else
//! does, and where something of that no longer does.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The suite, and what runs it.
struct Suite {
    node: PathBuf,
    script: PathBuf,
}

impl Suite {
    /// Finds the suite; says in one line where there is none.
    fn find() -> Option<Self> {
        let place = |name: &str| std::env::var_os(name).map(PathBuf::from);
        match place("HELVE_PEERS_NODE").zip(place("HELVE_PEERS_NPM")) {
            Some((node, modules)) => Some(Self {
                node,
                script: modules.join("@modelcontextprotocol/conformance/dist/index.js"),
            }),
            None => {
                assert!(
                    std::env::var_os("HELVE_PEERS_REQUIRED").is_none(),
                    "HELVE_PEERS_NODE and HELVE_PEERS_NPM do not say where the suite is; `.ci/mcp-peers` installs it"
                );
                println!(
                    "ran nothing: HELVE_PEERS_NODE and HELVE_PEERS_NPM do not say where the suite is"
                );
                None
            }
        }
    }

    /// Runs scenarios against a server of their own, and returns what the suite says.
    fn run(&self, expected: &str, choice: &[&str]) -> String {
        let server = Server::start();
        let results = tempfile::tempdir().expect("a folder for the results");
        let expected = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("expected-failures")
            .join(expected);
        let output = Command::new(&self.node)
            .arg(&self.script)
            .args(["server", "--url", &server.url])
            .args(choice)
            .arg("--expected-failures")
            .arg(expected)
            .arg("-o")
            .arg(results.path())
            .current_dir(results.path())
            .env("HOME", results.path())
            .stdin(Stdio::null())
            .output()
            .expect("the suite starts");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "the suite is not content ({choice:?}):\n{said}\n{errors}"
        );
        said
    }

    /// Runs every scenario of a version, and says how many checks passed.
    fn version(&self, version: &str) {
        let said = self.run(
            &format!("server-{version}.yml"),
            &["--suite", "all", "--spec-version", version],
        );
        let total = said.lines().rev().find(|line| line.contains("Total:"));
        let total = total.expect("the suite says how many checks passed");
        println!("{version}: {}", total.trim());
    }
}

/// The server that the suite is run against; it ends with the value.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_conformance_server"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut url = String::new();
        let output = child.stdout.take().expect("it is piped");
        BufReader::new(output)
            .read_line(&mut url)
            .expect("the server says where it is");
        assert!(url.starts_with("http://"), "the server says where it is");
        Self {
            child,
            url: url.trim().to_owned(),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_suite_of_2025_11_25() {
    if let Some(suite) = Suite::find() {
        suite.version("2025-11-25");
    }
}

#[test]
fn the_suite_of_2026_07_28() {
    if let Some(suite) = Suite::find() {
        suite.version("2026-07-28");
    }
}

#[test]
fn the_extensions() {
    let Some(suite) = Suite::find() else { return };
    for scenario in [
        "sep-2640-skills-directory",
        "sep-2640-skills-enumeration",
        "sep-2640-skills-manifest",
        "tasks-lifecycle",
        "tasks-capability-negotiation",
        "tasks-wire-fields",
        "tasks-request-state-removal",
        "tasks-mrtr-input",
        "tasks-request-headers",
        "tasks-dispatch-and-envelope",
        "tasks-status-notifications",
        "tasks-required-task-error",
        "tasks-mrtr-composition",
    ] {
        let _ = suite.run("server-extensions.yml", &["--scenario", scenario]);
        println!("{scenario}: passed");
    }
}
