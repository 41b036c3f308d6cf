//! Support for the `build.rs` of a package that embeds skills.

use std::fmt::Write as _;
use std::path::Path;

use crate::{Collection, Problem};
pub use crate::{Options, Profile};

/// Rebuilds the package when anything in a folder of skills changes, and shows the warnings about the folder.
///
/// `include_skills!` by itself only detects changes of embedded files; this function also detects files that are
/// added, removed or renamed, at any depth. It prints a warning in the compiler's format, with file, line and column,
/// for each problem that is allowed and probably not intended. Errors are reported by the macro.
///
/// The path is relative to the folder of the package's `Cargo.toml`, as in `include_skills!`. The function must only
/// be called in a `build.rs`, because it prints instructions for cargo.
///
/// ```no_run
/// # mod helve { pub use helve_skill_format::build; }
/// // In the `main` of build.rs:
/// helve::build::watch("skills");
/// ```
///
/// ```toml
/// [build-dependencies]
/// helve = { version = "0.1", default-features = false, features = ["build"] }
/// ```
pub fn watch(folder: impl AsRef<str>) {
    watch_with(folder, &Options::default());
}

/// Watches a folder that `include_skills!` reads with another profile or with exclusions.
///
/// See [`watch`]. With the options of the macro, the warnings apply to exactly the embedded files.
///
/// ```no_run
/// # mod helve { pub use helve_skill_format::build; }
/// use helve::build::{Options, Profile};
///
/// helve::build::watch_with("skills", &Options::default().profile(Profile::Mcp).exclude(["drafts/"]));
/// ```
pub fn watch_with(folder: impl AsRef<str>, options: &Options) {
    let folder = folder.as_ref();
    let package = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    let found = crate::read(&Path::new(&package).join(folder), folder, options);
    print!("{}", instructions(folder, &found));
}

/// Renders the instructions for cargo, one per line.
fn instructions(folder: &str, found: &Collection) -> String {
    // Cargo compares the modification times of everything below a folder, including folders: adding or removing an
    // entry changes the time of its folder.
    let mut lines = format!("cargo::rerun-if-changed={folder}\n");
    for problem in found.warnings() {
        // Writing to a String cannot fail.
        let _ = writeln!(lines, "cargo::warning={}", on_one_line(problem));
    }
    lines
}

/// Renders a problem on one line, as cargo displays it: `skills/pdf/SKILL.md:3:31: … [SK0201]; help: …`.
fn on_one_line(problem: &Problem) -> String {
    let mut line = problem.path.clone();
    if let Some(at) = problem.at {
        let _ = write!(line, ":{}:{}", at.line, at.column);
    }
    let _ = write!(line, ": {} [{}]", problem.message, problem.code);
    if let Some(help) = &problem.help {
        let _ = write!(line, "; help: {help}");
    }
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests;
