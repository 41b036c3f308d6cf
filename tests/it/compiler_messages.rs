//! What the compiler says to somebody who made a mistake: whole messages, one case a rule in `tests/ui/`, one a rule
//! about skills in `tests/ui/skills/`, those of agent files in `tests/ui/agents/`, and those of cases in
//! `tests/ui/testing/`.
//!
//! `TRYBUILD=overwrite cargo test --test compiler_messages` writes the messages anew; read them as a newcomer would.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod fixtures;

use std::process::Command;

/// The features under which the messages were written: they change which types a message can name.
const FIXED_FEATURES: bool = cfg!(all(
    feature = "agents",
    feature = "app",
    feature = "files",
    feature = "skills",
    not(feature = "skills-zstd")
));

#[test]
fn mistakes_are_told_in_our_words_on_the_right_token() {
    if let Some(reason) = skipped() {
        println!("the compiler's messages are not compared: {reason}");
        return;
    }
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*.rs");
    // Their folders can be made there alone, and the file names in the messages are of there.
    if cfg!(target_os = "linux") {
        fixtures::lay_out();
        cases.compile_fail("tests/ui/skills/*.rs");
        cases.compile_fail("tests/ui/agents/*.rs");
        if cfg!(feature = "testing") {
            cases.compile_fail("tests/ui/testing/*.rs");
        }
    }
}

/// Returns why the messages would differ without anybody's fault.
fn skipped() -> Option<String> {
    if !FIXED_FEATURES {
        return Some("they are written with the default features".to_owned());
    }
    let pinned = pinned_toolchain();
    let running = Command::new("rustc").arg("--version").output();
    let running = running.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    match running {
        Ok(version) if version.split(' ').nth(1) == Some(&pinned) => None,
        Ok(version) => Some(format!(
            "they are those of rustc {pinned}, and this is {}",
            version.trim()
        )),
        Err(error) => Some(format!("rustc does not start: {error}")),
    }
}

/// Returns the channel that `rust-toolchain.toml` names.
fn pinned_toolchain() -> String {
    let manifest = include_str!("../../rust-toolchain.toml");
    let channel = manifest
        .lines()
        .find_map(|line| line.strip_prefix("channel = "));
    channel
        .expect("rust-toolchain.toml names a channel")
        .trim_matches('"')
        .to_owned()
}
