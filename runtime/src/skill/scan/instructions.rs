//! What instructions should not tell a model.

use super::Severity::{Red, Yellow};
use super::line::{Kind, Line};
use super::rule::Rule;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "prompt-injection",
        severity: Red,
        kinds: Kind::is_instructions,
        message: "an order to pass over other instructions",
        help: "delete it: a skill adds to what the model is told, and takes nothing back",
        applies: |line, _| {
            line.is_flagged(&[
                "ignore-instructions",
                "disregard",
                "template-token",
                "exfiltrate-encoded",
            ])
        },
    },
    Rule {
        name: "role-override",
        severity: Yellow,
        kinds: Kind::is_instructions,
        message: "an attempt to give the model another role",
        help: "say what to do instead of whom to be, unless the role is what the skill is about",
        applies: |line, _| {
            line.is_flagged(&["you-are-now", "from-now-on", "pretend", "maintenance-mode"])
        },
    },
    Rule {
        name: "suspicious-instruction",
        severity: Yellow,
        kinds: Kind::is_instructions,
        message: "an order that keeps something from the user, or carries something away",
        help: "see whether the task needs it",
        applies: |line, _| {
            line.is_flagged(&[
                "new-instructions",
                "reveal-prompt",
                "hide-from-user",
                "memory-write",
                "exfiltrate",
            ])
        },
    },
    Rule {
        name: "external-url-instruction",
        severity: Yellow,
        kinds: Kind::is_instructions,
        message: "instructions that point to somewhere else",
        help: "see what is there: it can change after you have read it",
        applies: points_elsewhere,
    },
];

/// Tells whether a line outside of code blocks has an address or speaks of fetching one.
fn points_elsewhere(line: &Line<'_>, _: &super::text::Whole) -> bool {
    !line.in_code_block
        && (line.has(&["http://", "https://", "ftp://"])
            || line.has_word(&["curl", "wget", "fetch("]))
}
