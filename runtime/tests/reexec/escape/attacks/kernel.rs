//! The kernel's doors: calls and files that ordinary programs never need.

use helve_runtime::sandbox::Layer::{Files, Limits, Privileges, SystemCalls};

use crate::escape::case::Proof::{Changes, Reaches};
use crate::escape::case::{Case, attack};
use crate::escape::world::World;

const ROOT: &str = "the kernel asks for root";
const ROOTS: &str = "the file belongs to root";

/// Attacks on the kernel.
pub(super) const CASES: &[Case] = &[
    attack(Files, "core_pattern", Reaches, r#""$DOORS" rewrite /proc/sys/kernel/core_pattern"#).privileged(ROOTS),
    attack(Files, "modprobe_path", Reaches, r#""$DOORS" rewrite /proc/sys/kernel/modprobe"#).privileged(ROOTS),
    attack(Files, "host_name_file", Reaches, r#""$DOORS" rewrite /proc/sys/kernel/hostname"#).privileged(ROOTS),
    attack(Files, "address_randomisation", Reaches, r#""$DOORS" rewrite /proc/sys/kernel/randomize_va_space"#).privileged(ROOTS),
    attack(Files, "network_settings", Reaches, r#""$DOORS" rewrite /proc/sys/net/ipv4/ip_forward"#).privileged(ROOTS),
    attack(Files, "uevent_helper", Reaches, r#""$DOORS" rewrite /sys/kernel/uevent_helper"#).privileged(ROOTS),
    attack(Files, "binary_formats", Reaches, r#""$DOORS" open_for_writing /proc/sys/fs/binfmt_misc/register"#).privileged(ROOTS),
    attack(Files, "sysrq_trigger", Reaches, r#""$DOORS" open_for_writing /proc/sysrq-trigger"#).privileged(ROOTS),
    attack(Files, "kernel_memory", Reaches, r#""$DOORS" read_device /proc/kcore"#).privileged(ROOTS),
    attack(Files, "physical_memory", Reaches, r#""$DOORS" read_device /dev/mem"#).privileged(ROOTS),
    attack(Files, "kernel_messages", Reaches, r#""$DOORS" open_for_writing /dev/kmsg"#).privileged(ROOTS),
    attack(Limits, "new_cgroup", Changes(World::cgroup_made), "for c in /sys/fs/cgroup /sys/fs/cgroup/*; do mkdir \"$c/helve-$NONCE\"; done")
        .privileged("cgroups belong to root"),
    attack(Files, "release_agent", Reaches, "for c in /sys/fs/cgroup/*; do \"$DOORS\" open_for_writing \"$c/release_agent\"; done").privileged(ROOTS),
    attack(Files, "cgroup_processes", Reaches, "for c in /sys/fs/cgroup /sys/fs/cgroup/*; do \"$DOORS\" open_for_writing \"$c/cgroup.procs\"; done").privileged(ROOTS),
    attack(SystemCalls, "io_uring", Reaches, r#""$DOORS" io_uring"#),
    attack(SystemCalls, "bpf", Reaches, r#""$DOORS" bpf"#).privileged(ROOT),
    attack(SystemCalls, "perf", Reaches, r#""$DOORS" perf"#).privileged(ROOT),
    attack(SystemCalls, "userfaultfd", Reaches, r#""$DOORS" userfaultfd"#).privileged(ROOT),
    attack(SystemCalls, "keyring", Reaches, r#""$DOORS" keyring"#),
    attack(SystemCalls, "fsopen", Reaches, r#""$DOORS" fsopen"#).privileged(ROOT),
    attack(SystemCalls, "open_tree", Reaches, r#""$DOORS" open_tree"#).privileged(ROOT),
    attack(SystemCalls, "mount", Reaches, r#""$DOORS" mount"#).privileged(ROOT),
    attack(SystemCalls, "pivot_root", Reaches, r#""$DOORS" pivot_root"#).privileged(ROOT),
    attack(SystemCalls, "clock_settime", Reaches, r#""$DOORS" set_clock"#).privileged(ROOT),
    attack(SystemCalls, "adjtimex", Reaches, r#""$DOORS" adjust_clock"#).privileged(ROOT),
    attack(SystemCalls, "sethostname", Reaches, r#""$DOORS" set_host_name"#).privileged(ROOT),
    attack(SystemCalls, "setdomainname", Reaches, r#""$DOORS" set_domain_name"#).privileged(ROOT),
    attack(SystemCalls, "syslog", Reaches, r#""$DOORS" kernel_log"#).privileged(ROOT),
    attack(SystemCalls, "init_module", Reaches, r#""$DOORS" module"#).privileged(ROOT),
    attack(SystemCalls, "kexec_load", Reaches, r#""$DOORS" kexec"#).privileged(ROOT),
    attack(SystemCalls, "reboot", Reaches, r#""$DOORS" reboot"#).privileged(ROOT),
    attack(SystemCalls, "swapon", Reaches, r#""$DOORS" swapon"#).privileged(ROOT),
    attack(SystemCalls, "acct", Reaches, r#""$DOORS" acct"#).privileged(ROOT),
    attack(SystemCalls, "ioperm", Reaches, r#""$DOORS" ioperm"#).privileged(ROOT),
    attack(SystemCalls, "quotactl", Reaches, r#""$DOORS" quotactl"#).privileged(ROOT),
    attack(SystemCalls, "tiocsti", Reaches, r#""$DOORS" type_for_you"#),
    attack(SystemCalls, "tiocsti_on_terminal", Reaches, r#""$DOORS" type_for_you"#).on_terminal(),
    attack(SystemCalls, "unshare_user", Reaches, r#""$DOORS" unshare 0x10000000"#),
    attack(SystemCalls, "unshare_mount", Reaches, r#""$DOORS" unshare 0x00020000"#).privileged(ROOT),
    attack(SystemCalls, "unshare_network", Reaches, r#""$DOORS" unshare 0x40000000"#).privileged(ROOT),
    attack(SystemCalls, "unshare_processes", Reaches, r#""$DOORS" unshare 0x20000000"#).privileged(ROOT),
    attack(SystemCalls, "clone_user", Reaches, r#""$DOORS" clone_user"#),
    attack(SystemCalls, "clone3_user", Reaches, r#""$DOORS" clone3_user"#),
    attack(SystemCalls, "mount_in_user_namespace", Reaches, r#""$DOORS" mount_inside"#),
    attack(SystemCalls, "int80_socket", Reaches, r#""$DOORS" int80"#),
    attack(SystemCalls, "x32_socket", Reaches, r#""$DOORS" x32"#),
    attack(Privileges, "lock_memory", Reaches, r#""$DOORS" lock_memory"#).privileged("others lock a few MiB only"),
    attack(Limits, "raise_descriptor_limit", Reaches, r#""$DOORS" descriptors 21000 raise"#).privileged("limits are raised by root alone"),
];
