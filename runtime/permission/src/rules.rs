//! Lists of rules.

use serde::{Deserialize, Serialize};

use super::{Decision, Rule};

/// Rules, grouped by their action.
///
/// Deny rules take precedence over ask rules, and ask rules over allow rules. A deny or an ask rule applies if it
/// covers any part of a call; allow rules apply if they cover all parts, alone or together.
///
/// ```
/// use helve::permission::{Mode, Policy, Rules};
///
/// let rules = Rules::new().allow("read_file".parse()?).deny("bash(rm *)".parse()?);
/// let policy = Policy::new(Mode::Default).rules(rules);
/// # Ok::<(), helve::permission::InvalidRule>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// The calls that run without a question.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<Rule>,
    /// The calls that need approval.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ask: Vec<Rule>,
    /// The calls that are denied.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deny: Vec<Rule>,
}

impl Rules {
    /// Creates an empty set of rules.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            allow: Vec::new(),
            ask: Vec::new(),
            deny: Vec::new(),
        }
    }

    /// Creates the rules of a decision; empty for a decision about one call alone.
    #[must_use]
    pub fn from_decision(decision: &Decision) -> Self {
        let mut rules = Self::new();
        match decision {
            Decision::AllowAlways { rules: given, .. } => rules.allow.clone_from(given),
            Decision::RejectAlways { rules: given, .. } => rules.deny.clone_from(given),
            _ => {}
        }
        rules
    }

    /// Adds an allow rule.
    #[must_use]
    pub fn allow(mut self, rule: Rule) -> Self {
        self.allow.push(rule);
        self
    }

    /// Adds an ask rule.
    #[must_use]
    pub fn ask(mut self, rule: Rule) -> Self {
        self.ask.push(rule);
        self
    }

    /// Adds a deny rule.
    #[must_use]
    pub fn deny(mut self, rule: Rule) -> Self {
        self.deny.push(rule);
        self
    }

    /// Adds other rules, without duplicates.
    pub fn extend(&mut self, other: Self) {
        let lists = [
            (&mut self.allow, other.allow),
            (&mut self.ask, other.ask),
            (&mut self.deny, other.deny),
        ];
        for (own, others) in lists {
            for rule in others {
                if !own.contains(&rule) {
                    own.push(rule);
                }
            }
        }
    }

    /// Removes a rule from all lists, and returns the number of lists that contained the rule.
    pub fn remove(&mut self, rule: &Rule) -> usize {
        let mut removed = 0;
        for list in [&mut self.allow, &mut self.ask, &mut self.deny] {
            let before = list.len();
            list.retain(|own| own != rule);
            removed += usize::from(list.len() < before);
        }
        removed
    }

    /// Reports whether there are no rules.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.allow.is_empty() && self.ask.is_empty() && self.deny.is_empty()
    }
}
