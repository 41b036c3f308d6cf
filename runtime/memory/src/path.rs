//! Paths of the memory: a scope, and a file or folder in it.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization as _;

/// The greatest number of names in a path below its scope.
const MAX_DEPTH: usize = 4;

/// The greatest length of a name, in bytes.
const MAX_NAME_BYTES: usize = 120;

/// Whose memory an entry belongs to.
///
/// ```
/// use helve::memory::MemoryScope;
///
/// assert_eq!("team".parse(), Ok(MemoryScope::Team));
/// assert_eq!(MemoryScope::Project.to_string(), "project");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MemoryScope {
    /// The user, in all projects.
    User,
    /// The project that the agent works in.
    Project,
    /// The team of the user. The user is asked before an agent changes it.
    Team,
    /// The agent of this name, in the project that it works in.
    Agent,
    /// The session. Other sessions do not see it.
    Session,
}

impl MemoryScope {
    /// All scopes, in their order.
    pub const ALL: [Self; 5] = [
        Self::User,
        Self::Project,
        Self::Team,
        Self::Agent,
        Self::Session,
    ];

    /// Returns the name of the scope, which is that of its folder.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Team => "team",
            Self::Agent => "agent",
            Self::Session => "session",
        }
    }
}

impl fmt::Display for MemoryScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for MemoryScope {
    type Err = UnknownMemoryScope;

    fn from_str(text: &str) -> Result<Self, UnknownMemoryScope> {
        let mut all = Self::ALL.into_iter();
        let found = all.find(|scope| scope.name() == text);
        found.ok_or_else(|| UnknownMemoryScope(text.to_owned()))
    }
}

/// The error of a name that is no scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no scope of the memory: user, project, team, agent, session")]
pub struct UnknownMemoryScope(String);

/// The path of a file or folder of the memory: a scope, and names below it.
///
/// A model writes `/memories/user/style.md`; `user/style` is the same file. A path without a scope is one of the default
/// scope, and the name of a file without an extension gets `.md`. Names are compared in the normal form NFC.
///
/// ```
/// use helve::memory::{MemoryPath, MemoryScope};
///
/// let path = MemoryPath::parse("/memories/user/style.md", MemoryScope::Project).unwrap();
/// assert_eq!(path.id(), "user/style");
/// assert_eq!(MemoryPath::parse("plans/a", MemoryScope::Project).unwrap().to_string(), "/memories/project/plans/a");
/// assert!(MemoryPath::parse("/memories/../etc/passwd", MemoryScope::Project).is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemoryPath {
    scope: MemoryScope,
    names: Vec<String>,
}

/// The error of a text that is no path of the memory.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{path}` is no path of the memory: {why}")]
pub struct InvalidMemoryPath {
    /// The text, shortened.
    pub path: String,
    /// The reason.
    pub why: String,
}

impl MemoryPath {
    /// The folder that contains all scopes, in the paths that a model uses.
    pub const ROOT: &str = "/memories";

    /// Returns the folder of a scope.
    #[must_use]
    pub fn folder_of(scope: MemoryScope) -> Self {
        Self {
            scope,
            names: Vec::new(),
        }
    }

    /// Parses a path as a model or a person writes it; `default` is the scope of a path that names none.
    ///
    /// # Errors
    /// Fails for a path with `..`, hidden names, control characters, characters that turn the direction of text, `%`, `\`
    /// and the like, for a name of more than 120 bytes, and for more than four names below a scope.
    pub fn parse(text: &str, default: MemoryScope) -> Result<Self, InvalidMemoryPath> {
        let invalid = |why: String| InvalidMemoryPath {
            path: text
                .chars()
                .flat_map(char::escape_debug)
                .take(200)
                .collect(),
            why,
        };
        let below = match text.strip_prefix(Self::ROOT) {
            Some("") => "",
            Some(rest) => rest
                .strip_prefix('/')
                .ok_or_else(|| invalid(format!("it must be below {}", Self::ROOT)))?,
            None if text.starts_with('/') => {
                return Err(invalid(format!("it must be below {}", Self::ROOT)));
            }
            None => text,
        };
        let mut names = Vec::new();
        for name in below.split('/').filter(|name| !name.is_empty()) {
            let name: String = name.nfc().collect();
            check_name(&name).map_err(invalid)?;
            names.push(name);
        }
        let scope = names.first().and_then(|name| name.parse().ok());
        if scope.is_some() {
            names.remove(0);
        }
        if names.len() > MAX_DEPTH {
            let why = format!("it has more than {MAX_DEPTH} names below its scope");
            return Err(invalid(why));
        }
        let scope = scope.unwrap_or(default);
        Ok(Self { scope, names })
    }

    /// Returns the path of the file: a name without an extension gets `.md`. A folder has no such path.
    #[must_use]
    pub fn as_file(&self) -> Self {
        let mut path = self.clone();
        if let Some(last) = path.names.last_mut()
            && !has_extension(last)
        {
            last.push_str(".md");
        }
        path
    }

    /// Returns the scope.
    #[must_use]
    pub fn scope(&self) -> MemoryScope {
        self.scope
    }

    /// Returns the names below the scope.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns whether the path is that of a whole scope.
    #[must_use]
    pub fn is_scope(&self) -> bool {
        self.names.is_empty()
    }

    /// Returns the id of an entry: the scope and the names, without `.md`.
    #[must_use]
    pub fn id(&self) -> String {
        let mut id = self.scope.name().to_owned();
        for name in &self.names {
            id.push('/');
            id.push_str(name);
        }
        match id.strip_suffix(".md") {
            Some(id) => id.to_owned(),
            None => id,
        }
    }

    /// Returns the path of a name below this one.
    pub(crate) fn join(&self, name: &str) -> Self {
        let mut path = self.clone();
        path.names.push(name.to_owned());
        path
    }

    /// Returns a path whose name is made of the words of a title, which no file of `is_taken` has.
    pub(crate) fn for_title(
        scope: MemoryScope,
        title: &str,
        is_taken: impl Fn(&Self) -> bool,
    ) -> Self {
        let names = vec![format!("{}.md", slug(title))];
        let Ok(path) = Self { scope, names }.first_free(|path| Ok::<_, Infallible>(is_taken(path)));
        path
    }

    /// Returns the path of the file, or the first with a number after its name, which is not taken.
    pub(crate) fn first_free<E>(
        &self,
        is_taken: impl Fn(&Self) -> Result<bool, E>,
    ) -> Result<Self, E> {
        let first = self.as_file();
        let mut free = first.clone();
        let mut number = 2u32;
        while is_taken(&free)? {
            free = first.clone();
            if let Some(last) = free.names.last_mut() {
                let (stem, extension) = last.rsplit_once('.').unwrap_or((last, "md"));
                *last = format!("{stem}-{number}.{extension}");
            }
            number += 1;
        }
        Ok(free)
    }
}

impl fmt::Display for MemoryPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", Self::ROOT, self.scope)?;
        self.names.iter().try_for_each(|name| write!(f, "/{name}"))
    }
}

fn has_extension(name: &str) -> bool {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    extension.is_some_and(|it| {
        (1..=8).contains(&it.len()) && it.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

fn check_name(name: &str) -> Result<(), String> {
    let is_bad = |c: char| {
        c.is_control()
            || matches!(
                c,
                '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' | '%' | '`'
            )
            || is_invisible(c)
    };
    if name == ".." || name.starts_with('.') {
        return Err("names must not begin with a dot".to_owned());
    }
    if let Some(bad) = name.chars().find(|c| is_bad(*c)) {
        return Err(format!(
            "the character {} is not allowed",
            bad.escape_debug()
        ));
    }
    if name.trim() != name || name.ends_with('.') {
        return Err("a name must not begin or end with a space, or end with a dot".to_owned());
    }
    if name.len() > MAX_NAME_BYTES {
        return Err(format!("a name is longer than {MAX_NAME_BYTES} bytes"));
    }
    Ok(())
}

/// Reports whether a character shows nothing, or turns the direction of text.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Makes a name of the words of a title.
fn slug(title: &str) -> String {
    let mut slug = String::new();
    for c in title.chars().flat_map(char::to_lowercase).nfc() {
        if slug.len() + c.len_utf8() > 60 {
            break;
        }
        if c.is_alphanumeric() && !is_invisible(c) {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    match slug.trim_end_matches('-') {
        "" => "note".to_owned(),
        slug => slug.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str) -> Result<MemoryPath, InvalidMemoryPath> {
        MemoryPath::parse(text, MemoryScope::Project)
    }

    #[test]
    fn hostile_paths_are_refused() {
        let long = "x".repeat(121);
        for text in [
            "/memories/../etc/passwd",
            "/memories/user/../../x",
            "/memories/user/%2e%2e/x",
            "/memories/user/a\0b",
            "/memories/user/.hidden",
            "/memoriesx/a",
            "/etc/passwd",
            "/memories/user/a\\b",
            "/memories/user/gpj\u{202e}.md",
            "/memories/user/a\u{200b}.md",
            "/memories/user/C:x",
            "/memories/user/a ",
            "/memories/user/a.",
            "/memories/user/1/2/3/4/5",
            &long,
        ] {
            assert!(parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn spellings_of_one_path_are_equal() {
        let shown = |text| parse(text).expect("a path").as_file().to_string();
        assert_eq!(shown("/memories/user/a.md"), "/memories/user/a.md");
        assert_eq!(shown("user/a"), "/memories/user/a.md");
        assert_eq!(shown("/memories//user//a"), "/memories/user/a.md");
        assert_eq!(shown("a"), "/memories/project/a.md");
        assert_eq!(shown("a.xml"), "/memories/project/a.xml");
        assert_eq!(shown("v1. plan"), "/memories/project/v1. plan.md");
        assert_eq!(shown("cafe\u{301}"), "/memories/project/caf\u{e9}.md");
        assert!(parse("/memories/agent/").expect("a path").is_scope());
    }

    #[test]
    fn titles_become_names() {
        let name = |title: &str| MemoryPath::for_title(MemoryScope::User, title, |_| false).id();
        assert_eq!(
            name("Prefers tabs, not spaces!"),
            "user/prefers-tabs-not-spaces"
        );
        assert_eq!(name("…"), "user/note");
        assert_eq!(name("数据库 在 东京"), "user/数据库-在-东京");
        let taken = |path: &MemoryPath| path.id() == "user/a";
        assert_eq!(
            MemoryPath::for_title(MemoryScope::User, "A", taken).id(),
            "user/a-2"
        );
    }

    proptest! {
        /// A path that is accepted is below its scope, and its text is read as the same path again.
        #[test]
        fn accepted_paths_are_below_their_scope(text in "(/memories/)?[a-zA-Z./ %\\\\é-]{0,40}|\\PC{0,40}") {
            if let Ok(path) = parse(&text) {
                prop_assert!(path.names().len() <= MAX_DEPTH);
                for name in path.names() {
                    prop_assert!(!name.starts_with('.') && !name.contains('/'));
                }
                let again = parse(&path.to_string()).expect("its own text");
                prop_assert_eq!(again, path);
            }
        }

        /// Every title becomes a name that is a path.
        #[test]
        fn names_of_titles_are_paths(title in "\\PC{0,200}") {
            let path = MemoryPath::for_title(MemoryScope::User, &title, |_| false);
            prop_assert_eq!(parse(&path.to_string()), Ok(path));
        }
    }
}
