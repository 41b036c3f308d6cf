//! The text of an approval question: the call, the reason and the possible answers.

use serde_json::Value;

use super::answer::allows_always;
use crate::diff;
use crate::sanitize;
use crate::screen::{Line, theme};
use helve_core::sandbox::BlockedAccess;
use helve_core::tool::Preview;
use helve_permission::{Decision, PartStatus, Question, QuestionPart, RuleScope, Rules};

/// The maximum number of lines of a diff that are shown at first.
const MAX_DIFF_LINES: usize = 24;
/// The maximum number of lines of the arguments that are shown at first.
const MAX_ARGUMENT_LINES: usize = 12;
const INDENT: &str = "    ";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    /// As much as fits on a screen; the number of hidden lines is shown.
    Short,
    Full,
}

pub(super) fn render_question(question: &Question, length: Detail, width: usize) -> Vec<Line> {
    let mut head = Line::styled("? ", theme::QUESTION);
    if question.ends_plan {
        head.push("Carry out this plan", theme::STRONG);
    } else {
        head.push("Allow ", theme::STRONG);
        head.push(&question.tool, theme::NAME);
    }
    if let Some(blocked) = &question.blocked {
        let access = blocked.to_string().replace('`', "");
        head.push(
            &format!(" to {}", sanitize::one_line(&access)),
            theme::STRONG,
        );
    }
    head.push("?", theme::STRONG);
    let mut lines = vec![Line::new()];
    lines.extend(head.wrap_hanging(width, 2));
    lines.extend(preview_lines(question, length, width));
    lines.extend(part_lines(question, width));
    if let Some(chain) = delegation_chain(question) {
        lines.extend(labelled("  Agent: ", &chain).wrap_hanging(width, 4));
    }
    let reason = labelled("  Reason: ", &question.reason);
    lines.extend(reason.wrap_hanging(width, 4));
    if let Some(part) = question.part.as_ref().filter(|_| !has_parts(question)) {
        lines.extend(labelled("  Command: ", part).wrap_hanging(width, 4));
    }
    lines
}

/// Describes the chain of agents for which a delegate asks.
fn delegation_chain(question: &Question) -> Option<String> {
    let (nearest, others) = question.working_for.split_last()?;
    let turn = &question.origin.turn;
    let mut chain = format!("{} ({turn}), for {nearest}", question.origin.agent);
    for above in others.iter().rev() {
        chain.push_str(&format!(", for {above}"));
    }
    Some(chain)
}

/// Renders the rules of an answer, their scope, and the command that removes them.
pub(super) fn render_rules(decision: &Decision, width: usize) -> Vec<Line> {
    let given = Rules::from_decision(decision);
    let (rules, what) = if decision.is_allowed() {
        (given.allow, "Calls that match these rules are allowed")
    } else {
        (given.deny, "Calls that match these rules are denied")
    };
    let scope = decision.scope().unwrap_or_default();
    let reach = match scope {
        RuleScope::Session => "in this session",
        RuleScope::Project => "in this project",
        RuleScope::User => "in all projects",
    };
    let mut lines = Line::styled(&format!("  {what}, {reach}:"), theme::PLAIN).wrap(width);
    for rule in &rules {
        lines.extend(indent(&Line::styled(&rule.to_string(), theme::NAME), width));
    }
    let command = match scope {
        RuleScope::Session => "/permissions remove RULE in a chat",
        _ => "`permissions remove RULE`",
    };
    let back = format!("  Remove them with {command}.");
    lines.extend(Line::styled(&back, theme::DIM).wrap_hanging(width, 2));
    lines
}

fn preview_lines(question: &Question, length: Detail, width: usize) -> Vec<Line> {
    let (mut lines, most) = match &question.preview {
        Some(Preview::Diff {
            path,
            unified,
            is_new,
        }) => {
            let mut head = Line::styled(path, theme::STRONG);
            let is_new = if *is_new { "  new file" } else { "" };
            head.push(
                &format!("  {}{is_new}", diff::render_counts(unified)),
                theme::DIM,
            );
            let mut lines = vec![head];
            lines.extend(diff::render_lines(unified));
            (lines, MAX_DIFF_LINES)
        }
        Some(Preview::Commits { commits }) => {
            let mut lines = argument_lines(&question.arguments);
            lines.push(Line::styled("Commits to push:", theme::DIM));
            lines.extend(
                commits
                    .iter()
                    .map(|commit| Line::styled(commit, theme::PLAIN)),
            );
            (lines, MAX_ARGUMENT_LINES)
        }
        None => (argument_lines(&question.arguments), MAX_ARGUMENT_LINES),
    };
    let hidden = match length {
        Detail::Short => lines.len().saturating_sub(most),
        Detail::Full => 0,
    };
    lines.truncate(lines.len() - hidden);
    let mut shown: Vec<Line> = lines.iter().flat_map(|line| indent(line, width)).collect();
    if hidden > 0 {
        let lines = if hidden == 1 { "line" } else { "lines" };
        let more = format!("… {hidden} more {lines}, press [d] to show all");
        shown.extend(indent(&Line::styled(&more, theme::NOTICE), width));
    }
    shown
}

/// Renders arguments without JSON syntax: a single argument as its value, and several by name.
fn argument_lines(arguments: &str) -> Vec<Line> {
    let parsed: Option<serde_json::Map<String, Value>> = serde_json::from_str(arguments).ok();
    let Some(parsed) = parsed else {
        return Line::from_text(arguments, theme::PLAIN);
    };
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    if parsed.len() == 1 {
        let only = parsed.values().next().map(text).unwrap_or_default();
        return Line::from_text(&only, theme::PLAIN);
    }
    let mut lines = Vec::new();
    for (name, value) in &parsed {
        let value = text(value);
        let name = Line::styled(&format!("{name}: "), theme::DIM);
        match value.contains('\n') {
            false => lines.push(name.with(&value, theme::PLAIN)),
            true => {
                lines.push(name);
                let inner = value.lines();
                lines.extend(
                    inner.map(|line| Line::styled("  ", theme::PLAIN).with(line, theme::PLAIN)),
                );
            }
        }
    }
    lines
}

fn has_parts(question: &Question) -> bool {
    question.parts.len() > 1
}

fn part_lines(question: &Question, width: usize) -> Vec<Line> {
    if !has_parts(question) {
        return Vec::new();
    }
    let mut lines = vec![Line::styled("  Parts:", theme::PLAIN)];
    let mut is_told = false;
    for part in &question.parts {
        let is_it = !is_told && question.part.as_ref() == Some(&part.text);
        is_told |= is_it;
        let (mark, style) = part_mark(part, is_it);
        let mut line = Line::styled(INDENT, theme::PLAIN).with(mark, style);
        let first = part.text.lines().next().unwrap_or_default();
        line.push(first, theme::PLAIN);
        if part.text.lines().count() > 1 {
            line.push(" …", theme::DIM);
        }
        lines.extend(line.wrap_anywhere(width, INDENT.len() + MARK_WIDTH));
    }
    lines
}

const MARK_WIDTH: usize = 11;

fn part_mark(part: &QuestionPart, is_it: bool) -> (&'static str, anstyle::Style) {
    match part.standing {
        _ if is_it => ("ask        ", theme::NOTICE),
        PartStatus::ReadOnly => ("read-only  ", theme::DIM),
        PartStatus::Allowed => ("allowed    ", theme::GOOD),
        PartStatus::Open => ("ask        ", theme::PLAIN),
    }
}

/// Renders the answers to a question about an access of a running command.
fn render_access_choices(question: &Question, blocked: &BlockedAccess, width: usize) -> Vec<Line> {
    let mut lines = render_keys(&[("y", "yes, for this command")], width);
    if question.offers_lasting_access() {
        let setting = blocked.setting();
        let always = format!("always, in your settings: `{setting}`");
        lines.extend(render_keys(&[("a", "always in this session")], width));
        lines.extend(render_keys(&[("u", &always)], width));
    }
    lines.extend(render_keys(&[("n", "no")], width));
    lines
}

pub(super) fn render_choices(question: &Question, width: usize) -> Vec<Line> {
    if let Some(blocked) = &question.blocked {
        let mut lines = render_access_choices(question, blocked, width);
        lines.extend(free_answer().wrap_hanging(width, 2));
        return lines;
    }
    if question.ends_plan {
        let mut lines = render_keys(&[("y", "yes, and ask before changes")], width);
        lines.extend(render_keys(
            &[("a", "yes, and edit files of the workspace without asking")],
            width,
        ));
        lines.extend(render_keys(
            &[("e", "edit the plan"), ("n", "no, keep planning")],
            width,
        ));
        lines.extend(free_answer().wrap_hanging(width, 2));
        return lines;
    }
    let mut lines = Vec::new();
    let mut choice = |text: &[(&str, &str)]| {
        lines.extend(render_keys(text, width));
    };
    match question.edits {
        true => choice(&[("y", "yes, once"), ("e", "edit the arguments")]),
        false => choice(&[("y", "yes, once")]),
    }
    if allows_always(question) {
        let rules = question.suggestions.iter();
        let rules: Vec<String> = rules.map(ToString::to_string).collect();
        match &rules[..] {
            [only] => choice(&[("a", &format!("always in this session: {only}"))]),
            several => {
                choice(&[(
                    "a",
                    "always in this session, with all of these rules, or one of them:",
                )]);
                for (index, rule) in several.iter().enumerate() {
                    let key = format!("a{}", index + 1);
                    choice(&[(&key, rule)]);
                }
            }
        }
        choice(&[
            ("p", "always in this project"),
            ("u", "always in all projects"),
        ]);
        choice(&[("n", "no"), ("never", "no, never in this session")]);
    } else {
        choice(&[("n", "no")]);
    }
    lines.extend(free_answer().wrap_hanging(width, 2));
    lines
}

fn free_answer() -> Line {
    Line::styled("  or type what to do instead", theme::DIM)
}

pub(super) fn render_invalid_answer(question: &Question, width: usize) -> Vec<Line> {
    let keys = match (allows_always(question), question.edits) {
        _ if question.offers_lasting_access() => "y, a, u or n",
        _ if question.ends_plan => "y, a, e or n",
        (true, true) => "y, e, a, p, u, n or never",
        (true, false) => "y, a, p, u, n or never",
        (false, true) => "y, e or n",
        (false, false) => "y or n",
    };
    let text = format!("  Answer {keys}, or type what to do instead.");
    Line::styled(&text, theme::PLAIN).wrap(width)
}

fn labelled(label: &str, text: &str) -> Line {
    Line::styled(label, theme::DIM).with(text, theme::PLAIN)
}

/// Renders keys with their meanings on one line.
pub(super) fn render_keys(keys: &[(&str, &str)], width: usize) -> Vec<Line> {
    let mut line = Line::new();
    for (key, meaning) in keys {
        line.push("  [", theme::DIM);
        line.push(key, theme::NAME);
        line.push("] ", theme::DIM);
        line.push(meaning, theme::PLAIN);
    }
    line.wrap_hanging(width, 6)
}

/// Indents a line and wraps it without dropping characters: what would run is shown in full.
pub(super) fn indent(line: &Line, width: usize) -> Vec<Line> {
    let whole = line.prefixed(INDENT, theme::PLAIN);
    whole.wrap_anywhere(width, INDENT.len() + 2)
}

#[cfg(test)]
pub(super) mod tests;
