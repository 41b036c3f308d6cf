//! Landlock: restricts the files that a command may use. The kernel checks the process itself, independent of mounts.

use std::io;
use std::path::PathBuf;

use landlock::{
    ABI, Access as _, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};
use rustix::fs::FileType;

use crate::sandbox::Access;

/// The folders of the rules, by permission.
#[derive(Debug, Clone, Default)]
pub(super) struct LandlockFolders {
    /// Folders that may be read and whose programs may be executed.
    pub(super) readable: Vec<PathBuf>,
    /// Folders whose devices may be used; nothing may be created in them.
    pub(super) devices: Vec<PathBuf>,
    /// Folders that may be written whatever the access of the command.
    pub(super) private: Vec<PathBuf>,
    /// Whether a read-only mount protects a writable folder below a private folder from commands that only read.
    pub(super) mounts_divide: bool,
    /// Folders that may be written with [`Access::Write`].
    pub(super) writable: Vec<PathBuf>,
}

/// The two rule sets, held by descriptors. Every command inherits the descriptors and restricts itself with one of the
/// rule sets.
#[derive(Debug)]
pub(super) struct LandlockRules {
    pub(super) version: i32,
    /// The folders that the rules were made from.
    pub(super) folders: LandlockFolders,
    read: RulesetCreated,
    write: RulesetCreated,
}

impl LandlockRules {
    /// Opens the folders and creates the rules. A folder that does not exist gets no rule.
    pub(super) fn new(version: i32, folders: LandlockFolders) -> Result<Self, RulesetError> {
        Ok(Self {
            read: create_ruleset(version, &folders, Access::Read)?,
            write: create_ruleset(version, &folders, Access::Write)?,
            version,
            folders,
        })
    }

    /// Restricts this process; the restriction cannot be undone.
    ///
    /// # Errors
    /// Fails if the kernel does not enforce all of the rules.
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
    // No rule is dropped silently: a rule that the kernel does not support is an error.
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

/// Returns the right to connect to a socket in the file system, which the system call filter also denies.
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
