//! `permissions list` and `permissions remove`.

use std::path::Path;
use std::process::ExitCode;

use clap::ArgMatches;
use serde_json::{Value, json};

use crate::app_context::AppContext;
use crate::exit::{self, CommandResult, OrExit as _};
use crate::{args, output, permissions, sanitize};
use helve_permission::{LoadedRules, Rule, RuleFile, RuleFileError, RuleFiles, RuleScope, Rules};

/// The lists of a file, by name.
fn named_lists(rules: &Rules) -> [(&'static str, &[Rule]); 3] {
    [
        ("allow", &rules.allow),
        ("ask", &rules.ask),
        ("deny", &rules.deny),
    ]
}

type LoadedFile = (RuleFile, LoadedRules);

/// Lists the rules of the files. A file that cannot be read is reported, and the other files are still listed.
pub(super) fn list(app: &AppContext, as_json: bool) -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    let mut read = Vec::new();
    let files = permissions::rule_files(&app.folder);
    for file in files.files() {
        match files.load_from(file.scope()) {
            Ok(loaded) => read.push((file.clone(), loaded)),
            Err(error) => {
                output::error(&error);
                code = ExitCode::FAILURE;
            }
        }
    }
    if as_json {
        output::line(&Value::from_iter(read.iter().flat_map(json_rows)).to_string());
    } else {
        read.iter()
            .for_each(|read| output::print(&render_text(read)));
    }
    let not_in_force = read
        .iter()
        .filter_map(|(_, loaded)| loaded.not_in_force.as_ref());
    not_in_force
        .for_each(|not_in_force| permissions::print_not_in_force(app.binary(), not_in_force));
    code
}

/// Returns all rules of a file, each with its list and whether it is in force.
fn all_rules(loaded: &LoadedRules) -> impl Iterator<Item = (&'static str, &Rule, bool)> {
    let waiting = loaded.not_in_force.iter();
    let waiting = waiting.flat_map(|waiting| &waiting.allow);
    let waiting = waiting.map(|rule| ("allow", rule, false));
    let lists = named_lists(&loaded.rules).into_iter();
    waiting.chain(lists.flat_map(|(list, rules)| rules.iter().map(move |rule| (list, rule, true))))
}

fn json_rows((file, loaded): &LoadedFile) -> Vec<Value> {
    let row = |(list, rule, in_force)| {
        json!({
            "rule": rule,
            "list": list,
            "scope": file.scope(),
            "file": file.path().display().to_string(),
            "in_force": in_force,
        })
    };
    all_rules(loaded).map(row).collect()
}

fn render_text((file, loaded): &LoadedFile) -> String {
    let mut text = format!("{} ({})\n", file.scope(), file.path().display());
    for (list, rule, in_force) in all_rules(loaded) {
        let rule = rule.to_string();
        let not = if in_force { "" } else { "  (not accepted)" };
        text.push_str(&format!("  {list:5} {}{not}\n", sanitize::one_line(&rule)));
    }
    if text.lines().count() == 1 {
        text.push_str("  no rules\n");
    }
    text
}

pub(super) fn allow(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let rule: Rule = args::text(matches, "rule").parse().or_wrong_usage()?;
    let scope = match matches.get_one::<String>("scope").map(String::as_str) {
        Some("user") => RuleScope::User,
        _ => RuleScope::Project,
    };
    let files = permissions::rule_files(&app.folder);
    let rules = Rules {
        allow: vec![rule.clone()],
        ..Rules::default()
    };
    let not_in_force = files.add(scope, rules).or_failed()?;
    let path = scope_path(&files, scope).display();
    output::line(&format!("added `{rule}` to {path}"));
    if let Some(not_in_force) = not_in_force {
        permissions::print_not_in_force(app.binary(), &not_in_force);
    }
    Ok(ExitCode::SUCCESS)
}

fn scope_path(files: &RuleFiles, scope: RuleScope) -> &Path {
    let file = files.files().iter().find(|file| file.scope() == scope);
    file.map_or(Path::new(""), RuleFile::path)
}

/// Removes a rule. The exit code is 0 if a file had the rule, and 1 otherwise.
pub(super) fn remove(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let word = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    let rule: Rule = args::text(matches, "rule").parse().or_wrong_usage()?;
    let files = permissions::rule_files(&app.folder);
    let scopes = files.files().iter().map(RuleFile::scope);
    let wanted = scopes.filter(|scope| word("scope").is_none_or(|wanted| wanted == scope.name()));
    if remove_from(&files, wanted, &rule).or_failed()? > 0 {
        return Ok(ExitCode::SUCCESS);
    }
    let message = format_args!("no rule `{rule}`\nhelp: run `permissions list` for the rules");
    Err(exit::with_message(exit::FAILED, message))
}

fn remove_from(
    files: &RuleFiles,
    scopes: impl Iterator<Item = RuleScope>,
    rule: &Rule,
) -> Result<usize, RuleFileError> {
    let mut removed = 0;
    for scope in scopes {
        let here = files.remove(scope, rule)?;
        if here > 0 {
            let path = scope_path(files, scope).display();
            output::line(&format!("removed `{rule}` from {path}"));
        }
        removed += here;
    }
    Ok(removed)
}
