//! Changes of the files: what is checked before, and the order of the steps, of which none loses a text if it is the last.

use std::fs;
use std::path::{Path, PathBuf};

use helve_storage::timestamp::Timestamp;

use super::disk;
use super::pending::PendingFolder;
use super::usage::Usage;
use super::versions::{LogLine, Versions};
use super::{FileMemory, Files, path_of, relative};
use crate::entry::{MemoryEntry, MemorySource};
use crate::error::MemoryError;
use crate::front_matter;
use crate::path::{InvalidMemoryPath, MemoryPath};
use crate::store::{
    MemoryAction, MemoryChange, MemoryKey, MemoryReceipt, PutCondition, StoredEntry, digest,
};

impl Files {
    /// Makes a change, or puts it aside for a review.
    pub(super) fn apply(
        &self,
        key: &MemoryKey,
        change: &MemoryChange,
        now: Timestamp,
    ) -> Result<MemoryReceipt, MemoryError> {
        let _lock = self.lock()?;
        self.check(key, &change.action)?;
        if !change.is_pending {
            self.perform(key, &change.action, &change.source, now)?;
            return Ok(MemoryReceipt::Done);
        }
        if let MemoryAction::Put { entry, .. } = &change.action {
            self.check_not_rejected(entry)?;
        }
        let folder = self.folder(".pending");
        let id = PendingFolder(&folder).add(key, change, now)?;
        Ok(MemoryReceipt::Pending(id))
    }

    /// Checks whether a change is possible.
    pub(super) fn check(&self, key: &MemoryKey, action: &MemoryAction) -> Result<(), MemoryError> {
        self.check_way(key, action.path())?;
        match action {
            MemoryAction::Put {
                path,
                entry,
                condition,
            } => self.check_put(key, path, entry, condition),
            MemoryAction::Archive { path } => self.check_exists(key, path),
            MemoryAction::Delete { path } => {
                self.check_exists(key, path)?;
                self.files_to_delete(key, path).map(|_| ())
            }
            MemoryAction::Rename { from, to } => {
                self.check_exists(key, from)?;
                for file in self.contents(key, from)?.0 {
                    moved(&file, from, to)?;
                }
                self.check_way(key, to)?;
                self.check_free(key, to)?;
                self.check_case(key, to)
            }
        }
    }

    fn check_exists(&self, key: &MemoryKey, path: &MemoryPath) -> Result<(), MemoryError> {
        match disk::inspect(&self.file(key, path))? {
            Some(_) if !path.is_scope() => Ok(()),
            _ => Err(MemoryError::NotFound { path: path.clone() }),
        }
    }

    fn check_free(&self, key: &MemoryKey, path: &MemoryPath) -> Result<(), MemoryError> {
        match disk::inspect(&self.file(key, path))? {
            Some(_) => Err(MemoryError::Exists { path: path.clone() }),
            None => Ok(()),
        }
    }

    fn check_put(
        &self,
        key: &MemoryKey,
        path: &MemoryPath,
        entry: &MemoryEntry,
        condition: &PutCondition,
    ) -> Result<(), MemoryError> {
        let text = format!("{}\n{}", entry.title, entry.text);
        if let Some(found) = self.redactor.find(&text).first() {
            let label = found.label.to_string();
            return Err(MemoryError::Secret { label });
        }
        if entry.text.len() > FileMemory::MAX_TEXT_BYTES {
            return Err(MemoryError::TooLarge {
                path: path.clone(),
                size: entry.text.len(),
                limit: FileMemory::MAX_TEXT_BYTES,
            });
        }
        let existing = self.get(key, path)?;
        match condition {
            PutCondition::New if existing.is_some() => {
                return Err(MemoryError::Exists { path: path.clone() });
            }
            PutCondition::Unchanged(text)
                if existing.as_ref().is_none_or(|it| it.text != *text) =>
            {
                return Err(MemoryError::Changed { path: path.clone() });
            }
            _ => {}
        }
        if existing.is_none() {
            self.check_case(key, path)?;
        }
        self.check_room(key, path, entry.text.len())
    }

    /// Checks that no name on the way to a path differs from an existing one in its case alone.
    pub(super) fn check_case(&self, key: &MemoryKey, path: &MemoryPath) -> Result<(), MemoryError> {
        let mut folder = MemoryPath::folder_of(key.scope());
        for name in path.names() {
            let on_disk = self.file(key, &folder);
            let Ok(entries) = fs::read_dir(&on_disk) else {
                return Ok(());
            };
            for entry in entries.flatten() {
                let existing = entry.file_name();
                let Some(existing) = existing.to_str().filter(|existing| existing != name) else {
                    continue;
                };
                if existing.to_lowercase() == name.to_lowercase() {
                    let existing = folder.join(existing);
                    let path = path.clone();
                    return Err(MemoryError::CaseClash { path, existing });
                }
            }
            folder = folder.join(name);
        }
        Ok(())
    }

    fn check_room(
        &self,
        key: &MemoryKey,
        path: &MemoryPath,
        size: usize,
    ) -> Result<(), MemoryError> {
        let scope = key.scope();
        let full = |limit: String| Err(MemoryError::Full { scope, limit });
        let files = disk::walk(&self.key_folder(key))?;
        let others = files
            .iter()
            .filter(|file| path_of(key, &file.path).as_ref() != Some(path));
        let (mut count, mut bytes) = (1, size as u64);
        for file in others {
            count += 1;
            bytes += file.size;
        }
        if count > FileMemory::MAX_FILES {
            return full(format!("{} files", FileMemory::MAX_FILES));
        }
        if bytes > FileMemory::MAX_BYTES {
            return full(format!("{} MiB", FileMemory::MAX_BYTES >> 20));
        }
        Ok(())
    }

    fn check_not_rejected(&self, entry: &MemoryEntry) -> Result<(), MemoryError> {
        let folder = self.folder(".versions");
        let digest = text_digest(entry);
        let lines = Versions(&folder).lines()?;
        match lines
            .iter()
            .any(|line| line.change == "reject" && line.digest == digest)
        {
            true => Err(MemoryError::Rejected),
            false => Ok(()),
        }
    }

    /// Returns the paths of the files of a folder, and what else is in it; of a file, the path itself.
    fn contents(
        &self,
        key: &MemoryKey,
        path: &MemoryPath,
    ) -> Result<(Vec<MemoryPath>, Vec<PathBuf>), MemoryError> {
        let on_disk = self.file(key, path);
        if !disk::inspect(&on_disk)?.is_some_and(|found| found.is_dir()) {
            return Ok((vec![path.clone()], Vec::new()));
        }
        let disk::FolderListing { files, mut others } = disk::list(&on_disk)?;
        let folder = PathBuf::from(path.names().join("/"));
        let mut paths = Vec::new();
        for file in files {
            match path_of(key, &folder.join(&file.path)) {
                Some(path) => paths.push(path),
                None => others.push(file.path),
            }
        }
        Ok((paths, others))
    }

    /// Returns the files that a deletion removes. Fails if there is something else, of which no version would remain.
    fn files_to_delete(
        &self,
        key: &MemoryKey,
        path: &MemoryPath,
    ) -> Result<Vec<MemoryPath>, MemoryError> {
        let (files, others) = self.contents(key, path)?;
        let Some(other) = others.first() else {
            return Ok(files);
        };
        let other = other.display().to_string();
        let path = path.clone();
        Err(MemoryError::NotOnlyEntries { path, other })
    }

    /// Makes a change that was checked.
    pub(super) fn perform(
        &self,
        key: &MemoryKey,
        action: &MemoryAction,
        source: &MemorySource,
        now: Timestamp,
    ) -> Result<(), MemoryError> {
        match action {
            MemoryAction::Put { path, entry, .. } => self.put(key, path, entry, source, now),
            MemoryAction::Delete { path } => self.delete(key, path, source, now),
            MemoryAction::Rename { from, to } => {
                for file in self.contents(key, from)?.0 {
                    let line = LogLine {
                        to: relative(key, &moved(&file, from, to)?),
                        ..new_line(key, &file, "rename", source, now)
                    };
                    self.log(&line)?;
                }
                self.move_file(&self.file(key, from), &self.file(key, to))?;
                let usage_file = self.folder(".usage.json");
                let mut usage = Usage::load(&usage_file)?;
                usage.rename(&relative(key, from), &relative(key, to));
                usage.save(&usage_file)
            }
            MemoryAction::Archive { path } => {
                let line = LogLine {
                    digest: self.save_version(&self.get(key, path)?)?,
                    ..new_line(key, path, "archive", source, now)
                };
                self.log(&line)?;
                self.move_file(&self.file(key, path), &self.free_archive_path(key, path)?)
            }
        }
    }

    fn put(
        &self,
        key: &MemoryKey,
        path: &MemoryPath,
        entry: &MemoryEntry,
        source: &MemorySource,
        now: Timestamp,
    ) -> Result<(), MemoryError> {
        let before = self.get(key, path)?;
        let mut entry = entry.clone();
        entry.created = before.as_ref().map_or(Some(now), |before| before.created);
        entry.updated = Some(now);
        let digest = self.save_version(&before)?;
        let line = LogLine {
            digest,
            ..new_line(key, path, "put", source, now)
        };
        self.log(&line)?;
        disk::write(&self.file(key, path), &front_matter::render(&entry))?;
        match before {
            Some(_) => Ok(()),
            None => self.archive_replaced(key, path, &entry, source, now),
        }
    }

    /// Archives the entry that another one replaces, if it is there.
    fn archive_replaced(
        &self,
        key: &MemoryKey,
        path: &MemoryPath,
        entry: &MemoryEntry,
        source: &MemorySource,
        now: Timestamp,
    ) -> Result<(), MemoryError> {
        match self.replaced(key, path, entry)? {
            Some(replaced) => {
                let action = MemoryAction::Archive {
                    path: replaced.path,
                };
                self.perform(key, &action, source, now)
            }
            None => Ok(()),
        }
    }

    /// Returns the entry that a new one replaces, if it is there.
    pub(super) fn replaced(
        &self,
        key: &MemoryKey,
        path: &MemoryPath,
        entry: &MemoryEntry,
    ) -> Result<Option<StoredEntry>, MemoryError> {
        let id = entry.replaces.as_ref();
        let id = id.and_then(|id| MemoryPath::parse(id, key.scope()).ok());
        let replaced = id.map(|id| id.as_file());
        let is_other = |it: &MemoryPath| it != path && it.scope() == key.scope();
        let Some(path) = replaced.filter(is_other) else {
            return Ok(None);
        };
        let entry = self.get(key, &path)?;
        Ok(entry.map(|entry| StoredEntry { path, entry }))
    }

    fn delete(
        &self,
        key: &MemoryKey,
        path: &MemoryPath,
        source: &MemorySource,
        now: Timestamp,
    ) -> Result<(), MemoryError> {
        let on_disk = self.file(key, path);
        let files = self.files_to_delete(key, path)?;
        let usage_file = self.folder(".usage.json");
        let mut usage = Usage::load(&usage_file)?;
        for file in &files {
            let before = disk::read(&self.file(key, file), super::MAX_DISK_BYTES)?;
            let before = before.map(|text| front_matter::parse(&text));
            let digest = self.save_version(&before)?;
            let line = LogLine {
                digest,
                ..new_line(key, file, "delete", source, now)
            };
            self.log(&line)?;
            disk::remove_file(&self.file(key, file))?;
            usage.forget(&relative(key, file));
        }
        if disk::inspect(&on_disk)?.is_some_and(|found| found.is_dir()) {
            disk::remove_folders(&on_disk)?;
        }
        disk::remove_empty_parents(&on_disk, &self.key_folder(key));
        usage.save(&usage_file)
    }

    /// Archives the entries that were not used for long, and removes old versions; returns how many entries were archived.
    pub(super) fn maintain(
        &self,
        keys: &[MemoryKey],
        now: Timestamp,
    ) -> Result<usize, MemoryError> {
        if disk::inspect(&self.root)?.is_none() {
            return Ok(0);
        }
        let _lock = self.lock()?;
        let usage_file = self.folder(".usage.json");
        let mut usage = Usage::load(&usage_file)?;
        let is_due = |key: &&MemoryKey| usage.begin_decay(key.folder(), now);
        let due: Vec<&MemoryKey> = keys.iter().filter(is_due).collect();
        let mut archived = 0;
        for key in &due {
            for stored in self.list(key, &self.key_folder(key))? {
                let path = &stored.path;
                if usage.is_faded(&relative(key, path), &stored.entry, now) {
                    let action = MemoryAction::Archive { path: path.clone() };
                    self.perform(key, &action, &stored.entry.source, now)?;
                    archived += 1;
                }
            }
        }
        usage.save(&usage_file)?;
        if !due.is_empty() {
            let folder = self.folder(".versions");
            Versions(&folder).prune(now)?;
        }
        Ok(archived)
    }

    fn move_file(&self, from: &Path, to: &Path) -> Result<(), MemoryError> {
        disk::create_parent(to)?;
        fs::rename(from, to).map_err(MemoryError::io(from))?;
        disk::remove_empty_parents(from, &self.root);
        Ok(())
    }

    fn free_archive_path(
        &self,
        key: &MemoryKey,
        path: &MemoryPath,
    ) -> Result<PathBuf, MemoryError> {
        let folder = self.archive_folder(key);
        let file = |path: &MemoryPath| folder.join(path.names().join("/"));
        let is_taken = |path: &MemoryPath| disk::inspect(&file(path)).map(|found| found.is_some());
        Ok(file(&path.first_free(is_taken)?))
    }

    fn save_version(&self, before: &Option<MemoryEntry>) -> Result<String, MemoryError> {
        let folder = self.folder(".versions");
        before.as_ref().map_or(Ok(String::new()), |before| {
            Versions(&folder).save(&front_matter::render(before))
        })
    }

    pub(super) fn log(&self, line: &LogLine) -> Result<(), MemoryError> {
        let folder = self.folder(".versions");
        Versions(&folder).log(line)
    }
}

/// Returns where a file is after a file or folder was renamed. Fails if it would be too deep to be found.
fn moved(
    file: &MemoryPath,
    from: &MemoryPath,
    to: &MemoryPath,
) -> Result<MemoryPath, InvalidMemoryPath> {
    let below = file.names().get(from.names().len()..).unwrap_or_default();
    let names = below
        .iter()
        .fold(to.to_string(), |path, name| format!("{path}/{name}"));
    MemoryPath::parse(&names, to.scope())
}

pub(super) fn new_line(
    key: &MemoryKey,
    path: &MemoryPath,
    change: &str,
    source: &MemorySource,
    now: Timestamp,
) -> LogLine {
    let call = match (&*source.session, &*source.call) {
        ("", call) => call.to_owned(),
        (session, call) => format!("{session}/{call}"),
    };
    LogLine {
        time: now,
        change: change.to_owned(),
        file: relative(key, path),
        to: String::new(),
        digest: String::new(),
        by: source.by.name().to_owned(),
        call,
    }
}

/// Returns the digest of the words of an entry, whatever their case and the white space between them.
pub(super) fn text_digest(entry: &MemoryEntry) -> String {
    let words: Vec<String> = entry
        .text
        .split_whitespace()
        .map(str::to_lowercase)
        .collect();
    digest(words.join(" ").as_bytes())
}
