//! Vectors of the specification's reference validator, its own tests, with its profile.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use helve_skill_format::{Code, Collection, Options, Profile, Severity, codes, parse, read_skill};
use serde_json::Value;

use crate::vectors::same;
use crate::vectors::vectors::{self, Case, Tally};

/// The messages of the reference validator, in the order of its source, with the codes of this crate.
const MEANINGS: &[(&str, &[Code])] = &[
    ("Path does not exist", &[codes::FOLDER_MISSING]),
    ("Not a directory", &[codes::NOT_A_FOLDER]),
    ("Missing required file", &[codes::SKILL_MD_MISSING]),
    ("SKILL.md must start with", &[codes::FRONT_MATTER_MISSING]),
    (
        "SKILL.md frontmatter not properly closed",
        &[codes::FRONT_MATTER_OPEN],
    ),
    (
        "Invalid YAML",
        &[
            codes::INVALID_YAML,
            codes::NESTED_MAPPING,
            codes::DUPLICATE_KEY,
            codes::ANCHOR,
            codes::TAG,
            codes::FLOW,
            codes::INDENTATION,
            codes::TAB,
        ],
    ),
    (
        "SKILL.md frontmatter must be a YAML mapping",
        &[codes::NOT_FIELDS],
    ),
    ("Unexpected fields", &[codes::UNKNOWN_FIELD]),
    (
        "Missing required field in frontmatter: name",
        &[codes::NAME_REQUIRED],
    ),
    ("Field 'name' must be", &[codes::NAME_EMPTY]),
    ("Skill name cannot start or end", &[codes::NAME_EDGE_HYPHEN]),
    (
        "Skill name cannot contain consecutive",
        &[codes::NAME_DOUBLE_HYPHEN],
    ),
    ("Directory name", &[codes::NAME_IS_FOLDER]),
    (
        "Missing required field in frontmatter: description",
        &[codes::DESCRIPTION_REQUIRED],
    ),
    ("Field 'description' must be", &[codes::DESCRIPTION_EMPTY]),
    ("Description exceeds", &[codes::DESCRIPTION_LENGTH]),
    (
        "Field 'compatibility' must be",
        &[codes::COMPATIBILITY_TEXT],
    ),
    ("Compatibility exceeds", &[codes::COMPATIBILITY_LENGTH]),
];

/// The messages that follow the name in question.
const OF_NAMES: &[(&str, &[Code])] = &[
    ("character limit", &[codes::NAME_LENGTH]),
    ("must be lowercase", &[codes::NAME_UPPER_CASE]),
    ("contains invalid characters", &[codes::NAME_CHARACTERS]),
];

/// Returns the first of the codes for a message, which represents all of them.
fn meaning(error: &str) -> Code {
    let known = MEANINGS
        .iter()
        .find(|(begins, _)| error.starts_with(begins));
    let known = known.or_else(|| OF_NAMES.iter().find(|(holds, _)| error.contains(holds)));
    let Some((_, codes)) = known else {
        panic!("what does `{error}` mean?");
    };
    codes[0]
}

fn found(collection: &Collection) -> BTreeSet<Code> {
    let errors = collection
        .problems
        .iter()
        .filter(|problem| problem.severity == Severity::Error);
    let first = |code| {
        let same = MEANINGS.iter().find(|(_, codes)| codes.contains(&code));
        same.map_or(code, |(_, codes)| codes[0])
    };
    errors.map(|problem| first(problem.code)).collect()
}

/// Returns the defect of the reference validator that a text triggers, and that this crate does not reproduce on
/// purpose.
fn defect(text: &str) -> Option<&'static str> {
    let inner = text.strip_prefix("---").unwrap_or(text);
    let theirs = inner.find("---").map(|at| at + 3);
    let ours = inner.split_inclusive('\n').skip(1).try_fold(
        inner.find('\n').map_or(inner.len(), |at| at + 1) + 3,
        |at, line| match line.trim_end() == "---" {
            true => Err(at),
            false => Ok(at + line.len()),
        },
    );
    if text.starts_with('\u{feff}') {
        Some("it refuses a byte order mark, which every editor of Windows may write")
    } else if text.contains('\0') {
        Some("it crashes on a NUL, which is an error here")
    } else if theirs != ours.err() {
        Some(
            "it ends the front matter at any `---`, also inside a value; here a line of its own does",
        )
    } else {
        let problems = parse(text, None, Profile::SkillsRef).problems;
        let says = |code, words| {
            let mut problems = problems.iter();
            problems.any(|problem| problem.code == code && problem.message.contains(words))
        };
        if says(codes::COMPATIBILITY_EMPTY, "") {
            Some("it accepts an empty `compatibility`, which has 1 to 500 characters")
        } else if says(codes::INVALID_YAML, "indentation in quoted scalar") {
            Some("it lets a quoted value go on without indentation, which YAML 1.2 does not")
        } else if says(codes::UNKNOWN_FIELD, "`<<`") {
            Some("it merges mappings at `<<`, as YAML 1.1 did; here it is a field like any other")
        } else {
            None
        }
    }
}

/// Writes the files of a case, and reads them as one skill.
fn read(case: &Case, root: &Path) -> Collection {
    let folder = root.join(case.line_value["dir"].as_str().unwrap());
    for (path, text) in case.line_value["files"].as_object().unwrap() {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text.as_str().unwrap()).unwrap();
    }
    read_skill(
        &folder,
        "skill",
        &Options::new().profile(Profile::SkillsRef),
    )
}

/// Compares the contents of an accepted skill.
fn contents(collection: &Collection, expected: &Value) -> Result<(), String> {
    let Some(skill) = collection.skills.first() else {
        return Ok(());
    };
    if !same::fields(&skill.front_matter, &expected["frontmatter"]) {
        return Err(format!("read {:?}", skill.front_matter));
    }
    if Some(skill.body().trim()) != expected["body"].as_str().map(str::trim) {
        return Err(format!("the body is {:?}", skill.body()));
    }
    if Some(&*skill.manifest) != expected["skill_md"].as_str() {
        return Err(format!("read {}", skill.manifest));
    }
    Ok(())
}

#[test]
fn skills_ref() {
    let Some(cases) = vectors::load_topic("skills_ref") else {
        return;
    };
    let mut tally = Tally::new("skills_ref");
    let mut intended = 0;
    for case in &cases {
        let root = tempfile::tempdir().unwrap();
        let collection = read(case, root.path());
        let expected = &case.line_value["expect"];
        let errors = expected["errors"].as_array().unwrap();
        let wanted: BTreeSet<_> = errors
            .iter()
            .map(|error| meaning(error.as_str().unwrap()))
            .collect();
        let found = found(&collection);
        let outcome = match found == wanted {
            true => contents(&collection, expected),
            false => Err(format!("found {found:?}, recorded was {wanted:?}")),
        };
        let mut files = case.line_value["files"].as_object().unwrap().values();
        let reason = files.find_map(|text| defect(text.as_str()?));
        match (outcome, reason) {
            (Ok(()), _) => tally.agree(case),
            (Err(found), Some(reason)) => {
                intended += 1;
                println!("  {}: {found}; on purpose: {reason}", case.id);
            }
            (Err(found), None) if !wanted.is_empty() && collection.skills.len() == 1 => {
                tally.differ_laxer(case, found);
            }
            (Err(found), None) => tally.differ(case, found),
        }
    }
    println!("skills_ref: {intended} differ on purpose");
    tally.finish(&[]);
}

#[test]
fn the_defects_of_the_reference_are_not_copied() {
    let codes_of = |text: &str| -> Vec<Code> {
        let problems = parse(text, Some("pdf"), Profile::SkillsRef).problems;
        problems.iter().map(|problem| problem.code).collect()
    };
    let cases = [
        ("\u{feff}---\nname: pdf\ndescription: d\n---\n", None),
        ("---\nname: pdf\ndescription: a --- b\n---\n", None),
        ("---\nname: pdf\ndescription: d\n---\n\0", Some(codes::NUL)),
        (
            "---\nname: pdf\ndescription: d\ncompatibility: ''\n---\n",
            Some(codes::COMPATIBILITY_EMPTY),
        ),
        (
            "---\nname: pdf\ndescription: \"a\nb\"\n---\n",
            Some(codes::INVALID_YAML),
        ),
        (
            "---\nname: pdf\ndescription: d\n<<: x\n---\n",
            Some(codes::UNKNOWN_FIELD),
        ),
    ];
    for (text, code) in cases {
        assert_eq!(codes_of(text), Vec::from_iter(code), "{text:?}");
        assert!(defect(text).is_some(), "{text:?}");
    }
    assert_eq!(
        defect("---\nname: pdf\ndescription: d\n---\nbody --- more\n"),
        None
    );
}
