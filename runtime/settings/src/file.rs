//! The settings files: their paths and their content.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{ConfigDiagnostic, ConfigError};
use super::field_value;
use super::key::{AllowedFiles, Key};
use super::key_set::{KeyLookup, KeySet};
use super::layer::{ConfigEntry, ConfigLayer, ForeignSection};
use super::location::{FilePosition, KeyPath, SettingOrigin};
use super::value_kind::{SettingValue, ValueKind};
use super::variables;
use helve_core::registry::nearest;
use helve_storage::bounded_read::is_not_found;
use helve_storage::user_folders;

const FILE_NAME: &str = "helve.toml";

const MAX_FILE_BYTES: u64 = 1 << 20;

/// Returns the path of the user's file: `helve/helve.toml` in the configuration folder, which is `$XDG_CONFIG_HOME` or
/// `~/.config`. `None` if there is no home folder.
pub fn user_path() -> Option<PathBuf> {
    Some(user_folders::config()?.join("helve").join(FILE_NAME))
}

/// Returns the path of the project's file: the nearest one from a folder up to the root of its repository. Outside a
/// repository only the folder itself is searched, since other users may own the folders above.
pub(crate) fn project_path(folder: &Path) -> PathBuf {
    find_project_file(folder, FILE_NAME)
}

/// Finds the nearest file of a name from a folder upwards, as far as the repository reaches.
pub fn find_project_file(folder: &Path, name: &str) -> PathBuf {
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

/// Reads a file; `None` if it does not exist.
pub fn read(path: &Path) -> Result<Option<String>, ConfigError> {
    match read_text(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if is_not_found(&error) => Ok(None),
        Err(source) => Err(ConfigError::Read {
            path: path.to_owned(),
            source,
        }),
    }
}

fn read_text(path: &Path) -> io::Result<String> {
    // Reading something else than a regular file, for example a pipe, could block forever.
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let mut text = String::new();
    File::open(path)?
        .take(MAX_FILE_BYTES + 1)
        .read_to_string(&mut text)?;
    if text.len() as u64 > MAX_FILE_BYTES {
        return Err(io::Error::other("the file is larger than 1 MiB"));
    }
    Ok(text)
}

/// Reports what is wrong with the text of a file, which is to become one of settings.
pub fn check_settings(keys: &KeySet, path: &Path, text: &str) -> Result<(), ConfigError> {
    let layer = parse(keys, path, text);
    if layer.diagnostics.is_empty() {
        Ok(())
    } else {
        Err(ConfigError::Invalid(layer.diagnostics))
    }
}

pub(crate) fn parse(keys: &KeySet, path: &Path, text: &str) -> ConfigLayer {
    let mut reading = FileParser {
        keys,
        path,
        text,
        entries: BTreeMap::new(),
        foreign_sections: Vec::new(),
        mistakes: Vec::new(),
    };
    match DeTable::parse(text) {
        Ok(table) => reading.table(&KeyPath::new::<&str>([]), table.get_ref()),
        Err(error) => {
            let offset = error.span().map_or(text.len(), |span| span.start);
            reading.mistake(offset, error.message());
        }
    }
    reading.mistakes.sort_by_key(|(offset, _)| *offset);
    let mistakes = reading.mistakes.into_iter().map(|(_, mistake)| mistake);
    ConfigLayer {
        entries: reading.entries,
        diagnostics: mistakes.collect(),
        foreign_sections: reading.foreign_sections,
    }
}

struct FileParser<'f> {
    keys: &'f KeySet,
    path: &'f Path,
    text: &'f str,
    entries: BTreeMap<KeyPath, ConfigEntry>,
    foreign_sections: Vec<ForeignSection>,
    /// Each with its offset.
    mistakes: Vec<(usize, ConfigDiagnostic)>,
}

impl FileParser<'_> {
    fn table(&mut self, place: &KeyPath, table: &DeTable<'_>) {
        for (name, value) in table {
            // The hooks have their own reader, and their own acceptance.
            let is_hooks = name.get_ref() == "hooks" && place.segments().next().is_none();
            if is_hooks && matches!(value.get_ref(), DeValue::Array(_)) {
                continue;
            }
            let inside = place.join(name.get_ref());
            let offset = name.span().start;
            match self.keys.look_up(&inside) {
                KeyLookup::Key(key) => self.setting(key, inside, offset, value),
                KeyLookup::Table => match value.get_ref() {
                    DeValue::Table(table) => self.table(&inside, table),
                    _ => self.no_table(place, name, value),
                },
                KeyLookup::Unknown(names) => {
                    let names: Vec<&str> = names.iter().map(String::as_str).collect();
                    if is_foreign_section(place, name.get_ref(), &names, value.get_ref()) {
                        self.foreign_sections.push(ForeignSection {
                            name: inside,
                            position: FilePosition::from_offset(self.path, self.text, offset),
                            value: field_value::to_json(value.get_ref()),
                        });
                        continue;
                    }
                    self.mistake(offset, &unknown_key_message(place, name.get_ref(), &names));
                }
            }
        }
    }

    /// Reports a value where only a table can be: a misspelled key, if keys are beside it.
    fn no_table(
        &mut self,
        place: &KeyPath,
        name: &Spanned<Cow<'_, str>>,
        value: &Spanned<DeValue<'_>>,
    ) {
        let inside = place.join(name.get_ref());
        let beside = self.keys.fixed_names(&inside);
        if beside.is_empty() || beside.iter().any(|own| *own == **name.get_ref()) {
            return self.mistake(value.span().start, &no_table_message(&inside, self.keys));
        }
        let beside: Vec<&str> = beside.iter().map(String::as_str).collect();
        self.mistake(
            name.span().start,
            &unknown_key_message(place, name.get_ref(), &beside),
        );
    }

    fn setting(
        &mut self,
        key: Arc<Key>,
        place: KeyPath,
        offset: usize,
        value: &Spanned<DeValue<'_>>,
    ) {
        if key.allowed_files == AllowedFiles::None {
            return self.mistake(offset, &no_file_message(&key));
        }
        let origin = SettingOrigin::File(FilePosition::from_offset(self.path, self.text, offset));
        if let ValueKind::Field(field) = &key.kind {
            match field_value::parse(field, &place, value) {
                Ok(json) => {
                    let value = SettingValue::Json(json);
                    let entry = ConfigEntry { key, value, origin };
                    self.entries.insert(place, entry);
                }
                Err(mistakes) => mistakes
                    .iter()
                    .for_each(|mistake| self.mistake(mistake.offset, &mistake.message)),
            }
            return;
        }
        match key.kind.parse_toml(value.get_ref()) {
            Ok(value) => {
                let entry = ConfigEntry { key, value, origin };
                self.entries.insert(place, entry);
            }
            // The message does not contain the value, which may be a secret.
            Err(_) if key.is_secret && !matches!(value.get_ref(), DeValue::String(_)) => {
                let what = format!("`{place}`: expected {}", key.kind.describe());
                self.mistake(value.span().start, &what);
            }
            Err(what) => self.mistake(value.span().start, &format!("`{place}`: {what}")),
        }
    }

    fn mistake(&mut self, offset: usize, what: &str) {
        let origin = SettingOrigin::File(FilePosition::from_offset(self.path, self.text, offset));
        self.mistakes
            .push((offset, ConfigDiagnostic::new(&origin, what)));
    }
}

/// Keys of earlier versions, each with what took its place.
const REMOVED_KEYS: [(&str, &str); 1] = [("skills.accept", "use `skills accept SKILL`")];

/// Reports whether a table is none of this app: all apps read the same files, and the section may be one of a pack of another
/// app. A name like one that this app has is a typing error.
fn is_foreign_section(place: &KeyPath, name: &str, names: &[&str], value: &DeValue<'_>) -> bool {
    let is_at_top = place.segments().next().is_none();
    is_at_top
        && matches!(value, DeValue::Table(_))
        && nearest(name, names.iter().copied()).is_none()
}

fn unknown_key_message(place: &KeyPath, name: &str, names: &[&str]) -> String {
    let shown = place.join(name);
    let text = shown.to_string();
    if let Some((_, instead)) = REMOVED_KEYS.iter().find(|(key, _)| *key == text) {
        return format!("`{shown}` was removed: {instead}");
    }
    if let Some(near) = nearest(name, names.iter().copied()) {
        let near = place.join(near);
        return format!("unknown key `{shown}`; did you mean `{near}`?");
    }
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let names = names.join(", ");
    format!("unknown key `{shown}`; expected one of {names}")
}

/// Says what to write where only a table can be, and a value is.
fn no_table_message(table: &KeyPath, keys: &KeySet) -> String {
    let below = table.join("NAME");
    let names = keys.fixed_names(&below);
    let names: Vec<String> = names.iter().map(|name| format!("`{name} = …`")).collect();
    match &*names {
        [] if matches!(keys.look_up(&below), KeyLookup::Key(_)) => {
            format!("expected a table: write `[{table}]` and, below it, `NAME = …`")
        }
        [] => format!("expected a table: write `[{below}]`"),
        [name] => format!("expected a table: write `[{table}]` and, below it, {name}"),
        names => {
            let names = names[..names.len().min(3)].join(", ");
            format!("expected a table: write `[{table}]` and, below it, keys such as {names}")
        }
    }
}

fn no_file_message(key: &Key) -> String {
    let flag = key.flag.map(|flag| format!("`--{flag}`"));
    let variable = key.environment.map(|name| format!("`{name}`"));
    let elsewhere: Vec<String> = flag.into_iter().chain(variable).collect();
    format!(
        "`{}` is a setting of a provider: set it in `[providers.NAME]`, or use {}",
        key.name,
        elsewhere.join(" or ")
    )
}

/// Returns the keys of a project file that need acceptance: settings that could send a key or a conversation to another
/// host or allow more calls, and settings that use environment variables.
pub(crate) fn sensitive_keys(layer: &ConfigLayer) -> Vec<KeyPath> {
    let is_sensitive = |entry: &ConfigEntry| {
        let texts = entry.texts();
        let has_variables =
            |text: &&str| variables::names(text).is_ok_and(|names| !names.is_empty());
        !entry.key.needs_no_acceptance(texts.first().copied()) || texts.iter().any(has_variables)
    };
    let entries = layer.entries.iter();
    let entries = entries.filter(|(_, entry)| is_sensitive(entry));
    entries.map(|(place, _)| place.clone()).collect()
}
