//! Rules about instructions that attack or manipulate a model.

use super::Severity::{Red, Yellow};
use super::line::{FileKind, Rule, ScannedLine};

/// The flags of texts that revoke the model's instructions, or exfiltrate data.
const OVERRIDE_FLAGS: &[&str] = &["ignore-instructions", "disregard", "exfiltrate-encoded"];

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "prompt-injection",
        severity: Red,
        kinds: FileKind::is_instructions,
        message: "an instruction to ignore other instructions",
        help: "delete it: a skill may add instructions, not override others",
        applies: |line| {
            line.is_flagged(&["template-token"])
                || (line.is_flagged(OVERRIDE_FLAGS) && !line.only_warns_of(OVERRIDE_FLAGS))
        },
    },
    Rule {
        name: "prompt-injection",
        severity: Yellow,
        kinds: FileKind::is_instructions,
        message: "an instruction to ignore other instructions, quoted as a warning",
        help: "check that it is only a quotation",
        applies: |line| !line.is_flagged(&["template-token"]) && line.only_warns_of(OVERRIDE_FLAGS),
    },
    Rule {
        name: "role-override",
        severity: Yellow,
        kinds: FileKind::is_instructions,
        message: "an attempt to give the model another role",
        help: "describe the task instead of a role, unless the role is the purpose of the skill",
        applies: |line| {
            line.is_flagged(&[
                "you-are-now",
                "from-now-on",
                "pretend",
                "maintenance-mode",
                "act-as",
                "override",
                "new-objective",
                "drop-safety",
            ])
        },
    },
    Rule {
        name: "suspicious-instruction",
        severity: Yellow,
        kinds: FileKind::is_instructions,
        message: "an instruction that hides something from the user, or exfiltrates data",
        help: "see whether the task needs it",
        applies: |line| {
            line.is_flagged(&[
                "new-instructions",
                "reveal-prompt",
                "hide-from-user",
                "memory-write",
                "exfiltrate",
                "read-secrets",
                "take-secrets",
                "persist-instructions",
                "void-instructions",
                "claimed-approval",
            ])
        },
    },
    Rule {
        name: "external-url-instruction",
        severity: Yellow,
        kinds: FileKind::is_instructions,
        message: "instructions that refer to an external URL",
        help: "review the linked content: it can change after your review",
        applies: references_external_url,
    },
];

/// Returns whether a line outside of code blocks contains an address or mentions a download.
fn references_external_url(line: &ScannedLine<'_>) -> bool {
    !line.in_code_block
        && (line.has(&["http://", "https://", "ftp://"])
            || line.has_word(&["curl", "wget", "fetch("]))
}
