//! Which files say something, and whether it holds.

use super::finding::Finding;
use crate::cli::app_context::AppContext;
use crate::cli::config::{Config, ConfigError, display_path};
use crate::cli::{acceptance, permissions};
use crate::permission::Rules;

pub(super) fn findings(app: &AppContext, config: Result<&Config, &ConfigError>) -> Vec<Finding> {
    let mut findings = Vec::new();
    match config {
        Ok(config) => findings.extend(file_findings(app, config)),
        Err(error) => findings.push(Finding::problem(
            &crate::tool::chain_text(error),
            "mend it there; until then `run` does not begin",
        )),
    }
    findings.extend(rule_findings(app));
    if let Err(error) = acceptance::user_store().list() {
        let text = crate::tool::chain_text(&error);
        findings.push(Finding::problem(&text, "until then nothing is accepted"));
    }
    findings
}

fn file_findings(app: &AppContext, config: &Config) -> Vec<Finding> {
    let describe = |file: &crate::cli::config::ConfigFile| {
        let (whose, path) = (file.owner, display_path(&file.path));
        match file.exists {
            true => Finding::ok(format!("settings of the {whose}: {path}")),
            false => Finding::note(format!(
                "settings of the {whose}: none ({path} is not there)"
            )),
        }
    };
    let mut findings: Vec<Finding> = config.files().iter().map(describe).collect();
    let foreign = config.foreign_sections().iter();
    findings.extend(foreign.map(|section| Finding::note(section.to_string())));
    if let Some(unaccepted) = config.unaccepted() {
        findings.push(not_in_force_finding(app, unaccepted));
    }
    findings
}

fn rule_findings(app: &AppContext) -> Vec<Finding> {
    let files = permissions::rule_files(app.folder());
    let mut findings = Vec::new();
    for file in files.files() {
        let (scope, path) = (file.scope(), display_path(file.path()));
        findings.push(match file.read_rules() {
            Ok(rules) if rules.is_empty() => Finding::note(format!("rules of the {scope}: none")),
            Ok(rules) => Finding::ok(format!(
                "rules of the {scope}: {} in {path}",
                rule_count(&rules)
            )),
            Err(error) => Finding::problem(
                &crate::tool::chain_text(&error),
                "mend the file: until then no agent works here",
            ),
        });
    }
    // A file that cannot be read was told already.
    if let Ok(loaded) = files.load() {
        let rules = loaded.not_in_force;
        findings.extend(rules.map(|rules| not_in_force_finding(app, &rules)));
    }
    findings
}

fn not_in_force_finding(app: &AppContext, what: &dyn std::fmt::Display) -> Finding {
    let text = format!(
        "{what}\n    → `{} permissions trust` shows and accepts it",
        app.binary()
    );
    Finding::note(text)
}

fn rule_count(rules: &Rules) -> usize {
    rules.allow.len() + rules.ask.len() + rules.deny.len()
}
