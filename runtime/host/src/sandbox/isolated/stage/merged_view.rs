//! A view of the folders with the changes of a command applied, for one process.

use std::fs;
use std::io;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::super::owner_access::{open_folder, proc_fd_path};
use super::super::{identity, mount, os, wire};
use super::layer::OverlayLayer;

/// The time limit of a process that inspects the folders.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Runs `work` in a separate process, in which each folder shows its changes, read-only.
///
/// # Errors
/// Fails if the overlays cannot be mounted, or if `work` does not end in time.
pub(in super::super) fn with_merged_view<T: Serialize + DeserializeOwned>(
    layers: &[OverlayLayer],
    work: impl FnOnce() -> T,
) -> io::Result<T> {
    // Root can access the files of all users only in its own namespace; another user may mount only in a new namespace.
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    let ids = (!user.is_root()).then(|| (user.as_raw(), group.as_raw()));
    let new_user = ids.map_or(0, |_| libc::CLONE_NEWUSER);
    let fork = || os::clone_into(new_user | libc::CLONE_NEWNS);
    let answer = wire::call_in_child(fork, Some(TIMEOUT), || {
        if let Some((user, group)) = ids {
            fs::write("/proc/self/setgroups", "deny")?;
            identity::map_ids("self", (user, user), (group, group))?;
        }
        mount_overlays(layers)?;
        Ok((work(), Vec::new()))
    });
    answer.map(|(done, _)| done)
}

/// Mounts each layer over its folder, visible to this process only.
fn mount_overlays(layers: &[OverlayLayer]) -> io::Result<()> {
    mount::make_private()?;
    // One folder may be inside another, and is opened before the outer overlay hides it.
    let opened = layers
        .iter()
        .map(|layer| Ok((open_folder(&layer.upper)?, open_folder(&layer.root)?)))
        .collect::<io::Result<Vec<_>>>()?;
    for (layer, (upper, lower)) in layers.iter().zip(opened) {
        let both = [&upper, &lower].map(proc_fd_path).join(":");
        let merged = mount::overlay(&[("lowerdir", &both)])?;
        mount::attach(merged, open_folder(&layer.root)?)?;
    }
    Ok(())
}
