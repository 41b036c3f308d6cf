//! The reason why a primitive is not available, and its fix.

use std::fs;

use serde::{Deserialize, Serialize};

use super::Primitive;

/// An obstacle, described for the administrator of the machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Obstacle {
    pub(crate) why: String,
    pub(crate) mend: String,
}

impl Obstacle {
    pub(super) fn new(why: impl Into<String>, mend: impl Into<String>) -> Self {
        Self {
            why: why.into(),
            mend: mend.into(),
        }
    }

    /// Explains why a primitive failed with an error, by the settings of this machine.
    pub(super) fn explain(primitive: Primitive, error: i32) -> Self {
        let setting = |path: &str| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
        let settings = KernelSettings {
            user_namespaces: setting("/proc/sys/user/max_user_namespaces"),
            unprivileged: setting("/proc/sys/kernel/unprivileged_userns_clone"),
            app_armor: setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns"),
            root: rustix::process::geteuid().is_root(),
        };
        let told = std::io::Error::from_raw_os_error(error);
        let why = format!("{} is not available ({told})", primitive.describe());
        Self::new(why, hint(primitive, error, &settings))
    }
}

/// The kernel settings that control user namespaces; `None` if this kernel has no such setting.
struct KernelSettings {
    user_namespaces: Option<u64>,
    unprivileged: Option<u64>,
    app_armor: Option<u64>,
    root: bool,
}

fn hint(primitive: Primitive, error: i32, settings: &KernelSettings) -> &'static str {
    let is_unknown = matches!(error, libc::EINVAL | libc::ENOSYS);
    match primitive {
        Primitive::Landlock => landlock(error),
        Primitive::Seccomp if is_unknown => "use a kernel with CONFIG_SECCOMP_FILTER",
        Primitive::CloseRange if is_unknown => "use Linux 5.11 or newer",
        Primitive::Seccomp
        | Primitive::CloseRange
        | Primitive::Capabilities
        | Primitive::Limits => CONTAINER,
        Primitive::Proc if error == libc::EPERM => {
            "the container hides parts of /proc: run it with \
             `--security-opt systempaths=unconfined` (Docker) or `--security-opt unmask=ALL` (podman)"
        }
        Primitive::MountAttributes if error == libc::ENOSYS => "use Linux 5.12 or newer",
        _ => namespaces(error, settings),
    }
}

const CONTAINER: &str = "a system call filter around this program forbids it: run the container with \
                         `--security-opt seccomp=unconfined`, or with a profile that allows it";

fn landlock(error: i32) -> &'static str {
    match error {
        libc::ENOSYS => "use Linux 5.13 or newer, built with CONFIG_SECURITY_LANDLOCK",
        libc::EOPNOTSUPP => {
            "add `landlock` to the kernel's `lsm=` parameter (see /sys/kernel/security/lsm) and restart"
        }
        _ => CONTAINER,
    }
}

fn namespaces(error: i32, settings: &KernelSettings) -> &'static str {
    let denied = matches!(error, libc::EPERM | libc::EACCES) && !settings.root;
    match error {
        _ if settings.user_namespaces == Some(0) => {
            "run `sysctl -w user.max_user_namespaces=15000`"
        }
        _ if denied && settings.unprivileged == Some(0) => {
            "run `sysctl -w kernel.unprivileged_userns_clone=1`"
        }
        _ if denied && settings.app_armor == Some(1) => {
            "give this program an AppArmor profile with `userns,`, or run \
             `sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`"
        }
        libc::ENOSPC => {
            "raise the limits below /proc/sys/user (`sysctl -w user.max_user_namespaces=15000` and the like)"
        }
        libc::EINVAL | libc::ENOSYS => {
            "use a kernel with CONFIG_USER_NS, CONFIG_PID_NS, CONFIG_NET_NS, CONFIG_IPC_NS and CONFIG_UTS_NS; \
             in a container, one whose filter allows `unshare`"
        }
        libc::EUSERS => "start this program outside of so many nested user namespaces",
        _ => CONTAINER,
    }
}
