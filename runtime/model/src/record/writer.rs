//! The writer thread of a recording, so that a slow disk does not block the executor.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;

use tokio::sync::oneshot;

use super::write_error;
use crate::playback::RecordedReply;
use crate::{Recording, RecordingError};

#[derive(Debug)]
pub(super) struct RecordingWriter {
    next_number: AtomicU64,
    jobs: mpsc::Sender<WriteJob>,
    path: PathBuf,
}

pub(super) enum WriteJob {
    Reply {
        number: u64,
        prompt: Option<String>,
        reply: RecordedReply,
        written: Option<oneshot::Sender<()>>,
    },
    Finish(oneshot::Sender<io::Result<()>>),
}

impl RecordingWriter {
    pub(super) fn open(path: &Path) -> Result<Self, RecordingError> {
        let file = File::options().create(true).append(true).open(path);
        let file = file.map_err(|error| write_error(path, error))?;
        let about = file.metadata().map_err(|error| write_error(path, error))?;
        if about.is_file() && about.len() > 0 {
            let path = path.display().to_string();
            return Err(RecordingError::Exists { path });
        }
        let (jobs, to_do) = mpsc::channel();
        let lines = RecordingFile {
            file,
            path: path.to_owned(),
            is_file: about.is_file(),
            length: 0,
            has_header: false,
            next: 0,
            out_of_order: BTreeMap::new(),
            error: None,
        };
        std::thread::Builder::new()
            .name("helve-recorder".to_owned())
            .spawn(move || lines.run(&to_do))
            .map_err(|error| write_error(path, error))?;
        Ok(Self {
            next_number: AtomicU64::new(0),
            jobs,
            path: path.to_owned(),
        })
    }

    pub(super) fn take_number(&self) -> u64 {
        self.next_number.fetch_add(1, Ordering::Relaxed)
    }

    pub(super) fn send(&self, job: WriteJob) {
        // The thread lives as long as this value, unless it has panicked, which `finish` reports.
        let _ = self.jobs.send(job);
    }

    pub(super) async fn finish(&self) -> Result<(), RecordingError> {
        let (tell, told) = oneshot::channel();
        self.send(WriteJob::Finish(tell));
        let gone = |_| Err(io::Error::other("the writer thread has ended"));
        let result = told.await.unwrap_or_else(gone);
        result.map_err(|error| write_error(&self.path, error))
    }
}

struct RecordingFile {
    file: File,
    path: PathBuf,
    is_file: bool,
    /// The length of the complete lines, in bytes.
    length: u64,
    has_header: bool,
    /// The number of the next reply to be written.
    next: u64,
    /// Finished replies that wait for a reply that was requested earlier.
    out_of_order: BTreeMap<u64, (Option<String>, RecordedReply)>,
    error: Option<io::Error>,
}

impl RecordingFile {
    fn run(mut self, jobs: &mpsc::Receiver<WriteJob>) {
        while let Ok(job) = jobs.recv() {
            match job {
                WriteJob::Reply {
                    number,
                    prompt,
                    reply,
                    written,
                } => {
                    self.out_of_order.insert(number, (prompt, reply));
                    self.write_ready();
                    if let Some(written) = written {
                        let _ = written.send(());
                    }
                }
                WriteJob::Finish(tell) => {
                    let _ = tell.send(self.finish());
                }
            }
        }
        // No caller is left to report the error to.
        let _ = self.finish();
    }

    /// Writes the replies that are next in the order of the requests.
    fn write_ready(&mut self) {
        while let Some((prompt, reply)) = self.out_of_order.remove(&self.next) {
            self.next += 1;
            self.write_header(prompt);
            match serde_json::to_string(&reply) {
                Ok(line) => self.append(&format!("{line}\n")),
                Err(error) => self.fail(error.into()),
            }
        }
    }

    fn write_header(&mut self, prompt: Option<String>) {
        if !self.has_header {
            self.has_header = true;
            let empty = Recording {
                prompt,
                ..Recording::default()
            };
            self.append(&empty.to_string());
        }
    }

    /// Appends lines, completely or not at all.
    fn append(&mut self, lines: &str) {
        if self.error.is_some() {
            return;
        }
        if let Err(error) = self.file.write_all(lines.as_bytes()) {
            self.fail(error);
            return;
        }
        self.length += lines.len() as u64;
    }

    /// Truncates the file after its last complete line.
    fn fail(&mut self, error: io::Error) {
        tracing::warn!(path = %self.path.display(), %error, "failed to write the recording; recording stopped");
        if self.is_file {
            let _ = self.file.set_len(self.length);
        }
        self.error.get_or_insert(error);
    }

    fn finish(&mut self) -> io::Result<()> {
        self.write_header(None);
        if self.error.is_none()
            && self.is_file
            && let Err(error) = self.file.sync_data()
        {
            self.fail(error);
        }
        match &self.error {
            Some(error) => Err(io::Error::new(error.kind(), error.to_string())),
            None => Ok(()),
        }
    }
}
