//! Vectors of three hosts that read a SKILL.md.

use std::fs;

use helve_skill_format::{
    FrontMatter, Options, ParsedManifest, Profile, Severity, Skill, codes, parse, read_skill,
};
use serde_json::Value;

use crate::vectors::same;
use crate::vectors::vectors::{self, Case, Tally};

/// The intended differences of this crate, with the reasons.
const DIFFERENCES: &[(&str, &str)] = &[
    (
        "skill_parse:2",
        "`skill.md` is read, with a warning: the reference validator accepts it, and so do systems that ignore case",
    ),
    (
        "skill_parse:4",
        "a folder without front matter is a skill, with a warning: its name and its first paragraph say what it is",
    ),
];

/// Recorded functions that do not read a SKILL.md, with the place where their subject is tested.
const ELSEWHERE: &[(&str, &str)] = &[
    (
        "parseSkillResponse",
        "skills out of a model's reply: helve writes none",
    ),
    (
        "skills:applySubstitutions",
        "the runtime's `$ARGUMENTS`: runtime/tests/vectors_skills",
    ),
    (
        "skills:shouldInject",
        "the runtime's catalogue: runtime/tests/vectors_skills",
    ),
    (
        "visible",
        "the runtime's catalogue: runtime/tests/vectors_skills",
    ),
    (
        "skills:canParse",
        "which of three dialects a file is in: there is one here, the specification's",
    ),
    (
        "skills:checkRequirements",
        "that host's own field `requires`",
    ),
    (
        "skills:normalizeOpenClaw",
        "that host's own field `metadata.openclaw`",
    ),
];

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

/// Reads a skill like a host at run time.
fn load(folder: &str, file: &str, contents: &str) -> Option<Skill> {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join(folder);
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join(file), contents).unwrap();
    let options = Options::new().profile(Profile::Lenient);
    read_skill(&folder, "skill", &options).skills.pop()
}

/// Returns whether front matter was found and is valid YAML, which is all that the recorded parsers check. Rules
/// about the fields do not count.
fn is_readable(parsed: &ParsedManifest) -> bool {
    let of_yaml = [
        codes::FRONT_MATTER_MISSING,
        codes::FRONT_MATTER_OPEN,
        codes::INVALID_YAML,
        codes::NESTED_MAPPING,
        codes::NOT_FIELDS,
    ];
    let mut errors = parsed
        .problems
        .iter()
        .filter(|problem| problem.severity == Severity::Error);
    !errors.any(|problem| of_yaml.contains(&problem.code))
}

/// Compares the fields and the body with those recorded under `fields` and `body`.
fn judge(case: &Case, tally: &mut Tally, contents: &str, fields: &Value, body: &Value) {
    let parsed = parse(contents, None, Profile::Spec);
    if !is_readable(&parsed) {
        return tally.differ(case, format!("{:?}", parsed.problems));
    }
    let same = same::fields(&parsed.front_matter, fields);
    let found = contents[parsed.body_start..].trim();
    tally.compare(case, &(same, found), &(true, text(body).trim()));
}

/// Checks the case of a loader, which returns a skill or nothing.
fn loaded(case: &Case, tally: &mut Tally, skill: Option<&Skill>, contents: &str) {
    let recorded = case.expected.get(0);
    let (Some(skill), Some(recorded)) = (skill, recorded) else {
        return match (skill, recorded) {
            (None, None) => tally.agree(case),
            (found, _) => tally.differ(case, format!("{:?}", found.map(|skill| &skill.name))),
        };
    };
    let body = match recorded.get("markdown") {
        Some(markdown) => text(markdown).trim() == skill.body().trim(),
        None => text(&recorded["instructions"]) == contents && skill.source == contents,
    };
    let field = |key: &str| {
        let written = &skill.front_matter.get(key).unwrap().value;
        same::value(written, &recorded[key])
    };
    tally.compare(
        case,
        &(body, field("name"), field("description")),
        &(true, true, true),
    );
}

/// Checks the metadata of a host with additional fields: fields that are present are read.
fn with_defaults(case: &Case, tally: &mut Tally) {
    let contents = text(&case.input["content"]);
    let parsed = parse(contents, None, Profile::Spec);
    let meta = &case.expected["meta"];
    let mut fields = parsed.front_matter.fields.iter();
    let same =
        is_readable(&parsed) && fields.all(|field| same::value(&field.value, &meta[&field.key]));
    let found = contents[parsed.body_start..].trim();
    tally.compare(case, &(same, found), &(true, text(&case.expected["body"])));
}

/// Checks the reader of one dialect, in which the name falls back to the file's.
fn dialect(case: &Case, tally: &mut Tally) {
    let arguments = &case.input["args"];
    let (contents, fallback) = (text(&arguments[0]), text(&arguments[3]));
    let front_matter = parse(contents, None, Profile::Spec).front_matter;
    let name = front_matter.text("name").unwrap_or(fallback);
    if name != text(&case.expected["name"]) {
        return tally.differ(case, name);
    }
    judge(
        case,
        tally,
        contents,
        &case.expected["rawFrontmatter"],
        &case.expected["body"],
    );
}

fn fields_of(yaml: &str) -> FrontMatter {
    parse(&format!("---\n{yaml}\n---\n"), None, Profile::Spec).front_matter
}

fn one(case: &Case, tally: &mut Tally) {
    let (input, expected) = (&case.input, &case.expected);
    let argument = || text(&input["args"][0]);
    match &*case.function {
        "LocalSkillLoader.list_skills" => {
            let contents = text(&input["content"]);
            let skill = load("skill", text(&input["file"]), contents);
            loaded(case, tally, skill.as_ref(), contents);
        }
        "load" => {
            let contents = text(&input["skill_md"]);
            let skill = load(text(&input["dir_name"]), "SKILL.md", contents);
            loaded(case, tally, skill.as_ref(), contents);
        }
        "parseSkillMd" => with_defaults(case, tally),
        "validateSkillMeta" => {
            let raw = input["raw"].as_object().unwrap();
            let yaml: Vec<_> = raw
                .iter()
                .map(|(key, value)| format!("{key}: {value}"))
                .collect();
            let contents = format!("---\n{}\n---\n", yaml.join("\n"));
            let problems = parse(&contents, None, Profile::Spec).problems;
            let refused = problems
                .iter()
                .any(|problem| problem.code == codes::NAME_REQUIRED);
            tally.compare(case, &refused, &expected.get("$throws").is_some());
        }
        "skills:parseSkillFrontmatter" if expected.is_null() => {
            let parsed = parse(argument(), None, Profile::Spec);
            tally.compare(case, &is_readable(&parsed), &false);
        }
        "skills:parseSkillFrontmatter" => {
            judge(case, tally, argument(), &expected["raw"], &expected["body"]);
        }
        "skills:checkSkillFrontmatter" if expected["parsed"].is_object() => {
            let recorded = &expected["parsed"];
            judge(case, tally, argument(), &recorded["raw"], &recorded["body"]);
        }
        "skills:checkSkillFrontmatter" => {
            // A text without front matter is a skill at run time alone.
            let profile = match argument().starts_with("---") {
                true => Profile::Spec,
                false => Profile::Lenient,
            };
            let found = is_readable(&parse(argument(), Some("skill"), profile));
            match (found, expected["ok"] == true) {
                (true, false) => tally.differ_laxer(case, "accepted"),
                (found, recorded) => tally.compare(case, &found, &recorded),
            }
        }
        "skills:parseAgentSkills" | "skills:parseHermes" | "skills:parseOpenClaw" => {
            dialect(case, tally);
        }
        "skills:parseYaml" => {
            tally.compare(case, &same::fields(&fields_of(argument()), expected), &true);
        }
        "skills:parseScalar" => {
            let fields = fields_of(&format!("field: {}", argument()));
            let found = fields
                .get("field")
                .is_some_and(|field| same::value(&field.value, expected));
            tally.compare(case, &found, &true);
        }
        other => panic!("{}: {other} is not known", case.id),
    }
}

fn elsewhere(case: &Case) -> Option<&'static str> {
    if case.function == "validateSkillMeta" {
        // Of the fields that the host requires, this crate requires the name.
        let thrown = case.expected["$throws"].as_str().unwrap_or_default();
        return (!thrown.ends_with("'name'")).then_some("that host's own fields");
    }
    let listed = ELSEWHERE
        .iter()
        .find(|(function, _)| *function == case.function);
    listed.map(|(_, reason)| *reason)
}

#[test]
fn skill_parse() {
    let Some(cases) = vectors::load_topic("skill_parse") else {
        return;
    };
    let mut tally = Tally::new("skill_parse");
    for case in &cases {
        match elsewhere(case) {
            Some(reason) => println!("  {}: {}: elsewhere, {reason}", case.id, case.function),
            None => one(case, &mut tally),
        }
    }
    tally.finish(DIFFERENCES);
}
