//! `permissions list`, and the commands that add and remove rules.

use std::path::Path;
use std::process::ExitCode;

use clap::ArgMatches;
use serde_json::{Value, json};

use crate::app_context::AppContext;
use crate::exit::{self, CommandResult, OrExit as _};
use crate::{args, permissions};
use helve_core::registry::Registry;
use helve_permission::{LoadedRules, Rule, RuleFile, RuleFiles, RuleScope, Rules};
use helve_terminal::questions::{self, Terminal};
use helve_terminal::{output, sanitize};

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

/// Adds a rule to the list of this name: `allow`, `ask` or `deny`.
pub(super) async fn add(app: &AppContext, list: &str, matches: &ArgMatches) -> CommandResult {
    let rule: Rule = args::text(matches, "rule").parse().or_wrong_usage()?;
    check_tool(app, &rule)?;
    let scope = match matches.get_one::<String>("scope").map(String::as_str) {
        Some("user") => RuleScope::User,
        _ => RuleScope::Project,
    };
    let files = permissions::rule_files(&app.folder);
    let path = scope_path(&files, scope).display();
    let change = format!("+ {list} {rule}  ({path})");
    confirm(matches, &change, "Add this rule?").await?;
    let mut rules = Rules::new();
    match list {
        "ask" => rules.ask.push(rule.clone()),
        "deny" => rules.deny.push(rule.clone()),
        _ => rules.allow.push(rule.clone()),
    }
    let not_in_force = files.add(scope, rules).or_failed()?;
    output::line(&format!("added `{rule}` to the {list} rules of {path}"));
    if let Some(not_in_force) = not_in_force {
        permissions::print_not_in_force(app.binary(), &not_in_force);
    }
    Ok(ExitCode::SUCCESS)
}

/// Refuses a rule that applies to no tool of the app. The tools of MCP servers are known only while a server is
/// connected.
fn check_tool(app: &AppContext, rule: &Rule) -> Result<(), ExitCode> {
    let tools = app.tools.all();
    let applies = |name: &str| rule.matches_tool(name);
    let is_known = rule.tool.starts_with("mcp__")
        || tools.tools().iter().any(|tool| applies(&tool.spec().name))
        || Registry::linked()
            .iter()
            .any(|tool| applies(&tool.spec().name));
    if is_known {
        return Ok(());
    }
    let (unknown, binary) = (tools.unknown(&rule.tool), app.binary());
    let message = format_args!("{unknown}\nhelp: run `{binary} tools` for a list");
    Err(exit::with_message(exit::WRONG_USAGE, message))
}

/// Shows changes and asks about them at a terminal. Without a terminal the command itself is the answer.
async fn confirm(matches: &ArgMatches, changes: &str, question: &str) -> Result<(), ExitCode> {
    if matches.get_flag("yes") || !Terminal::is_attached() {
        return Ok(());
    }
    output::line(changes);
    if questions::confirm(question).await {
        return Ok(());
    }
    output::line("nothing was changed");
    Err(ExitCode::from(exit::FAILED))
}

fn scope_path(files: &RuleFiles, scope: RuleScope) -> &Path {
    let file = files.files().iter().find(|file| file.scope() == scope);
    file.map_or(Path::new(""), RuleFile::path)
}

/// Removes a rule. The exit code is 0 if a file had the rule, and 1 otherwise.
pub(super) async fn remove(app: &AppContext, matches: &ArgMatches) -> CommandResult {
    let word = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    let rule: Rule = args::text(matches, "rule").parse().or_wrong_usage()?;
    let files = permissions::rule_files(&app.folder);
    let mut found = Vec::new();
    for file in files.files() {
        let is_wanted = word("scope").is_none_or(|wanted| wanted == file.scope().name());
        if is_wanted {
            let loaded = files.load_from(file.scope()).or_failed()?;
            let lists = all_rules(&loaded).filter(|(_, own, _)| **own == rule);
            found.extend(lists.map(|(list, ..)| (file, list)));
        }
    }
    if found.is_empty() {
        let binary = app.binary();
        let message =
            format_args!("no rule `{rule}`\nhelp: run `{binary} permissions list` for the rules");
        return Err(exit::with_message(exit::FAILED, message));
    }
    let changes = found.iter().map(|(file, list)| {
        let path = file.path().display();
        format!("- {list} {rule}  ({path})")
    });
    let changes = changes.collect::<Vec<_>>().join("\n");
    let question = match found.len() {
        1 => "Remove this rule?",
        _ => "Remove these rules?",
    };
    confirm(matches, &changes, question).await?;
    found.dedup_by_key(|(file, _)| file.scope());
    for (file, _) in found {
        files.remove(file.scope(), &rule).or_failed()?;
        output::line(&format!("removed `{rule}` from {}", file.path().display()));
    }
    Ok(ExitCode::SUCCESS)
}
