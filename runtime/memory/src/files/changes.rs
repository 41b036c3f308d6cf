//! Changes of the files: what is checked before, and the order of the steps, of which none loses a text if it is the last.

use std::fs;
use std::path::Path;

use helve_storage::timestamp::Timestamp;

use super::disk;
use super::pending::PendingFolder;
use super::usage::Usage;
use super::versions::{LogLine, Versions};
use super::{FileMemory, Files, path_of, relative};
use crate::entry::{MemoryEntry, MemorySource};
use crate::error::MemoryError;
use crate::front_matter;
use crate::path::MemoryPath;
use crate::store::{MemoryAction, MemoryChange, MemoryKey, MemoryReceipt, PutCondition, digest};

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

    /// Makes a change that waits, or rejects it.
    pub(super) fn review(&self, id: &str, accept: bool, now: Timestamp) -> Result<(), MemoryError> {
        let _lock = self.lock()?;
        let folder = self.folder(".pending");
        let pending = PendingFolder(&folder);
        let found = pending.find(id)?;
        let not_found = || MemoryError::NoChange { id: id.to_owned() };
        let mut found = found.ok_or_else(not_found)?;
        let source = found.change.source.clone();
        if !accept {
            if let MemoryAction::Put { path, entry, .. } = &found.change.action {
                let line = LogLine {
                    digest: text_digest(entry),
                    ..new_line(&found.key, path, "reject", &source, now)
                };
                self.log(&line)?;
            }
            return pending.remove(id);
        }
        if let MemoryAction::Put { entry, .. } = &mut found.change.action {
            entry.confirmed = Some(now);
        }
        self.check(&found.key, &found.change.action)?;
        match self.perform(&found.key, &found.change.action, &source, now) {
            // It was done before, or by others.
            Err(MemoryError::NotFound { .. }) => {}
            done => done?,
        }
        pending.remove(id)
    }

    /// Checks whether a change is possible.
    fn check(&self, key: &MemoryKey, action: &MemoryAction) -> Result<(), MemoryError> {
        self.check_way(key, action.path())?;
        match action {
            MemoryAction::Put {
                path,
                entry,
                condition,
            } => self.check_put(key, path, entry, condition),
            MemoryAction::Delete { path } | MemoryAction::Archive { path } => {
                self.check_exists(key, path)
            }
            MemoryAction::Rename { from, to } => {
                self.check_exists(key, from)?;
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
    fn check_case(&self, key: &MemoryKey, path: &MemoryPath) -> Result<(), MemoryError> {
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

    /// Makes a change that was checked.
    fn perform(
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
                let line = LogLine {
                    to: relative(key, to),
                    ..new_line(key, from, "rename", source, now)
                };
                self.log(&line)?;
                let (from, to) = (self.file(key, from), self.file(key, to));
                self.move_file(&from, &to)
            }
            MemoryAction::Archive { path } => {
                self.log(&new_line(key, path, "archive", source, now))?;
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
        let replaced = entry.replaces.as_ref();
        let replaced = replaced.and_then(|id| MemoryPath::parse(id, key.scope()).ok());
        match replaced.map(|replaced| replaced.as_file()) {
            Some(replaced) if replaced != *path && replaced.scope() == key.scope() => {
                if self.get(key, &replaced)?.is_none() {
                    return Ok(());
                }
                let action = MemoryAction::Archive { path: replaced };
                self.perform(key, &action, source, now)
            }
            _ => Ok(()),
        }
    }

    fn delete(
        &self,
        key: &MemoryKey,
        path: &MemoryPath,
        source: &MemorySource,
        now: Timestamp,
    ) -> Result<(), MemoryError> {
        let on_disk = self.file(key, path);
        let mut files = vec![path.clone()];
        if disk::inspect(&on_disk)?.is_some_and(|found| found.is_dir()) {
            let below = disk::walk(&on_disk)?.into_iter();
            files = below
                .filter_map(|file| Some(path.join(file.path.to_str()?)))
                .collect();
        }
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
            // Folders without files are left, and hidden files of others.
            fs::remove_dir_all(&on_disk).map_err(MemoryError::io(&on_disk))?;
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
    ) -> Result<std::path::PathBuf, MemoryError> {
        let folder = self.archive_folder(key);
        let names = path.names().join("/");
        let (stem, extension) = names.rsplit_once('.').unwrap_or((&names, "md"));
        let mut free = folder.join(&names);
        let mut number = 2u32;
        while disk::inspect(&free)?.is_some() {
            free = folder.join(format!("{stem}-{number}.{extension}"));
            number += 1;
        }
        Ok(free)
    }

    fn save_version(&self, before: &Option<MemoryEntry>) -> Result<String, MemoryError> {
        let folder = self.folder(".versions");
        before.as_ref().map_or(Ok(String::new()), |before| {
            Versions(&folder).save(&front_matter::render(before))
        })
    }

    fn log(&self, line: &LogLine) -> Result<(), MemoryError> {
        let folder = self.folder(".versions");
        Versions(&folder).log(line)
    }
}

fn new_line(
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
fn text_digest(entry: &MemoryEntry) -> String {
    let words: Vec<String> = entry
        .text
        .split_whitespace()
        .map(str::to_lowercase)
        .collect();
    digest(words.join(" ").as_bytes())
}
