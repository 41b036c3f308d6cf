//! Checks the hooks of the user and the project. No hook runs.

use super::finding::Finding;
use crate::app_context::AppContext;
use crate::hooks;
use helve_hooks::HookHandler;
use helve_terminal::sanitize;

pub(super) fn findings(app: &AppContext) -> Vec<Finding> {
    let settings = match hooks::read(&app.folder, app.binary()) {
        Ok(settings) => settings,
        Err(error) => {
            let text = sanitize::one_line(&error.to_string()).into_owned();
            return vec![Finding::problem(
                &text,
                "fix the file, or run with `--no-hooks`",
            )];
        }
    };
    let mut findings = Vec::new();
    let active = settings.handlers().iter().filter(|hook| hook.is_active());
    let count = active.count();
    if count > 0 {
        let hooks = if count == 1 { "hook" } else { "hooks" };
        findings.push(Finding::ok(format!("{count} {hooks}")));
    }
    let unconfined = settings.handlers().iter().filter(|hook| !hook.sandboxed);
    findings.extend(unconfined.map(unconfined_finding));
    for note in settings.notes() {
        findings.push(Finding::note(sanitize::one_line(&note.to_string())));
    }
    findings
}

fn unconfined_finding(hook: &HookHandler) -> Finding {
    let text = format!(
        "the hook `{}` of {} runs outside of the sandbox",
        hook.command, hook.source
    );
    Finding::note(sanitize::one_line(&text)).with_hint("remove `sandboxed = false` to confine it")
}
