//! The names and arguments that Claude Code gives the tools, which the commands of hooks expect.

use std::path::{Component, Path, PathBuf};

use helve_permission::tool_names::{ToolAlias, earlier_name};
use serde_json::{Map, Value};

/// The tool whose calls change several files.
const PATCH: &str = "apply_patch";

/// The arguments of a tool that have other names: in helve, and in Claude Code.
type Arguments = &'static [(&'static str, &'static str, Conversion)];

/// How the value of an argument differs.
#[derive(Clone, Copy, PartialEq)]
enum Conversion {
    Same,
    /// Claude Code has absolute paths.
    Path,
    /// Claude Code has milliseconds, helve has seconds.
    Seconds,
}

use Conversion::{Path as AsPath, Same, Seconds};

const FILE: (&str, &str, Conversion) = ("path", "file_path", AsPath);
const FOLDER: (&str, &str, Conversion) = ("path", "path", AsPath);

/// The tools whose arguments differ.
const ARGUMENTS: [(&str, Arguments); 9] = [
    (
        "bash",
        &[
            ("timeout", "timeout", Seconds),
            ("background", "run_in_background", Same),
        ],
    ),
    ("bash_kill", &[("id", "shell_id", Same)]),
    ("bash_output", &[("id", "bash_id", Same)]),
    ("edit_file", &[FILE]),
    ("glob", &[FOLDER]),
    (
        "grep",
        &[
            FOLDER,
            ("case_insensitive", "-i", Same),
            ("context", "-C", Same),
        ],
    ),
    ("list_dir", &[FOLDER]),
    ("read_file", &[FILE]),
    ("write_file", &[FILE]),
];

fn arguments_of(tool: &str) -> Arguments {
    let found = ARGUMENTS.iter().find(|(name, _)| *name == tool);
    found.map_or(&[], |(_, arguments)| *arguments)
}

/// Returns the names of a tool, of which hooks receive the first.
fn names_of(tool: &str) -> Vec<String> {
    // A patch also creates files.
    let created = (tool == PATCH).then_some("Write");
    let names = ToolAlias::names_of(tool).chain(created);
    let mut names: Vec<String> = names.map(str::to_owned).collect();
    names.push(tool.to_owned());
    names.extend(earlier_name(tool).map(str::to_owned));
    names
}

/// A call as hooks see it.
#[derive(Debug, Clone)]
pub(crate) struct CallView {
    /// The name that hooks receive.
    pub(crate) name: String,
    /// All names of the tool, for matchers.
    pub(crate) names: Vec<String>,
    pub(crate) input: Value,
    /// Whether the input describes a part of the call alone.
    pub(crate) is_partial: bool,
}

impl CallView {
    /// Creates the view of a call from what a hook receives.
    pub(crate) fn from_input(name: &str, input: &Value) -> Self {
        let alias = ToolAlias::find(name).and_then(|alias| alias.tools.first());
        let own = alias.filter(|tool| !tool.contains('*'));
        Self {
            name: name.to_owned(),
            names: names_of(own.copied().unwrap_or(name)),
            input: input.clone(),
            is_partial: false,
        }
    }
}

/// Returns a call as hooks see it: once, or once for each file of a patch.
pub(crate) fn views(tool: &str, arguments: &str, project: &Path) -> Vec<CallView> {
    let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
    let names = names_of(tool);
    if tool == PATCH {
        let patch = arguments["patch"].as_str().unwrap_or_default();
        return patch_views(patch, &names, project);
    }
    let input = match arguments {
        Value::Object(own) => Value::Object(to_claude(tool, &own, project)),
        other => other,
    };
    vec![CallView {
        name: names[0].clone(),
        names,
        input,
        is_partial: false,
    }]
}

fn to_claude(tool: &str, own: &Map<String, Value>, project: &Path) -> Map<String, Value> {
    let known = arguments_of(tool);
    let converted = own.iter().map(|(name, value)| {
        let renamed = known.iter().find(|(own, ..)| own == name);
        let Some((_, claude, conversion)) = renamed else {
            return (name.clone(), value.clone());
        };
        let value = match (conversion, value) {
            (AsPath, Value::String(path)) => absolute(path, project).into(),
            (Seconds, Value::Number(seconds)) => {
                let seconds = seconds.as_u64().unwrap_or_default();
                seconds.saturating_mul(1000).into()
            }
            (_, value) => value.clone(),
        };
        ((*claude).to_owned(), value)
    });
    converted.collect()
}

/// Returns the arguments of a tool from the input that a hook has put in the place of another one.
pub(crate) fn to_arguments(
    tool: &str,
    arguments: &str,
    input: &Map<String, Value>,
    project: &Path,
) -> Map<String, Value> {
    let known = arguments_of(tool);
    if known.is_empty() {
        return input.clone();
    }
    let own: Map<String, Value> = serde_json::from_str(arguments).unwrap_or_default();
    let before = to_claude(tool, &own, project);
    let converted = input.iter().map(|(name, value)| {
        let renamed = known.iter().find(|(_, claude, _)| claude == name);
        let Some((renamed, _, conversion)) = renamed else {
            return (name.clone(), value.clone());
        };
        let value = match (own.get(*renamed), value) {
            // What the hook left alone stays as the model wrote it.
            (Some(written), value) if before.get(name) == Some(value) => written.clone(),
            (_, Value::Number(milliseconds)) if *conversion == Seconds => {
                let milliseconds = milliseconds.as_u64().unwrap_or_default();
                milliseconds.div_ceil(1000).into()
            }
            (_, value) => value.clone(),
        };
        ((*renamed).to_owned(), value)
    });
    converted.collect()
}

/// Returns a view for each file of a patch. A patch that cannot be read is shown as a whole.
fn patch_views(patch: &str, names: &[String], project: &Path) -> Vec<CallView> {
    let mut files: Vec<(&str, String)> = Vec::new();
    for (name, path) in patch.lines().filter_map(patched_file) {
        let path = path.split('\t').next().unwrap_or(path).trim();
        let path = absolute(path, project);
        if files.iter().all(|(_, other)| *other != path) {
            files.push((name, path));
        }
    }
    if files.is_empty() {
        files.push(("Edit", String::new()));
    }
    let files = files.into_iter().map(|(name, path)| CallView {
        name: name.to_owned(),
        names: names.to_vec(),
        input: serde_json::json!({
            "file_path": path, "content": patch, "old_string": "", "new_string": patch,
        }),
        is_partial: true,
    });
    files.collect()
}

/// Returns the file that a line of a patch names, and the tool of Claude Code that would change it.
fn patched_file(line: &str) -> Option<(&'static str, &str)> {
    const CHANGED: [&str; 3] = ["*** Update File:", "*** Delete File:", "*** Move to:"];
    const UNIFIED: [&str; 2] = ["--- ", "+++ "];
    let after = |markers: &[&str]| {
        let mut markers = markers.iter();
        markers.find_map(|marker| line.strip_prefix(marker))
    };
    if let Some(path) = after(&["*** Add File:"]) {
        return Some(("Write", path));
    }
    if let Some(path) = after(&CHANGED) {
        return Some(("Edit", path));
    }
    let path = after(&UNIFIED)?.trim();
    let path = path
        .strip_prefix("a/")
        .or_else(|| path.strip_prefix("b/"))
        .unwrap_or(path);
    (!path.starts_with("/dev/null")).then_some(("Edit", path))
}

/// Makes a path absolute, without reading the file system.
pub(crate) fn absolute(path: &str, project: &Path) -> String {
    let expanded = match path.strip_prefix("~/") {
        Some(below) => std::env::home_dir().unwrap_or_default().join(below),
        None => project.join(path),
    };
    let mut clean = PathBuf::new();
    for component in expanded.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            other => clean.push(other),
        }
    }
    clean.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROJECT: &str = "/work/shop";

    fn view(tool: &str, arguments: &str) -> String {
        let views = views(tool, arguments, Path::new(PROJECT));
        let lines = views.iter().map(|view| {
            let (name, names, input) = (&view.name, view.names.join(","), &view.input);
            format!("{name} ({names}) {input}")
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn calls_have_the_names_of_claude_code() {
        insta::assert_snapshot!(view("bash", r#"{"command":"ls","timeout":5,"background":true}"#), @r#"Bash (Bash,bash) {"command":"ls","timeout":5000,"run_in_background":true}"#);
        insta::assert_snapshot!(view("edit_file", r#"{"path":"src/../a.rs","old_string":"a","new_string":"b"}"#), @r#"Edit (Edit,MultiEdit,edit_file) {"file_path":"/work/shop/a.rs","old_string":"a","new_string":"b"}"#);
        insta::assert_snapshot!(view("mcp__files__move", r#"{"from":"a"}"#), @r#"mcp__files__move (mcp__files__move) {"from":"a"}"#);
    }

    #[test]
    fn a_patch_is_seen_file_by_file() {
        let patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** Add File: /etc/b\n+z\n*** End Patch";
        let views = views(
            "apply_patch",
            &serde_json::json!({ "patch": patch }).to_string(),
            Path::new(PROJECT),
        );
        let seen: Vec<_> = views
            .iter()
            .map(|view| {
                (
                    &*view.name,
                    view.input["file_path"].as_str().expect("a path"),
                )
            })
            .collect();
        assert_eq!(seen, [("Edit", "/work/shop/a.txt"), ("Write", "/etc/b")]);
    }

    #[test]
    fn an_input_becomes_arguments_again() {
        let arguments = r#"{"path":"a.txt","content":"x"}"#;
        let mut input = match &views("write_file", arguments, Path::new(PROJECT))[0].input {
            Value::Object(input) => input.clone(),
            other => panic!("{other}"),
        };
        let back = to_arguments("write_file", arguments, &input, Path::new(PROJECT));
        assert_eq!(Value::Object(back).to_string(), arguments);
        input.insert("file_path".to_owned(), "/work/shop/b.txt".into());
        let back = to_arguments("write_file", arguments, &input, Path::new(PROJECT));
        assert_eq!(
            Value::Object(back).to_string(),
            r#"{"path":"/work/shop/b.txt","content":"x"}"#
        );
    }
}
