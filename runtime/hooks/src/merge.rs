//! The outcomes of the hooks of one event, as one outcome.

use crate::output::{HookDecision, HookOutcome};

/// Merges the outcomes of hooks, in the order of the hooks: deny before defer before ask before allow.
///
/// The reason is that of the hooks whose decision prevails. An input or a result is replaced by the first hook that does
/// so; a second one that differs is reported, and after a denial nothing is replaced.
pub(crate) fn merge(outcomes: impl IntoIterator<Item = HookOutcome>) -> HookOutcome {
    let mut merged = HookOutcome::default();
    let mut reasons: Vec<(HookDecision, String)> = Vec::new();
    for outcome in outcomes {
        if let (Some(decision), Some(reason)) = (outcome.decision, outcome.reason) {
            reasons.push((decision, reason));
        }
        merged.decision = merged.decision.max(outcome.decision);
        merged.context.extend(outcome.context);
        merged.messages.extend(outcome.messages);
        merged.stop = merged.stop.or(outcome.stop);
        let other_input = outcome.updated_input.is_some()
            && merged.updated_input.is_some()
            && merged.updated_input != outcome.updated_input;
        if other_input {
            let message = "two hooks changed the input of the call; the first one counts";
            merged.messages.push(message.to_owned());
        }
        merged.updated_input = merged.updated_input.or(outcome.updated_input);
        merged.updated_output = merged.updated_output.or(outcome.updated_output);
    }
    let prevailing = reasons
        .into_iter()
        .filter(|(decision, _)| Some(*decision) == merged.decision);
    let texts: Vec<String> = prevailing.map(|(_, reason)| reason).collect();
    merged.reason = (!texts.is_empty()).then(|| texts.join("\n"));
    if merged.decision == Some(HookDecision::Deny) {
        merged.updated_input = None;
    }
    merged
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn outcome() -> impl Strategy<Value = HookOutcome> {
        let decision = prop::option::of(prop_oneof![
            Just(HookDecision::Allow),
            Just(HookDecision::Ask),
            Just(HookDecision::Defer),
            Just(HookDecision::Deny),
        ]);
        let input = prop::option::of(0..3_u8);
        (decision, prop::option::of("[a-z]{1,4}"), input).prop_map(|(decision, reason, input)| {
            HookOutcome {
                decision,
                reason: reason.filter(|_| decision.is_some()),
                updated_input: input.map(|n| [("n".to_owned(), n.into())].into_iter().collect()),
                ..HookOutcome::default()
            }
        })
    }

    proptest! {
        /// The strictest decision prevails in any order, its reasons alone are told, and a denied call has no new input.
        #[test]
        fn the_strictest_prevails(outcomes in prop::collection::vec(outcome(), 0..6)) {
            let merged = merge(outcomes.clone());
            let strictest = outcomes.iter().filter_map(|outcome| outcome.decision).max();
            prop_assert_eq!(merged.decision, strictest);
            let mut reversed = outcomes.clone();
            reversed.reverse();
            prop_assert_eq!(merge(reversed).decision, strictest);
            let told = outcomes.iter().filter(|outcome| outcome.decision == strictest);
            let told: Vec<&str> = told.filter_map(|outcome| outcome.reason.as_deref()).collect();
            prop_assert_eq!(merged.reason.unwrap_or_default(), told.join("\n"));
            let first = outcomes.into_iter().find_map(|outcome| outcome.updated_input);
            let expected = first.filter(|_| strictest != Some(HookDecision::Deny));
            prop_assert_eq!(merged.updated_input, expected);
        }
    }
}
