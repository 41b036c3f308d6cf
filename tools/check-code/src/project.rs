//! Finds out which checkers a project uses, from its files.

use std::path::{Path, PathBuf};

use helve::prelude::*;
use helve::sandbox::{FileKind, ReadRange, SandboxFs};

use super::checker::{CheckKind, Checker};
use super::plan::{CheckTarget, PlannedCheck, arguments};

/// How many bytes of a settings file are read.
const MAX_FILE_BYTES: usize = 256 << 10;
/// How many folders above the path are searched.
const MAX_LEVELS: usize = 32;
/// How many folders below the path are looked at for projects to name.
const MAX_SUBFOLDERS: usize = 60;

const ESLINT_FILES: &[&str] = &[
    "eslint.config.js",
    "eslint.config.mjs",
    "eslint.config.cjs",
    "eslint.config.ts",
    "eslint.config.mts",
    "eslint.config.cts",
    ".eslintrc.js",
    ".eslintrc.cjs",
    ".eslintrc.json",
    ".eslintrc.yml",
    ".eslintrc.yaml",
    ".eslintrc",
];

/// What a call checks.
pub(crate) struct CheckRequest<'r> {
    pub(crate) kind: CheckKind,
    pub(crate) path: &'r str,
    pub(crate) checker: Option<Checker>,
    pub(crate) filter: Option<&'r str>,
}

/// The folders in which a project is looked for: that of the path and those above it, up to the root.
pub(crate) struct Project<'p> {
    fs: &'p dyn SandboxFs,
    /// The path that is checked.
    path: PathBuf,
    is_file: bool,
    /// The innermost first.
    folders: Vec<PathBuf>,
}

impl<'p> Project<'p> {
    /// Finds the folders of a path.
    pub(crate) async fn open(fs: &'p dyn SandboxFs, path: &Path) -> Result<Self, ToolError> {
        let start = fs.resolve(path).await?;
        let is_file = fs.metadata(path).await?.kind == FileKind::File;
        let levels = start.relative.components().count() + 1;
        let folders = start
            .absolute
            .ancestors()
            .take(levels)
            .skip(usize::from(is_file));
        Ok(Self {
            fs,
            is_file,
            folders: folders.take(MAX_LEVELS).map(Path::to_owned).collect(),
            path: start.absolute,
        })
    }

    /// Returns the commands that check the path.
    pub(crate) async fn plan(&self, request: &CheckRequest<'_>) -> Vec<PlannedCheck> {
        let mut planned = Vec::new();
        for checker in Checker::ALL {
            let is_wanted = request.checker.is_none_or(|only| only == checker);
            if is_wanted
                && checker.makes(request.kind)
                && let Some(folder) = self.folder_of(checker).await
            {
                planned.push(self.plan_one(checker, folder, request).await);
            }
        }
        planned
    }

    async fn plan_one(
        &self,
        checker: Checker,
        folder: &Path,
        request: &CheckRequest<'_>,
    ) -> PlannedCheck {
        let target = CheckTarget {
            folder,
            path: &self.path,
            is_file: self.is_file,
            filter: request.filter,
        };
        let has_references = checker == Checker::Tsc
            && self
                .contains(folder, "tsconfig.json", &["\"references\""])
                .await;
        let base = match checker {
            Checker::Cargo => self.cargo_workspace(folder).await,
            _ => folder,
        };
        let module = match checker {
            Checker::Go => self.go_module(folder).await,
            _ => None,
        };
        PlannedCheck {
            checker,
            kind: request.kind,
            folder: folder.to_owned(),
            program: self.program(checker, folder).await,
            args: arguments(checker, request.kind, &target, has_references),
            base: base.to_owned(),
            module,
        }
    }

    /// Returns the innermost folder that has what the checker is recognized by.
    async fn folder_of(&self, checker: Checker) -> Option<&Path> {
        for folder in &self.folders {
            if self.uses(checker, folder).await {
                return Some(folder);
            }
        }
        None
    }

    async fn uses(&self, checker: Checker, folder: &Path) -> bool {
        match checker {
            Checker::Cargo => self.has(folder, "Cargo.toml").await,
            Checker::Tsc => self.has(folder, "tsconfig.json").await,
            Checker::Go => self.has(folder, "go.mod").await,
            Checker::Eslint => {
                for name in ESLINT_FILES {
                    if self.has(folder, name).await {
                        return true;
                    }
                }
                self.contains(folder, "package.json", &["\"eslintConfig\""])
                    .await
            }
            Checker::Ruff => {
                self.has(folder, "ruff.toml").await
                    || self.has(folder, ".ruff.toml").await
                    || self
                        .contains(folder, "pyproject.toml", &["[tool.ruff"])
                        .await
            }
            Checker::Pytest => {
                self.has(folder, "pytest.ini").await
                    || self.has(folder, "conftest.py").await
                    || self.contains(folder, "pyproject.toml", &["pytest"]).await
                    || self.contains(folder, "setup.cfg", &["[tool:pytest]"]).await
                    || self.contains(folder, "tox.ini", &["[pytest]"]).await
                    || self
                        .contains(folder, "requirements-dev.txt", &["pytest"])
                        .await
            }
        }
    }

    /// Returns the program that the project installed, or the name of the program.
    async fn program(&self, checker: Checker, folder: &Path) -> String {
        let name = checker.program();
        let places: &[&str] = match checker {
            Checker::Tsc | Checker::Eslint => &["node_modules/.bin"],
            Checker::Ruff | Checker::Pytest => &[".venv/bin", "venv/bin"],
            Checker::Cargo | Checker::Go => &[],
        };
        let above = self
            .folders
            .iter()
            .filter(|above| folder.starts_with(above));
        for above in above {
            for place in places {
                let path = above.join(place).join(name);
                if self.fs.metadata(&path).await.is_ok() {
                    return path.display().to_string();
                }
            }
        }
        name.to_owned()
    }

    /// Returns the folder of the workspace of a package: the compiler names files from there.
    async fn cargo_workspace<'a>(&'a self, package: &'a Path) -> &'a Path {
        let above = self
            .folders
            .iter()
            .filter(|above| package.starts_with(above));
        for above in above {
            if self.contains(above, "Cargo.toml", &["[workspace"]).await {
                return above;
            }
        }
        package
    }

    async fn go_module(&self, folder: &Path) -> Option<String> {
        let text = self.read(folder, "go.mod").await?;
        text.lines().find_map(module_path)
    }

    async fn has(&self, folder: &Path, name: &str) -> bool {
        let found = self.fs.metadata(&folder.join(name)).await;
        found.is_ok_and(|found| found.kind == FileKind::File)
    }

    /// Reports whether a file contains one of the texts.
    async fn contains(&self, folder: &Path, name: &str, texts: &[&str]) -> bool {
        let content = self.read(folder, name).await;
        content.is_some_and(|content| texts.iter().any(|text| content.contains(text)))
    }

    async fn read(&self, folder: &Path, name: &str) -> Option<String> {
        let range = ReadRange {
            offset: 0,
            max: MAX_FILE_BYTES,
        };
        let slice = self.fs.read(&folder.join(name), range).await.ok()?;
        Some(String::from_utf8_lossy(&slice.bytes).into_owned())
    }

    /// Describes why nothing is checked.
    pub(crate) async fn nothing_to_run(&self, request: &CheckRequest<'_>) -> String {
        let (kind, path) = (request.kind.name(), request.path);
        if let Some(checker) = request
            .checker
            .filter(|checker| !checker.makes(request.kind))
        {
            return format!("{checker} makes no checks of the kind `{kind}`");
        }
        let wanted = |checker: &Checker| request.checker.is_none_or(|only| only == *checker);
        let checkers = Checker::ALL.into_iter().filter(wanted);
        let checkers = checkers.filter(|checker| checker.makes(request.kind));
        let marks: Vec<String> = checkers
            .map(|checker| format!("{checker} ({})", checker.marks()))
            .collect();
        let mut text = format!(
            "nothing checks `{path}` for `{kind}`: no folder from there up to the root uses {}",
            marks.join(", ")
        );
        let below = self.projects_below(request).await;
        if !below.is_empty() {
            let names: Vec<String> = below.iter().map(|name| format!("`{name}`")).collect();
            text.push_str(&format!(
                "; pass a folder that does as `path`: {}",
                names.join(", ")
            ));
        } else if request.kind == CheckKind::Tests && self.has_script_for_tests().await {
            text.push_str("; `package.json` has a script `test`, which the shell runs: `npm test`");
        }
        text
    }

    async fn has_script_for_tests(&self) -> bool {
        for folder in &self.folders {
            if self.contains(folder, "package.json", &["\"test\""]).await {
                return true;
            }
        }
        false
    }

    /// Lists the folders directly below that could be checked.
    async fn projects_below(&self, request: &CheckRequest<'_>) -> Vec<String> {
        let Some(folder) = self.folders.first() else {
            return Vec::new();
        };
        let Ok(listing) = self.fs.read_dir(folder).await else {
            return Vec::new();
        };
        let entries = listing.entries.into_iter();
        let folders = entries.filter(|entry| entry.kind == FileKind::Directory);
        let mut found = Vec::new();
        for entry in folders.take(MAX_SUBFOLDERS) {
            let below = folder.join(&entry.name);
            for checker in Checker::ALL {
                let is_wanted = request.checker.is_none_or(|only| only == checker);
                if is_wanted && checker.makes(request.kind) && self.uses(checker, &below).await {
                    found.push(
                        below
                            .strip_prefix(self.root())
                            .unwrap_or(&below)
                            .display()
                            .to_string(),
                    );
                    break;
                }
            }
        }
        found
    }

    /// Returns the outermost folder.
    pub(crate) fn root(&self) -> &Path {
        self.folders.last().map_or(&self.path, PathBuf::as_path)
    }
}

/// Returns the path of the module that a line of `go.mod` declares. A comment may follow.
fn module_path(line: &str) -> Option<String> {
    let mut words = line.split_whitespace();
    let path = words
        .next()
        .filter(|word| *word == "module")
        .and(words.next())?;
    Some(path.trim_matches(['"', '`']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::module_path;

    #[test]
    fn modules_have_a_path() {
        let path = |line| module_path(line);
        for line in [
            "module example.com/m",
            "\tmodule \"example.com/m\" ",
            "module example.com/m // Deprecated: use v2",
        ] {
            assert_eq!(path(line).as_deref(), Some("example.com/m"), "{line}");
        }
        for line in ["", "module", "modules x", "// module x", "go 1.22"] {
            assert_eq!(path(line), None, "{line}");
        }
    }
}
