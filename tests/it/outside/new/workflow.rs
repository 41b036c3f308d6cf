//! The scripts of the release workflow that `helve new` makes, run in a package.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{files, helve_in, temporary};
use crate::outside::building::{ProcessOutput, cargo, run, write};

/// Runs a script of the release workflow in a package.
fn run_script(package: &Path, tag: &str, scripts: &[String], containing: &str) -> ProcessOutput {
    let script = scripts.iter().find(|script| script.contains(containing));
    let script = script.unwrap_or_else(|| panic!("no script has `{containing}`"));
    let mut bash = Command::new("bash");
    bash.args(["-ec", script])
        .current_dir(package)
        .env("GITHUB_REF_NAME", tag);
    run(&mut bash)
}

#[test]
fn the_release_workflow_makes_archives_of_the_tagged_version() {
    let here = temporary();
    let (code, printed) = helve_in(here.path(), &["new", "weather"]);
    assert_eq!(code, Some(0), "{printed}");
    let weather = here.path().join("weather");
    let workflow = fs::read_to_string(weather.join(".github/workflows/release.yml"));
    let scripts = scripts_of(&workflow.expect("the package has it"));
    assert_eq!(scripts.len(), 6, "{scripts:?}");
    for script in &scripts {
        run(Command::new("bash").args(["-n", "-c", script])).assert_success();
    }

    // The version comes from the lock file, too; here no dependency is in it.
    let manifest = fs::read_to_string(weather.join("Cargo.toml")).expect("a manifest");
    let alone = manifest
        .split("\n[dependencies]")
        .next()
        .expect("the first part");
    write(&weather.join("Cargo.toml"), alone);
    run(cargo(&weather, "generate-lockfile").current_dir(&weather)).assert_success();
    run_script(&weather, "v0.1.0", &scripts, "pkgid").assert_success();
    let other = run_script(&weather, "v0.2.0", &scripts, "pkgid");
    let reason = "::error::the tag is v0.2.0, and the version in Cargo.toml is 0.1.0\n";
    assert_eq!((other.code, &*other.out), (Some(1), reason));

    let targets = ["aarch64", "x86_64"].map(|machine| format!("{machine}-unknown-linux-musl"));
    for target in &targets {
        write(
            &weather.join(format!("target/{target}/release/weather")),
            target,
        );
    }
    let author = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
    let mut commit = Command::new("git");
    commit
        .args(author)
        .args(["commit", "--quiet", "--allow-empty", "-m", "First"]);
    run(commit.current_dir(&weather)).assert_success();
    run_script(&weather, "v0.1.0", &scripts, "tar ").assert_success();
    let archives = weather.join("archives");
    let names = targets.map(|target| format!("weather-0.1.0-{target}"));
    let [arm, intel] = names.each_ref().map(|name| format!("{name}.tar.gz"));
    assert_eq!(files(&archives), ["SHA256SUMS", &arm, &intel]);
    let mut check = Command::new("sha256sum");
    run(check.args(["--check", "SHA256SUMS"]).current_dir(&archives)).assert_success();
    let listed = run(Command::new("tar").arg("-tzf").arg(archives.join(&arm)))
        .assert_success()
        .out;
    let name = &names[0];
    assert_eq!(
        listed,
        format!("{name}/\n{name}/README.md\n{name}/weather\n")
    );
}

/// Returns the values of `run:`, on its line or indented below it.
fn scripts_of(workflow: &str) -> Vec<String> {
    let mut scripts = Vec::new();
    let mut lines = workflow.lines().peekable();
    while let Some(line) = lines.next() {
        match line.trim_start().strip_prefix("run: ") {
            Some("|") => {
                let mut script = String::new();
                while let Some(line) = lines.next_if(|line| line.starts_with("          ")) {
                    script += &format!("{}\n", line.trim_start());
                }
                scripts.push(script);
            }
            Some(command) => scripts.push(command.to_owned()),
            None => {}
        }
    }
    scripts
}
