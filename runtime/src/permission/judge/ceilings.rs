//! What a policy and its ceilings say together.

use super::Judge;
use super::finding::Finding;
use crate::permission::level::{Ceiling, Fixed};
use crate::permission::{Decider, Rule};
use crate::tool::Standing;

/// What one level finds, the policy itself or a ceiling, and the rules that it suggests.
type LevelFinding = (Finding, Vec<Rule>);

impl<'a> Judge<'a> {
    /// Judges by the policy and by each of its ceilings; the strictest decides, the policy itself among equals.
    pub(super) fn decide(&mut self) -> LevelFinding {
        let own = self.judge_level();
        let policy = self.policy;
        if policy.ceilings().is_empty() {
            return own;
        }
        let (mut strictest, mut suggested) = own;
        for ceiling in policy.ceilings() {
            let (finding, more) = self.at(&ceiling.fixed, |judge| judge.judge_under(ceiling));
            if finding.strictness() > strictest.strictness() {
                strictest = finding.marked_as_of(ceiling);
            }
            suggested.extend(more);
        }
        if strictest.standing == Standing::Allow || strictest.safety {
            return (strictest, Vec::new());
        }
        let suggestions = self.satisfying_all(suggested);
        (strictest, suggestions)
    }

    /// Says which parts every level lets run.
    pub(super) fn covered_everywhere(&mut self) -> Vec<bool> {
        let mut covered = self.covered_parts();
        let policy = self.policy;
        for ceiling in policy.ceilings() {
            let under = self.at(&ceiling.fixed, Self::covered_parts);
            covered.truncate(under.len());
            for (covered, under) in covered.iter_mut().zip(under) {
                *covered &= under;
            }
        }
        covered
    }

    /// Judges by one level alone.
    fn judge_level(&self) -> LevelFinding {
        let finding = self.in_mode(self.find());
        let suggestions = if finding.standing == Standing::Allow || finding.safety {
            Vec::new()
        } else {
            self.suggestions(&finding)
        };
        (finding, suggestions)
    }

    fn judge_under(&self, ceiling: &Ceiling) -> LevelFinding {
        if ceiling.has(&self.tool.spec().name) {
            return self.judge_level();
        }
        let reason = "the agent that this one works for has no such tool";
        (Finding::deny(reason, Decider::Ceiling), Vec::new())
    }

    /// Returns the rules, each once, if all levels let the call run with them; none otherwise.
    fn satisfying_all(&mut self, suggested: Vec<Rule>) -> Vec<Rule> {
        let mut rules: Vec<Rule> = Vec::new();
        for rule in suggested {
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
        let before = self.live.clone();
        let granted = self.live.granted_mut();
        granted.allow.extend(rules.iter().cloned());
        let policy = self.policy;
        let runs = |finding: Finding| finding.standing == Standing::Allow;
        let satisfied = runs(self.in_mode(self.find()))
            && policy
                .ceilings()
                .iter()
                .all(|ceiling| self.at(&ceiling.fixed, |judge| runs(judge.judge_under(ceiling).0)));
        self.live = before;
        if satisfied { rules } else { Vec::new() }
    }

    /// Reports whether a rule, were it granted, would let the whole call run.
    pub(in crate::permission) fn satisfied_by(mut self, rule: &Rule) -> bool {
        self.is_covered_by(rule) && !self.satisfying_all(vec![rule.clone()]).is_empty()
    }

    /// Does something at another level.
    fn at<T>(&mut self, level: &'a Fixed, work: impl FnOnce(&Self) -> T) -> T {
        let own = std::mem::replace(&mut self.level, level);
        let done = work(self);
        self.level = own;
        done
    }
}
