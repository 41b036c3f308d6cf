//! Staging: the changes of a command are stored outside of the folders, and applied to them after a check.
//!
//! Each command has its own overlay over each writable folder. The layer that contains the changes is a folder outside
//! of the sandbox. When no process of the command runs any more, its changes are listed, compared with changes from
//! outside, checked by the rules for protected paths, and applied or removed.

mod apply;
mod changes;
mod conflicts;
mod layer;
mod merged_view;

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use self::layer::{UPPER, WORK};
use super::owner_access;
pub(super) use apply::{ApplyError, apply};
pub(super) use changes::{StagedChange, list_changes};
pub(super) use conflicts::find_conflict;
pub(super) use layer::{CommandLayers, OverlayLayer};
pub(super) use merged_view::with_merged_view;

/// The mount point of the layers of all commands, unmounted before a command starts.
pub(super) const INSIDE: &str = "/run/staged";
/// The number of the layer that is used to test staging.
pub(super) const TRIAL_LAYER: usize = 0;

/// The layers of a sandbox whose commands are staged.
#[derive(Debug)]
pub(super) struct Staging {
    folder: PathBuf,
    /// The writable folders; parents before children.
    pub(super) roots: Vec<PathBuf>,
}

impl Staging {
    /// Creates the folder for the layers of a sandbox.
    pub(super) fn create(folder: &Path, mut roots: Vec<PathBuf>) -> io::Result<Self> {
        roots.sort();
        roots.dedup();
        owner_access::create_folder(folder)?;
        make_layer(folder, TRIAL_LAYER)?;
        Ok(Self {
            folder: folder.to_owned(),
            roots,
        })
    }

    /// Creates the layers of a command.
    pub(super) fn stage(&self, name: &str) -> io::Result<CommandLayers> {
        let folder = self.folder.join(name);
        // Layers may be left of a command with that name that never started.
        let _ = owner_access::remove_all(&folder);
        let layers = self.roots.iter().enumerate().map(|(number, root)| {
            let [upper, _] = make_layer(&folder, number)?;
            // The permissions of the overlay are those of its upper layer.
            fs::set_permissions(&upper, fs::metadata(root)?.permissions())?;
            let made = fs::metadata(&upper)?;
            Ok(OverlayLayer {
                root: root.clone(),
                upper,
                started_at: (made.ctime(), made.ctime_nsec()),
            })
        });
        let layers = layers.collect::<io::Result<_>>();
        if layers.is_err() {
            let _ = owner_access::remove_all(&folder);
        }
        Ok(CommandLayers {
            layers: layers?,
            folder,
        })
    }

    /// Removes all layers.
    pub(super) fn remove(&self) {
        let _ = owner_access::remove_all(&self.folder);
    }
}

/// Returns the two folders of a layer below the folder of a command's layers: the changes, and the work folder of the
/// kernel.
pub(super) fn parts(folder: &Path, number: usize) -> [PathBuf; 2] {
    let layer = folder.join(number.to_string());
    [UPPER, WORK].map(|part| layer.join(part))
}

fn make_layer(folder: &Path, number: usize) -> io::Result<[PathBuf; 2]> {
    let parts = parts(folder, number);
    parts
        .iter()
        .try_for_each(|part| owner_access::create_folder(part))?;
    Ok(parts)
}
