//! What is listed of the tools.

use std::path::Path;

use super::{place, web};
use crate::settings::lines_of;

/// The families of tools: packages below `tools/` that are in the feature `full`.
fn families() -> Vec<String> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = std::fs::read_dir(workspace.join("tools")).expect("a folder");
    let manifests = folders
        .flatten()
        .map(|entry| entry.path().join("Cargo.toml"));
    let texts = manifests.filter_map(|path| std::fs::read_to_string(path).ok());
    let names = texts.filter_map(|text| {
        let line = text.lines().find(|line| line.starts_with("name = "))?;
        let name = line.trim_start_matches("name = ").trim_matches('"');
        Some(name.to_owned()).filter(|name| name.starts_with("helve-tools-"))
    });
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    names
}

#[test]
fn every_family_of_tools_is_granted_and_checked() {
    let server = web();
    let seen = place(&server).run(&["doctor", "--offline"]);
    for family in families() {
        let line = seen
            .lines()
            .find(|line| line.contains(&format!("{family}: ")));
        let line =
            line.unwrap_or_else(|| panic!("`{family}` is not in tests/it/toolbox/app.rs: {seen}"));
        assert!(line.contains("✓"), "{line}");
    }
    let (_, tools) = seen.split_once("Tools\n").expect("a section");
    let (tools, _) = tools.split_once("\n\n").expect("an end");
    insta::assert_snapshot!(server.redact_url(tools), @"");
}

#[test]
fn what_is_missing_is_said_with_the_page_that_explains_it() {
    let server = web();
    let place = place(&server)
        .with_user_settings("[http_request.presets.tracker]\nbase_url = \"api\"\n\n[tools.http_request.secrets]\nOTHER_TOKEN = [\"https://api.example.com\"]\n");
    let seen = place.run(&["doctor", "--offline"]);
    let (_, tools) = seen.split_once("Tools\n").expect("a section");
    let (tools, _) = tools.split_once("\n\n").expect("an end");
    let lines: Vec<&str> = tools
        .lines()
        .filter(|line| !line.contains("granted"))
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @"");
}

#[test]
fn the_tools_are_listed() {
    let server = web();
    let seen = place(&server).run(&["tools"]);
    for tool in ["web_fetch", "web_search", "http_request", "check_code"] {
        assert!(seen.contains(tool), "{tool}: {seen}");
    }
}

#[test]
fn their_settings_are_listed() {
    let server = web();
    let seen = place(&server).run(&["config", "keys"]);
    let sections = [
        "web_fetch.",
        "web_search.",
        "http_request.",
        "check_code.",
        "tools.",
    ];
    insta::assert_snapshot!(lines_of(&seen, &sections), @"");
    let seen = place(&server).run(&["config", "show"]);
    insta::assert_snapshot!(server.redact_url(&lines_of(&seen, &sections)), @"");
}
