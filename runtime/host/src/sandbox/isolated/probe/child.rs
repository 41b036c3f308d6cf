//! Tries each primitive in a separate process, so that nothing of a trial outlives it.
//!
//! The child is forked from a multi-threaded program and has one thread, so until it ends it makes only system calls:
//! no allocation, no lock. It reports each failure as a pair of bytes through a pipe.

use std::ffi::CString;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};

use libc::{c_int, c_long};
use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, OpenTreeFlags, mount, mount_change, open_tree,
};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{WaitOptions, chdir, getgid, getuid, pivot_root, waitpid};
use rustix::thread::set_capabilities;
use seccompiler::{BpfProgram, sock_filter};

use super::Primitive;
use crate::support::capabilities;

/// The primitives that failed, with their error numbers.
pub(super) type Failures = Vec<(Primitive, i32)>;

/// Tries every primitive. This takes a few milliseconds.
///
/// # Errors
/// Fails if no child can be created, or if the child ended early.
#[expect(unsafe_code, reason = "a process is copied without starting a program")]
pub(super) fn try_primitives() -> io::Result<Failures> {
    let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
    let trial = PrimitiveTrial::prepare(&write);
    // SAFETY: the child makes only system calls (see `PrimitiveTrial`) and leaves by `_exit`.
    let child = match unsafe { libc::fork() } {
        -1 => return Err(io::Error::last_os_error()),
        0 => trial.run(),
        child => child,
    };
    drop(write);
    let mut told = Vec::new();
    let result = File::from(read).take(4096).read_to_end(&mut told);
    if let Some(child) = rustix::process::Pid::from_raw(child) {
        // Other code in this program may have reaped the child.
        let _ = waitpid(Some(child), WaitOptions::empty());
    }
    result?;
    let mut failures = Failures::new();
    let mut ended = false;
    for &[what, error] in told.as_chunks::<2>().0 {
        match Primitive::ALL.get(usize::from(what)) {
            Some(&primitive) => failures.push((primitive, error.into())),
            None => ended = true,
        }
    }
    if ended {
        Ok(failures)
    } else {
        Err(io::Error::other("the process that tries them was killed"))
    }
}

/// All data that the child needs, prepared before the fork.
struct PrimitiveTrial<'a> {
    report: BorrowedFd<'a>,
    users: CString,
    groups: CString,
    allow_all: BpfProgram,
}

/// The byte that the child sends when it has tried every primitive.
const END_MARKER: u8 = u8::MAX;

impl<'a> PrimitiveTrial<'a> {
    fn prepare(report: &'a OwnedFd) -> Self {
        use std::os::fd::AsFd;
        let map = |id: u32| CString::new(format!("0 {id} 1")).unwrap_or_default();
        Self {
            report: report.as_fd(),
            users: map(getuid().as_raw()),
            groups: map(getgid().as_raw()),
            allow_all: vec![sock_filter {
                code: 0x06,
                jt: 0,
                jf: 0,
                k: 0x7fff_0000,
            }],
        }
    }

    fn run(&self) -> ! {
        set_timeout(5);
        self.namespaces();
        self.report_result(Primitive::CloseRange, close_range());
        self.report_result(Primitive::Landlock, restrict());
        self.report_result(Primitive::Limits, limit());
        let dropped = set_capabilities(None, capabilities::NONE);
        self.report_result(Primitive::Capabilities, dropped);
        let filtered = match seccompiler::apply_filter(&self.allow_all) {
            Ok(()) => Ok(()),
            Err(seccompiler::Error::Prctl(error) | seccompiler::Error::Seccomp(error)) => {
                Err(Errno::from_io_error(&error).unwrap_or(Errno::PERM))
            }
            Err(_) => Err(Errno::PERM),
        };
        self.report_result(Primitive::Seccomp, filtered);
        let _ = rustix::io::write(self.report, &[END_MARKER, 0]);
        exit()
    }

    fn namespaces(&self) {
        let user = unshare(libc::CLONE_NEWUSER).and_then(|()| self.map_identities());
        if !self.report_result(Primitive::UserNamespace, user) {
            return;
        }
        let mounts = unshare(libc::CLONE_NEWNS).and_then(|()| {
            let flags = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
            mount_change(c"/", flags)
        });
        let has_mounts = self.report_result(Primitive::MountNamespace, mounts);
        for (primitive, flag) in [
            (Primitive::NetworkNamespace, libc::CLONE_NEWNET),
            (Primitive::IpcNamespace, libc::CLONE_NEWIPC),
            (Primitive::UtsNamespace, libc::CLONE_NEWUTS),
            (Primitive::CgroupNamespace, libc::CLONE_NEWCGROUP),
        ] {
            self.report_result(primitive, unshare(flag));
        }
        let processes = unshare(libc::CLONE_NEWPID);
        if self.report_result(Primitive::PidNamespace, processes) && has_mounts {
            self.mounts_in_child();
        }
    }

    /// Tries mounts in a child, because the next child becomes the first process of the new PID namespace.
    #[expect(unsafe_code, reason = "a process is copied without starting a program")]
    fn mounts_in_child(&self) {
        // SAFETY: as in `try_primitives`.
        match unsafe { libc::fork() } {
            -1 => {
                self.report_result(Primitive::PidNamespace, Err(Errno::AGAIN));
            }
            0 => {
                set_timeout(5);
                self.mounts();
                exit()
            }
            child => {
                let child = rustix::process::Pid::from_raw(child);
                let _ = waitpid(child, WaitOptions::empty());
            }
        }
    }

    fn mounts(&self) {
        let none = MountFlags::NOSUID | MountFlags::NODEV;
        let tmpfs = mount(c"tmpfs", c"/tmp", c"tmpfs", none, None);
        if !self.report_result(Primitive::Tmpfs, tmpfs) {
            return;
        }
        let proc = rustix::fs::mkdir(c"/tmp/proc", Mode::RWXU)
            .and_then(|()| mount(c"proc", c"/tmp/proc", c"proc", none, None));
        self.report_result(Primitive::Proc, proc);
        self.report_result(Primitive::MountAttributes, read_only_copy());
        let pivot = chdir(c"/tmp").and_then(|()| pivot_root(c".", c"."));
        self.report_result(Primitive::PivotRoot, pivot);
    }

    fn map_identities(&self) -> Result<(), Errno> {
        write_file(c"/proc/self/uid_map", &self.users)?;
        // Before Linux 3.19 this file does not exist, and there is nothing to deny.
        let _ = write_file(c"/proc/self/setgroups", c"deny");
        write_file(c"/proc/self/gid_map", &self.groups)
    }

    /// Reports a failure through the pipe; returns whether the primitive works.
    fn report_result(&self, primitive: Primitive, result: Result<(), Errno>) -> bool {
        if let Err(error) = result {
            let error = u8::try_from(error.raw_os_error()).unwrap_or(u8::MAX);
            let _ = rustix::io::write(self.report, &[primitive as u8, error]);
        }
        result.is_ok()
    }
}

fn write_file(path: &std::ffi::CStr, text: &std::ffi::CStr) -> Result<(), Errno> {
    let flags = OFlags::WRONLY | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::empty())?;
    rustix::io::write(&file, text.to_bytes()).map(drop)
}

/// Copies the mount tree of `/usr` and makes the copy recursively read-only; the copy is never attached.
fn read_only_copy() -> Result<(), Errno> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::AT_RECURSIVE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC;
    let tree = open_tree(CWD, c"/usr", flags)?;
    let attributes = libc::mount_attr {
        attr_set: libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID,
        attr_clr: 0,
        propagation: 0,
        userns_fd: 0,
    };
    let flags = libc::AT_EMPTY_PATH | libc::AT_RECURSIVE;
    let arguments = [
        tree.as_raw_fd().into(),
        c"".as_ptr() as c_long,
        flags.into(),
        (&raw const attributes) as c_long,
        size_of::<libc::mount_attr>() as c_long,
    ];
    syscall(libc::SYS_mount_setattr, arguments).map(drop)
}

fn unshare(flag: c_int) -> Result<(), Errno> {
    syscall(libc::SYS_unshare, [flag.into(), 0, 0, 0, 0]).map(drop)
}

fn close_range() -> Result<(), Errno> {
    const CLOSE_RANGE_CLOEXEC: c_long = 1 << 2;
    let everything = c_long::from(u32::MAX);
    let arguments = [3, everything, CLOSE_RANGE_CLOEXEC, 0, 0];
    syscall(libc::SYS_close_range, arguments).map(drop)
}

/// Sets a limit that this process does not reach.
fn limit() -> Result<(), Errno> {
    let none = [0_u64; 2];
    let limits = (&raw const none) as c_long;
    let arguments = [0, libc::RLIMIT_CORE as c_long, limits, 0, 0];
    syscall(libc::SYS_prlimit64, arguments).map(drop)
}

/// Drops one right with Landlock: a version number alone does not prove that Landlock restricts.
fn restrict() -> Result<(), Errno> {
    const EXECUTE: u64 = 1;
    let rights: u64 = EXECUTE;
    let (address, size) = ((&raw const rights) as c_long, size_of::<u64>() as c_long);
    let rules = syscall(libc::SYS_landlock_create_ruleset, [address, size, 0, 0, 0])?;
    rustix::thread::set_no_new_privs(true)?;
    syscall(libc::SYS_landlock_restrict_self, [rules, 0, 0, 0, 0]).map(drop)
}

/// Returns the kernel's version of the Landlock ABI, without changing anything.
pub(super) fn landlock_version() -> Result<i32, Errno> {
    const VERSION: c_long = 1;
    let version = syscall(libc::SYS_landlock_create_ruleset, [0, 0, VERSION, 0, 0])?;
    i32::try_from(version).map_err(|_| Errno::RANGE)
}

/// Sets an alarm. An alarm is not inherited, so each process sets its own; without it a stuck mount would block the
/// caller.
#[expect(unsafe_code, reason = "rustix has no `alarm`")]
fn set_timeout(seconds: u32) {
    // SAFETY: `alarm` takes a number and touches no memory. A handler that the program has for the signal is one that
    // may interrupt anything, so it may run here, too.
    unsafe { libc::alarm(seconds) };
}

#[expect(
    unsafe_code,
    reason = "the buffers and handlers of the program are not the child's"
)]
fn exit() -> ! {
    // SAFETY: `_exit` never returns and runs no handler.
    unsafe { libc::_exit(0) }
}

/// Makes a system call for which rustix has no safe function.
#[expect(unsafe_code, reason = "system calls without a safe wrapper")]
fn syscall(number: c_long, arguments: [c_long; 5]) -> Result<c_long, Errno> {
    let [a, b, c, d, e] = arguments;
    // SAFETY: every caller in this file passes numbers and pointers to values that outlive the call and that the
    // kernel only reads, and no call here closes or maps anything of the program.
    let result = unsafe { libc::syscall(number, a, b, c, d, e) };
    if result == -1 {
        let error = io::Error::last_os_error();
        Err(Errno::from_io_error(&error).unwrap_or(Errno::INVAL))
    } else {
        Ok(result)
    }
}
