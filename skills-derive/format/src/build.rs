//! What a `build.rs` does for a package that embeds skills.

use std::fmt::Write as _;
use std::path::Path;

use crate::{Collection, Problem};
pub use crate::{Options, Profile};

/// Rebuilds the package when anything in a folder of skills changes, and shows the warnings about it.
///
/// `include_skills!` alone sees changes of the files that it has embedded; this sees those that are added, removed or
/// renamed, in the folder and in every folder below it. Warnings of the compiler's shape, with file, line and column,
/// are printed for whatever is allowed and probably not meant. What is an error is left to the macro.
///
/// The path is relative to the folder of the package's `Cargo.toml`, as that of `include_skills!` is. It is for a
/// `build.rs` alone: what it prints is for cargo.
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

/// Watches a folder that `include_skills!` reads under another profile, or without all that is in it.
///
/// See [`watch`]. With the options of the macro the warnings are about what is embedded.
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

/// Renders the instructions for cargo, one on each line.
fn instructions(folder: &str, found: &Collection) -> String {
    // Cargo compares the times of everything below a folder, those of the folders among them: whatever is added or
    // removed changes the time of the folder that it is in.
    let mut lines = format!("cargo::rerun-if-changed={folder}\n");
    for problem in found.warnings() {
        // Writing to a String cannot fail.
        let _ = writeln!(lines, "cargo::warning={}", on_one_line(problem));
    }
    lines
}

/// Writes a problem on one line, as cargo shows it: `skills/pdf/SKILL.md:3:31: … [SK0201]; help: …`.
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
