//! Landlock: which files a command may use, decided by the kernel for the process itself, whatever is mounted where.

use std::io;
use std::path::PathBuf;

use landlock::{
    ABI, Access as _, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};
use rustix::fs::FileType;

use crate::sandbox::Access;

/// Which folders are for what.
#[derive(Debug, Clone, Default)]
pub(super) struct LandlockFolders {
    /// They are read, and programs in them run.
    pub(super) readable: Vec<PathBuf>,
    /// Their devices are used; nothing is made there.
    pub(super) devices: Vec<PathBuf>,
    /// They are written whatever the access.
    pub(super) private: Vec<PathBuf>,
    /// Whether a mount keeps what only reads from a writable folder below a private one.
    pub(super) mounts_divide: bool,
    /// They are written with [`Access::Write`].
    pub(super) writable: Vec<PathBuf>,
}

/// The two sets of rules, held by descriptors that every command inherits and restricts itself with.
#[derive(Debug)]
pub(super) struct LandlockRules {
    pub(super) version: i32,
    /// What the rules were made from.
    pub(super) folders: LandlockFolders,
    read: RulesetCreated,
    write: RulesetCreated,
}

impl LandlockRules {
    /// Opens the folders and makes the rules. A folder that is not there gets none.
    pub(super) fn new(version: i32, folders: LandlockFolders) -> Result<Self, RulesetError> {
        Ok(Self {
            read: create_ruleset(version, &folders, Access::Read)?,
            write: create_ruleset(version, &folders, Access::Write)?,
            version,
            folders,
        })
    }

    /// Restricts this process for good.
    ///
    /// # Errors
    /// When not all of the rules are enforced.
    pub(super) fn restrict_self(&self, access: Access) -> io::Result<()> {
        let rules = match access {
            Access::Read => &self.read,
            Access::Write => &self.write,
        };
        let status = rules.try_clone()?.restrict_self();
        match status.map_err(io::Error::other)?.ruleset {
            RulesetStatus::FullyEnforced => Ok(()),
            RulesetStatus::PartiallyEnforced | RulesetStatus::NotEnforced => {
                Err(io::Error::other("Landlock does not enforce all rules"))
            }
        }
    }
}

fn create_ruleset(
    version: i32,
    folders: &LandlockFolders,
    access: Access,
) -> Result<RulesetCreated, RulesetError> {
    let abi = ABI::from(version);
    let read = AccessFs::from_read(abi);
    let all = AccessFs::from_all(abi);
    let write = all & !(AccessFs::MakeChar | AccessFs::MakeBlock | unix_sockets(abi));
    let devices = (read | AccessFs::WriteFile | AccessFs::IoctlDev) & all;
    // Nothing is left out silently: what the kernel cannot do is an error.
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(all)?;
    let scopes = Scope::from_all(abi);
    if !scopes.is_empty() {
        rules = rules.scope(scopes)?;
    }
    let mut rules = rules.create()?;
    rules = add(rules, &folders.readable, read, abi)?;
    rules = add(rules, &folders.devices, devices, abi)?;
    let may_write = access == Access::Write;
    let above = |path: &PathBuf| folders.writable.iter().any(|inner| inner.starts_with(path));
    let private = folders.private.iter();
    let private = private.filter(|path| may_write || folders.mounts_divide || !above(path));
    rules = add(rules, private, write, abi)?;
    add(
        rules,
        &folders.writable,
        if may_write { write } else { read },
        abi,
    )
}

/// Connecting to a socket in the file system: the system call filter denies it too.
fn unix_sockets(abi: ABI) -> BitFlags<AccessFs> {
    AccessFs::from_all(abi) & AccessFs::ResolveUnix
}

fn add<'a>(
    mut rules: RulesetCreated,
    folders: impl IntoIterator<Item = &'a PathBuf>,
    rights: BitFlags<AccessFs>,
    abi: ABI,
) -> Result<RulesetCreated, RulesetError> {
    for folder in folders {
        let Ok(opened) = PathFd::new(folder) else {
            continue;
        };
        let rights = if is_folder(&opened) {
            rights
        } else {
            rights & AccessFs::from_file(abi)
        };
        rules = rules.add_rule(PathBeneath::new(opened, rights))?;
    }
    Ok(rules)
}

fn is_folder(opened: &PathFd) -> bool {
    rustix::fs::fstat(opened).is_ok_and(|found| FileType::from_raw_mode(found.st_mode).is_dir())
}
