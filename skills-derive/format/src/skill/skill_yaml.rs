//! A `skill.yaml` beside a SKILL.md without front matter, as some hosts store it.

use super::file;
use crate::Profile;
use crate::check::name;
use crate::codes;
use crate::front_matter::{self, Field, FrontMatter, Value};
use crate::limits::MAX_FRONT_MATTER;
use crate::manifest::{self, Manifest, ManifestSource};
use crate::problem::{Finding, Position};
use crate::walk::SkillFolder;

const NAMES: &[&str] = &["skill.yaml", "skill.yml"];

/// Reads the `skill.yaml` of a skill whose SKILL.md has no front matter; returns `None` if there is none. Problems of
/// the file are added to `said`.
pub(super) fn read_skill_yaml(
    folder: &SkillFolder,
    text: &str,
    manifest: &Manifest,
    profile: Profile,
    said: &mut Vec<(String, Finding)>,
) -> Option<Manifest> {
    let is_bare = |finding: &Finding| finding.code == codes::FRONT_MATTER_MISSING;
    // The reference validator does not read the file.
    if profile == Profile::SkillsRef || !manifest.findings.iter().any(is_bare) {
        return None;
    }
    let found = NAMES.iter().find_map(|name| folder.tree.file(name))?;
    let bytes = file::bytes(&found.location, MAX_FRONT_MATTER as u64);
    let yaml = match bytes.map(String::from_utf8) {
        Ok(Ok(yaml)) => yaml,
        Ok(Err(_)) => {
            let message = format!("{} is not UTF-8", found.path);
            said.push((found.path.clone(), Finding::new(codes::NOT_UTF8, message)));
            return None;
        }
        Err(finding) => {
            said.push((found.path.clone(), finding));
            return None;
        }
    };
    let mut read = front_matter::read_leniently(&yaml);
    let findings = read.findings.drain(..).map(in_file);
    said.extend(findings.map(|finding| (found.path.clone(), finding)));
    let front_matter = to_front_matter(read.front_matter, &folder.name);
    let message = format!("the front matter is in `{}`", found.path);
    let finding = Finding::new(codes::SKILL_YAML, message)
        .with_position(Position::START)
        .with_help(format!(
            "begin {} with this, and delete `{}`:\n{}",
            folder.manifest,
            found.path,
            written(&front_matter, &folder.name)
        ));
    let findings = vec![finding];
    if profile != Profile::Lenient {
        return Some(Manifest {
            findings,
            ..Manifest::default()
        });
    }
    let source = ManifestSource {
        front_matter,
        is_complete: read.is_complete,
        body_start: 0,
        body: text,
    };
    Some(manifest::complete(
        source,
        Some(&folder.name),
        profile,
        findings,
    ))
}

/// Converts a position in a SKILL.md, whose YAML starts on the second line, to one in a YAML file.
fn in_file(mut finding: Finding) -> Finding {
    if let Some(at) = &mut finding.at {
        at.line = at.line.saturating_sub(1).max(1);
    }
    finding
}

/// Converts the fields of a `skill.yaml` to those of a front matter: the `id` is the name, the `name` is a title.
fn to_front_matter(front_matter: FrontMatter, folder: &str) -> FrontMatter {
    let id = front_matter.text("id").map(str::to_owned);
    let written = id.as_deref().or_else(|| front_matter.text("name"));
    let named = written
        .and_then(name::suggestion)
        .or_else(|| name::suggestion(folder));
    let mut fields: Vec<Field> = named
        .map(|named| Field {
            key: "name".to_owned(),
            value: Value::Text(named),
            at: Position::START,
        })
        .into_iter()
        .collect();
    let others = front_matter.fields.into_iter();
    fields.extend(others.filter_map(|mut field| {
        match field.key.as_str() {
            "id" => return None,
            "name" if id.is_none() => return None,
            "name" => "title".clone_into(&mut field.key),
            _ => {}
        }
        // The positions refer to the other file, and would be wrong in this one.
        field.at = Position::START;
        Some(field)
    }));
    FrontMatter { fields }
}

/// Renders a front matter of the specification with the same content.
fn written(front_matter: &FrontMatter, folder: &str) -> String {
    let mut lines = vec!["---".to_owned()];
    for key in ["name", "description", "license", "compatibility"] {
        let text = match key {
            // The specification requires the folder's name.
            "name" if name::is_well_formed(folder) => Some(folder),
            key => front_matter.text(key),
        };
        let needed = (key == "description").then_some("what it does and when to use it");
        if let Some(text) = text.or(needed) {
            lines.push(format!("{key}: {}", scalar(text)));
        }
    }
    let metadata: Vec<_> = ["title", "version", "activation"]
        .iter()
        .filter_map(|key| Some(format!("  {key}: {}", scalar(front_matter.text(key)?))))
        .collect();
    if !metadata.is_empty() {
        lines.push("metadata:".to_owned());
        lines.extend(metadata);
    }
    lines.push("---".to_owned());
    lines.join("\n")
}

/// Renders text as a YAML scalar, in quotes if it could be parsed differently.
fn scalar(text: &str) -> String {
    let plain = text.starts_with(char::is_alphanumeric)
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.ends_with(':')
        && !text.contains(char::is_control);
    if plain {
        return text.to_owned();
    }
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!(
        "\"{}\"",
        escaped.split_whitespace().collect::<Vec<_>>().join(" ")
    )
}
