//! Checks of the machine: panics, the session folder and the access to files.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;

use super::finding::Finding;
use crate::app_context::AppContext;
use crate::config::display_path;
use crate::session_folder;
use helve_core::sandbox::PathResolution;

pub(super) fn findings(app: &AppContext) -> Vec<Finding> {
    let mut findings = vec![sessions_finding(app), files_finding(app)];
    findings.push(if cfg!(panic = "unwind") {
        Finding::ok("panics: a panic in a tool fails the call")
    } else {
        Finding::note(
            "panics: a panic in a tool aborts the process (built with `panic = \"abort\"`)",
        )
    });
    findings.extend(super::git::finding());
    findings
}

fn sessions_finding(app: &AppContext) -> Finding {
    let mend = "set HELVE_STATE to a writable folder, or use `--no-session`";
    let folder = match session_folder::folder(app.package.name) {
        Ok(folder) => folder,
        Err(error) => return Finding::problem(&error.to_string(), mend),
    };
    match check_writable(&folder) {
        Ok(()) => Finding::ok(format!("sessions: {} is writable", display_path(&folder))),
        Err(error) => Finding::problem(
            &format!(
                "sessions: {} is not writable: {error}",
                display_path(&folder)
            ),
            mend,
        ),
    }
}

/// Finds out whether a folder can be written, or made, and leaves nothing there.
fn check_writable(folder: &Path) -> io::Result<()> {
    let there = folder.ancestors().find(|folder| folder.exists());
    let probe = there
        .unwrap_or(folder)
        .join(format!(".helve-doctor-{}", std::process::id()));
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&probe)?;
    fs::remove_file(&probe)
}

fn files_finding(app: &AppContext) -> Finding {
    let Some(files) = &app.grants.files else {
        return Finding::note("files: not granted (built without the `files` feature)");
    };
    let roots: Vec<String> = files
        .roots()
        .iter()
        .map(|root| root.display().to_string())
        .collect();
    let roots = roots.join(", ");
    match files.resolution() {
        PathResolution::Kernel => Finding::ok(format!(
            "files: {roots}; the kernel resolves every path below its root (openat2)"
        )),
        _ => Finding::problem(
            &format!("files: {roots}; paths are checked before use, which is open to races"),
            "use Linux 5.6 or newer",
        ),
    }
}
