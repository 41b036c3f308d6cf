//! Unions: the branch that was meant, and its mistakes.

use serde_json::{Map, Value};

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
            self.push(&expected, &describe::describe_value(raw));
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

    /// Picks the mistakes of the branch that was most likely meant.
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
            match self
                .find_by_tag(branches, &given)
                .or_else(|| self.find_by_key(branches, &given))
            {
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
        let taking: Vec<usize> = (0..branches.len())
            .filter(|at| self.takes(&branches[*at], kind))
            .collect();
        // The deepest first mistake has most of the value right; then the fewest.
        let best = taking.iter().copied().min_by_key(|at| {
            let trial = &trials[*at];
            let shallow = trial
                .iter()
                .map(|mistake| mistake.path.len())
                .min()
                .unwrap_or(0);
            (trial.len(), usize::MAX - shallow)
        });
        match best {
            Some(at) => trials.swap_remove(at),
            None => vec![Mistake::new(
                self.path.as_str(),
                self.describe_branches(branches),
                describe::describe_value(raw),
            )],
        }
    }

    /// Finds the branch by its tag: a required property that holds one literal.
    fn find_by_tag(&self, branches: &'s [Value], given: &[(String, &str)]) -> Option<BranchMatch> {
        let tags: Vec<Option<Vec<(&str, &str)>>> =
            branches.iter().map(|branch| self.tags(branch)).collect();
        let mut names = tags.iter().flatten().flatten().map(|(name, _)| *name);
        let name = names.find(|name| {
            tags.iter()
                .flatten()
                .filter(|own| own.iter().any(|(other, _)| other == name))
                .count()
                > 1
        })?;
        let values: Vec<(usize, &str)> = tags
            .iter()
            .enumerate()
            .filter_map(|(at, own)| {
                Some((
                    at,
                    own.as_ref()?.iter().find(|(other, _)| *other == name)?.1,
                ))
            })
            .collect();
        let literals: Vec<Value> = values
            .iter()
            .map(|(_, value)| Value::from(*value))
            .collect();
        let path = format!("{}/{}", self.path, escape(name));
        let Some((_, raw)) = given.iter().find(|(key, _)| key == name) else {
            // Untagged branches beside the tagged ones may have been meant.
            return (values.len() == branches.len()).then(|| {
                BranchMatch::NoBranch(Mistake::missing(path, describe::describe_enum(&literals)))
            });
        };
        let text = serde_json::from_str::<String>(raw).ok();
        if let Some((at, _)) = values
            .iter()
            .find(|(_, value)| text.as_deref() == Some(*value))
        {
            return Some(BranchMatch::Branch(*at));
        }
        let mistake = Mistake::new(
            path,
            describe::describe_enum(&literals),
            describe::describe_value(raw),
        );
        let nearest = text
            .as_deref()
            .and_then(|text| describe::nearest(text, values.iter().map(|(_, value)| *value)));
        Some(BranchMatch::NoBranch(match nearest {
            Some(name) => mistake.with_suggestion(format!("did you mean {name:?}?")),
            None => mistake,
        }))
    }

    fn tags(&self, branch: &'s Value) -> Option<Vec<(&'s str, &'s str)>> {
        let branch = self.resolve(branch);
        let properties = branch.get("properties")?.as_object()?;
        let required = branch.get("required")?.as_array()?;
        let tag = |name: &'s str| match properties.get(name)?.get("enum")?.as_array()?.as_slice() {
            [Value::String(value)] => Some((name, value.as_str())),
            _ => None,
        };
        Some(
            required
                .iter()
                .filter_map(Value::as_str)
                .filter_map(tag)
                .collect(),
        )
    }

    /// Finds the branch by its only key, as serde tags from outside.
    fn find_by_key(&self, branches: &'s [Value], given: &[(String, &str)]) -> Option<BranchMatch> {
        let keys: Vec<(usize, &str)> = branches
            .iter()
            .enumerate()
            .filter_map(|(at, branch)| Some((at, self.only_key(branch)?)))
            .collect();
        if keys.is_empty() {
            return None;
        }
        if let Some((at, _)) = keys
            .iter()
            .find(|(_, name)| given.iter().any(|(key, _)| key == name))
        {
            return Some(BranchMatch::Branch(*at));
        }
        // Some other object form may have been meant.
        if branches.iter().enumerate().any(|(at, branch)| {
            self.takes(branch, JsonKind::Object) && !keys.iter().any(|(other, _)| *other == at)
        }) {
            return None;
        }
        let expected = format!(
            "an object with the one key {}",
            keys.iter()
                .map(|(_, key)| format!("`{key}`"))
                .collect::<Vec<_>>()
                .join(" or ")
        );
        let got = match given.first() {
            Some((key, _)) => format!("an object with the key `{}`", describe::excerpt(key)),
            None => "an empty object".to_owned(),
        };
        let mistake = Mistake::new(self.path.as_str(), expected, got);
        let nearest = given
            .iter()
            .find_map(|(key, _)| describe::nearest(key, keys.iter().map(|(_, name)| *name)));
        Some(BranchMatch::NoBranch(match nearest {
            Some(name) => mistake.with_suggestion(format!("did you mean `{name}`?")),
            None => mistake,
        }))
    }

    fn only_key(&self, branch: &'s Value) -> Option<&'s str> {
        let branch = self.resolve(branch);
        let [Value::String(name)] = branch.get("required")?.as_array()?.as_slice() else {
            return None;
        };
        let properties = branch.get("properties")?.as_object()?;
        let closed = branch.get("additionalProperties") == Some(&Value::Bool(false));
        (properties.len() == 1 && properties.contains_key(name) && closed).then_some(name)
    }

    /// A string where variants are named by strings or by keys: the wrong name, or a variant without its data.
    fn check_variant_name(&self, branches: &'s [Value], raw: &str) -> Option<Mistake> {
        let text: String = serde_json::from_str(raw).ok()?;
        let literals: Vec<Value> = branches
            .iter()
            .filter_map(|branch| self.resolve(branch).get("enum")?.as_array())
            .flatten()
            .filter(|value| value.is_string())
            .cloned()
            .collect();
        let keys: Vec<&str> = branches
            .iter()
            .filter_map(|branch| self.only_key(branch))
            .collect();
        let plain = branches.iter().map(|branch| self.resolve(branch));
        let free_text = plain
            .filter(|branch| branch.get("enum").is_none())
            .any(|branch| self.takes(branch, JsonKind::String));
        if free_text || literals.is_empty() && keys.is_empty() {
            return None;
        }
        let mistake = Mistake::new(
            self.path.as_str(),
            self.describe_branches(branches),
            describe::describe_value(raw),
        );
        if let Some(key) = keys.iter().find(|key| **key == text) {
            return Some(mistake.with_suggestion(format!("write {{\"{key}\": …}} with its value")));
        }
        let names = literals
            .iter()
            .filter_map(Value::as_str)
            .chain(keys.iter().copied());
        Some(match describe::nearest(&text, names) {
            Some(name) => mistake.with_suggestion(format!("did you mean {name:?}?")),
            None => mistake,
        })
    }
}

/// What an object among branches was meant as.
enum BranchMatch {
    Branch(usize),
    NoBranch(Mistake),
}
