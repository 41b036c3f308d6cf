//! The folders as they would be with the changes of a command, for one process that looks at them.

use std::fs;
use std::io;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::super::owner_access::{open_folder, proc_fd_path};
use super::super::{identity, mount, os, wire};
use super::layer::OverlayLayer;

/// How long a look at the folders may take.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Runs `work` in a process of its own, in which each folder shows its changes; nothing can be written there.
///
/// # Errors
/// When the folders cannot be shown so, or `work` does not end in time.
pub(in super::super) fn with_merged_view<T: Serialize + DeserializeOwned>(
    layers: &[OverlayLayer],
    work: impl FnOnce() -> T,
) -> io::Result<T> {
    // Root sees files of all users only in its own namespace; another user may mount only in a new one.
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

/// Mounts each layer over its folder, where only this process sees it.
fn mount_overlays(layers: &[OverlayLayer]) -> io::Result<()> {
    mount::make_private()?;
    // One folder may be inside another, and is opened before that is hidden.
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
