//! All keys at once.
#![allow(
    unreachable_pub,
    reason = "what a key names stands in a module, as a user writes it"
)]

use helve::prelude::*;
use helve::{Check, Risk};

/// The docs are not the description.
#[tool(
    name = "delete-file",
    title = "Delete a file",
    description = "Deletes a file.",
    destructive,
    read_only = false,
    idempotent = true,
    open_world = false,
    blocking,
    risk_with = rules::risk,
    check = rules::check,
    match_rule = rules::matches,
    suggest_rules = rules::suggest,
    concurrency = "exclusive",
    group = "files",
    always,
    available_if = rules::is_there,
    config_check = rules::is_configured,
    untrusted_output,
    max_result_chars = 1_000,
    timeout = "500ms",
    requires(fs, process, secrets("TOKEN", "KEY"), kv, conversation, memory, schedules),
    examples = [r#"{"path": "a"}"#],
    deprecated = "files are kept",
    crate = helve,
)]
fn delete(
    #[arg(
        name = "path",
        description = "Which file.",
        example = "a.txt",
        min_len = 1,
        max_len = 99,
        pattern = "^[^/]+$"
    )]
    file: &str,
    /// How many.
    #[arg(default = 1, min = 1, max = 3, example = 2, example = 3)]
    times: u8,
) -> String {
    format!("{file} {times}")
}

/// A reader.
#[tool(
    read_only,
    cached,
    risk = "medium",
    concurrency = "parallel",
    requires(
        net(
            "api.github.com",
            "*.crates.io",
            "bücher.example",
            "[::1]:8080",
            "192.0.2.1",
            "*:*"
        ),
        process("git", "cargo")
    )
)]
async fn read() {}

mod rules {
    use super::{Check, Risk};
    use helve::ToolContext;

    pub fn risk(_: &str, times: &u8) -> Risk {
        if *times > 1 { Risk::High } else { Risk::Medium }
    }

    pub fn is_there(_: &ToolContext) -> bool {
        true
    }

    pub fn is_configured(_: &ToolContext) -> Result<(), &'static str> {
        Err("set `TOKEN` in the environment")
    }

    pub fn check(_: &ToolContext, file: &str, _: &u8) -> Check {
        Check::ask(format!("delete {file}?"))
    }

    pub fn matches(_: &ToolContext, rule: &str, file: &str, _: &u8) -> bool {
        rule == file
    }

    pub fn suggest(file: &str, _: &u8) -> Vec<String> {
        vec![file.to_owned()]
    }
}

#[test]
fn every_key_compiles() {
    let own = crate::tools_of(file!());
    let delete = crate::named(&own, "delete-file");
    let spec = delete.spec();
    assert_eq!(spec.title.as_deref(), Some("Delete a file"));
    assert!(spec.description.starts_with("Deletes a file."));
    assert_eq!(spec.annotations.destructive, Some(true));
    assert_eq!(spec.annotations.read_only, Some(false));
    assert_eq!(spec.group.as_deref(), Some("files"));
    assert!(spec.untrusted_output);
    assert!(spec.always);
    assert_eq!(spec.max_result_chars, Some(1_000));
    assert_eq!(spec.timeout, Some(std::time::Duration::from_millis(500)));
    assert_eq!(delete.deprecated(), Some("files are kept"));
    assert_eq!(delete.package(), env!("CARGO_PKG_NAME"));
    assert!(delete.location().contains("keys.rs:"));
}
