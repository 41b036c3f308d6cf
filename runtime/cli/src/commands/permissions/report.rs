//! Renders a judgement as text and as JSON.

use serde_json::{Map, Value, json};

use helve_permission::{Decider, Judgement, Policy, Verdict};

pub(super) fn render_text(judgement: &Judgement) -> String {
    let mut text = match &judgement.verdict {
        Verdict::Allow => "allow\n".to_owned(),
        Verdict::Ask { reason, safety, .. } => {
            let only = if *safety {
                " (needs an answer of the user for this call)"
            } else {
                ""
            };
            format!("ask: {reason}{only}\n")
        }
        Verdict::Deny { reason } => format!("deny: {reason}\n"),
    };
    text.push_str(&format!("decided by {}\n", judgement.decided_by));
    if let Some(part) = &judgement.part {
        text.push_str(&format!("decisive part: {part}\n"));
    }
    for rule in &judgement.suggestions {
        text.push_str(&format!("suggested rule: {rule}\n"));
    }
    text
}

pub(super) fn render_json(tool: &str, policy: &Policy, judgement: &Judgement) -> Value {
    let (verdict, reason, safety) = match &judgement.verdict {
        Verdict::Allow => ("allow", None, false),
        Verdict::Ask { reason, safety, .. } => ("ask", Some(reason), *safety),
        Verdict::Deny { reason } => ("deny", Some(reason), false),
    };
    json!({
        "tool": tool,
        "mode": policy.current_mode(),
        "verdict": verdict,
        "reason": reason,
        "safety": safety,
        "decided_by": decider_json(&judgement.decided_by),
        "part": judgement.part,
        "suggestions": judgement.suggestions,
    })
}

fn decider_json(decider: &Decider) -> Value {
    let mut shown = Map::new();
    shown.insert("layer".to_owned(), decider.layer().into());
    match decider {
        Decider::DenyRule(rule) | Decider::AskRule(rule) => {
            shown.insert("rule".to_owned(), rule.to_string().into());
        }
        Decider::AllowRules(rules) => {
            if let [rule] = &**rules {
                shown.insert("rule".to_owned(), rule.to_string().into());
            }
            shown.insert("rules".to_owned(), json!(rules));
        }
        Decider::DangerousPath(pattern) => {
            shown.insert("pattern".to_owned(), pattern.clone().into());
        }
        Decider::Taint(source) => {
            shown.insert("source".to_owned(), source.clone().into());
        }
        _ => {}
    }
    shown.into()
}
