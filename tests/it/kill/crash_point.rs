//! The places where a program can die, and the one at which it does.

use std::fmt;
use std::fs::File;
use std::io;
use std::path::Path;
use std::str::FromStr;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::process::{Resource, Rlimit, Signal, getpid, getrlimit, kill_process, setrlimit};

/// Where a program dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CrashPoint {
    /// Between two events of a reply.
    Streaming,
    /// When it is written down that a call runs, and its tool has not begun.
    BeforeTool,
    /// In a tool: before it did what it does, or after.
    InTool,
    /// When a tool is done: before that is written down, or after.
    AfterTool,
    /// Between the first byte of a journal line and the last.
    Writing,
}

impl CrashPoint {
    pub(crate) const ALL: [Self; 5] = [
        Self::Streaming,
        Self::BeforeTool,
        Self::InTool,
        Self::AfterTool,
        Self::Writing,
    ];

    /// Says how often a session of twenty turns passes the place, about.
    pub(crate) fn passes_per_session(self) -> u64 {
        match self {
            Self::Streaming => 360,
            Self::BeforeTool => 100,
            Self::InTool | Self::AfterTool => 200,
            Self::Writing => 450,
        }
    }
}

impl fmt::Display for CrashPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Streaming => "streaming",
            Self::BeforeTool => "before a tool",
            Self::InTool => "in a tool",
            Self::AfterTool => "after a tool",
            Self::Writing => "writing",
        })
    }
}

/// How a program is to die: at which passing of which place, and how much of a line is written by then.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CrashPlan {
    pub(crate) place: CrashPoint,
    pub(crate) passing: u32,
    /// Of the line that is being written, in hundredths.
    pub(crate) written: u64,
}

impl fmt::Display for CrashPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.place as usize;
        write!(f, "{place}:{}:{}", self.passing, self.written)
    }
}

impl FromStr for CrashPlan {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Option<Vec<u32>> = text.split(':').map(|part| part.parse().ok()).collect();
        let death = parts.as_deref().and_then(|parts| match parts {
            [place, passing, written] => Some(Self {
                place: *CrashPoint::ALL.get(*place as usize)?,
                passing: *passing,
                written: (*written).into(),
            }),
            _ => None,
        });
        death.ok_or_else(|| format!("`{text}` is no way to die"))
    }
}

/// Kills the program when it passes its place as often as it may.
#[derive(Debug)]
pub(crate) struct CrashInjector {
    death: Option<CrashPlan>,
    passed: AtomicU32,
}

impl CrashInjector {
    pub(crate) fn new(death: Option<CrashPlan>) -> Self {
        Self {
            death,
            passed: AtomicU32::new(0),
        }
    }

    /// Passes a place, or never comes back.
    pub(crate) fn pass(&self, place: CrashPoint) {
        if self.due(place).is_some() {
            kill_self();
        }
    }

    /// Passes the place of writing so many bytes behind a file: the kernel takes a part of them and ends the program when
    /// it wants to write the rest, as it may between any two writes.
    pub(crate) fn pass_writing(&self, file: &Path, bytes: u64) -> io::Result<()> {
        let Some(death) = self.due(CrashPoint::Writing) else {
            return Ok(());
        };
        let part = (bytes * death.written / 100).clamp(1, bytes - 1);
        let most = File::open(file)?.metadata()?.len() + part;
        limit(Resource::Core, 0)?;
        limit(Resource::Fsize, most)
    }

    fn due(&self, place: CrashPoint) -> Option<CrashPlan> {
        let death = self.death.filter(|death| death.place == place)?;
        let passed = self.passed.fetch_add(1, Ordering::Relaxed) + 1;
        (passed == death.passing).then_some(death)
    }
}

fn limit(resource: Resource, most: u64) -> io::Result<()> {
    let maximum = getrlimit(resource).maximum;
    let current = Some(most);
    Ok(setrlimit(resource, Rlimit { current, maximum })?)
}

/// Dies at once: nothing is dropped, nothing is flushed.
fn kill_self() -> ! {
    let _ = kill_process(getpid(), Signal::KILL);
    loop {
        std::thread::park();
    }
}
