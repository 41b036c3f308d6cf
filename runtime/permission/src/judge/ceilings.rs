//! The combined verdict of a policy and its ceilings.

use super::Judge;
use super::finding::Finding;
use crate::level::{Ceiling, PolicyConfig};
use crate::{Decider, PartStatus, QuestionPart, Rule};
use helve_core::tool::DefaultVerdict;

/// The finding of one level (the policy itself or a ceiling), and the rules that this level suggests.
type LevelFinding = (Finding, Vec<Rule>);

impl<'a> Judge<'a> {
    /// Judges by the policy and by each of its ceilings. The strictest finding decides; the policy's own among equals.
    pub(super) fn decide(&mut self) -> LevelFinding {
        let own = self.judge_level();
        let policy = self.policy;
        if policy.ceilings.is_empty() {
            return own;
        }
        let (mut strictest, mut suggested) = own;
        for ceiling in policy.ceilings.iter() {
            let (finding, more) =
                self.at_level(&ceiling.config, |judge| judge.judge_under(ceiling));
            if finding.strictness() > strictest.strictness() {
                strictest = finding.with_ceiling_note(ceiling);
            }
            suggested.extend(more);
        }
        if strictest.verdict == DefaultVerdict::Allow || strictest.safety {
            return (strictest, Vec::new());
        }
        let suggestions = self.rules_satisfying_every_level(suggested);
        (strictest, suggestions)
    }

    /// Returns the current state of the parts of the call, for the approver.
    pub(crate) fn parts(&mut self) -> Vec<QuestionPart> {
        let covered = self.parts_covered_at_every_level();
        let mut parts: Vec<QuestionPart> = Vec::new();
        for (index, part) in self.facts.parts.iter().enumerate() {
            // An alternative spelling of the preceding part, which needs no approval.
            if part.read_only && parts.last().is_some_and(|before| before.text == part.text) {
                continue;
            }
            let standing = match covered.get(index) {
                _ if part.read_only => PartStatus::ReadOnly,
                Some(true) => PartStatus::Allowed,
                _ => PartStatus::Open,
            };
            parts.push(QuestionPart::new(&*part.text, standing));
        }
        parts
    }

    /// Returns for each part whether every level allows it.
    fn parts_covered_at_every_level(&mut self) -> Vec<bool> {
        let mut covered = self.covered_parts();
        let policy = self.policy;
        for ceiling in policy.ceilings.iter() {
            let under = self.at_level(&ceiling.config, Self::covered_parts);
            covered.truncate(under.len());
            for (covered, under) in covered.iter_mut().zip(under) {
                *covered &= under;
            }
        }
        covered
    }

    /// Judges by one level alone.
    fn judge_level(&self) -> LevelFinding {
        let finding = self.apply_mode(self.first_finding());
        let suggestions = if finding.verdict == DefaultVerdict::Allow || finding.safety {
            Vec::new()
        } else {
            self.suggestions(&finding)
        };
        (finding, suggestions)
    }

    fn judge_under(&self, ceiling: &Ceiling) -> LevelFinding {
        if ceiling.has_tool(&self.tool.spec().name) {
            return self.judge_level();
        }
        let reason = "the delegating agent does not have this tool";
        (Finding::deny(reason, Decider::Ceiling), Vec::new())
    }

    /// Returns the rules without duplicates if every level allows the call with them, and no rules otherwise.
    fn rules_satisfying_every_level(&mut self, suggested: Vec<Rule>) -> Vec<Rule> {
        let mut rules: Vec<Rule> = Vec::new();
        for rule in suggested {
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
        let before = self.grants.clone();
        let granted = self.grants.granted_mut();
        granted.allow.extend(rules.iter().cloned());
        let policy = self.policy;
        let runs = |finding: Finding| finding.verdict == DefaultVerdict::Allow;
        let satisfied = runs(self.apply_mode(self.first_finding()))
            && policy.ceilings.iter().all(|ceiling| {
                self.at_level(&ceiling.config, |judge| runs(judge.judge_under(ceiling).0))
            });
        self.grants = before;
        if satisfied { rules } else { Vec::new() }
    }

    /// Reports whether granting a rule would let the whole call run.
    pub(crate) fn permits_with(mut self, rule: &Rule) -> bool {
        self.is_covered_by(rule)
            && !self
                .rules_satisfying_every_level(vec![rule.clone()])
                .is_empty()
    }

    /// Runs a function with another level as the current one.
    fn at_level<T>(&mut self, level: &'a PolicyConfig, work: impl FnOnce(&Self) -> T) -> T {
        let own = std::mem::replace(&mut self.level, level);
        let done = work(self);
        self.level = own;
        done
    }
}
