//! What other systems make of skills when they are used, held against helve; see `support/vectors.rs`.
#![cfg(feature = "skills")]
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use crate::support::vectors;

mod filter;
#[cfg(feature = "skill-install")]
mod manage;
mod parse;
mod scan;
mod view;

use helve_runtime::skill::{FrontMatter, Skill, SkillBuilder, SkillOrigin};

/// Says which cases ask nothing that helve's skills decide, and why. They are in neither number of those that agree.
fn outside(topic: &str, cases: &[(String, &'static str)]) {
    for (id, why) in cases {
        println!("{topic}: outside: {id}: {why}");
    }
    let count = cases.len();
    println!("{topic}: {count} further cases ask nothing that skills decide at run time");
}

/// Starts a skill whose front matter holds these fields, written as JSON, which is YAML.
fn skill(name: &str, fields: &serde_json::Value) -> SkillBuilder {
    let origin = SkillOrigin::Other("case".to_owned());
    Skill::builder(name, "hi", origin).front_matter(front_matter(fields))
}

fn front_matter(fields: &serde_json::Value) -> FrontMatter {
    let mut text = "---\nname: x\ndescription: d\n".to_owned();
    for (key, value) in fields.as_object().unwrap() {
        text.push_str(&format!("{key}: {value}\n"));
    }
    text.push_str("---\n");
    helve_runtime::skill::parse(&text).front_matter
}
