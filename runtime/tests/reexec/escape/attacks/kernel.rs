//! The kernel's doors: calls and files that ordinary programs never need.

use helve_runtime::sandbox::Layer::{Files, Limits, Privileges, SystemCalls};

use crate::escape::case::Proof::{ChangesState, PrintsReached};
use crate::escape::case::{EscapeCase, attack};
use crate::escape::fixture::EscapeWorld;

const ROOT: &str = "the kernel asks for root";
const ROOTS: &str = "the file belongs to root";

/// Attacks on the kernel.
pub(super) const CASES: &[EscapeCase] = &[
    attack(Files, "core_pattern", PrintsReached, r#""$DOORS" rewrite /proc/sys/kernel/core_pattern"#).root_only(ROOTS),
    attack(Files, "modprobe_path", PrintsReached, r#""$DOORS" rewrite /proc/sys/kernel/modprobe"#).root_only(ROOTS),
    attack(Files, "host_name_file", PrintsReached, r#""$DOORS" rewrite /proc/sys/kernel/hostname"#).root_only(ROOTS),
    attack(Files, "address_randomisation", PrintsReached, r#""$DOORS" rewrite /proc/sys/kernel/randomize_va_space"#).root_only(ROOTS),
    attack(Files, "network_settings", PrintsReached, r#""$DOORS" rewrite /proc/sys/net/ipv4/ip_forward"#).root_only(ROOTS),
    attack(Files, "uevent_helper", PrintsReached, r#""$DOORS" rewrite /sys/kernel/uevent_helper"#).root_only(ROOTS),
    attack(Files, "binary_formats", PrintsReached, r#""$DOORS" open_for_writing /proc/sys/fs/binfmt_misc/register"#).root_only(ROOTS),
    attack(Files, "sysrq_trigger", PrintsReached, r#""$DOORS" open_for_writing /proc/sysrq-trigger"#).root_only(ROOTS),
    attack(Files, "kernel_memory", PrintsReached, r#""$DOORS" read_device /proc/kcore"#).root_only(ROOTS),
    attack(Files, "physical_memory", PrintsReached, r#""$DOORS" read_device /dev/mem"#).root_only(ROOTS),
    attack(Files, "kernel_messages", PrintsReached, r#""$DOORS" open_for_writing /dev/kmsg"#).root_only(ROOTS),
    attack(Limits, "new_cgroup", ChangesState(EscapeWorld::cgroup_made), "for c in /sys/fs/cgroup /sys/fs/cgroup/*; do mkdir \"$c/helve-$NONCE\"; done")
        .root_only("cgroups belong to root"),
    attack(Files, "release_agent", PrintsReached, "for c in /sys/fs/cgroup/*; do \"$DOORS\" open_for_writing \"$c/release_agent\"; done").root_only(ROOTS),
    attack(Files, "cgroup_processes", PrintsReached, "for c in /sys/fs/cgroup /sys/fs/cgroup/*; do \"$DOORS\" open_for_writing \"$c/cgroup.procs\"; done").root_only(ROOTS),
    attack(SystemCalls, "io_uring", PrintsReached, r#""$DOORS" io_uring"#),
    attack(SystemCalls, "bpf", PrintsReached, r#""$DOORS" bpf"#).root_only(ROOT),
    attack(SystemCalls, "perf", PrintsReached, r#""$DOORS" perf"#).root_only(ROOT),
    attack(SystemCalls, "userfaultfd", PrintsReached, r#""$DOORS" userfaultfd"#).root_only(ROOT),
    attack(SystemCalls, "keyring", PrintsReached, r#""$DOORS" keyring"#),
    attack(SystemCalls, "fsopen", PrintsReached, r#""$DOORS" fsopen"#).root_only(ROOT),
    attack(SystemCalls, "open_tree", PrintsReached, r#""$DOORS" open_tree"#).root_only(ROOT),
    attack(SystemCalls, "mount", PrintsReached, r#""$DOORS" mount"#).root_only(ROOT),
    attack(SystemCalls, "pivot_root", PrintsReached, r#""$DOORS" pivot_root"#).root_only(ROOT),
    attack(SystemCalls, "clock_settime", PrintsReached, r#""$DOORS" set_clock"#).root_only(ROOT),
    attack(SystemCalls, "adjtimex", PrintsReached, r#""$DOORS" adjust_clock"#).root_only(ROOT),
    attack(SystemCalls, "sethostname", PrintsReached, r#""$DOORS" set_host_name"#).root_only(ROOT),
    attack(SystemCalls, "setdomainname", PrintsReached, r#""$DOORS" set_domain_name"#).root_only(ROOT),
    attack(SystemCalls, "syslog", PrintsReached, r#""$DOORS" kernel_log"#).root_only(ROOT),
    attack(SystemCalls, "init_module", PrintsReached, r#""$DOORS" module"#).root_only(ROOT),
    attack(SystemCalls, "kexec_load", PrintsReached, r#""$DOORS" kexec"#).root_only(ROOT),
    attack(SystemCalls, "reboot", PrintsReached, r#""$DOORS" reboot"#).root_only(ROOT),
    attack(SystemCalls, "swapon", PrintsReached, r#""$DOORS" swapon"#).root_only(ROOT),
    attack(SystemCalls, "acct", PrintsReached, r#""$DOORS" acct"#).root_only(ROOT),
    attack(SystemCalls, "ioperm", PrintsReached, r#""$DOORS" ioperm"#).root_only(ROOT),
    attack(SystemCalls, "quotactl", PrintsReached, r#""$DOORS" quotactl"#).root_only(ROOT),
    attack(SystemCalls, "tiocsti", PrintsReached, r#""$DOORS" type_for_you"#),
    attack(SystemCalls, "tiocsti_on_terminal", PrintsReached, r#""$DOORS" type_for_you"#).on_terminal(),
    attack(SystemCalls, "unshare_user", PrintsReached, r#""$DOORS" unshare 0x10000000"#),
    attack(SystemCalls, "unshare_mount", PrintsReached, r#""$DOORS" unshare 0x00020000"#).root_only(ROOT),
    attack(SystemCalls, "unshare_network", PrintsReached, r#""$DOORS" unshare 0x40000000"#).root_only(ROOT),
    attack(SystemCalls, "unshare_processes", PrintsReached, r#""$DOORS" unshare 0x20000000"#).root_only(ROOT),
    attack(SystemCalls, "clone_user", PrintsReached, r#""$DOORS" clone_user"#),
    attack(SystemCalls, "clone3_user", PrintsReached, r#""$DOORS" clone3_user"#),
    attack(SystemCalls, "mount_in_user_namespace", PrintsReached, r#""$DOORS" mount_inside"#),
    attack(SystemCalls, "int80_socket", PrintsReached, r#""$DOORS" int80"#),
    attack(SystemCalls, "x32_socket", PrintsReached, r#""$DOORS" x32"#),
    attack(Privileges, "lock_memory", PrintsReached, r#""$DOORS" lock_memory"#).root_only("others lock a few MiB only"),
    attack(Limits, "raise_descriptor_limit", PrintsReached, r#""$DOORS" descriptors 21000 raise"#).root_only("limits are raised by root alone"),
];
