//! The files: where they are, and what they say.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{ConfigError, Mistake};
use super::key::{self, Found, Key, Who};
use super::layer::{Entry, Layer};
use super::place::{Origin, Place, Position};
use super::variables;
use crate::registry::nearest;
use crate::support::user_folders;

/// The name of every file.
const NAME: &str = "helve.toml";

/// The most that a file may hold: nobody writes so many settings.
const MOST: u64 = 1 << 20;

/// Returns where the user's file is: `helve/helve.toml` in the folder of configurations, which is `$XDG_CONFIG_HOME` or
/// `~/.config`. `None` where there is no home folder.
pub(in crate::cli) fn of_user() -> Option<PathBuf> {
    Some(user_folders::config()?.join("helve").join(NAME))
}

/// Returns where the project's file is: the nearest one from a folder upwards, as far as its repository reaches. Outside
/// of a repository that is this folder alone: above it may be anybody's.
pub(super) fn of_project(folder: &Path) -> PathBuf {
    nearest_named(folder, NAME)
}

/// Returns where a project's file of a name is, or would be.
pub(in crate::cli) fn nearest_named(folder: &Path, name: &str) -> PathBuf {
    let own = folder.join(name);
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let mut passed = Vec::new();
    for above in folder.ancestors() {
        passed.push(above);
        if above.join(".git").exists() {
            let nearest = passed.iter().map(|folder| folder.join(name));
            return nearest
                .into_iter()
                .find(|file| file.exists())
                .unwrap_or(own);
        }
    }
    own
}

/// Reads a file; `None` where there is none.
pub(in crate::cli) fn read(path: &Path) -> Result<Option<String>, ConfigError> {
    let failed = |source| ConfigError::Read {
        path: path.to_owned(),
        source,
    };
    match text(path) {
        Ok(text) => Ok(Some(text)),
        // A home that is no folder, `/dev/null` for instance, has none either.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(failed(error)),
    }
}

fn text(path: &Path) -> io::Result<String> {
    // What is no file, a pipe for instance, could keep a reader waiting for ever.
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    let mut text = String::new();
    File::open(path)?.take(MOST + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MOST {
        return Err(io::Error::other("it is larger than 1 MiB"));
    }
    Ok(text)
}

/// Reports what is wrong with the text of a file, which is to become one of settings.
#[cfg(feature = "mcp")]
pub(in crate::cli) fn settings_in(path: &Path, text: &str) -> Result<(), ConfigError> {
    let layer = parse(path, text);
    if layer.mistakes.is_empty() {
        Ok(())
    } else {
        Err(ConfigError::Mistakes(layer.mistakes))
    }
}

/// Takes the text of a file apart.
pub(super) fn parse(path: &Path, text: &str) -> Layer {
    let mut reading = Reading {
        path,
        text,
        entries: BTreeMap::new(),
        mistakes: Vec::new(),
    };
    match DeTable::parse(text) {
        Ok(table) => reading.table(&Place::new::<&str>([]), table.get_ref()),
        Err(error) => {
            let offset = error.span().map_or(text.len(), |span| span.start);
            reading.mistake(offset, error.message());
        }
    }
    reading.mistakes.sort_by_key(|(offset, _)| *offset);
    let mistakes = reading.mistakes.into_iter().map(|(_, mistake)| mistake);
    Layer {
        entries: reading.entries,
        mistakes: mistakes.collect(),
    }
}

struct Reading<'f> {
    path: &'f Path,
    text: &'f str,
    entries: BTreeMap<Place, Entry>,
    /// Each with its offset.
    mistakes: Vec<(usize, Mistake)>,
}

impl Reading<'_> {
    fn table(&mut self, place: &Place, table: &DeTable<'_>) {
        for (name, value) in table {
            let inside = place.inside(name.get_ref());
            let offset = name.span().start;
            match key::find(&inside) {
                Found::Key(key) => self.setting(key, inside, offset, value),
                Found::Table => match value.get_ref() {
                    DeValue::Table(table) => self.table(&inside, table),
                    _ => self.mistake(value.span().start, &format!("expected a table `{inside}`")),
                },
                Found::Unknown(names) => {
                    self.mistake(offset, &unknown(place, name.get_ref(), &names))
                }
            }
        }
    }

    fn setting(
        &mut self,
        key: &'static Key,
        place: Place,
        offset: usize,
        value: &Spanned<DeValue<'_>>,
    ) {
        if key.who == Who::NoFile {
            return self.mistake(offset, &no_file(key));
        }
        let origin = Origin::File(Position::of(self.path, self.text, offset));
        match key.kind.read(value.get_ref()) {
            Ok(value) => {
                let entry = Entry { key, value, origin };
                self.entries.insert(place, entry);
            }
            // What was meant to be a secret is in no message.
            Err(_) if key.is_secret && !is_text(value.get_ref()) => {
                let what = format!("`{place}`: expected {}", key.kind.describe());
                self.mistake(value.span().start, &what);
            }
            Err(what) => self.mistake(value.span().start, &format!("`{place}`: {what}")),
        }
    }

    fn mistake(&mut self, offset: usize, what: &str) {
        let origin = Origin::File(Position::of(self.path, self.text, offset));
        self.mistakes.push((offset, Mistake::new(&origin, what)));
    }
}

fn is_text(value: &DeValue<'_>) -> bool {
    matches!(value, DeValue::String(_))
}

/// Keys of earlier versions, each with what took its place.
const REMOVED: [(&str, &str); 1] = [(
    "skills.accept",
    "`skills accept SKILL` shows a skill, and accepts it",
)];

fn unknown(place: &Place, name: &str, names: &[&str]) -> String {
    let shown = place.inside(name);
    let text = shown.to_string();
    if let Some((_, instead)) = REMOVED.iter().find(|(key, _)| *key == text) {
        return format!("`{shown}` is no setting any more: {instead}");
    }
    if let Some(near) = nearest(name, names.iter().copied()) {
        return format!(
            "unknown key `{shown}`; did you mean `{}`?",
            place.inside(near)
        );
    }
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    format!("unknown key `{shown}`; there are {}", names.join(", "))
}

fn no_file(key: &Key) -> String {
    let flag = key.flag.map(|flag| format!("`--{flag}`"));
    let variable = key.environment.map(|name| format!("`{name}`"));
    let elsewhere: Vec<String> = flag.into_iter().chain(variable).collect();
    format!(
        "`{}` belongs to a provider: write it in `[providers.NAME]`, or say it with {}",
        key.name,
        elsewhere.join(" or ")
    )
}

/// Returns what a project's file says that is in force only once the user has accepted it: what could lead a key or a
/// conversation elsewhere, or let more run, and whatever takes its value from the environment.
pub(super) fn sensitive(layer: &Layer) -> Vec<Place> {
    let is_sensitive = |entry: &Entry| {
        let texts = entry.texts();
        let has_variables =
            |text: &String| variables::names(text).is_ok_and(|names| !names.is_empty());
        !entry.key.is_harmless(texts.first().map(String::as_str)) || texts.iter().any(has_variables)
    };
    let entries = layer
        .entries
        .iter()
        .filter(|(_, entry)| is_sensitive(entry));
    entries.map(|(place, _)| place.clone()).collect()
}
