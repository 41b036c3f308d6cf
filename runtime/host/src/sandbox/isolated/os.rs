//! System calls for which no dependency has a safe function. Each call is made by a single-threaded helper process.
#![expect(
    unsafe_code,
    reason = "fork, clone, signalfd, mount_setattr and the flags of a network interface have no safe call in rustix"
)]

use std::io;
use std::mem::{self, MaybeUninit};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

/// The side of a fork.
pub(super) enum ForkResult {
    Parent(Pid),
    Child,
}

/// Forks this process. It must have one thread: the helpers start no other.
pub(super) fn fork() -> io::Result<ForkResult> {
    // SAFETY: `fork` itself has no precondition on memory. The helpers have one thread, so no lock is held by another that
    // would be missing in the copy.
    fork_result(libc::c_long::from(unsafe { libc::fork() }))
}

/// Copies this process into new namespaces.
pub(super) fn clone_into(namespaces: libc::c_int) -> io::Result<ForkResult> {
    let flags = libc::c_long::from(namespaces | libc::SIGCHLD);
    let none: libc::c_long = 0;
    // SAFETY: without a stack, and without CLONE_VM, the kernel copies the process as `fork` does; the pointers are null
    // and no flag asks for them to be used. The helpers have one thread. The order of the arguments differs on s390x.
    #[cfg(not(target_arch = "s390x"))]
    let returned = unsafe { libc::syscall(libc::SYS_clone, flags, none, none, none, none) };
    #[cfg(target_arch = "s390x")]
    // SAFETY: as above.
    let returned = unsafe { libc::syscall(libc::SYS_clone, none, flags, none, none, none) };
    fork_result(returned)
}

fn fork_result(returned: libc::c_long) -> io::Result<ForkResult> {
    match i32::try_from(returned).ok() {
        Some(0) => Ok(ForkResult::Child),
        Some(child @ 1..) => Pid::from_raw(child)
            .map(ForkResult::Parent)
            .ok_or_else(|| io::ErrorKind::InvalidData.into()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Converts the return value of a call to a result: any value but zero is a failure.
fn check(returned: impl Into<libc::c_long>) -> io::Result<()> {
    if returned.into() == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Kills a child and reaps it.
pub(super) fn kill_child(child: Pid) {
    let _ = kill_process(child, Signal::KILL);
    let _ = waitpid(Some(child), WaitOptions::empty());
}

/// Creates a pair of connected sockets.
pub(super) fn socket_pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let (one, other) = UnixStream::pair()?;
    Ok((one.into(), other.into()))
}

/// Returns a descriptor that becomes readable when a child dies. SIGCHLD is blocked from then on.
pub(super) fn sigchld_fd() -> io::Result<OwnedFd> {
    let mut set = MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: `sigemptyset` initialises the whole set before it is read, and SIGCHLD is a signal; the old mask is not
    // asked for, and the returned descriptor has no other owner.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), libc::SIGCHLD);
        check(libc::sigprocmask(
            libc::SIG_BLOCK,
            set.as_ptr(),
            std::ptr::null_mut(),
        ))?;
        let fd = libc::signalfd(-1, set.as_ptr(), libc::SFD_CLOEXEC | libc::SFD_NONBLOCK);
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(OwnedFd::from_raw_fd(fd))
    }
}

/// Resets the signal mask to that of a new process: no signal is blocked.
pub(super) fn unblock_signals() -> io::Result<()> {
    let mut set = MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: `sigemptyset` initialises the set before it is read.
    check(unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigprocmask(libc::SIG_SETMASK, set.as_ptr(), std::ptr::null_mut())
    })
}

/// Stops all other processes of a PID namespace; the caller must be its first process. No process can create another
/// meanwhile that is not stopped.
pub(super) fn stop_all_others() -> io::Result<()> {
    if !rustix::process::getpid().is_init() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    // SAFETY: `kill` has no precondition on memory.
    match check(unsafe { libc::kill(-1, libc::SIGSTOP) }) {
        // There is no other process.
        Err(error) if error.raw_os_error() == Some(libc::ESRCH) => Ok(()),
        stopped => stopped,
    }
}

/// The attributes of a mount, and of the mounts below it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct MountAttributes {
    pub(super) set: u64,
    pub(super) clear: u64,
    pub(super) recursive: bool,
}

/// Sets attributes of the mount of an open descriptor. With `owners`, that user namespace maps the IDs of files.
pub(super) fn set_mount_attributes(
    mount: impl AsFd,
    attributes: MountAttributes,
    owners: Option<&OwnedFd>,
) -> io::Result<()> {
    /// `MOUNT_ATTR_IDMAP`.
    const MOUNT_ATTR_IDMAP: u64 = 0x0010_0000;
    let mut flags = libc::AT_EMPTY_PATH;
    if attributes.recursive {
        flags |= libc::AT_RECURSIVE;
    }
    let argument = libc::mount_attr {
        attr_set: attributes.set | owners.map_or(0, |_| MOUNT_ATTR_IDMAP),
        attr_clr: attributes.clear,
        propagation: 0,
        userns_fd: owners.map_or(0, |fd| fd.as_raw_fd() as u64),
    };
    // SAFETY: the path is an empty C string, and the size is that of the structure, which outlives the call.
    check(unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            mount.as_fd().as_raw_fd(),
            c"".as_ptr(),
            flags,
            &raw const argument,
            size_of_val(&argument),
        )
    })
}

/// Brings up the loopback interface of this network namespace.
pub(super) fn raise_loopback() -> io::Result<()> {
    let socket = rustix::net::socket_with(
        rustix::net::AddressFamily::INET,
        rustix::net::SocketType::DGRAM,
        rustix::net::SocketFlags::CLOEXEC,
        None,
    )?;
    // SAFETY: all zeroes is a valid `ifreq`.
    let mut request: libc::ifreq = unsafe { mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(b"lo") {
        *to = *from as libc::c_char;
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    // SAFETY: the request is a whole `ifreq` with a name that ends in zero, which is what this call reads.
    check(unsafe {
        libc::ioctl(
            socket.as_raw_fd(),
            libc::SIOCSIFFLAGS as _,
            &raw const request,
        )
    })
}

/// Registers `prepare` to run in the child just before `execve`.
pub(super) fn set_pre_exec(
    command: &mut std::process::Command,
    prepare: impl FnMut() -> io::Result<()> + Send + Sync + 'static,
) {
    use std::os::unix::process::CommandExt;
    // SAFETY: the caller is a process with one thread that becomes the command itself, so no lock is held by another thread,
    // and this may allocate.
    unsafe { command.pre_exec(prepare) };
}

/// Gives this process its own copy of its mounts.
pub(super) fn unshare_mounts() -> io::Result<()> {
    // SAFETY: the table of open files is not unshared.
    Ok(unsafe { rustix::thread::unshare_unsafe(rustix::thread::UnshareFlags::NEWNS) }?)
}
