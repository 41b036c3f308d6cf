//! The folders as they would be with the changes of a command, for one process that looks at them.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::mount::MountPropagationFlags;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::super::os::{self, ForkResult};
use super::super::{mount, owner_access, wire};
use super::changes::open_root;
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
    let (socket, theirs) = UnixStream::pair()?;
    let socket = OwnedFd::from(socket);
    // Root sees files of all users only in its own namespace; another user may mount only in a new one.
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    let ids = (!user.is_root()).then(|| (user.as_raw(), group.as_raw()));
    let new_user = ids.map_or(0, |_| libc::CLONE_NEWUSER);
    let child = match os::clone_into(new_user | libc::CLONE_NEWNS)? {
        ForkResult::Child => {
            let shown = ids
                .map_or(Ok(()), map_own_ids)
                .and_then(|()| mount_overlays(layers));
            let shown = shown.map(|()| work()).map_err(|error| error.to_string());
            let sent = wire::send(&theirs, &shown, &[]);
            std::process::exit(i32::from(sent.is_err()))
        }
        ForkResult::Parent(child) => child,
    };
    drop(theirs);
    set_socket_timeout(&socket, Timeout::Recv, Some(TIMEOUT))?;
    let answer = wire::receive::<Result<T, String>>(&socket);
    end(child);
    match answer? {
        Some((done, _)) => done.map_err(io::Error::other),
        None => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

fn end(child: Pid) {
    let _ = kill_process(child, Signal::KILL);
    let _ = waitpid(Some(child), WaitOptions::empty());
}

/// Mounts each layer over its folder, where only this process sees it.
fn mount_overlays(layers: &[OverlayLayer]) -> io::Result<()> {
    let apart = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    rustix::mount::mount_change("/", apart)?;
    // One folder may be inside another, and is opened before that is hidden.
    let opened = layers
        .iter()
        .map(|layer| Ok((open_root(&layer.upper)?, open_root(&layer.root)?)))
        .collect::<io::Result<Vec<_>>>()?;
    for (layer, (upper, lower)) in layers.iter().zip(opened) {
        let both = [&upper, &lower].map(owner_access::proc_fd_path).join(":");
        let merged = mount::overlay(&[("lowerdir", &both)])?;
        mount::attach(merged, open_root(&layer.root)?)?;
    }
    Ok(())
}

/// Gives this process, in its new user namespace, the ids that it had.
fn map_own_ids((user, group): (u32, u32)) -> io::Result<()> {
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}
