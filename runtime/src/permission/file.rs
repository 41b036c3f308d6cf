//! Rules that outlive a session: a file of the project, and one of the user.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::{Decision, Rule, RuleScope, Rules};

/// The name of both files.
const NAME: &str = "permissions.json";

/// A file of rules: JSON with the lists `allow`, `ask` and `deny`.
///
/// ```json
/// {
///   "allow": ["bash(git commit:*)", "write_file(src/**)"],
///   "deny": ["bash(git push:*)", "mcp__github__*"]
/// }
/// ```
///
/// It is read anew each time, and replaced as a whole: whoever reads sees the rules of before or of after a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleFile {
    path: PathBuf,
    scope: RuleScope,
}

/// Says what is wrong with a file of rules.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RuleFileError {
    /// It cannot be read.
    #[error("the rules in `{}` cannot be read", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// What it says is no list of rules.
    #[error(
        "`{}` holds no rules: write an object with the lists `allow`, `ask` and `deny`, such as \
         {{\"allow\": [\"bash(git commit:*)\"]}}",
        path.display()
    )]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        #[source]
        source: serde_json::Error,
    },
    /// It cannot be written.
    #[error("the rules cannot be written to `{}`", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// There is no place for rules of this scope.
    #[error("there is no file for rules of the {scope}")]
    NoFile {
        /// The scope.
        scope: RuleScope,
    },
}

impl RuleFile {
    /// Names a file.
    pub fn at(path: impl Into<PathBuf>, scope: RuleScope) -> Self {
        Self {
            path: path.into(),
            scope,
        }
    }

    /// Names the file of a project: `.helve/permissions.json`, for everybody who works in it.
    #[must_use]
    pub fn of_project(folder: &Path) -> Self {
        Self::at(folder.join(".helve").join(NAME), RuleScope::Project)
    }

    /// Names the file of a user: `helve/permissions.json` in the folder of configurations, which is
    /// `$XDG_CONFIG_HOME` or `~/.config`. `None` where there is no home folder.
    #[must_use]
    pub fn of_user() -> Option<Self> {
        let configured = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
        let folder = match configured.filter(|folder| folder.is_absolute()) {
            Some(folder) => folder,
            None => std::env::home_dir()?.join(".config"),
        };
        Some(Self::at(folder.join("helve").join(NAME), RuleScope::User))
    }

    /// Returns where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns how far its rules reach.
    #[must_use]
    pub const fn scope(&self) -> RuleScope {
        self.scope
    }

    /// Reads the rules; none where there is no file.
    ///
    /// # Errors
    ///
    /// Fails where the file cannot be read, or says something else than rules: a rule that is passed over could be one
    /// that denies.
    pub fn load(&self) -> Result<Rules, RuleFileError> {
        let text = match fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Rules::new()),
            Err(source) => {
                let path = self.path.clone();
                return Err(RuleFileError::Read { path, source });
            }
        };
        // serde would take a list for the fields in their order.
        let rules = if text.trim_start().starts_with('{') {
            serde_json::from_str(&text)
        } else {
            Err(serde::de::Error::custom("it is no object"))
        };
        rules.map_err(|source| RuleFileError::Invalid {
            path: self.path.clone(),
            source,
        })
    }

    /// Adds rules, each once.
    ///
    /// # Errors
    ///
    /// As [`load`](Self::load), and where the file cannot be written.
    pub fn add(&self, rules: Rules) -> Result<(), RuleFileError> {
        self.change(|own| own.extend(rules))
    }

    /// Removes a rule, and says in how many of the lists it stood.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    pub fn remove(&self, rule: &Rule) -> Result<usize, RuleFileError> {
        if !self.path.exists() {
            return Ok(0);
        }
        self.change(|own| own.remove(rule))
    }

    /// Reads, changes and replaces the file while no other process does the same.
    fn change<T>(&self, change: impl FnOnce(&mut Rules) -> T) -> Result<T, RuleFileError> {
        let cannot_write = |source| RuleFileError::Write {
            path: self.path.clone(),
            source,
        };
        let folder = self.path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(cannot_write)?;
        // The folder is what is locked: the file itself is replaced. Where a folder cannot be, the change is still whole.
        let lock = File::open(folder).and_then(|folder| folder.lock().map(|()| folder));
        let before = self.load()?;
        let mut rules = before.clone();
        let changed = change(&mut rules);
        if rules != before {
            replace(&self.path, &rules).map_err(cannot_write)?;
        }
        drop(lock);
        Ok(changed)
    }
}

/// Writes the rules beside the file, and puts them in its place once they are on disk.
fn replace(path: &Path, rules: &Rules) -> io::Result<()> {
    let beside = path.with_extension(format!("{}.new", std::process::id()));
    let written = File::create(&beside).and_then(|mut file| {
        let mut text = serde_json::to_string_pretty(rules)?;
        text.push('\n');
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    let replaced = written.and_then(|()| fs::rename(&beside, path));
    if replaced.is_err() {
        let _ = fs::remove_file(&beside);
    }
    replaced
}

/// The files of rules that a session works with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleFiles {
    files: Vec<RuleFile>,
}

impl RuleFiles {
    /// Names the file of a project and that of the user.
    #[must_use]
    pub fn of(project: &Path) -> Self {
        let files = [Some(RuleFile::of_project(project)), RuleFile::of_user()];
        Self::new(files.into_iter().flatten())
    }

    /// Names the files, at most one a scope.
    pub fn new(files: impl IntoIterator<Item = RuleFile>) -> Self {
        Self {
            files: files.into_iter().collect(),
        }
    }

    /// Returns the files.
    #[must_use]
    pub fn files(&self) -> &[RuleFile] {
        &self.files
    }

    /// Reads all rules.
    ///
    /// # Errors
    ///
    /// As [`RuleFile::load`], for the first file that fails.
    pub fn load(&self) -> Result<Rules, RuleFileError> {
        let mut rules = Rules::new();
        for file in &self.files {
            rules.extend(file.load()?);
        }
        Ok(rules)
    }

    /// Writes the rules of an answer to the file of their scope; what is for the session alone is written nowhere.
    ///
    /// The disk is waited for on a thread where that is allowed.
    ///
    /// # Errors
    ///
    /// As [`RuleFile::add`], and where there is no file of that scope.
    pub async fn keep(&self, decision: &Decision) -> Result<(), RuleFileError> {
        let scope = decision.scope().unwrap_or_default();
        let rules = Rules::given_with(decision);
        if scope == RuleScope::Session || rules.is_empty() {
            return Ok(());
        }
        let file = self.files.iter().find(|file| file.scope == scope);
        let file = file.cloned().ok_or(RuleFileError::NoFile { scope })?;
        let path = file.path.clone();
        let added = tokio::task::spawn_blocking(move || file.add(rules)).await;
        added.unwrap_or_else(|_| {
            let source = io::Error::other("the thread that wrote it panicked");
            Err(RuleFileError::Write { path, source })
        })
    }
}
