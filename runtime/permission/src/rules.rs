//! Rules in their lists.

use serde::{Deserialize, Serialize};

use super::{Decision, Rule};

/// Rules by what they do.
///
/// Deny rules win over ask rules, and those over allow rules. A deny or an ask rule holds where it covers any part of a
/// call; allow rules hold where they cover all of it, one alone or several together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// What runs without a question.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<Rule>,
    /// The calls that need approval.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ask: Vec<Rule>,
    /// What does not run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deny: Vec<Rule>,
}

impl Rules {
    /// Makes rules that say nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            allow: Vec::new(),
            ask: Vec::new(),
            deny: Vec::new(),
        }
    }

    /// Creates the rules of a decision, with none for an answer to one call alone.
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

    /// Adds a rule that allows.
    #[must_use]
    pub fn allow(mut self, rule: Rule) -> Self {
        self.allow.push(rule);
        self
    }

    /// Adds a rule that asks.
    #[must_use]
    pub fn ask(mut self, rule: Rule) -> Self {
        self.ask.push(rule);
        self
    }

    /// Adds a rule that denies.
    #[must_use]
    pub fn deny(mut self, rule: Rule) -> Self {
        self.deny.push(rule);
        self
    }

    /// Adds the rules of another place, each once.
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

    /// Removes a rule wherever it stands, and says in how many lists it stood.
    pub fn remove(&mut self, rule: &Rule) -> usize {
        let mut removed = 0;
        for list in [&mut self.allow, &mut self.ask, &mut self.deny] {
            let before = list.len();
            list.retain(|own| own != rule);
            removed += usize::from(list.len() < before);
        }
        removed
    }

    /// Reports whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.allow.is_empty() && self.ask.is_empty() && self.deny.is_empty()
    }
}
