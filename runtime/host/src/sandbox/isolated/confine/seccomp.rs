//! The system call filter: denies the system calls that no command needs, and some arguments of the others.
//!
//! The filter is a denylist, because the system calls of builds and tests cannot be enumerated; system calls that are
//! newer than the list fail as if they did not exist. The filter is one program, so that it is entered with one call.

use std::collections::BTreeMap;

use libc::c_long;
use seccompiler::{
    BackendError, BpfProgram, SeccompAction,
    SeccompCmpArgLen::{Dword, Qword},
    SeccompCmpOp as Op, SeccompCondition, SeccompFilter, SeccompRule, sock_filter,
};

/// The isolation of the process besides the filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OuterIsolation {
    /// Separate namespaces: IP sockets and System V objects reach nothing outside.
    Namespaces,
    /// No namespaces: the filter denies the objects that namespaces would separate.
    None,
}

/// The newest system call that was reviewed (`file_setattr`, Linux 6.17). Numbers from 424 on are the same on every
/// architecture, so system calls that the C library does not name yet are written as numbers here.
const NEWEST_SYSCALL: u32 = 469;
const OPEN_TREE_ATTR: c_long = 467;
const QUOTACTL_FD: c_long = 443;
const FCHMODAT2: c_long = 452;
/// The number of the first x32 system call.
const X32: u32 = 0x4000_0000;

/// System calls that are denied whatever their arguments.
const DENIED: &[c_long] = &[
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    // Interfaces of the kernel with a long history of vulnerabilities.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_fanotify_init,
    libc::SYS_open_by_handle_at,
    libc::SYS_lookup_dcookie,
    // Mounts, old and new.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    OPEN_TREE_ATTR,
    libc::SYS_mount_setattr,
    // Namespaces.
    libc::SYS_unshare,
    libc::SYS_setns,
    // The machine as a whole.
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_reboot,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_quotactl,
    QUOTACTL_FD,
    libc::SYS_acct,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_nfsservctl,
];

#[cfg(target_arch = "x86_64")]
const DENIED_ON_THIS_ARCH: &[c_long] = &[
    libc::SYS_iopl,
    libc::SYS_ioperm,
    libc::SYS_modify_ldt,
    libc::SYS_uselib,
    libc::SYS__sysctl,
    libc::SYS_ustat,
    libc::SYS_sysfs,
];
#[cfg(not(target_arch = "x86_64"))]
const DENIED_ON_THIS_ARCH: &[c_long] = &[];

/// System calls for shared memory, semaphores and queues, which all processes of the same user can reach by number or
/// name.
const SHARED_OBJECTS: &[c_long] = &[
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
];

/// The mode bits set-user-ID and set-group-ID.
const SET_ID: [u32; 2] = [libc::S_ISUID, libc::S_ISGID];

/// Compiles the filter for the target architecture. `memory` is the memory limit of one process, in bytes.
///
/// # Errors
/// Fails if the architecture is not supported.
pub(super) fn filter(
    around: OuterIsolation,
    memory: Option<u64>,
) -> Result<BpfProgram, BackendError> {
    let parts = compile_parts(rules(around, memory)?)?;
    let mut program = prefix();
    program.extend(dispatch_program(&parts));
    Ok(program)
}

/// Compiles denying rules.
fn chain(rules: FilterRules) -> Result<BpfProgram, BackendError> {
    SeccompFilter::new(
        rules,
        SeccompAction::Allow,
        SeccompAction::Errno(libc::EPERM.unsigned_abs()),
        std::env::consts::ARCH.try_into()?,
    )?
    .try_into()
}

/// A part of the filter, and the number of the first system call that it decides.
type FilterPart = (u32, BpfProgram);

/// The number of system calls whose rules are compiled into one part.
const SYSCALLS_PER_PART: usize = 6;

/// Compiles rules in parts. A filter that is compiled as one part compares each number with every number that has
/// rules, and the kernel evaluates the filter for every number when a process enters it.
fn compile_parts(rules: FilterRules) -> Result<Vec<FilterPart>, BackendError> {
    let mut rules = rules.into_iter().peekable();
    let mut parts = Vec::new();
    while let Some((first, _)) = rules.peek() {
        // The first part decides all numbers below its own, too.
        let first = u32::try_from(*first).unwrap_or_default();
        parts.push((
            first,
            chain(rules.by_ref().take(SYSCALLS_PER_PART).collect())?,
        ));
    }
    Ok(parts)
}

/// Creates the program that jumps to the part for a number by binary search.
fn dispatch_program(parts: &[FilterPart]) -> BpfProgram {
    const AT_LEAST: u16 = 0x35;
    const ALWAYS: u16 = 0x05;
    match parts {
        [] => Vec::new(),
        [(_, program)] => program.clone(),
        _ => {
            let (below, above) = parts.split_at(parts.len() / 2);
            let (first, _) = above[0];
            let below = dispatch_program(below);
            let over = u32::try_from(below.len()).unwrap_or(u32::MAX);
            let mut program = vec![step(AT_LEAST, 0, 1, first), step(ALWAYS, 0, 0, over)];
            program.extend(below);
            program.extend(dispatch_program(above));
            program
        }
    }
}

/// Compiles the filter that closes the network of a single command: it denies creating sockets. The system calls that
/// [`filter`] denies stay denied.
///
/// # Errors
/// Fails if the architecture is not supported.
pub(super) fn deny_connections() -> Result<BpfProgram, BackendError> {
    chain(BTreeMap::from([(libc::SYS_socket, Vec::new())]))
}

type FilterRules = BTreeMap<i64, Vec<SeccompRule>>;

fn rules(around: OuterIsolation, memory: Option<u64>) -> Result<FilterRules, BackendError> {
    let mut rules = FilterRules::new();
    let always = DENIED.iter().chain(DENIED_ON_THIS_ARCH);
    let outside = SHARED_OBJECTS
        .iter()
        .filter(|_| around == OuterIsolation::None);
    rules.extend(always.chain(outside).map(|&call| (call, Vec::new())));
    rules.insert(libc::SYS_socket, sockets(around)?);
    rules.insert(libc::SYS_socketpair, socket_pairs()?);
    rules.insert(libc::SYS_clone, namespaces()?);
    rules.insert(libc::SYS_ioctl, terminals()?);
    rules.insert(libc::SYS_personality, personalities()?);
    rules.insert(libc::SYS_fchmod, set_id(1)?);
    rules.insert(libc::SYS_fchmodat, set_id(2)?);
    rules.insert(FCHMODAT2, set_id(2)?);
    rules.insert(libc::SYS_mknodat, nodes(2)?);
    rules.insert(libc::SYS_openat, created_set_id(2, 3)?);
    #[cfg(target_arch = "x86_64")]
    {
        rules.insert(libc::SYS_chmod, set_id(1)?);
        rules.insert(libc::SYS_mknod, nodes(1)?);
        rules.insert(libc::SYS_open, created_set_id(1, 2)?);
        rules.insert(libc::SYS_creat, set_id(1)?);
    }
    if let Some(memory) = memory {
        rules.insert(libc::SYS_mmap, shared_memory(memory)?);
    }
    Ok(rules)
}

/// Compares an argument as 32 bits. The kernel reads these arguments as 32 bits, so the upper half must not affect the
/// comparison.
fn equals(argument: u8, op: Op, value: u32) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, Dword, op, value.into())
}

fn masked_equals(argument: u8, mask: u32, value: u32) -> Result<SeccompCondition, BackendError> {
    equals(argument, Op::MaskedEq(mask.into()), value)
}

fn single_rule(condition: SeccompCondition) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(vec![condition])
}

fn number(value: i32) -> u32 {
    value.unsigned_abs()
}

/// Returns the rules for sockets. IPv4 and IPv6 are allowed, for streams and datagrams of the usual protocols. Unix
/// sockets are denied, because they would reach servers through the file system; the sockets of `socketpair` are
/// already connected.
fn sockets(around: OuterIsolation) -> Result<Vec<SeccompRule>, BackendError> {
    if around == OuterIsolation::None {
        return Ok(Vec::new());
    }
    let not = |argument, value| equals(argument, Op::Ne, number(value));
    Ok(vec![
        SeccompRule::new(vec![not(0, libc::AF_INET)?, not(0, libc::AF_INET6)?])?,
        // Of the four bits of a type, 1 is a stream and 2 a datagram.
        single_rule(masked_equals(1, 0b1000, 0b1000)?)?,
        single_rule(masked_equals(1, 0b0100, 0b0100)?)?,
        single_rule(masked_equals(1, 0b0011, 0b0011)?)?,
        single_rule(masked_equals(1, 0b1111, 0b0000)?)?,
        SeccompRule::new(vec![
            not(2, 0)?,
            not(2, libc::IPPROTO_TCP)?,
            not(2, libc::IPPROTO_UDP)?,
        ])?,
    ])
}

/// Returns the rules for socket pairs: streams (1) and sequenced packets (5) are allowed, because a datagram socket of
/// a pair can send to any path.
fn socket_pairs() -> Result<Vec<SeccompRule>, BackendError> {
    Ok(vec![
        single_rule(equals(0, Op::Ne, number(libc::AF_UNIX))?)?,
        single_rule(masked_equals(1, 0b1000, 0b1000)?)?,
        single_rule(masked_equals(1, 0b0010, 0b0010)?)?,
        single_rule(masked_equals(1, 0b0001, 0b0000)?)?,
    ])
}

fn namespaces() -> Result<Vec<SeccompRule>, BackendError> {
    [
        libc::CLONE_NEWNS,
        libc::CLONE_NEWCGROUP,
        libc::CLONE_NEWUTS,
        libc::CLONE_NEWIPC,
        libc::CLONE_NEWUSER,
        libc::CLONE_NEWPID,
        libc::CLONE_NEWNET,
    ]
    .into_iter()
    .map(|flag| single_rule(masked_equals(0, number(flag), number(flag))?))
    .collect()
}

/// Returns the rules for system calls that type into a terminal, or load a line discipline.
fn terminals() -> Result<Vec<SeccompRule>, BackendError> {
    const TIOCSTI: u32 = 0x5412;
    const TIOCLINUX: u32 = 0x541c;
    const TIOCSETD: u32 = 0x5423;
    [TIOCSTI, TIOCLINUX, TIOCSETD]
        .into_iter()
        .map(|request| single_rule(equals(1, Op::Eq, request)?))
        .collect()
}

/// Returns the rules for personalities. Allowed are the query, the default, 32 bits, old release numbers, and addresses
/// that are not randomised.
fn personalities() -> Result<Vec<SeccompRule>, BackendError> {
    let harmless = [0, 8, 0x2_0000, 0x2_0008, 0x4_0000, u32::MAX];
    let conditions: Result<_, _> = harmless
        .into_iter()
        .map(|persona| equals(0, Op::Ne, persona))
        .collect();
    Ok(vec![SeccompRule::new(conditions?)?])
}

/// Returns the rules for anonymous shared memory. The memory limit of a process does not include it, so at least no
/// single mapping may exceed the limit.
fn shared_memory(most: u64) -> Result<Vec<SeccompRule>, BackendError> {
    let shared = number(libc::MAP_SHARED | libc::MAP_ANONYMOUS);
    Ok(vec![SeccompRule::new(vec![
        masked_equals(3, shared, shared)?,
        SeccompCondition::new(1, Qword, Op::Gt, most)?,
    ])?])
}

fn set_id(mode: u8) -> Result<Vec<SeccompRule>, BackendError> {
    SET_ID
        .into_iter()
        .map(|bit| single_rule(masked_equals(mode, bit, bit)?))
        .collect()
}

/// Returns the rules for set-ID bits of created files. The mode is valid only if a file is created; otherwise the
/// register may contain any value.
fn created_set_id(flags: u8, mode: u8) -> Result<Vec<SeccompRule>, BackendError> {
    const TEMPORARY: u32 = 0o20_000_000;
    let mut rules = Vec::new();
    for making in [number(libc::O_CREAT), TEMPORARY] {
        for bit in SET_ID {
            rules.push(SeccompRule::new(vec![
                masked_equals(flags, making, making)?,
                masked_equals(mode, bit, bit)?,
            ])?);
        }
    }
    Ok(rules)
}

/// Returns the rules for nodes: pipes, sockets and files can be created; devices cannot.
fn nodes(mode: u8) -> Result<Vec<SeccompRule>, BackendError> {
    let mut rules = set_id(mode)?;
    for device in [libc::S_IFCHR, libc::S_IFBLK] {
        rules.push(single_rule(masked_equals(mode, libc::S_IFMT, device)?)?);
    }
    Ok(rules)
}

/// Creates the part of the filter that decides by the number alone, and whose result is not `EPERM`: the rule compiler
/// supports one result only.
///
/// `clone3` and `openat2` take their flags from memory, which a filter cannot read; C libraries fall back if these
/// calls do not exist. The architecture is checked after this part, so this part must only deny.
fn prefix() -> BpfProgram {
    let (load, at_least, above, equal, answer) = (0x20, 0x35, 0x25, 0x15, 0x06);
    let errno = |error: i32| SeccompAction::Errno(error.unsigned_abs()).into();
    let call = |call: c_long| u32::try_from(call).unwrap_or(u32::MAX);
    vec![
        step(load, 0, 0, 0),
        step(at_least, 0, 1, X32),
        step(answer, 0, 0, errno(libc::EPERM)),
        step(above, 2, 0, NEWEST_SYSCALL),
        step(equal, 1, 0, call(libc::SYS_clone3)),
        step(equal, 0, 1, call(libc::SYS_openat2)),
        step(answer, 0, 0, errno(libc::ENOSYS)),
    ]
}

fn step(code: u16, jt: u8, jf: u8, k: u32) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

#[cfg(test)]
#[path = "seccomp_tests.rs"]
mod tests;
