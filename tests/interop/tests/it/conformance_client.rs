//! The official conformance suite against helve as a client.
#![allow(clippy::unwrap_used, reason = "tests panic")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

const CLIENT: &str = env!("CARGO_BIN_EXE_conformance_client");

/// Where the suite is, where it was installed: `.ci/mcp-peers` says so in variables.
struct Suite {
    node: PathBuf,
    program: PathBuf,
}

impl Suite {
    /// Finds the suite; `None`, and a line that says so, where there is none and none has to be.
    fn find() -> Option<Self> {
        let folder = |name: &str| std::env::var_os(name).map(PathBuf::from);
        let (Some(node), Some(modules)) = (folder("HELVE_PEERS_NODE"), folder("HELVE_PEERS_NPM"))
        else {
            assert!(
                std::env::var_os("HELVE_PEERS_REQUIRED").is_none(),
                "HELVE_PEERS_NODE and HELVE_PEERS_NPM say where the peers are, and have to be set"
            );
            println!("ran nothing: HELVE_PEERS_NODE and HELVE_PEERS_NPM are not set");
            return None;
        };
        let program = modules.join("@modelcontextprotocol/conformance/dist/index.js");
        assert!(
            program.is_file(),
            "the suite is not at {}",
            program.display()
        );
        Some(Self { node, program })
    }

    /// Runs a part of the suite, and says how many checks passed.
    fn run(&self, arguments: &[&str], baseline: &str) {
        // It runs its scenarios side by side and measures some in milliseconds: one part of it at a time.
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
        let _one = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let results = tempfile::tempdir().unwrap();
        let baseline = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("expected-failures")
            .join(baseline);
        let run = Command::new(&self.node)
            .arg(&self.program)
            .args(["client", "--command", CLIENT, "--timeout", "120000"])
            .args(arguments)
            .arg("--expected-failures")
            .arg(baseline)
            .arg("-o")
            .arg(results.path())
            .current_dir(results.path())
            .env("HOME", results.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        // One scenario alone tells its results on standard error.
        let [out, errors] =
            [run.stdout, run.stderr].map(|printed| String::from_utf8_lossy(&printed).into_owned());
        let printed = out + "\n" + &errors;
        assert!(run.status.success(), "{}\n{printed}", run.status);
        let is_total = |line: &&str| line.contains("Total:") || line.contains("Passed:");
        let total = printed.lines().rfind(is_total);
        println!("{}: {}", arguments.join(" "), total.unwrap().trim());
    }
}

#[test]
fn a_client_of_2025_11_25() {
    if let Some(suite) = Suite::find() {
        suite.run(
            &["--suite", "all", "--spec-version", "2025-11-25"],
            "client-2025-11-25.yml",
        );
    }
}

#[test]
fn a_client_of_2026_07_28() {
    if let Some(suite) = Suite::find() {
        suite.run(
            &["--suite", "all", "--spec-version", "2026-07-28"],
            "client-2026-07-28.yml",
        );
    }
}

#[test]
fn a_client_with_extensions() {
    if let Some(suite) = Suite::find() {
        suite.run(&["--suite", "extensions"], "client-extensions.yml");
    }
}

#[test]
fn a_client_of_servers_of_2025_03_26() {
    if let Some(suite) = Suite::find() {
        suite.run(&["--suite", "backcompat"], "client-extensions.yml");
    }
}

#[test]
fn a_client_that_uses_skills() {
    if let Some(suite) = Suite::find() {
        for scenario in [
            "no-prefetch",
            "verify-digest",
            "verify-size",
            "verify-frontmatter",
        ] {
            let scenario = format!("sep-2640-client-{scenario}");
            suite.run(&["--scenario", &scenario], "client-extensions.yml");
        }
    }
}
