//! The meaning of a typed line.

use helve_permission::{Decision, Question, Rule, RuleScope};

/// The meaning of a typed line.
#[derive(Debug, PartialEq)]
pub(super) enum ParsedAnswer {
    Decision(Decision),
    /// A decision with rules, which are shown before they apply.
    DecisionWithRules(Decision),
    /// The user wants to see the call in full.
    ShowAll,
    /// The user wants to change the arguments.
    Edit,
    /// An unclear answer; the question is asked again.
    Unclear,
}

/// Reports whether an answer may apply to more than the call.
pub(super) fn allows_always(question: &Question) -> bool {
    !question.safety && !question.suggestions.is_empty()
}

pub(super) fn is_yes(word: &str) -> bool {
    matches!(word, "y" | "yes" | "ok" | "okay" | "allow")
}

pub(super) fn is_no(word: &str) -> bool {
    matches!(word, "n" | "no" | "deny" | "reject")
}

/// Parses an answer. An empty line and an "always" that was not offered are unclear.
pub(super) fn parse(line: &str, question: &Question) -> ParsedAnswer {
    let text = line.trim();
    let word = text.to_ascii_lowercase();
    match &*word {
        "" => ParsedAnswer::Unclear,
        _ if is_yes(&word) => ParsedAnswer::Decision(Decision::allow_once()),
        _ if is_no(&word) => ParsedAnswer::Decision(Decision::reject_once()),
        "d" => ParsedAnswer::ShowAll,
        "e" | "edit" if question.edits => ParsedAnswer::Edit,
        _ => match parse_always(&word, question) {
            // The question shows what the answer allows, and there are no rules.
            Some(Some(decision)) if question.blocked.is_some() || question.ends_plan => {
                ParsedAnswer::Decision(decision)
            }
            Some(Some(decision)) => ParsedAnswer::DecisionWithRules(decision),
            Some(None) => ParsedAnswer::Unclear,
            // One letter is a slip of the finger rather than an instruction, and so is an escape of some key.
            None if text.chars().count() == 1 || text.starts_with('\u{1b}') => {
                ParsedAnswer::Unclear
            }
            None => ParsedAnswer::Decision(Decision::reject_with_message(text)),
        },
    }
}

/// Parses an answer that applies to more than the call; `a2` selects only the second rule. The outer `None` means
/// another word, and the inner `None` an answer that was not offered.
fn parse_always(word: &str, question: &Question) -> Option<Option<Decision>> {
    let name = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = &word[name.len()..];
    let name = name.trim_end();
    let scope = match name {
        "a" | "always" | "never" => RuleScope::Session,
        "p" => RuleScope::Project,
        "u" => RuleScope::User,
        _ => return None,
    };
    let rules = if question.blocked.is_some() {
        let is_offered = question.offers_lasting_access() && number.is_empty();
        let has_scope = matches!(name, "a" | "always" | "u");
        (is_offered && has_scope).then(Vec::new)
    } else if question.ends_plan {
        let is_offered = matches!(name, "a" | "always") && number.is_empty();
        is_offered.then(Vec::new)
    } else if allows_always(question) {
        select_rules(number, &question.suggestions)
    } else {
        None
    };
    let decide = |rules| match name {
        "never" => Decision::RejectAlways {
            rules,
            scope,
            message: None,
        },
        _ => Decision::AllowAlways {
            rules,
            scope,
            message: None,
        },
    };
    Some(rules.map(decide))
}

fn select_rules(number: &str, rules: &[Rule]) -> Option<Vec<Rule>> {
    if number.is_empty() {
        return Some(rules.to_vec());
    }
    let number: usize = number.parse().ok()?;
    let rule = rules.get(number.checked_sub(1)?)?;
    Some(vec![rule.clone()])
}

#[cfg(test)]
mod tests {
    use super::super::question_text::tests::question_with_rules as question;
    use super::*;

    fn decided(line: &str, question: &Question) -> Option<Decision> {
        match parse(line, question) {
            ParsedAnswer::Decision(decision) | ParsedAnswer::DecisionWithRules(decision) => {
                Some(decision)
            }
            _ => None,
        }
    }

    #[test]
    fn an_answer_means_what_was_offered() {
        let offered = question(&["bash(cargo test:*)"]);
        assert_eq!(decided("Y\n", &offered), Some(Decision::allow_once()));
        for yes in ["ok", "OK", "yes", "okay", "allow"] {
            assert_eq!(
                decided(yes, &offered),
                Some(Decision::allow_once()),
                "{yes}"
            );
        }
        for no in ["no", "N", "deny", "reject"] {
            assert_eq!(decided(no, &offered), Some(Decision::reject_once()), "{no}");
        }
        for always in ["a", "p", "u", "never"] {
            assert!(
                matches!(parse(always, &offered), ParsedAnswer::DecisionWithRules(_)),
                "{always}"
            );
        }
        let rules = offered.suggestions.clone();
        let scope = RuleScope::Project;
        let message = None;
        assert_eq!(
            decided("p", &offered),
            Some(Decision::AllowAlways {
                rules,
                scope,
                message
            })
        );
        assert_eq!(
            decided("run only the unit tests", &offered),
            Some(Decision::reject_with_message("run only the unit tests"))
        );
        assert_eq!(parse("D", &offered), ParsedAnswer::ShowAll);
        assert_eq!(parse("e", &offered), ParsedAnswer::Unclear);
        let editable = question(&[]).with_edits(true);
        assert_eq!(parse("e", &editable), ParsedAnswer::Edit);
        for unclear in [
            "",
            "  ",
            "k",
            "ä",
            "a2",
            "p0",
            "\u{1b}[A",
            "a99999999999999999999",
        ] {
            assert_eq!(
                parse(unclear, &offered),
                ParsedAnswer::Unclear,
                "{unclear:?}"
            );
        }
        // What was not offered cannot be answered.
        for always in ["a", "always", "p", "u", "never", "a1"] {
            assert_eq!(
                parse(always, &question(&[])),
                ParsedAnswer::Unclear,
                "{always:?}"
            );
        }
    }

    #[test]
    fn an_access_is_allowed_for_as_long_as_the_question_offers() {
        let asked = question(&[]).with_blocked(Some(super::super::question_text::tests::host()));
        let always = |scope| Decision::AllowAlways {
            rules: Vec::new(),
            scope,
            message: None,
        };
        assert_eq!(decided("y", &asked), Some(Decision::allow_once()));
        assert_eq!(decided("a", &asked), Some(always(RuleScope::Session)));
        assert_eq!(decided("u", &asked), Some(always(RuleScope::User)));
        for unclear in ["p", "never", "a1", "u2"] {
            assert_eq!(parse(unclear, &asked), ParsedAnswer::Unclear, "{unclear}");
        }
        let once = [
            asked.clone().with_suggestions(true, Vec::new()),
            asked.with_delegators(vec!["main".into()]),
        ];
        for asked in once {
            for unclear in ["a", "always", "u", "p"] {
                assert_eq!(parse(unclear, &asked), ParsedAnswer::Unclear, "{unclear}");
            }
            assert_eq!(decided("ok", &asked), Some(Decision::allow_once()));
        }
    }

    #[test]
    fn one_rule_of_several_can_be_chosen() {
        let offered = question(&["bash(cargo test:*)", "bash(git push:*)"]);
        let second = vec![offered.suggestions[1].clone()];
        assert!(matches!(
            decided("a2", &offered),
            Some(Decision::AllowAlways { rules, scope: RuleScope::Session, .. }) if rules == second
        ));
        assert!(matches!(
            decided("never 2", &offered),
            Some(Decision::RejectAlways { rules, .. }) if rules == second
        ));
        assert!(matches!(
            decided("u", &offered),
            Some(Decision::AllowAlways { rules, .. }) if rules.len() == 2
        ));
    }
}
