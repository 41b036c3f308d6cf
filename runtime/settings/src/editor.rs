//! A settings file that is changed by a command: what else is in it stays, with its comments.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use toml_edit::{Array, DocumentMut, Item, Table, Value};

use super::{ConfigError, KeySet, check_settings, read_file};
use helve_storage::atomic_file::{AtomicFile, FilePermissions};
use helve_storage::file_lock::FileLock;

/// A file of settings that is being changed. No other process changes one in its folder until this is dropped.
#[derive(Debug)]
pub struct SettingsEditor {
    /// The path of the file, with links resolved.
    path: PathBuf,
    keys: KeySet,
    /// The file as the user wrote it.
    pub document: DocumentMut,
    _lock: FileLock,
}

/// The reason why a settings file was not changed.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// The file cannot be read, or has errors, which have to be fixed first.
    #[error(transparent)]
    Settings(#[from] ConfigError),
    /// A part of the file has another type.
    #[error("`{key}` in `{}` is not {expected}", path.display())]
    Type {
        /// The path of the file.
        path: PathBuf,
        /// The key.
        key: String,
        /// What the value has to be.
        expected: &'static str,
    },
    /// The file has a server of that name.
    #[error("MCP server `{name}` already exists in `{}`\nhelp: run `mcp remove {name}` first, or use another name", path.display())]
    Exists {
        /// The path of the file.
        path: PathBuf,
        /// The name of the server.
        name: String,
    },
    /// The file cannot be written.
    #[error("failed to write `{}`", path.display())]
    Write {
        /// The path of the file.
        path: PathBuf,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
}

impl SettingsEditor {
    /// Opens a file, which may not exist yet.
    pub fn open(path: &Path, keys: &KeySet) -> Result<Self, EditError> {
        // A symbolic link is kept, and its target is changed.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let lock = FileLock::lock_parent_of(&path).map_err(|source| write_error(&path, source))?;
        let text = read_file(&path)?.unwrap_or_default();
        check_settings(keys, &path, &text)?;
        // Both TOML parsers accept the same text.
        let document = text
            .parse::<DocumentMut>()
            .map_err(|error| write_error(&path, io::Error::other(error.to_string())))?;
        Ok(Self {
            path,
            keys: keys.clone(),
            document,
            _lock: lock,
        })
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a text to the list of a key in a table, unless the list has it.
    pub fn append(&mut self, table: &str, key: &str, text: &str) -> Result<(), EditError> {
        let path = self.path.clone();
        let wrong = |key: String, expected| EditError::Type {
            path,
            key,
            expected,
        };
        let item = self.document.entry(table);
        let item = item.or_insert_with(|| Item::Table(Table::new()));
        let Some(inside) = item.as_table_like_mut() else {
            return Err(wrong(table.to_owned(), "a table"));
        };
        let list = inside.entry(key);
        let list = list.or_insert_with(|| Item::Value(Value::Array(Array::new())));
        let Some(list) = list.as_array_mut() else {
            return Err(wrong(format!("{table}.{key}"), "a list"));
        };
        if !list.iter().any(|item| item.as_str() == Some(text)) {
            list.push(text);
        }
        Ok(())
    }

    /// Writes the changes to a temporary file, which replaces the file once it is on disk.
    pub fn save(self) -> Result<(), EditError> {
        let text = self.document.to_string();
        // Invalid settings are not written.
        check_settings(&self.keys, &self.path, &text)?;
        // Only the user can read a new file, since headers may contain credentials.
        AtomicFile::new(&self.path, FilePermissions::PreserveOrOwner)
            .replace(&[text.as_bytes()])
            .map_err(|source| write_error(&self.path, source))
    }
}

fn write_error(path: &Path, source: io::Error) -> EditError {
    EditError::Write {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn append(before: &str, texts: &[&str]) -> String {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("helve/helve.toml");
        if !before.is_empty() {
            fs::create_dir_all(folder.path().join("helve")).expect("a folder");
            fs::write(&path, before).expect("a file");
        }
        for text in texts {
            let mut edit = SettingsEditor::open(&path, &KeySet::default()).expect("a file");
            edit.append("sandbox", "hosts", text).expect("a list");
            edit.save().expect("it is written");
        }
        fs::read_to_string(&path).expect("a file")
    }

    #[test]
    fn a_text_is_added_once_and_the_rest_of_the_file_stays() {
        let texts = ["a.example:443", "b.example:443", "a.example:443"];
        insta::assert_snapshot!(append("", &texts), @r#"
        [sandbox]
        hosts = ["a.example:443", "b.example:443"]
        "#);
        let before = "# mine\nmodel = \"a/b\" # good\n\n[sandbox] # mine, too\nkind = \"local\"\nhosts = [\n  \"c.example\", # why\n]\n";
        insta::assert_snapshot!(append(before, &texts), @r#"
        # mine
        model = "a/b" # good

        [sandbox] # mine, too
        kind = "local"
        hosts = [
          "c.example", "a.example:443", "b.example:443", # why
        ]
        "#);
    }

    #[test]
    fn a_file_with_mistakes_is_not_changed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("helve.toml");
        fs::write(&path, "modle = \"a/b\"\n").expect("a file");
        assert!(matches!(
            SettingsEditor::open(&path, &KeySet::default()),
            Err(EditError::Settings(_))
        ));
    }
}
