//! Checks the settings files, the rule files and the acceptances.

use super::finding::Finding;
use crate::app_context::AppContext;
use crate::config::{Config, ConfigError, display_path};
use crate::{acceptance, permissions};

pub(super) fn findings(app: &AppContext, config: Result<&Config, &ConfigError>) -> Vec<Finding> {
    let mut findings = Vec::new();
    match config {
        Ok(config) => findings.extend(file_findings(app, config)),
        Err(error) => findings.push(Finding::failed(
            error,
            "fix the settings; `run` does not start until then",
        )),
    }
    findings.extend(rule_findings(app));
    if let Err(error) = acceptance::user_store().list() {
        let hint = "fix the file; nothing is accepted until then";
        findings.push(Finding::failed(&error, hint));
    }
    findings
}

fn file_findings(app: &AppContext, config: &Config) -> Vec<Finding> {
    let describe = |file: &crate::config::ConfigFile| {
        let (whose, path) = (file.owner, display_path(&file.path));
        match file.exists {
            true => Finding::ok(format!("{whose} settings: {path}")),
            false => Finding::note(format!("{whose} settings: none ({path} not found)")),
        }
    };
    let mut findings: Vec<Finding> = config.files().iter().map(describe).collect();
    let foreign = config.foreign_sections().iter();
    findings.extend(foreign.map(|section| Finding::note(section.to_string())));
    if let Some(unaccepted) = config.unaccepted() {
        findings.push(Finding::not_in_force(unaccepted, app.binary()));
    }
    findings
}

fn rule_findings(app: &AppContext) -> Vec<Finding> {
    let files = permissions::rule_files(&app.folder);
    let mut findings = Vec::new();
    for file in files.files() {
        let (scope, path) = (file.scope(), display_path(file.path()));
        findings.push(match file.read_rules() {
            Ok(rules) if rules.is_empty() => Finding::note(format!("{scope} rules: none")),
            Ok(rules) => {
                let count = rules.allow.len() + rules.ask.len() + rules.deny.len();
                Finding::ok(format!("{scope} rules: {count} in {path}"))
            }
            Err(error) => Finding::failed(
                &error,
                "fix the file; agents do not run in this folder until then",
            ),
        });
    }
    // An unreadable file is reported above.
    if let Ok(loaded) = files.load() {
        let rules = loaded.not_in_force;
        findings.extend(rules.map(|rules| Finding::not_in_force(&rules, app.binary())));
    }
    findings
}
