//! The confinement that a command applies to its own process, just before its program starts.

mod cgroup;
mod environment;
mod landlock;
mod limits;
mod seccomp;
#[cfg(test)]
mod tests;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use seccompiler::{BackendError, BpfProgram};

pub(crate) use cgroup::Cgroup;
pub(crate) use environment::{environment, private_folders, search_path};
pub(crate) use limits::limit_of_signal;

use self::landlock::{LandlockFolders, LandlockRules};
use self::seccomp::OuterIsolation;
use super::probe::Primitive;
use super::{Mechanism, Support};
use crate::sandbox::{Access, Gap, Layer, Limits, NetworkAccess, SandboxError, SandboxPolicy};
use crate::support::{capabilities, descriptors};

/// The rules that every command applies to itself. They are prepared once for a sandbox: after the root is built,
/// before the first command.
#[derive(Debug, Clone)]
pub(crate) struct Confinement {
    /// `None` if missing Landlock is accepted.
    landlock: Option<Arc<LandlockRules>>,
    /// `None` if a missing system call filter is accepted.
    filter: Option<Arc<BpfProgram>>,
    /// The additional filter of a command with a closed network. `None` if `filter` is `None`.
    no_connections: Option<Arc<BpfProgram>>,
    /// The number of processes of the same user that do not belong to the sandbox, but that the kernel counts with
    /// them.
    neighbours: u64,
    /// False if inherited descriptors are accepted.
    marks_ranges: bool,
    /// False if an unlimited number of processes is accepted.
    sets_limits: bool,
}

impl Confinement {
    /// Prepares the rules. `private` contains the folders that belong to the sandbox alone (`/tmp`, `/dev/shm`, the
    /// home): every command may write there, whatever its access.
    ///
    /// # Errors
    /// Fails if a layer is not available and was not accepted as missing.
    pub(crate) fn prepare(
        policy: &SandboxPolicy,
        support: &Support,
        private: &[PathBuf],
    ) -> Result<Self, SandboxError> {
        let mechanism = support.choose(policy)?;
        let around = match mechanism {
            Mechanism::Namespaces | Mechanism::Bubblewrap { .. } => OuterIsolation::Namespaces,
            Mechanism::Reduced => OuterIsolation::None,
        };
        let divides = matches!(mechanism, Mechanism::Namespaces);
        let landlock = match support.landlock() {
            // `choose` has checked that the missing layer is accepted.
            Err(_) => None,
            Ok(version) => {
                let folders = folders(policy, around, divides, private);
                Some(create_landlock(version, folders)?)
            }
        };
        let (filter, no_connections) = if support.has(Primitive::Seccomp) {
            let missing = |error: BackendError| {
                missing(Layer::SystemCalls, error.to_string(), ARCHITECTURE_HINT)
            };
            let filter = seccomp::filter(around, policy.limits.memory).map_err(missing)?;
            let no_connections = seccomp::deny_connections().map_err(missing)?;
            (Some(Arc::new(filter)), Some(Arc::new(no_connections)))
        } else {
            (None, None)
        };
        let neighbours = match around {
            OuterIsolation::Namespaces => 0,
            OuterIsolation::None => limits::threads_of_this_user(),
        };
        Ok(Self {
            landlock,
            filter,
            no_connections,
            neighbours,
            marks_ranges: support.has(Primitive::CloseRange),
            sets_limits: support.has(Primitive::Limits),
        })
    }

    /// Returns the same rules for the current mounts of this process: Landlock identifies files by the mount that
    /// contains them.
    pub(crate) fn for_current_mounts(&self) -> Result<Self, SandboxError> {
        let landlock = self.landlock.as_ref();
        let anew = landlock.map(|had| create_landlock(had.version, had.folders.clone()));
        Ok(Self {
            landlock: anew.transpose()?,
            ..self.clone()
        })
    }

    /// Applies the part of the confinement that is the same for every command. The permissions that
    /// [`finish`](Self::finish) needs are kept until then.
    ///
    /// # Errors
    /// Fails if a step failed; the process must then end without running anything.
    pub(crate) fn begin(&self) -> io::Result<()> {
        capabilities::drop_all().map_err(at("capabilities"))?;
        // The filter takes longer to enter than all other steps together, and denies no system call that they need.
        self.filter.as_deref().map_or(Ok(()), enter)
    }

    /// Applies the rest of the confinement, after [`begin`](Self::begin); the next step is `execve`. `execve` closes
    /// the descriptors from 3 on, so a failure can still be reported through one of them.
    ///
    /// # Errors
    /// Fails if a step failed; the process must then end without running anything.
    pub(crate) fn finish(
        &self,
        access: Access,
        network: NetworkAccess,
        limits: &Limits,
    ) -> io::Result<()> {
        if self.sets_limits {
            limits::apply(limits, self.neighbours).map_err(at("limits"))?;
        }
        if let Some(landlock) = &self.landlock {
            landlock.restrict_self(access).map_err(at("Landlock"))?;
        }
        if let Some(program) = &self.no_connections
            && network == NetworkAccess::Closed
        {
            enter(program)?;
        }
        if self.marks_ranges {
            descriptors::close_on_exec().map_err(at("descriptors"))?;
        }
        Ok(())
    }
}

fn create_landlock(
    version: i32,
    folders: LandlockFolders,
) -> Result<Arc<LandlockRules>, SandboxError> {
    LandlockRules::new(version, folders)
        .map(Arc::new)
        .map_err(|error| missing(Layer::Landlock, error.to_string(), LANDLOCK_HINT))
}

fn enter(program: &BpfProgram) -> io::Result<()> {
    seccompiler::apply_filter(program)
        .map_err(io::Error::other)
        .map_err(at("the system call filter"))
}

const LANDLOCK_HINT: &str = "use a kernel with Landlock enabled (`lsm=landlock,…`)";
const ARCHITECTURE_HINT: &str = "use a machine with x86_64 or aarch64";

fn missing(layer: Layer, why: String, mend: &str) -> SandboxError {
    SandboxError::Isolation {
        missing: vec![Gap::new(layer, why, mend)],
    }
}

fn at(step: &'static str) -> impl Fn(io::Error) -> io::Error {
    move |error| io::Error::new(error.kind(), format!("{step}: {error}"))
}

/// Returns the folders of the Landlock rules. The root of a sandbox with a mount namespace contains no file that must
/// not be read, so Landlock only denies reading outside of that root, and writing outside of these folders.
fn folders(
    policy: &SandboxPolicy,
    around: OuterIsolation,
    mounts_divide: bool,
    private: &[PathBuf],
) -> LandlockFolders {
    let owned = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<Vec<_>>();
    let (readable, devices) = match around {
        OuterIsolation::Namespaces => (owned(&["/"]), owned(&["/dev"])),
        OuterIsolation::None => {
            let readable = [owned(SYSTEM), policy.readable.clone()].concat();
            (readable, owned(DEVICES))
        }
    };
    LandlockFolders {
        readable,
        devices,
        private: private.to_vec(),
        mounts_divide,
        writable: policy.roots().cloned().collect(),
    }
}

/// The system folders that programs need, if no mount namespace hides the rest of the system.
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/opt",
    "/nix",
    "/proc",
    "/etc/alternatives",
    "/etc/bash.bashrc",
    "/etc/ca-certificates",
    "/etc/default",
    "/etc/gitconfig",
    "/etc/group",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/inputrc",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/locale.alias",
    "/etc/localtime",
    "/etc/magic",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/pki",
    "/etc/profile",
    "/etc/profile.d",
    "/etc/resolv.conf",
    "/etc/ssl",
    "/etc/terminfo",
    "/etc/timezone",
];

const DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/pts",
    "/dev/ptmx",
];
