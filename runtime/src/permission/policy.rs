//! What may run without a question, judged from the facts of a call.

use super::Verdict;
use crate::tool::{Check, Facts, Risk};

/// Judges a call in the default mode: what only reads or is of low risk runs, the rest asks; the tool's own check goes
/// first.
#[must_use]
pub fn default_verdict(facts: &Facts) -> Verdict {
    match &facts.check {
        Check::Allow | Check::ReadOnly => Verdict::Allow,
        Check::Deny { reason, .. } => Verdict::deny(reason),
        Check::Ask { reason, safety, .. } => Verdict::Ask {
            reason: reason.clone(),
            safety: *safety,
            suggestions: Vec::new(),
        },
        Check::Pass if facts.annotations.read_only == Some(true) || facts.risk == Risk::Low => {
            Verdict::Allow
        }
        Check::Pass | Check::Edit { .. } => Verdict::ask(format!("it is of {} risk", facts.risk)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema;
    use crate::tool::{Annotations, ToolSpec};

    fn facts(annotations: Annotations, check: Check) -> Facts {
        let spec =
            ToolSpec::new("t", "d", schema::input_schema(Vec::new())).with_annotations(annotations);
        let mut facts = Facts::of(&spec);
        facts.check = check;
        facts
    }

    #[test]
    fn what_declares_nothing_asks() {
        let ask = Verdict::ask("it is of medium risk");
        assert_eq!(default_verdict(&facts(Annotations::NONE, Check::Pass)), ask);
    }

    #[test]
    fn the_tools_own_check_goes_before_its_annotations() {
        let reader = Annotations::new(Some(true), None, None, None);
        assert_eq!(default_verdict(&facts(reader, Check::Pass)), Verdict::Allow);
        assert_eq!(
            default_verdict(&facts(reader, Check::deny("no"))),
            Verdict::Deny {
                reason: "no".into()
            }
        );
        assert_eq!(
            default_verdict(&facts(Annotations::NONE, Check::Allow)),
            Verdict::Allow
        );
    }
}
