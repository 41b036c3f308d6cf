//! The process that loses a primitive.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::CommandExt;
use std::process::Command;

use helve_runtime::sandbox::{Layer, LayerStatus, SandboxPolicy, probe};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule,
};

/// Takes away what the name says, and prints the mechanism and each layer that does not hold in full.
pub(crate) fn report(missing: &str) {
    let folder = tempfile::tempdir().unwrap();
    if std::env::var_os(super::table::NEWER_BUBBLEWRAP_VARIABLE).is_some() {
        super::fallback::newer_bubblewrap(folder.path());
    }
    remove_primitive(missing);
    if std::env::var_os(super::table::OPENS_SANDBOX_VARIABLE).is_some() {
        super::fallback::run(&std::env::var(super::table::ACCEPTED_VARIABLE).unwrap_or_default());
        return;
    }
    let mut policy = SandboxPolicy::new(std::env::temp_dir());
    if let Ok(names) = std::env::var(super::table::ACCEPTED_VARIABLE) {
        policy.accepted = names.split(',').filter_map(Layer::from_name).collect();
    }
    let enforcement = probe(&policy);
    println!("by {}", enforcement.mechanism);
    for layer in Layer::ALL {
        match enforcement.layers.get(&layer) {
            Some(LayerStatus::Yes { .. }) => {}
            Some(LayerStatus::Partly { lacks, mend, .. }) => {
                println!("{layer} (partly): {lacks}; {mend}")
            }
            Some(LayerStatus::No { why, mend }) => println!("{layer}: {why}; {mend}"),
            other => println!("{layer}: {other:?}"),
        }
    }
}

fn remove_primitive(missing: &str) {
    match missing {
        "nothing" => {}
        "nothing, unprivileged" => restart_as_nobody(),
        "max_user_namespaces" => limit_user_namespaces(),
        "unshare" => deny(&[(libc::SYS_unshare, None)], libc::EPERM),
        "user namespaces" => deny(
            &[(libc::SYS_unshare, Some(flag(libc::CLONE_NEWUSER)))],
            libc::EACCES,
        ),
        "network namespaces" => deny(
            &[(libc::SYS_unshare, Some(flag(libc::CLONE_NEWNET)))],
            libc::EPERM,
        ),
        "mount" => deny(&[(libc::SYS_mount, None)], libc::EPERM),
        "mount_setattr" => deny(&[(libc::SYS_mount_setattr, None)], libc::ENOSYS),
        "pivot_root" => deny(&[(libc::SYS_pivot_root, None)], libc::EPERM),
        "landlock" => deny(&landlock(), libc::ENOSYS),
        "landlock, not enabled" => deny(&landlock(), libc::EOPNOTSUPP),
        "landlock_restrict_self" => deny(&[(libc::SYS_landlock_restrict_self, None)], libc::EPERM),
        "close_range" => deny(&[(libc::SYS_close_range, None)], libc::ENOSYS),
        "seccomp" => deny(&[(libc::SYS_seccomp, None)], libc::ENOSYS),
        other => panic!("nobody knows how to take away `{other}`"),
    }
}

fn landlock() -> [(i64, Option<SeccompRule>); 3] {
    [
        (libc::SYS_landlock_create_ruleset, None),
        (libc::SYS_landlock_add_rule, None),
        (libc::SYS_landlock_restrict_self, None),
    ]
}

fn flag(flag: i32) -> SeccompRule {
    let bit = u64::from(flag.unsigned_abs());
    let set = SeccompCmpOp::MaskedEq(bit);
    SeccompRule::new(vec![
        SeccompCondition::new(0, SeccompCmpArgLen::Dword, set, bit).unwrap(),
    ])
    .unwrap()
}

fn deny(calls: &[(i64, Option<SeccompRule>)], error: i32) {
    let rules: BTreeMap<i64, Vec<SeccompRule>> = calls
        .iter()
        .map(|(call, rule)| (*call, rule.clone().into_iter().collect()))
        .collect();
    let program: BpfProgram = SeccompFilter::new(
        rules,
        SeccompAction::Allow,
        SeccompAction::Errno(error.unsigned_abs()),
        std::env::consts::ARCH.try_into().unwrap(),
    )
    .unwrap()
    .try_into()
    .unwrap();
    seccompiler::apply_filter(&program).unwrap();
}

/// The setting belongs to a user namespace, so one is made around this process first.
#[expect(
    unsafe_code,
    reason = "rustix asks for it: only file tables are dangerous to unshare"
)]
fn limit_user_namespaces() {
    let (user, group) = (rustix::process::getuid(), rustix::process::getgid());
    // SAFETY: the table of files stays shared.
    unsafe { rustix::thread::unshare_unsafe(rustix::thread::UnshareFlags::NEWUSER) }.unwrap();
    fs::write("/proc/self/uid_map", format!("0 {} 1", user.as_raw())).unwrap();
    let _ = fs::write("/proc/self/setgroups", "deny");
    fs::write("/proc/self/gid_map", format!("0 {} 1", group.as_raw())).unwrap();
    fs::write("/proc/sys/user/max_user_namespaces", "0").unwrap();
}

/// What changes its user is closed to that user until it starts a program.
fn restart_as_nobody() {
    let error = Command::new("/proc/self/exe")
        .env(super::table::ROLE_VARIABLE, "nothing")
        .uid(65534)
        .gid(65534)
        .exec();
    panic!("{error}");
}
