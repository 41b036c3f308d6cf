//! `permissions list` and `permissions remove`.

use std::process::ExitCode;

use clap::ArgMatches;
use serde_json::{Value, json};

use super::super::WRONG_USAGE;
use crate::cli::assembly::Assembly;
use crate::cli::{output, permissions};
use crate::permission::{Rule, RuleFile, RuleFileError, Rules};

/// The lists of a file, by name.
fn lists(rules: &Rules) -> [(&'static str, &[Rule]); 3] {
    [
        ("allow", &rules.allow),
        ("ask", &rules.ask),
        ("deny", &rules.deny),
    ]
}

/// Lists what the files hold; a file that cannot be read is told, and the others are shown all the same.
pub(super) fn list(assembly: &Assembly, as_json: bool) -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    let mut read = Vec::new();
    for file in permissions::files(assembly).files() {
        match file.load() {
            Ok(rules) => read.push((file.clone(), rules)),
            Err(error) => {
                output::error(&error);
                code = ExitCode::FAILURE;
            }
        }
    }
    if as_json {
        output::line(&Value::from_iter(read.iter().flat_map(rows)).to_string());
    } else {
        read.iter()
            .for_each(|(file, rules)| output::print(&text(file, rules)));
    }
    code
}

fn rows((file, rules): &(RuleFile, Rules)) -> Vec<Value> {
    let row = |list: &str, rule: &Rule| {
        json!({
            "rule": rule,
            "list": list,
            "scope": file.scope(),
            "file": file.path().display().to_string(),
        })
    };
    let lists = lists(rules);
    let rows = lists
        .iter()
        .flat_map(|(list, rules)| rules.iter().map(|rule| row(list, rule)));
    rows.collect()
}

fn text(file: &RuleFile, rules: &Rules) -> String {
    let mut text = format!("{} ({})\n", file.scope(), file.path().display());
    if rules.is_empty() {
        text.push_str("  no rules\n");
    }
    for (list, rules) in lists(rules) {
        for rule in rules {
            text.push_str(&format!("  {list:5} {rule}\n"));
        }
    }
    text
}

/// Removes a rule: 0 where it stood somewhere, 1 where it stood nowhere.
pub(super) fn remove(assembly: &Assembly, matches: &ArgMatches) -> ExitCode {
    let word = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    let rule: Rule = match word("rule").unwrap_or_default().parse() {
        Ok(rule) => rule,
        Err(error) => {
            output::error(&error);
            return ExitCode::from(WRONG_USAGE);
        }
    };
    let files = permissions::files(assembly);
    let wanted = files
        .files()
        .iter()
        .filter(|file| word("scope").is_none_or(|scope| scope == file.scope().name()));
    match removed(wanted, &rule) {
        Ok(0) => {
            output::note(&format!(
                "error: there is no rule `{rule}`; `permissions list` shows the rules"
            ));
            ExitCode::FAILURE
        }
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            output::error(&error);
            ExitCode::FAILURE
        }
    }
}

fn removed<'a>(
    files: impl Iterator<Item = &'a RuleFile>,
    rule: &Rule,
) -> Result<usize, RuleFileError> {
    let mut removed = 0;
    for file in files {
        let here = file.remove(rule)?;
        if here > 0 {
            output::line(&format!("removed `{rule}` from {}", file.path().display()));
        }
        removed += here;
    }
    Ok(removed)
}
