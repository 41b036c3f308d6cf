//! The check of unions: the selection of the intended branch, and its mistakes.

use std::cmp::Reverse;

use serde_json::{Map, Value};

use super::super::keyword::ReadKeywords as _;
use super::super::mistake::Mistake;
use super::super::normalize::escape;
use super::check::Checker;
use super::describe;
use super::raw::{JsonKind, entries};

impl<'s> Checker<'s> {
    pub(super) fn unions(&mut self, map: &'s Map<String, Value>, raw: &str) {
        if let Some(Value::Array(branches)) = map.get("anyOf") {
            self.any_of(branches, raw);
        }
        if let Some(Value::Array(parts)) = map.get("allOf") {
            parts.iter().for_each(|part| self.check(part, raw));
        }
        if let Some(refused) = map.get("not")
            && self.fits(refused, raw)
        {
            let expected = match refused.get("enum").and_then(Value::as_array) {
                Some(values) => format!("anything but {}", describe::list(values)),
                None => "another value".to_owned(),
            };
            self.refuse(&expected, raw);
        }
    }

    fn any_of(&mut self, branches: &'s [Value], raw: &str) {
        let mut trials = Vec::with_capacity(branches.len());
        for branch in branches {
            let found = self.trial(branch, raw);
            if found.is_empty() {
                return;
            }
            trials.push(found);
        }
        let closest = self.closest(branches, raw, trials);
        closest.into_iter().for_each(|mistake| self.report(mistake));
    }

    /// Returns the mistakes of the branch that was most likely intended.
    fn closest(
        &self,
        branches: &'s [Value],
        raw: &str,
        mut trials: Vec<Vec<Mistake>>,
    ) -> Vec<Mistake> {
        let kind = JsonKind::from_raw(raw);
        if kind == JsonKind::Object
            && let Some(given) = entries(raw)
        {
            let by_tag = self.find_by_tag(branches, &given);
            match by_tag.or_else(|| self.find_by_key(branches, &given)) {
                Some(BranchMatch::Branch(at)) => return trials.swap_remove(at),
                Some(BranchMatch::NoBranch(mistake)) => return vec![mistake],
                None => {}
            }
        }
        if kind == JsonKind::String
            && let Some(mistake) = self.check_variant_name(branches, raw)
        {
            return vec![mistake];
        }
        let taking = (0..branches.len()).filter(|at| self.takes(&branches[*at], kind));
        // The fewest mistakes; among equals, the branch whose first mistake is deepest matches most of the value.
        let best = taking.min_by_key(|at| {
            let paths = trials[*at].iter().map(|mistake| mistake.path.len());
            (trials[*at].len(), Reverse(paths.min().unwrap_or(0)))
        });
        match best {
            Some(at) => trials.swap_remove(at),
            None => vec![self.mistake(self.describe_union(branches), raw)],
        }
    }

    /// Finds the branch by its tag: a required property with a single literal.
    fn find_by_tag(&self, branches: &'s [Value], given: &[(String, &str)]) -> Option<BranchMatch> {
        let tags: Vec<Vec<(&str, &str)>> =
            branches.iter().map(|branch| self.tags(branch)).collect();
        let values = |name: &str| -> Vec<(usize, &str)> {
            let own =
                |tags: &Vec<(_, _)>| tags.iter().find(|(own, _)| *own == name).map(|tag| tag.1);
            let values = tags.iter().map(own).enumerate();
            values
                .filter_map(|(at, value)| Some((at, value?)))
                .collect()
        };
        let mut names = tags.iter().flatten().map(|(name, _)| *name);
        let name = names.find(|name| values(name).len() > 1)?;
        let values = values(name);
        let literals: Vec<Value> = values
            .iter()
            .map(|(_, value)| Value::from(*value))
            .collect();
        let expected = describe::describe_enum(&literals);
        let path = format!("{}/{}", self.path, escape(name));
        let Some((_, raw)) = given.iter().find(|(key, _)| key == name) else {
            // An untagged branch beside the tagged ones may have been intended.
            return (values.len() == branches.len())
                .then(|| BranchMatch::NoBranch(Mistake::missing(path, expected)));
        };
        let text = serde_json::from_str::<String>(raw).ok();
        let text = text.as_deref();
        if let Some((at, _)) = values.iter().find(|(_, value)| text == Some(*value)) {
            return Some(BranchMatch::Branch(*at));
        }
        let known = values.iter().map(|(_, value)| *value);
        let nearest = text.and_then(|text| describe::nearest(text, known));
        let suggestion = nearest.map(|name| format!("did you mean {name:?}?"));
        let mistake = Mistake::new(path, expected, describe::describe_value(raw));
        Some(BranchMatch::NoBranch(mistake.suggesting(suggestion)))
    }

    fn tags(&self, branch: &'s Value) -> Vec<(&'s str, &'s str)> {
        let branch = self.resolve(branch);
        let tag = |name: &'s str| match branch.object("properties")?.get(name)?.list("enum") {
            [Value::String(value)] => Some((name, value.as_str())),
            _ => None,
        };
        branch.names("required").filter_map(tag).collect()
    }

    /// Finds the branch by its only key, as in serde's external tagging.
    fn find_by_key(&self, branches: &'s [Value], given: &[(String, &str)]) -> Option<BranchMatch> {
        let keys: Vec<Option<&str>> = branches
            .iter()
            .map(|branch| self.only_key(branch))
            .collect();
        let is_given = |key: &Option<&str>| given.iter().any(|(own, _)| Some(&**own) == *key);
        if let Some(at) = keys.iter().position(is_given) {
            return Some(BranchMatch::Branch(at));
        }
        // Another form of object may have been intended.
        let takes_other = |(branch, key): (&'s Value, &Option<&str>)| {
            key.is_none() && self.takes(branch, JsonKind::Object)
        };
        let known = || keys.iter().copied().flatten();
        if known().next().is_none() || branches.iter().zip(&keys).any(takes_other) {
            return None;
        }
        let names: Vec<String> = known().map(|key| format!("`{key}`")).collect();
        let expected = format!("an object with the one key {}", names.join(" or "));
        let got = match given.first() {
            Some((key, _)) => format!("an object with the key `{}`", describe::excerpt(key)),
            None => "an empty object".to_owned(),
        };
        let mut given = given.iter();
        let nearest = given.find_map(|(key, _)| describe::nearest(key, known()));
        let suggestion = nearest.map(|name| format!("did you mean `{name}`?"));
        let mistake = Mistake::new(self.path.as_str(), expected, got);
        Some(BranchMatch::NoBranch(mistake.suggesting(suggestion)))
    }

    fn only_key(&self, branch: &'s Value) -> Option<&'s str> {
        let branch = self.resolve(branch);
        let [Value::String(name)] = branch.get("required")?.as_array()?.as_slice() else {
            return None;
        };
        let properties = branch.object("properties")?;
        let closed = branch.get("additionalProperties") == Some(&Value::Bool(false));
        (properties.len() == 1 && properties.contains_key(name) && closed).then_some(name)
    }

    /// Checks a string where variants are named by strings or keys: reports the wrong name, or a variant without its
    /// data.
    fn check_variant_name(&self, branches: &'s [Value], raw: &str) -> Option<Mistake> {
        let text: String = serde_json::from_str(raw).ok()?;
        let resolved = || branches.iter().map(|branch| self.resolve(branch));
        let mut keys = branches.iter().filter_map(|branch| self.only_key(branch));
        let literals = resolved().flat_map(|branch| branch.names("enum"));
        let mut names = literals.chain(keys.clone()).peekable();
        let mut free = resolved().filter(|branch| branch.get("enum").is_none());
        names.peek()?;
        if free.any(|branch| self.takes(branch, JsonKind::String)) {
            return None;
        }
        let suggestion = match keys.find(|key| *key == text) {
            Some(key) => Some(format!("write {{\"{key}\": …}} with its value")),
            None => describe::nearest(&text, names).map(|name| format!("did you mean {name:?}?")),
        };
        let mistake = self.mistake(self.describe_union(branches), raw);
        Some(mistake.suggesting(suggestion))
    }
}

/// The branches that an object may have been intended for.
enum BranchMatch {
    Branch(usize),
    NoBranch(Mistake),
}
