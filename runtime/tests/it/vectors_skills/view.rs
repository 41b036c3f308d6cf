//! What a model is given of a skill, while which groups of tools are on.

use std::borrow::Cow;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use helve_runtime::skill::{
    Skill, SkillCatalog, SkillError, SkillFile, SkillFilter, SkillLibrary, SkillList, SkillOrigin,
    SkillSource,
};
use helve_runtime::tool::ToolContext;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::vectors::{Case, Tally, load_topic};

#[tokio::test]
async fn skills_are_viewed_alike() {
    let Some(cases) = load_topic("skill_view") else {
        return;
    };
    let mut tally = Tally::new("skill_view");
    for case in &cases {
        match &*case.function {
            "SkillViewer.call" => view(&mut tally, case).await,
            "Toolkit.get_skill_instructions" => instructions(&mut tally, case).await,
            other => panic!("{other}"),
        }
    }
    tally.finish(&[]);
}

/// The skills of a group: names, descriptions and bodies.
#[derive(Debug)]
struct Group {
    name: String,
    skills: Vec<(String, String)>,
}

impl SkillSource for Group {
    fn origin(&self) -> SkillOrigin {
        let folder = self.name.clone().into();
        match &*self.name {
            "basic" => SkillOrigin::User { folder },
            _ => SkillOrigin::Project { folder },
        }
    }

    fn list(&self) -> BoxFuture<'_, Result<SkillList, SkillError>> {
        let skills = self.skills.iter().map(|(name, body)| {
            let sha256 = Sha256::digest(body).into();
            Skill::builder(name, "desc", self.origin())
                .text(body, 0)
                .file(SkillFile::new("SKILL.md", body.len() as u64, &sha256))
                .build()
        });
        let list = SkillList::new(skills);
        Box::pin(async { Ok(list) })
    }

    fn read<'a>(
        &'a self,
        skill: &'a str,
        _: &'a str,
    ) -> BoxFuture<'a, Result<Cow<'static, [u8]>, SkillError>> {
        Box::pin(async move { Err(SkillError::unknown(skill, [])) })
    }
}

/// Calls `load_skill` for the skill of a case.
async fn view(tally: &mut Tally, case: &Case) {
    let active = strings(&case.input["activated_groups"]);
    let group = |name: &str, skills: Vec<(String, String)>| Group {
        name: name.to_owned(),
        skills,
    };
    let groups = if case.input["basic"].is_array() {
        let numbered = |list: &Value, number: &str| {
            let names = strings(list).into_iter();
            names
                .map(|name| (name.clone(), format!("# {}{number}", name.to_uppercase())))
                .collect()
        };
        vec![
            group("basic", numbered(&case.input["basic"], "1")),
            group("g", numbered(&case.input["group_g"], "2")),
        ]
    } else {
        let one = |name: &str, body: &str| vec![(name.to_owned(), body.to_owned())];
        vec![
            group(
                "basic",
                one("my_skill", "# My Skill\nThis is the skill content."),
            ),
            group(
                "repair",
                one("repair_skill", "# Repair Skill\nUse this for repair tasks."),
            ),
        ]
    };
    let library = Arc::new(SkillLibrary::new(catalog(groups, &active).await));
    let arguments = json!({ "name": case.input["skill"] }).to_string();
    let tools = SkillLibrary::toolset(library);
    let found = match tools
        .call("load_skill", &arguments, &ToolContext::new())
        .await
    {
        Ok(output) => {
            let text = output.into_text();
            let body = text
                .split_once('\n')
                .unwrap()
                .1
                .rsplit_once("\n</skill>")
                .unwrap()
                .0;
            Ok(body.to_owned())
        }
        Err(_) => Err(()),
    };
    let recorded = match case.expected["state"].as_str().unwrap() {
        "error" => Err(()),
        _ => Ok(case.expected["text"].as_str().unwrap().to_owned()),
    };
    tally.compare(case, &found, &recorded);
}

/// Compares the list of skills for the prompt: which skills, with what, in which order.
async fn instructions(tally: &mut Tally, case: &Case) {
    let named = |list: &Value| -> Vec<String> {
        let list = list.as_array().unwrap().iter();
        list.map(|group| group["name"].as_str().unwrap().to_owned())
            .collect()
    };
    let recorded = case
        .expected
        .as_str()
        .map_or_else(Vec::new, |text| listed(text, "\n"));
    // Which groups have a skill is not recorded, but what is listed says it.
    let has = |name: &str| recorded.iter().any(|(known, _)| known.starts_with(name));
    let inactive = case.input["activated_groups"].is_null();
    let groups = named(&case.input["groups"]).into_iter().map(|name| {
        let skill = format!("{name}_skill");
        let skills = if has(&name) {
            vec![(skill, "body".to_owned())]
        } else {
            Vec::new()
        };
        Group { name, skills }
    });
    let active = match inactive {
        true => named(&case.input["groups"]),
        false => strings(&case.input["activated_groups"]),
    };
    let prompt = catalog(groups.collect(), &active).await.prompt();
    tally.compare(case, &listed(&prompt, ""), &recorded);
}

/// Puts the skills of groups together; those of a group that is off are held back by its filter.
async fn catalog(groups: Vec<Group>, active: &[String]) -> SkillCatalog {
    let on = |name: &str| name == "basic" || active.iter().any(|known| known == name);
    let mut filter = SkillFilter::all();
    for group in groups.iter().filter(|group| !on(&group.name)) {
        filter = filter.and(&SkillFilter::without(
            group.skills.iter().map(|(name, _)| name.as_str()),
        ));
    }
    let sources = groups
        .into_iter()
        .map(|group| Arc::new(group) as Arc<dyn SkillSource>);
    SkillCatalog::new()
        .with_sources(sources)
        .await
        .filtered(&filter)
}

/// Reads names and descriptions out of a prompt.
fn listed(prompt: &str, between: &str) -> Vec<(String, String)> {
    let element = |text: &str, name: &str| {
        let (_, rest) = text.split_once(&format!("<{name}>")).unwrap();
        rest.split_once(&format!("</{name}>")).unwrap().0.to_owned()
    };
    let start = format!("<skill>{between}");
    let skills = prompt.split(&start).skip(1);
    skills
        .map(|skill| (element(skill, "name"), element(skill, "description")))
        .collect()
}

fn strings(list: &Value) -> Vec<String> {
    let list = list.as_array().unwrap().iter();
    list.map(|name| name.as_str().unwrap().to_owned()).collect()
}
