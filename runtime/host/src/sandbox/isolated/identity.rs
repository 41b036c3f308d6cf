//! The user and group IDs of a command, inside and outside of the sandbox.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::process::Pid;

use super::os::{self, ForkResult};

/// The IDs of a command, inside and outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    pub(super) user: u32,
    pub(super) group: u32,
    /// The IDs outside of the sandbox.
    pub(super) outer_user: u32,
    pub(super) outer_group: u32,
    pub(super) kind: IdentityKind,
}

/// The origin of the IDs outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IdentityKind {
    /// The IDs of the user who runs the app.
    Own,
    /// IDs that are used for nothing else, for an app that runs as root. Files are accessible to them through ID-mapped
    /// mounts.
    Dedicated,
    /// The IDs of root, without its capabilities, if the file system does not support ID-mapped mounts.
    Root,
}

/// The ID inside of a user who is root outside.
const INNER_ID: u32 = 1000;
/// The first of the IDs that are assigned to nothing on a usual machine: above those of containers, below the largest
/// signed number.
const DEDICATED_ID: u32 = 1_900_000_000;

impl Identity {
    /// Chooses the identity of commands by the user who runs the app, and by the ID-mapping support of the folders'
    /// file systems.
    pub(super) fn choose(translates: impl FnOnce(u32) -> bool) -> Self {
        if !rustix::process::geteuid().is_root() {
            let own = Self::current();
            return Self {
                group: if own.group == 0 { INNER_ID } else { own.group },
                kind: IdentityKind::Own,
                ..own
            };
        }
        let dedicated = DEDICATED_ID + std::process::id() % 0x0100_0000;
        let (outer, kind) = if translates(dedicated) {
            (dedicated, IdentityKind::Dedicated)
        } else {
            (0, IdentityKind::Root)
        };
        Self {
            user: INNER_ID,
            group: INNER_ID,
            outer_user: outer,
            outer_group: outer,
            kind,
        }
    }

    /// Returns the identity of this process, for commands that keep it.
    pub(super) fn current() -> Self {
        let user = rustix::process::geteuid().as_raw();
        let group = rustix::process::getegid().as_raw();
        Self {
            user,
            group,
            outer_user: user,
            outer_group: group,
            kind: IdentityKind::Root,
        }
    }

    /// Maps the IDs of a process in a new user namespace; the parent of the process calls this.
    pub(super) fn map(&self, process: Pid) -> io::Result<()> {
        let process = process.to_string();
        if self.kind == IdentityKind::Own {
            fs::write(format!("/proc/{process}/setgroups"), "deny")?;
        }
        let users = (self.user, self.outer_user);
        map_ids(&process, users, (self.group, self.outer_group))
    }

    /// Assumes the identity in the process that was mapped. Its capabilities inside are kept.
    pub(super) fn assume(&self) -> io::Result<()> {
        if self.kind == IdentityKind::Own {
            return Ok(());
        }
        let user = rustix::process::Uid::from_raw(self.user);
        let group = rustix::process::Gid::from_raw(self.group);
        rustix::thread::set_keep_capabilities(true)?;
        rustix::thread::set_thread_groups(&[])?;
        rustix::thread::set_thread_res_gid(group, group, group)?;
        rustix::thread::set_thread_res_uid(user, user, user)?;
        // The kernel cleared the effective capabilities if all IDs were those of root.
        let mut sets = rustix::thread::capabilities(None)?;
        sets.effective = sets.permitted;
        rustix::thread::set_capabilities(None, sets)?;
        Ok(())
    }
}

/// Maps one user and one group of a process in a new user namespace, each as a pair of the inner and the outer ID.
pub(super) fn map_ids(process: &str, users: (u32, u32), groups: (u32, u32)) -> io::Result<()> {
    for (file, (inner, outer)) in [("uid_map", users), ("gid_map", groups)] {
        fs::write(
            format!("/proc/{process}/{file}"),
            format!("{inner} {outer} 1"),
        )?;
    }
    Ok(())
}

/// Returns the owner of a folder.
pub(super) fn owner(folder: &Path) -> io::Result<(u32, u32)> {
    let found = fs::metadata(folder)?;
    Ok((found.uid(), found.gid()))
}

/// The user namespaces that map the owners of files to one ID; folders with the same owner share a namespace.
#[derive(Debug)]
pub(super) struct IdMappings {
    to: u32,
    namespaces: BTreeMap<(u32, u32), OwnedFd>,
    /// The processes that held the namespaces when they were created. They end by themselves, without being waited for.
    helpers: Vec<Pid>,
}

impl IdMappings {
    /// Creates mappings to an ID.
    pub(super) fn new(id: u32) -> Self {
        Self {
            to: id,
            namespaces: BTreeMap::new(),
            helpers: Vec::new(),
        }
    }

    /// Returns the namespace for files of an owner, which is created at the first call.
    pub(super) fn namespace_for(&mut self, owner: (u32, u32)) -> io::Result<&OwnedFd> {
        match self.namespaces.entry(owner) {
            Entry::Occupied(made) => Ok(made.into_mut()),
            Entry::Vacant(place) => {
                let (hold, held) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
                let helper = match os::clone_into(libc::CLONE_NEWUSER)? {
                    ForkResult::Parent(helper) => helper,
                    // The child keeps the namespace alive until the namespace is open.
                    ForkResult::Child => {
                        drop(held);
                        let _ = rustix::io::read(&hold, &mut [0; 1][..]);
                        std::process::exit(0);
                    }
                };
                self.helpers.push(helper);
                let (helper, (user, group)) = (helper.to_string(), owner);
                map_ids(&helper, (user, self.to), (group, self.to))?;
                let namespace = fs::File::open(format!("/proc/{helper}/ns/user"))?;
                Ok(place.insert(namespace.into()))
            }
        }
    }
}

impl Drop for IdMappings {
    fn drop(&mut self) {
        for maker in &self.helpers {
            let _ = rustix::process::waitpid(Some(*maker), rustix::process::WaitOptions::empty());
        }
    }
}
