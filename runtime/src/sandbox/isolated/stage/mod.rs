//! Staging: what a command changes is kept apart from the folders, and applied to them after it was judged.
//!
//! Each writable folder gets an overlay of its own for each command. The layer that holds the changes is a folder outside of
//! the sandbox. When nothing of the command runs any more, its changes are listed, compared with changes from
//! outside, judged by the rules for protected paths, and applied, or removed.

mod apply;
mod changes;
mod conflicts;
mod merged;

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Protection, access};
pub(super) use apply::{Unapplied, apply};
pub(super) use changes::{Change, ChangeKind};
pub(super) use conflicts::conflict;
pub(super) use merged::in_merged;

/// The mount point of the layers of all commands, unmounted before a command starts.
pub(super) const INSIDE: &str = "/run/staged";
/// The folder of changes in a layer, and the one that the kernel prepares them in.
const UPPER: &str = "upper";
const WORK: &str = "work";
/// The number of the layer that is only tried out.
pub(super) const TRIAL: usize = 0;

/// The layers of a sandbox whose commands are staged.
#[derive(Debug)]
pub(super) struct Staging {
    folder: PathBuf,
    /// The writable folders; those inside others come after them.
    roots: Vec<PathBuf>,
}

/// The layers of one command. They are removed when this is dropped, and the changes in them.
#[derive(Debug)]
pub(super) struct Stage {
    folder: PathBuf,
    pub(super) layers: Vec<Layer>,
}

/// The changes in one writable folder.
#[derive(Debug, Clone)]
pub(super) struct Layer {
    pub(super) root: PathBuf,
    upper: PathBuf,
    /// When the layer was made, by the clock of file systems: what has changed since was changed while the command ran.
    begun: Moment,
}

/// A moment, by the clock of file systems: seconds and nanoseconds.
type Moment = (i64, i64);

/// What is mounted for a command before it starts.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct StageOrder {
    /// The folder of its layers below [`INSIDE`].
    pub(super) name: String,
    pub(super) roots: Vec<PathBuf>,
    /// What is covered in the overlays.
    pub(super) plan: Protection,
}

impl Staging {
    /// Makes the folder for the layers of a sandbox.
    pub(super) fn create(folder: &Path, mut roots: Vec<PathBuf>) -> io::Result<Self> {
        roots.sort();
        roots.dedup();
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)?;
        make_layer(folder, TRIAL)?;
        Ok(Self {
            folder: folder.to_owned(),
            roots,
        })
    }

    /// Makes the layers of a command.
    pub(super) fn stage(&self, name: &str) -> io::Result<Stage> {
        let folder = self.folder.join(name);
        // Of a command by that name that never started.
        let _ = access::remove_all(&folder);
        let layers = self.roots.iter().enumerate().map(|(number, root)| {
            let [upper, _] = make_layer(&folder, number)?;
            // The overlay has the permissions of its upper layer.
            fs::set_permissions(&upper, fs::metadata(root)?.permissions())?;
            let made = fs::metadata(&upper)?;
            Ok(Layer {
                root: root.clone(),
                upper,
                begun: (made.ctime(), made.ctime_nsec()),
            })
        });
        let layers = layers.collect::<io::Result<_>>();
        // What was made of it goes where the rest fails.
        let mut stage = Stage {
            folder: folder.clone(),
            layers: Vec::new(),
        };
        stage.layers = layers?;
        Ok(stage)
    }

    /// Tells what to mount for the command of that name.
    pub(super) fn order(&self, name: &str, plan: Protection) -> StageOrder {
        StageOrder {
            name: name.to_owned(),
            roots: self.roots.clone(),
            plan,
        }
    }

    /// Removes all layers.
    pub(super) fn remove(&self) {
        let _ = access::remove_all(&self.folder);
    }
}

impl Stage {
    /// Moves the layers into a folder where they stay, and returns where they are.
    pub(super) fn keep(&self, quarantine: &Path) -> io::Result<PathBuf> {
        let mut name = self.folder.file_name().unwrap_or_default().to_owned();
        name.push(".staged");
        let kept = quarantine.join(name);
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(quarantine)?;
        for layer in &self.layers {
            // Its permissions would keep the user from removing it.
            let _ = access::remove_all(&layer.upper.with_file_name(WORK));
        }
        fs::rename(&self.folder, &kept)?;
        Ok(kept)
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = access::remove_all(&self.folder);
    }
}

impl Layer {
    /// Lists what changed, a folder before what is in it.
    pub(super) fn changes(&self) -> io::Result<Vec<Change>> {
        changes::list(&self.upper)
    }
}

/// Returns the two folders of a layer below the folder of a command's layers: of the changes, and of the kernel's work.
pub(super) fn parts(folder: &Path, number: usize) -> [PathBuf; 2] {
    let layer = folder.join(number.to_string());
    [UPPER, WORK].map(|part| layer.join(part))
}

fn make_layer(folder: &Path, number: usize) -> io::Result<[PathBuf; 2]> {
    let parts = parts(folder, number);
    for part in &parts {
        DirBuilder::new().recursive(true).mode(0o700).create(part)?;
    }
    Ok(parts)
}
