//! Ethos's reducers of results.

use std::collections::BTreeSet;

use helve_runtime::results::reducer::{CommandKind, ReducerContext, Reducers};
use serde_json::{Value, json};

use crate::vectors_offer::shared;
use crate::vectors_offer::vectors::{Case, Tally, load_topic};

/// What helve does not have, and why.
const NOT_SHARED: &[(&str, &str)] = &[(
    "reducers:6",
    "a summary of nothing is longer than nothing, and no reducer of helve makes a result longer",
)];

const DIFFERING: &[(&str, &str)] = &[(
    "reducers:8",
    "helve counts what is deleted in the work tree, too, which the reference passes over",
)];

/// How often the lines of a short status are repeated, since a summary of two lines is longer than they are.
const TIMES: usize = 40;

#[test]
fn reducers() {
    let Some(cases) = load_topic("reducers") else {
        return;
    };
    let mut tally = Tally::new("reducers");
    for case in &shared(cases, NOT_SHARED) {
        match case.function.rsplit(':').next().unwrap_or_default() {
            "read_file" => file(&mut tally, case),
            "terminal" => {
                let command = case.input["args"]["command"].as_str().unwrap_or_default();
                output(&mut tally, case, command, &case.input["result"]);
            }
            "reduceForCommand" => {
                let command = case.input["args"][0].as_str().unwrap_or_default();
                output(&mut tally, case, command, &case.input["args"][1]);
            }
            "hasExplicitRange" => range(&mut tally, case),
            "extractCommand" => {
                let arguments = case.input["args"][0].to_string();
                let command = ReducerContext::new("bash", &arguments).text_argument("command");
                tally.compare(case, &command.unwrap_or_default().into(), &case.expected);
            }
            "isGitStatus" => kind(&mut tally, case, CommandKind::GitStatus),
            "isInstall" => kind(&mut tally, case, CommandKind::Install),
            "isTestRun" => kind(&mut tally, case, CommandKind::Tests),
            other => panic!(
                "{}: `{other}` is a function that these tests do not know",
                case.id
            ),
        }
    }
    tally.finish(DIFFERING);
}

fn reduce(tool: &str, arguments: &Value, text: &str) -> String {
    let arguments = arguments.to_string();
    let reduced = Reducers::built_in().reduce(&ReducerContext::new(tool, &arguments), text);
    reduced.map_or_else(|| text.to_owned(), |reduced| reduced.text().to_owned())
}

/// Says what of the arguments of the reference's tool is in helve's.
fn range_of(arguments: &Value) -> Value {
    json!({ "path": "a", "offset": arguments["lineStart"], "limit": arguments["lineEnd"] })
}

fn file(tally: &mut Tally, case: &Case) {
    // An error never gets as far as a reducer.
    let Some(text) = case.input["result"]["value"].as_str() else {
        return tally.compare(case, &case.input["result"], &case.expected);
    };
    let found = reduce("read_file", &range_of(&case.input["args"]), text);
    tally.compare(case, &Value::from(found), &case.expected["value"]);
}

fn range(tally: &mut Tally, case: &Case) {
    let text = "a line\n".repeat(400);
    let found = reduce("read_file", &range_of(&case.input["args"][0]), &text) == text;
    tally.compare(case, &Value::from(found), &case.expected);
}

fn kind(tally: &mut Tally, case: &Case, kind: CommandKind) {
    let command = case.input["args"][0].as_str().unwrap_or_default();
    let found = CommandKind::parse(command) == kind;
    tally.compare(case, &Value::from(found), &case.expected);
}

fn output(tally: &mut Tally, case: &Case, command: &str, result: &Value) {
    let text = result["value"].as_str().unwrap_or_default();
    let arguments = json!({ "command": command });
    let expected = case.expected["value"].as_str().unwrap_or_default();
    if !expected.starts_with("git status: ") {
        let found = reduce("bash", &arguments, text);
        return tally.compare(case, &found.as_str(), &expected);
    }
    let lines: Vec<&str> = text.lines().collect();
    let many: Vec<String> = (0..TIMES)
        .flat_map(|time| lines.iter().map(move |line| format!("{line}.{time}")))
        .collect();
    let found = reduce("bash", &arguments, &many.join("\n"));
    tally.compare(case, &counts(&found, 1), &counts(expected, TIMES));
}

/// Reads the counts of a summary, each so many times.
fn counts(summary: &str, times: usize) -> BTreeSet<(usize, String)> {
    let line = summary.lines().next().unwrap_or_default();
    let counts = line
        .trim_start_matches("git status: ")
        .trim_end_matches('.')
        .split(", ");
    counts
        .filter_map(|count| count.split_once(' '))
        .filter_map(|(number, state)| {
            Some((number.parse::<usize>().ok()? * times, state.to_owned()))
        })
        .collect()
}
