//! The files of a new package, and the folder that they are written to.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The name that the template has in place of that of the package.
const NAME_OF_TEMPLATE: &str = "my-tools";

/// The version of helve that the template depends on, as its manifest names it.
const DEPENDENCY: &str = concat!("\"", env!("CARGO_PKG_VERSION"), "\"");

/// The files: the path in the package, and the text in the template.
const FILES: [(&str, &str); 8] = [
    // Named otherwise in the template: cargo leaves a folder that has a manifest out of a package.
    (
        "Cargo.toml",
        include_str!("../template/Cargo.toml.template"),
    ),
    (".gitignore", include_str!("../template/.gitignore")),
    ("README.md", include_str!("../template/README.md")),
    ("build.rs", include_str!("../template/build.rs")),
    ("src/main.rs", include_str!("../template/src/main.rs")),
    (
        "skills/shorten-text/SKILL.md",
        include_str!("../template/skills/shorten-text/SKILL.md"),
    ),
    (
        "tests/command_line.rs",
        include_str!("../template/tests/command_line.rs"),
    ),
    (
        ".github/workflows/release.yml",
        include_str!("../template/.github/workflows/release.yml"),
    ),
];

/// A package that is not there yet.
pub(crate) struct NewPackage<'a> {
    pub(crate) name: &'a str,
    pub(crate) folder: PathBuf,
    /// A checkout of helve, in place of the published version.
    pub(crate) helve: Option<String>,
    pub(crate) init_git: bool,
}

/// Why a package was not made; there is nothing of it then.
pub(crate) enum CreateError {
    Exists,
    Write(PathBuf, io::Error),
    Git(String),
}

impl NewPackage<'_> {
    /// Makes the folder and its files. What was made is removed where something fails.
    pub(crate) fn create(&self) -> Result<(), CreateError> {
        match fs::create_dir(&self.folder) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                return Err(CreateError::Exists);
            }
            Err(error) => return Err(CreateError::Write(self.folder.clone(), error)),
        }
        let filled = self.fill();
        if filled.is_err() {
            // The first error is the one to report.
            let _ = fs::remove_dir_all(&self.folder);
        }
        filled
    }

    fn fill(&self) -> Result<(), CreateError> {
        for (path, template) in FILES {
            let path = self.folder.join(path);
            write(&path, &self.text(template)).map_err(|error| CreateError::Write(path, error))?;
        }
        if self.init_git {
            init_git(&self.folder).map_err(CreateError::Git)
        } else {
            Ok(())
        }
    }

    fn text(&self, template: &str) -> String {
        let text = template.replace(NAME_OF_TEMPLATE, self.name);
        let Some(helve) = &self.helve else {
            return text;
        };
        let path = format!("path = {}", toml_string(helve));
        text.replace(
            &format!("helve = {DEPENDENCY}"),
            &format!("helve = {{ {path} }}"),
        )
        .replace(
            &format!("helve = {{ version = {DEPENDENCY}"),
            &format!("helve = {{ {path}"),
        )
    }
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    File::create_new(path)?.write_all(text.as_bytes())
}

/// Writes a basic string of TOML.
fn toml_string(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

/// Reports whether git is installed.
pub(crate) fn has_git() -> bool {
    let version = Command::new("git")
        .arg("--version")
        .stdin(Stdio::null())
        .output();
    version.is_ok_and(|output| output.status.success())
}

/// Runs `git init`.
fn init_git(folder: &Path) -> Result<(), String> {
    let output = Command::new("git")
        .args(["init", "--quiet"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .output();
    match output {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr)
            .trim_end()
            .to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// Reports whether a folder is in a repository of git.
pub(crate) fn is_in_repository(folder: &Path) -> bool {
    folder
        .ancestors()
        .any(|folder| folder.join(".git").exists())
}

/// Returns the manifest of the workspace that cargo takes a package in a folder for a part of.
pub(crate) fn enclosing_workspace(folder: &Path) -> Option<PathBuf> {
    folder
        .ancestors()
        .map(|folder| folder.join("Cargo.toml"))
        .find(|manifest| {
            fs::read_to_string(manifest)
                .is_ok_and(|text| text.lines().any(|line| line.trim() == "[workspace]"))
        })
}
