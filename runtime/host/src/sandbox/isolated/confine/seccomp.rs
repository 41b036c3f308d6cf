//! The system calls that no command needs, and the few arguments of the others that none may use.
//!
//! The filter denies by list, because what builds and tests call cannot be listed; system calls that are newer than the
//! list do not exist here. It is one program, so that entering it is one call.

use std::collections::BTreeMap;

use libc::c_long;
use seccompiler::{
    BackendError, BpfProgram, SeccompAction,
    SeccompCmpArgLen::{Dword, Qword},
    SeccompCmpOp as Op, SeccompCondition, SeccompFilter, SeccompRule, sock_filter,
};

/// What is around the process besides the filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OuterIsolation {
    /// Its own namespaces: IP sockets and System V objects reach nothing outside.
    Namespaces,
    /// Nothing: what namespaces would keep apart is denied.
    None,
}

/// The newest system call that was looked at (`file_setattr`, Linux 6.17). Numbers from 424 on are the same on every
/// architecture, so those that the C library does not name yet are written as numbers here.
const NEWEST_SYSCALL: u32 = 469;
const OPEN_TREE_ATTR: c_long = 467;
const QUOTACTL_FD: c_long = 443;
const FCHMODAT2: c_long = 452;
/// Where the x32 system calls begin.
const X32: u32 = 0x4000_0000;

/// Denied whatever their arguments.
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
    // The machine itself.
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

/// Shared memory, semaphores and queues that are known by number or name to all processes of the same user.
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

/// Set-user-id and set-group-id.
const SET_ID: [u32; 2] = [libc::S_ISUID, libc::S_ISGID];

/// Compiles the filter for the architecture that this was built for. `memory` is the most that one process may use.
///
/// # Errors
/// When there is no filter for this architecture.
pub(super) fn filter(
    around: OuterIsolation,
    memory: Option<u64>,
) -> Result<BpfProgram, BackendError> {
    let parts = compile_parts(rules(around, memory)?)?;
    let mut program = prefix();
    program.extend(dispatch_program(&parts));
    Ok(program)
}

/// Compiles rules that deny.
fn chain(rules: FilterRules) -> Result<BpfProgram, BackendError> {
    SeccompFilter::new(
        rules,
        SeccompAction::Allow,
        SeccompAction::Errno(libc::EPERM.unsigned_abs()),
        std::env::consts::ARCH.try_into()?,
    )?
    .try_into()
}

/// A part of the filter, and the first system call that it decides about.
type FilterPart = (u32, BpfProgram);

/// How many system calls a part has rules for.
const SYSCALLS_PER_PART: usize = 6;

/// Compiles rules in parts. What is compiled as one compares each number with all that have rules, and the kernel tries the
/// filter with every number when a process enters it.
fn compile_parts(rules: FilterRules) -> Result<Vec<FilterPart>, BackendError> {
    let mut rules = rules.into_iter().peekable();
    let mut parts = Vec::new();
    while let Some((first, _)) = rules.peek() {
        // The first one decides about all numbers below it, too.
        let first = u32::try_from(*first).unwrap_or_default();
        parts.push((
            first,
            chain(rules.by_ref().take(SYSCALLS_PER_PART).collect())?,
        ));
    }
    Ok(parts)
}

/// Leads to the part for a number by halves.
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

/// Compiles what closes the network of a single command: it makes no socket. What [`filter`] denies stays denied.
///
/// # Errors
/// When there is no filter for this architecture.
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

/// The kernel reads the arguments that are looked at by this as 32 bits, so the upper half must not hide them.
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

/// IPv4 and IPv6, streams and datagrams of the usual protocols. A Unix socket would reach servers through the file
/// system, so none can be made; what `socketpair` gives is connected already.
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

/// Streams (1) and sequenced packets (5): a datagram of a pair can be sent to any path.
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

/// System calls that type into a terminal, or load a line discipline.
fn terminals() -> Result<Vec<SeccompRule>, BackendError> {
    const TIOCSTI: u32 = 0x5412;
    const TIOCLINUX: u32 = 0x541c;
    const TIOCSETD: u32 = 0x5423;
    [TIOCSTI, TIOCLINUX, TIOCSETD]
        .into_iter()
        .map(|request| single_rule(equals(1, Op::Eq, request)?))
        .collect()
}

/// All but asking, the usual, 32 bits, old release numbers, and addresses that do not change from run to run.
fn personalities() -> Result<Vec<SeccompRule>, BackendError> {
    let harmless = [0, 8, 0x2_0000, 0x2_0008, 0x4_0000, u32::MAX];
    let conditions: Result<_, _> = harmless
        .into_iter()
        .map(|persona| equals(0, Op::Ne, persona))
        .collect();
    Ok(vec![SeccompRule::new(conditions?)?])
}

/// The limit of a process does not count memory that it shares without a name, so one mapping at least may not exceed it.
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

/// The mode counts only where a file is made; elsewhere it is whatever the register held.
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

/// Pipes, sockets and files can be made; devices cannot.
fn nodes(mode: u8) -> Result<Vec<SeccompRule>, BackendError> {
    let mut rules = set_id(mode)?;
    for device in [libc::S_IFCHR, libc::S_IFBLK] {
        rules.push(single_rule(masked_equals(mode, libc::S_IFMT, device)?)?);
    }
    Ok(rules)
}

/// What is decided by the number alone, and not with `EPERM`: the compiler of rules knows one answer only.
///
/// `clone3` and `openat2` take their flags from memory, where no filter can look; C libraries do without them when they
/// do not exist. The architecture is checked behind these lines; until then only refusals are possible.
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
