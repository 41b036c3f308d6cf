//! A history of the files of a session: what its tools and commands changed, and the contents before, so that the files
//! can be put back to an earlier time.
//!
//! A history is a folder that only its owner can read. The `log` has one line for each change, and `contents` the
//! contents of files, found by their digest. The state of a file before a tool changes it is on the disk before the
//! change is made. A [`FileTracker`] records the changes: its files and its sandbox are given to the tools.
//!
//! What a command changes is found by comparing the folders before and after it. The contents before are known for up
//! to 2,000 files of 50 MB together, each up to 5 MB; of other files it is known that they changed, and never guessed
//! what they were. `.git`, `node_modules`, virtual environments and folders with a `CACHEDIR.TAG` are not compared.
//!
//! ```
//! # use helve_host::file_history::FileHistory;
//! # use helve_host::sandbox::LocalFs;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let (state, project) = (tempfile::tempdir()?, tempfile::tempdir()?);
//! let history = FileHistory::open(state.path(), LocalFs::new(project.path())?)?;
//! assert_eq!(history.position(), 0);
//! # Ok(())
//! # }
//! ```

mod contents;
mod history;
mod log;
mod plan;
mod restore;
mod snapshot;
mod state;
mod tracked_files;
mod tracked_sandbox;
mod tracker;

pub use history::FileHistory;
pub use log::ChangeSource;
pub use plan::{RewindPlan, RewindRow, RowStatus};
pub use restore::RewindReport;
pub use state::EntryState;
pub use tracker::FileTracker;
