//! The evaluation of rules against a call.

use super::Judge;
use super::finding::Finding;
use crate::{Decider, Rule, Rules};
use helve_core::tool::{CallPart, Coverage};

/// The combined coverage of the allow rules.
struct AllowCoverage {
    covered: Coverage,
    rules: Vec<Rule>,
}

impl Judge<'_> {
    /// Allows a call if allow rules cover every part, alone or together. Parts that only read need no rule.
    pub(super) fn allow_rules(&self) -> Option<Finding> {
        let AllowCoverage { covered, rules } = self.allow_coverage()?;
        let all = !rules.is_empty() && covered.covers_all();
        all.then(|| Finding::allow(Decider::AllowRules(rules)))
    }

    /// Joins the coverages of the allow rules, and keeps each rule that adds coverage; returns `None` if nothing is
    /// covered.
    fn allow_coverage(&self) -> Option<AllowCoverage> {
        if self.mode().is_read_only() {
            return None;
        }
        let mut covered = self.read_only_coverage();
        let mut rules = Vec::new();
        for rule in self.rules_about(|rules| &rules.allow) {
            let Some(coverage) = self.coverage(rule) else {
                continue;
            };
            let joined = match &covered {
                Some(covered) => covered.clone().union(&coverage),
                None => coverage,
            };
            if joined.covers_any() && covered.as_ref() != Some(&joined) {
                rules.push(rule.clone());
                covered = Some(joined);
            }
        }
        covered.map(|covered| AllowCoverage { covered, rules })
    }

    pub(super) fn read_only_coverage(&self) -> Option<Coverage> {
        let parts = &self.facts.parts;
        (!parts.is_empty()).then(|| Coverage::from_parts(parts.iter().map(|part| part.read_only)))
    }

    /// Returns for each part, in order, whether it only reads or is allowed.
    pub(super) fn covered_parts(&self) -> Vec<bool> {
        let allowance = self.allow_coverage();
        allowance.map_or_else(Vec::new, |allowance| allowance.covered.parts().to_vec())
    }

    /// Returns the first part that neither only reads nor is allowed.
    pub(super) fn uncovered_part(&self) -> Option<String> {
        let allowance = self.allow_coverage();
        let is_covered = |index: usize, part: &CallPart| match &allowance {
            Some(allowance) => allowance.covered.parts().get(index) == Some(&true),
            None => part.read_only,
        };
        let mut parts = self.facts.parts.iter().enumerate();
        let (_, part) = parts.find(|(index, part)| !is_covered(*index, part))?;
        Some(part.text.clone())
    }

    /// Iterates over the rules of one list that apply to this tool.
    pub(super) fn rules_about(
        &self,
        list: fn(&Rules) -> &Vec<Rule>,
    ) -> impl Iterator<Item = &Rule> {
        let (fixed, granted) = (&self.level.rules, self.grants.granted());
        let name = &*self.tool.spec().name;
        list(fixed)
            .iter()
            .chain(list(granted))
            .filter(move |rule| rule.matches_tool(name))
    }

    /// Returns the first rule of a list that covers any part, with the part. A rule that the tool cannot parse matches
    /// every call, since its author intended to stop some calls.
    pub(super) fn first_rule_covering_part(
        &self,
        list: fn(&Rules) -> &Vec<Rule>,
    ) -> Option<(Rule, Option<String>)> {
        self.rules_about(list).find_map(|rule| {
            let part = match self.coverage(rule) {
                None => None,
                Some(coverage) => {
                    let index = coverage.restricted().iter().position(|covered| *covered)?;
                    self.facts.parts.get(index).map(|part| part.text.clone())
                }
            };
            Some((rule.clone(), part))
        })
    }

    /// Returns which parts of the call a rule covers; `None` if the tool cannot parse the rule.
    pub(super) fn coverage(&self, rule: &Rule) -> Option<Coverage> {
        let Some(content) = &rule.content else {
            let parts = self.facts.parts.len().max(1);
            return Some(Coverage::from_parts(std::iter::repeat_n(true, parts)));
        };
        self.prepared.coverage(self.context(), content)
    }

    pub(crate) fn is_covered_by(&self, rule: &Rule) -> bool {
        let is_about = rule.matches_tool(&self.tool.spec().name);
        let coverage = is_about.then(|| self.coverage(rule)).flatten();
        coverage.is_some_and(|coverage| match self.read_only_coverage() {
            Some(read_only) if coverage.covers_any() => read_only.union(&coverage).covers_all(),
            _ => coverage.covers_all(),
        })
    }
}
