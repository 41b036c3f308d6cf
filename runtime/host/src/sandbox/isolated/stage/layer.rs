//! The layers of one command, which contain its changes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::super::owner_access;

/// The folder of the changes in a layer.
pub(super) const UPPER: &str = "upper";
/// The folder of a layer in which the kernel prepares changes.
pub(super) const WORK: &str = "work";

/// The layers of one command. Dropping this value removes the layers and the changes in them.
#[derive(Debug)]
pub(in super::super) struct CommandLayers {
    pub(super) folder: PathBuf,
    pub(in super::super) layers: Vec<OverlayLayer>,
}

/// The changes in one writable folder.
#[derive(Debug, Clone)]
pub(in super::super) struct OverlayLayer {
    pub(in super::super) root: PathBuf,
    pub(super) upper: PathBuf,
    /// The time at which the layer was created, by the clock of the file system: a file with a later change time was
    /// changed while the command ran.
    pub(super) started_at: FsTimestamp,
}

/// A point in time by the clock of the file system: seconds and nanoseconds.
pub(super) type FsTimestamp = (i64, i64);

impl CommandLayers {
    /// Moves the layers into a folder where they are kept, and returns their paths.
    pub(in super::super) fn move_to(&self, quarantine: &Path) -> io::Result<PathBuf> {
        let mut name = self.folder.file_name().unwrap_or_default().to_owned();
        name.push(".staged");
        let kept = quarantine.join(name);
        owner_access::create_folder(quarantine)?;
        for layer in &self.layers {
            // Its permissions would prevent the user from removing it.
            let _ = owner_access::remove_all(&layer.upper.with_file_name(WORK));
        }
        fs::rename(&self.folder, &kept)?;
        Ok(kept)
    }
}

impl Drop for CommandLayers {
    fn drop(&mut self) {
        let _ = owner_access::remove_all(&self.folder);
    }
}
