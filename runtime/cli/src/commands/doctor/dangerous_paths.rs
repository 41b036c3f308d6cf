//! The table of dangerous paths, and how the sandbox enforces it on this machine.

use super::finding::Finding;
use crate::app_context::AppContext;
use crate::config::Config;
use crate::permissions;
use helve_core::dangerous_paths::{CommandRule, Guard, Row, rows};
use helve_core::sandbox::{Enforcement, Layer, LayerStatus, NewPaths};
use helve_remote::SandboxChoice;

const PATTERN_WIDTH: usize = 110;

/// Lists the table by what commands may do, and then by what the paths are.
pub(super) fn findings(
    choice: Option<&SandboxChoice>,
    enforcement: Option<&Enforcement>,
    config: Option<&Config>,
    app: &AppContext,
) -> Vec<Finding> {
    let is_watched = cfg!(target_os = "linux")
        && choice == Some(&SandboxChoice::Local)
        && layer_status(enforcement, Layer::ProtectedPaths).0;
    let rules = [
        CommandRule::ReadOnly,
        CommandRule::Masked,
        CommandRule::Checked,
        CommandRule::Told,
        CommandRule::Open,
    ];
    let mut findings: Vec<Finding> = rules
        .map(|rule| {
            let (is_held, head) = describe_rule(rule, enforcement, is_watched);
            Finding::ok_or_note(is_held, head + &render_rows(rule))
        })
        .into();
    findings.extend(config.and_then(|config| added_paths(config, app)));
    findings
}

fn describe_rule(
    rule: CommandRule,
    enforcement: Option<&Enforcement>,
    is_watched: bool,
) -> (bool, String) {
    let new_paths = enforcement.and_then(|enforcement| enforcement.new_paths.as_ref());
    match rule {
        CommandRule::ReadOnly => {
            let (is_held, how) = layer_status(enforcement, Layer::ProtectedPaths);
            let appears = match new_paths {
                Some(NewPaths::Staged) => "; new files are not created there (staged)",
                _ if is_watched => "; new files are moved away when the command exits (watched)",
                _ => "",
            };
            let text = format!("commands cannot write these paths ({how}){appears}");
            (is_held, text)
        }
        CommandRule::Masked => {
            let (is_held, how) = layer_status(enforcement, Layer::MaskedPaths);
            (is_held, format!("commands cannot read these paths ({how})"))
        }
        CommandRule::Checked => {
            let (is_held, what, how) = match is_watched {
                _ if new_paths == Some(&NewPaths::Staged) => (true, "not applied", "staged"),
                true => (true, "moved away", "watched"),
                false => (false, "moved away", "not watched by this sandbox"),
            };
            let text = format!(
                "checked when a command exits, and {what} if the change would start a program ({how})"
            );
            (is_held, text)
        }
        CommandRule::Told => {
            let how = if matches!(new_paths, Some(NewPaths::Watched | NewPaths::Staged)) {
                "changes are reported in the result of the command (watched)"
            } else {
                "changes are not reported by this sandbox"
            };
            (true, format!("commands may write these paths; {how}"))
        }
        CommandRule::Open => (
            true,
            "tools and commands that name these paths need approval".to_owned(),
        ),
    }
}

fn layer_status(enforcement: Option<&Enforcement>, layer: Layer) -> (bool, String) {
    match enforcement.and_then(|enforcement| enforcement.layers.get(&layer)) {
        Some(LayerStatus::Yes { by }) => (true, format!("enforced: {by}")),
        Some(LayerStatus::Partly { by, lacks, .. }) => {
            (false, format!("partly: {by}; but {lacks}"))
        }
        Some(LayerStatus::No { why, .. }) => (false, format!("not enforced: {why}")),
        None => (false, "not enforced".to_owned()),
    }
}

fn render_rows(rule: CommandRule) -> String {
    let mut groups: Vec<(&Row, Vec<&str>)> = Vec::new();
    for row in rows().filter(|row| row.in_commands == rule && !row.reason.is_empty()) {
        let same = |first: &Row| {
            (first.reason, first.reading, first.writing) == (row.reason, row.reading, row.writing)
        };
        match groups.iter_mut().find(|(first, _)| same(first)) {
            Some((_, patterns)) => patterns.push(row.pattern),
            None => groups.push((row, vec![row.pattern])),
        }
    }
    groups.sort_by_key(|(row, _)| row.kind);
    let lines = groups.iter().map(|(row, patterns)| {
        let (reading, writing) = (guard_text(row.reading), guard_text(row.writing));
        let reason = row.reason;
        let head = format!("\n    {reason}; reading {reading}, writing {writing}:");
        head + &wrap_patterns(patterns)
    });
    lines.collect()
}

fn guard_text(guard: Guard) -> &'static str {
    match guard {
        Guard::Open => "is allowed",
        Guard::AfterUntrusted => "needs approval after untrusted text",
        Guard::Asks => "needs approval",
        Guard::Always => "always needs approval",
        Guard::Never => "is denied",
    }
}

fn wrap_patterns(patterns: &[&str]) -> String {
    let mut text = String::new();
    let mut width = PATTERN_WIDTH;
    for pattern in patterns {
        if width + pattern.len() + 1 > PATTERN_WIDTH {
            text.push_str("\n     ");
            width = 5;
        }
        text.push(' ');
        text.push_str(pattern);
        width += pattern.len() + 1;
    }
    text
}

fn added_paths(config: &Config, app: &AppContext) -> Option<Finding> {
    let added = permissions::added_dangerous_paths(&app.definition, config, &app.folder).ok()?;
    let patterns: Vec<&str> = added.iter().map(|path| path.pattern.as_str()).collect();
    let text = format!("from the settings:{}", wrap_patterns(&patterns));
    (!added.is_empty()).then(|| Finding::ok(text))
}
