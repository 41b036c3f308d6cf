//! The system call filter of a worker, an allowlist: memory, locks, the clock, its open descriptors, and exit.

use std::collections::BTreeMap;

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen::Dword, SeccompCmpOp as Op,
    SeccompCondition, SeccompFilter, SeccompRule,
};

/// System calls that are allowed whatever their arguments. None of them opens, names or reaches an object outside of
/// the process.
const ALLOWED: &[libc::c_long] = &[
    // The socket to the app is the only descriptor with access to another process.
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_readv,
    libc::SYS_writev,
    libc::SYS_close,
    // Memory, which is limited by the address space limit.
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
    // Signals to the process itself, as sent by an abort.
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
    // Exit.
    libc::SYS_exit,
    libc::SYS_exit_group,
];

/// Compiles the filter for the process `pid`.
///
/// Every other call returns ENOSYS, as in a kernel without this call: libraries then use a fallback (a thread pool with
/// one thread, for example). Calls of a foreign architecture kill the process.
///
/// # Errors
/// Fails if the architecture is not supported.
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
