//! The system calls of a worker, by an allow list: memory, locks, the clock, its open descriptors, and its end.

use std::collections::BTreeMap;

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen::Dword, SeccompCmpOp as Op,
    SeccompCondition, SeccompFilter, SeccompRule,
};

/// Allowed whatever their arguments. None of them opens, names or reaches anything outside of the process.
const ALLOWED: &[libc::c_long] = &[
    // The socket to the app is the only descriptor that leads anywhere.
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_readv,
    libc::SYS_writev,
    libc::SYS_close,
    // Memory; the limit of the address space bounds it.
    libc::SYS_brk,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_madvise,
    // Locks, time and randomness.
    libc::SYS_futex,
    libc::SYS_sched_yield,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_gettimeofday,
    libc::SYS_getrandom,
    // Signals to itself, as an abort sends one.
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
    // The end.
    libc::SYS_exit,
    libc::SYS_exit_group,
];

/// Compiles the filter for the process `pid`.
///
/// Everything else answers ENOSYS, as a kernel does that has no such call: libraries then take the way that needs none
/// (a thread pool of one thread, for example). Calls of a foreign architecture kill the process.
///
/// # Errors
/// When there is no filter for this architecture.
pub(super) fn compile(pid: u32) -> Result<BpfProgram, BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        ALLOWED.iter().map(|&call| (call, Vec::new())).collect();
    let not_executable = || rule(2, Op::MaskedEq(libc::PROT_EXEC as u64), 0);
    rules.insert(libc::SYS_mmap, vec![not_executable()?]);
    rules.insert(libc::SYS_mprotect, vec![not_executable()?]);
    rules.insert(libc::SYS_tgkill, vec![rule(0, Op::Eq, u64::from(pid))?]);
    SeccompFilter::new(
        rules,
        SeccompAction::Errno(libc::ENOSYS.unsigned_abs()),
        SeccompAction::Allow,
        std::env::consts::ARCH.try_into()?,
    )?
    .try_into()
}

fn rule(argument: u8, op: Op, value: u64) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(vec![SeccompCondition::new(argument, Dword, op, value)?])
}
