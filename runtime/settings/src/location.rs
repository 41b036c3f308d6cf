//! Paths of settings, and the sources of values.

use std::fmt;
use std::path::{Path, PathBuf};

/// The place of a setting in a file: `providers.acme.key`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyPath(Vec<String>);

impl KeyPath {
    /// Creates the path of a key from its parts.
    pub fn new<S: Into<String>>(segments: impl IntoIterator<Item = S>) -> Self {
        Self(segments.into_iter().map(Into::into).collect())
    }

    /// Returns the place of a key inside this table.
    pub fn join(&self, key: &str) -> Self {
        Self::new(self.segments().chain([key]))
    }

    /// Returns the parts.
    pub fn segments(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

impl fmt::Display for KeyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_bare = |segment: &str| {
            let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
            !segment.is_empty() && segment.chars().all(is_bare)
        };
        for (index, segment) in self.segments().enumerate() {
            if index > 0 {
                f.write_str(".")?;
            }
            if is_bare(segment) {
                f.write_str(segment)?;
            } else {
                write!(f, "{segment:?}")?;
            }
        }
        Ok(())
    }
}

/// The source of a value. Later variants override earlier ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingOrigin {
    /// The default.
    Default,
    /// The app.
    App,
    /// A settings file.
    File(FilePosition),
    /// An environment variable.
    Environment(&'static str),
    /// A flag, without its dashes.
    Flag(&'static str),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePosition {
    pub path: PathBuf,
    pub line: usize,
    pub column: usize,
}

impl FilePosition {
    /// Finds the place of an offset in the text of a file.
    pub fn from_offset(path: &Path, text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line = before.rsplit('\n').next().unwrap_or_default();
        Self {
            path: path.to_owned(),
            line: before.matches('\n').count() + 1,
            column: line.chars().count() + 1,
        }
    }
}

impl fmt::Display for FilePosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.path.display(), self.line, self.column)
    }
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::App => f.write_str("the app"),
            Self::File(position) => write!(f, "{}:{}", display_path(&position.path), position.line),
            Self::Environment(name) => f.write_str(name),
            Self::Flag(name) => write!(f, "--{name}"),
        }
    }
}

/// Renders a path, with `~` for the home folder.
pub fn display_path(path: &Path) -> String {
    let home = std::env::home_dir().filter(|home| home.parent().is_some());
    let below = home.and_then(|home| path.strip_prefix(home).ok().map(Path::to_owned));
    match below {
        Some(below) => format!("~/{}", below.display()),
        None => path.display().to_string(),
    }
}

/// Resolves a path of a setting: relative paths from the folder, and `~/` from the home folder of the user.
pub fn resolve_path(folder: &Path, home: Option<&Path>, text: &str) -> PathBuf {
    match (text.strip_prefix("~/"), home) {
        (Some(inside), Some(home)) => home.join(inside),
        _ if text == "~" => home.map_or_else(|| folder.join(text), Path::to_owned),
        _ => folder.join(text),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::resolve_path;

    #[test]
    fn paths_start_at_the_folder_or_at_home() {
        let (folder, home) = (Path::new("/work"), Path::new("/home/me"));
        for (text, path) in [
            ("~/.cargo", "/home/me/.cargo"),
            ("~", "/home/me"),
            ("data", "/work/data"),
            ("/opt/x", "/opt/x"),
        ] {
            assert_eq!(resolve_path(folder, Some(home), text), Path::new(path));
        }
    }
}
