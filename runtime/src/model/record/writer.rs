//! The thread that writes a recording, so that no disk holds up the executor.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;

use tokio::sync::oneshot;

use super::unwritable;
use crate::model::playback::KnownReply;
use crate::model::{Recording, RecordingError};

/// The way to the thread.
#[derive(Debug)]
pub(super) struct Writer {
    begun: AtomicU64,
    jobs: mpsc::Sender<Job>,
    path: PathBuf,
}

enum Job {
    Reply {
        number: u64,
        prompt: Option<String>,
        reply: KnownReply,
        written: Option<oneshot::Sender<()>>,
    },
    Finish(oneshot::Sender<io::Result<()>>),
}

impl Writer {
    pub(super) fn open(path: &Path) -> Result<Self, RecordingError> {
        let file = File::options().create(true).append(true).open(path);
        let file = file.map_err(|error| unwritable(path, error))?;
        let about = file.metadata().map_err(|error| unwritable(path, error))?;
        if about.is_file() && about.len() > 0 {
            let path = path.display().to_string();
            return Err(RecordingError::Exists { path });
        }
        let (jobs, to_do) = mpsc::channel();
        let lines = Lines {
            file,
            path: path.to_owned(),
            is_file: about.is_file(),
            length: 0,
            headed: false,
            next: 0,
            early: BTreeMap::new(),
            failed: None,
        };
        std::thread::Builder::new()
            .name("helve-recorder".to_owned())
            .spawn(move || lines.work(&to_do))
            .map_err(|error| unwritable(path, error))?;
        Ok(Self {
            begun: AtomicU64::new(0),
            jobs,
            path: path.to_owned(),
        })
    }

    /// Gives the next reply its place.
    pub(super) fn begin(&self) -> u64 {
        self.begun.fetch_add(1, Ordering::Relaxed)
    }

    pub(super) fn write(
        &self,
        number: u64,
        prompt: Option<String>,
        reply: KnownReply,
        written: Option<oneshot::Sender<()>>,
    ) {
        let job = Job::Reply {
            number,
            prompt,
            reply,
            written,
        };
        // The thread lives as long as this does, unless it panicked; `finish` tells.
        let _ = self.jobs.send(job);
    }

    pub(super) async fn finish(&self) -> Result<(), RecordingError> {
        let (tell, told) = oneshot::channel();
        let _ = self.jobs.send(Job::Finish(tell));
        let gone = || Err(io::Error::other("the thread that writes it is gone"));
        let result = told.await.unwrap_or_else(|_| gone());
        result.map_err(|error| unwritable(&self.path, error))
    }
}

/// The file, on its thread.
struct Lines {
    file: File,
    path: PathBuf,
    is_file: bool,
    /// How much of it is whole lines.
    length: u64,
    headed: bool,
    /// The place of the next line.
    next: u64,
    /// Replies that were over before one that was asked for earlier.
    early: BTreeMap<u64, (Option<String>, KnownReply)>,
    failed: Option<io::Error>,
}

impl Lines {
    fn work(mut self, jobs: &mpsc::Receiver<Job>) {
        while let Ok(job) = jobs.recv() {
            match job {
                Job::Reply {
                    number,
                    prompt,
                    reply,
                    written,
                } => {
                    self.early.insert(number, (prompt, reply));
                    self.write_due();
                    if let Some(written) = written {
                        let _ = written.send(());
                    }
                }
                Job::Finish(tell) => {
                    let _ = tell.send(self.finish());
                }
            }
        }
        // Nobody is left to be told.
        let _ = self.finish();
    }

    /// Writes the replies whose turn it is, in the order in which they were asked for.
    fn write_due(&mut self) {
        while let Some((prompt, reply)) = self.early.remove(&self.next) {
            self.next += 1;
            self.head(prompt);
            match serde_json::to_string(&reply) {
                Ok(line) => self.append(&format!("{line}\n")),
                Err(error) => self.fail(error.into()),
            }
        }
    }

    fn head(&mut self, prompt: Option<String>) {
        if !self.headed {
            self.headed = true;
            let empty = Recording {
                prompt,
                ..Recording::default()
            };
            self.append(&empty.to_string());
        }
    }

    /// Adds lines, whole or not at all.
    fn append(&mut self, lines: &str) {
        if self.failed.is_some() {
            return;
        }
        if let Err(error) = self.file.write_all(lines.as_bytes()) {
            self.fail(error);
            return;
        }
        self.length += lines.len() as u64;
    }

    /// Ends the file after its last whole line.
    fn fail(&mut self, error: io::Error) {
        tracing::warn!(path = %self.path.display(), %error, "the recording ends here: it cannot be written");
        if self.is_file {
            let _ = self.file.set_len(self.length);
        }
        self.failed.get_or_insert(error);
    }

    fn finish(&mut self) -> io::Result<()> {
        self.head(None);
        if self.failed.is_none()
            && self.is_file
            && let Err(error) = self.file.sync_data()
        {
            self.fail(error);
        }
        match &self.failed {
            Some(error) => Err(io::Error::new(error.kind(), error.to_string())),
            None => Ok(()),
        }
    }
}
