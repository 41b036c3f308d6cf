//! What is put into a skill's text, which skills can be used, and which of two is seen.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use helve_runtime::skill::{
    Skill, SkillCatalog, SkillEnvironment, SkillError, SkillList, SkillOrigin, SkillSource,
    Substitution,
};
use serde_json::{Value, json};

use super::vectors::{Case, Tally, load_topic};

const PARSING: &str = "how a SKILL.md is read is the format crate's, whose own test has it";

#[tokio::test]
async fn skills_are_used_alike() {
    let Some(cases) = load_topic("skill_parse") else {
        return;
    };
    let (mut tally, mut outside) = (Tally::new("skill_parse"), Vec::new());
    for case in &cases {
        match case.function.rsplit(':').next().unwrap() {
            "applySubstitutions" => substitutions(&mut tally, case),
            "shouldInject" => {
                let found = usable(&case.input["args"][0], &case.input["args"][1]);
                tally.compare(case, &found, &case.expected["inject"].as_bool().unwrap());
            }
            "checkRequirements" => {
                let fields = json!({ "requires": case.input["args"][0] });
                let context = match &case.input["args"][1] {
                    Value::Null => json!({ "env": variables(&fields) }),
                    tools => json!({ "tools": tools["$set"], "env": variables(&fields) }),
                };
                let found = usable(&fields, &context);
                tally.compare(case, &found, &case.expected.is_null());
            }
            "visible" => visible(&mut tally, case).await,
            _ => outside.push((case.id.clone(), PARSING)),
        }
    }
    crate::vectors_skills::outside("skill_parse", &outside);
    tally.finish(&[]);
}

/// The variables of these cases that are named as set are.
fn variables(fields: &Value) -> Value {
    let names = fields["requires"]["env"].as_array().into_iter().flatten();
    names
        .map(|name| (name.as_str().unwrap().to_owned(), json!("x")))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn substitutions(tally: &mut Tally, case: &Case) {
    let text = |index: usize| case.input["args"][index].as_str().unwrap();
    let folder = std::path::Path::new(text(1));
    let found = Substitution::new("")
        .folder(Some(folder))
        .apply(text(0))
        .into_owned();
    tally.compare(case, &found.as_str(), &case.expected.as_str().unwrap());
}

/// Tells whether a skill of such a front matter is used where this is there.
fn usable(fields: &Value, context: &Value) -> bool {
    let fields = match fields {
        Value::Null => json!({}),
        fields => fields.clone(),
    };
    let mut here = SkillEnvironment::new();
    let set: Vec<String> = match context["env"].as_object() {
        Some(set) => set.keys().cloned().collect(),
        None => Vec::new(),
    };
    here = here.variables(move |name| set.iter().any(|known| known == name));
    if let Some(tools) = context["tools"].as_array() {
        here = here.tools(tools.iter().map(|tool| tool.as_str().unwrap()));
    }
    if let Some(platform) = context["platform"].as_str() {
        here = here.system(platform);
    }
    here.unmet_requirement(&super::skill("x", &fields).build())
        .is_none()
}

/// A manager of skills with names, whose skills say which it is.
#[derive(Debug)]
struct Manager {
    rank: usize,
    names: Vec<String>,
}

impl SkillSource for Manager {
    fn origin(&self) -> SkillOrigin {
        let folder = self.rank.to_string().into();
        match self.rank {
            0 => SkillOrigin::Project { folder },
            _ => SkillOrigin::User { folder },
        }
    }

    fn list(&self) -> BoxFuture<'_, Result<SkillList, SkillError>> {
        let words = ["hi", "lo"];
        let skills = self
            .names
            .iter()
            .map(|name| Skill::builder(name, words[self.rank], self.origin()).build());
        let list = SkillList::new(skills);
        Box::pin(async { Ok(list) })
    }

    fn read<'a>(
        &'a self,
        skill: &'a str,
        _: &'a str,
    ) -> BoxFuture<'a, Result<std::borrow::Cow<'static, [u8]>, SkillError>> {
        Box::pin(async move { Err(SkillError::unknown(skill, [])) })
    }
}

async fn visible(tally: &mut Tally, case: &Case) {
    let strings = |list: &Value| -> Vec<String> {
        let list = list.as_array().unwrap().iter();
        list.map(|name| name.as_str().unwrap().to_owned()).collect()
    };
    let managers = case.input["managers_high_to_low"].as_array().unwrap();
    // The lower one first: the order in which they are added does not decide.
    let managers = managers.iter().enumerate().rev().map(|(rank, names)| {
        let names = strings(names);
        Arc::new(Manager { rank, names }) as Arc<dyn SkillSource>
    });
    let mut catalog = SkillCatalog::new().with_sources(managers).await;
    if !case.input["available_skills"].is_null() {
        catalog = catalog.only(strings(&case.input["available_skills"]));
    }
    let found: BTreeMap<String, String> = catalog
        .skills()
        .map(|skill| (skill.name().to_owned(), skill.description().to_owned()))
        .collect();
    let recorded: BTreeMap<String, String> =
        serde_json::from_value(case.expected["visible"].clone()).unwrap();
    let lines: Vec<_> = found
        .iter()
        .map(|(name, text)| format!("- skill name: {name}, description: {text}"))
        .collect();
    tally.compare(
        case,
        &(found, lines),
        &(recorded, strings(&case.expected["lines"])),
    );
}
