//! The calls that are tried.

use std::ffi::CString;
use std::path::Path;

use libc::c_long;

type WorkerEscapeRow = (&'static str, c_long, [u64; 5]);

/// The calls that return twice.
pub(super) const FORKS: &[c_long] = &[
    libc::SYS_clone,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_fork,
];

/// A C string that lives for ever.
fn text(text: impl Into<String>) -> u64 {
    let text = CString::new(text.into()).unwrap();
    Box::leak(text.into_boxed_c_str()).as_ptr() as u64
}

/// Lists the calls; those that change something do so below `folder`.
pub(super) fn table(folder: &Path, parent: u32, user: u32) -> Vec<WorkerEscapeRow> {
    let parent = u64::from(parent);
    let mut rows = files(folder, parent);
    rows.extend(network());
    rows.extend(descriptors());
    rows.extend(processes(parent));
    rows.extend(kernel());
    rows.extend(itself(user));
    rows
}

#[rustfmt::skip]
fn files(folder: &Path, parent: u64) -> Vec<WorkerEscapeRow> {
    let here = libc::AT_FDCWD as u64;
    let path = |name: &str| text(folder.join(name).to_str().unwrap());
    let passwd = text("/etc/passwd");
    let (create, mode) = ((libc::O_CREAT | libc::O_WRONLY) as u64, 0o600);
    vec![
        ("open a file", libc::SYS_openat, [here, passwd, 0, 0, 0]),
        ("make a file", libc::SYS_openat, [here, path("new"), create, mode, 0]),
        ("open a folder", libc::SYS_openat, [here, text("/"), libc::O_PATH as u64, 0, 0]),
        ("open its environment", libc::SYS_openat, [here, text("/proc/self/environ"), 0, 0, 0]),
        ("open its memory", libc::SYS_openat, [here, text("/proc/self/mem"), 2, 0, 0]),
        ("open its program", libc::SYS_openat, [here, text("/proc/self/exe"), 0, 0, 0]),
        ("open the parent's environment", libc::SYS_openat, [here, text(format!("/proc/{parent}/environ")), 0, 0, 0]),
        ("open the parent's files", libc::SYS_openat, [here, text(format!("/proc/{parent}/fd")), 0, 0, 0]),
        ("open a device", libc::SYS_openat, [here, text("/dev/null"), 2, 0, 0]),
        ("openat2", libc::SYS_openat2, [here, passwd, 0, 0, 0]),
        ("stat", libc::SYS_newfstatat, [here, passwd, 0, 0, 0]),
        ("statx", libc::SYS_statx, [here, passwd, 0, 0, 0]),
        ("access", libc::SYS_faccessat, [here, passwd, 4, 0, 0]),
        ("readlink", libc::SYS_readlinkat, [here, text("/proc/self/exe"), 0, 0, 0]),
        ("getdents", libc::SYS_getdents64, [0, 0, 0, 0, 0]),
        ("unlink", libc::SYS_unlinkat, [here, path("victim"), 0, 0, 0]),
        ("mkdir", libc::SYS_mkdirat, [here, path("made"), 0o700, 0, 0]),
        ("link", libc::SYS_linkat, [here, path("moves"), here, path("linked"), 0]),
        ("rename", libc::SYS_renameat2, [here, path("moves"), here, path("moved"), 0]),
        ("symlink", libc::SYS_symlinkat, [text("/etc"), here, path("pointing"), 0, 0]),
        ("mknod", libc::SYS_mknodat, [here, path("node"), 0o010_600, 0, 0]),
        ("chmod", libc::SYS_fchmodat, [here, path("new"), 0o644, 0, 0]),
        ("truncate", libc::SYS_truncate, [path("new"), 0, 0, 0, 0]),
        ("utimes", libc::SYS_utimensat, [here, path("new"), 0, 0, 0]),
        ("chdir", libc::SYS_chdir, [text("/"), 0, 0, 0, 0]),
        ("getcwd", libc::SYS_getcwd, [0, 0, 0, 0, 0]),
        ("statfs", libc::SYS_statfs, [text("/"), 0, 0, 0, 0]),
        ("chroot", libc::SYS_chroot, [text("/"), 0, 0, 0, 0]),
        ("mount", libc::SYS_mount, [0, text("/nowhere"), 0, 0, 0]),
        ("inotify", libc::SYS_inotify_init1, [0; 5]),
        ("fanotify", libc::SYS_fanotify_init, [0; 5]),
        ("name_to_handle", libc::SYS_name_to_handle_at, [here, passwd, 0, 0, 0]),
        ("memfd", libc::SYS_memfd_create, [text("x"), 0, 0, 0, 0]),
        ("listxattr", libc::SYS_listxattr, [passwd, 0, 0, 0, 0]),
    ]
}

#[rustfmt::skip]
fn network() -> Vec<WorkerEscapeRow> {
    vec![
        ("socket unix", libc::SYS_socket, [1, 1, 0, 0, 0]),
        ("socket inet", libc::SYS_socket, [2, 1, 0, 0, 0]),
        ("socket inet6 datagram", libc::SYS_socket, [10, 2, 0, 0, 0]),
        ("socket netlink", libc::SYS_socket, [16, 3, 0, 0, 0]),
        ("socket raw", libc::SYS_socket, [2, 3, 1, 0, 0]),
        ("socketpair", libc::SYS_socketpair, [1, 1, 0, 0, 0]),
        ("connect", libc::SYS_connect, [0, 0, 0, 0, 0]),
        ("bind", libc::SYS_bind, [0, 0, 0, 0, 0]),
        ("listen", libc::SYS_listen, [0, 0, 0, 0, 0]),
        ("accept", libc::SYS_accept4, [0, 0, 0, 0, 0]),
        ("send", libc::SYS_sendto, [0, 0, 0, 0, 0]),
        ("send a descriptor", libc::SYS_sendmsg, [0, 0, 0, 0, 0]),
        ("receive a descriptor", libc::SYS_recvmsg, [0, 0, 0, 0, 0]),
        ("getsockopt", libc::SYS_getsockopt, [0, 1, 17, 0, 0]),
    ]
}

#[rustfmt::skip]
fn descriptors() -> Vec<WorkerEscapeRow> {
    vec![
        ("dup", libc::SYS_dup, [0, 0, 0, 0, 0]),
        ("fcntl", libc::SYS_fcntl, [0, libc::F_GETFL as u64, 0, 0, 0]),
        ("ioctl", libc::SYS_ioctl, [0, libc::FIONREAD, 0, 0, 0]),
        ("push into a terminal", libc::SYS_ioctl, [0, libc::TIOCSTI, 0, 0, 0]),
        ("pipe", libc::SYS_pipe2, [0, 0, 0, 0, 0]),
        ("epoll", libc::SYS_epoll_create1, [0; 5]),
        ("eventfd", libc::SYS_eventfd2, [0; 5]),
        ("timerfd", libc::SYS_timerfd_create, [1, 0, 0, 0, 0]),
        ("splice", libc::SYS_splice, [0, 0, 1, 0, 0]),
        ("lseek", libc::SYS_lseek, [0, 0, 0, 0, 0]),
        ("pread", libc::SYS_pread64, [0, 0, 0, 0, 0]),
    ]
}

#[rustfmt::skip]
fn processes(parent: u64) -> Vec<WorkerEscapeRow> {
    let thread = 0x11_0f00; // CLONE_THREAD and what belongs to it, without a stack.
    vec![
        ("clone a process", libc::SYS_clone, [libc::SIGCHLD as u64, 0, 0, 0, 0]),
        ("clone with a wrong set of flags", libc::SYS_clone, [thread & !0x800, 0, 0, 0, 0]),
        ("clone3", libc::SYS_clone3, [0; 5]),
        #[cfg(target_arch = "x86_64")]
        ("fork", libc::SYS_fork, [0; 5]),
        ("execve", libc::SYS_execve, [text("/nowhere"), 0, 0, 0, 0]),
        ("execveat", libc::SYS_execveat, [libc::AT_FDCWD as u64, text("/nowhere"), 0, 0, 0]),
        ("kill the parent", libc::SYS_kill, [parent, 0, 0, 0, 0]),
        ("kill everybody", libc::SYS_kill, [u64::MAX, 0, 0, 0, 0]),
        ("signal the parent's thread", libc::SYS_tgkill, [parent, parent, 0, 0, 0]),
        ("tkill", libc::SYS_tkill, [parent, 0, 0, 0, 0]),
        ("pidfd of the parent", libc::SYS_pidfd_open, [parent, 0, 0, 0, 0]),
        ("a descriptor of the parent", libc::SYS_pidfd_getfd, [0, 0, 0, 0, 0]),
        // Who traces itself stops at each signal, so it is a process that is asked for which is not traced.
        ("ptrace", libc::SYS_ptrace, [7, parent, 0, 0, 0]),
        ("read the parent's memory", libc::SYS_process_vm_readv, [parent, 0, 0, 0, 0]),
        ("write the parent's memory", libc::SYS_process_vm_writev, [parent, 0, 0, 0, 0]),
        ("limits of the parent", libc::SYS_prlimit64, [parent, 7, 0, 0, 0]),
        ("its own limits", libc::SYS_prlimit64, [0, 7, 0, 0, 0]),
        ("getppid", libc::SYS_getppid, [0; 5]),
        ("wait", libc::SYS_wait4, [u64::MAX, 0, 1, 0, 0]),
        ("setpriority", libc::SYS_setpriority, [0, 0, 5, 0, 0]),
        ("affinity", libc::SYS_sched_getaffinity, [0, 0, 0, 0, 0]),
    ]
}

#[rustfmt::skip]
fn kernel() -> Vec<WorkerEscapeRow> {
    vec![
        ("io_uring", libc::SYS_io_uring_setup, [1, 0, 0, 0, 0]),
        ("bpf", libc::SYS_bpf, [0; 5]),
        ("perf", libc::SYS_perf_event_open, [0; 5]),
        ("userfaultfd", libc::SYS_userfaultfd, [0x8_0001, 0, 0, 0, 0]),
        ("keyctl", libc::SYS_keyctl, [0; 5]),
        ("add_key", libc::SYS_add_key, [0; 5]),
        ("shmget", libc::SYS_shmget, [0, 4096, 0o1600, 0, 0]),
        ("msgget", libc::SYS_msgget, [0, 0o1600, 0, 0, 0]),
        ("unshare", libc::SYS_unshare, [0; 5]),
        ("setns", libc::SYS_setns, [0; 5]),
        ("uname", libc::SYS_uname, [0; 5]),
        ("sysinfo", libc::SYS_sysinfo, [0; 5]),
        ("syslog", libc::SYS_syslog, [10, 0, 0, 0, 0]),
        ("clock_settime", libc::SYS_clock_settime, [0; 5]),
        #[cfg(target_arch = "x86_64")]
        ("an x32 call", 0x4000_0000 | 39, [0; 5]),
    ]
}

/// What would make the process stronger.
#[rustfmt::skip]
fn itself(user: u32) -> Vec<WorkerEscapeRow> {
    let exec = (libc::PROT_READ | libc::PROT_EXEC) as u64;
    let anonymous = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS) as u64;
    vec![
        ("executable memory", libc::SYS_mmap, [0, 4096, exec, anonymous, u64::MAX]),
        ("write and execute", libc::SYS_mmap, [0, 4096, 7, anonymous, u64::MAX]),
        ("make memory executable", libc::SYS_mprotect, [0, 0, exec, 0, 0]),
        ("make memory executable with a key", libc::SYS_pkey_mprotect, [0, 0, exec, u64::MAX, 0]),
        ("become dumpable", libc::SYS_prctl, [libc::PR_SET_DUMPABLE as u64, 1, 0, 0, 0]),
        ("outlive the parent", libc::SYS_prctl, [libc::PR_SET_PDEATHSIG as u64, 0, 0, 0, 0]),
        ("another filter", libc::SYS_seccomp, [2, 0, 0, 0, 0]),
        ("personality", libc::SYS_personality, [0xffff_ffff, 0, 0, 0, 0]),
        ("getuid", libc::SYS_getuid, [0; 5]),
        ("setsid", libc::SYS_setsid, [0; 5]),
        ("umask", libc::SYS_umask, [0o22, 0, 0, 0, 0]),
        ("setuid", libc::SYS_setuid, [u64::from(user), 0, 0, 0, 0]),
        ("capget", libc::SYS_capget, [0; 5]),
    ]
}
