//! Tests the confinement of a real process: each test starts this test program again, which confines itself and then
//! either makes system calls or executes another program.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output};

use libc::{c_long, c_ulong};
use tempfile::TempDir;

#[path = "../../../../../tests/support/isolation.rs"]
mod isolation;

use super::{Confinement, OuterIsolation, seccomp};
use crate::sandbox::isolated::Support;
use crate::sandbox::{Access, Limits, NetworkAccess, SandboxPolicy};

/// The arguments of the second process.
const WORKSPACE: &str = "HELVE_TEST_CONFINED_WORKSPACE";
const ACCESS: &str = "HELVE_TEST_CONFINED_ACCESS";
const PROGRAM: &str = "HELVE_TEST_CONFINED_PROGRAM";
const AROUND: &str = "HELVE_TEST_CONFINED_AROUND";

/// Starts this program again in the role of `confined_process`.
fn confined(workspace: &Path, access: &str, program: &str) -> Output {
    confined_with(workspace, &[(ACCESS, access), (PROGRAM, program)])
}

fn confined_with(workspace: &Path, told: &[(&str, &str)]) -> Output {
    Command::new(env::current_exe().unwrap())
        .args([
            "--exact",
            "sandbox::isolated::confine::tests::confined_process",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(WORKSPACE, workspace)
        .envs(told.iter().copied())
        .output()
        .unwrap()
}

/// The second process. In an ordinary test run it does nothing.
#[test]
fn confined_process() {
    let Some(workspace) = env::var_os(WORKSPACE) else {
        return;
    };
    let policy = SandboxPolicy::new(workspace);
    let told = |name: &str| env::var(name).unwrap_or_default();
    let access = match told(ACCESS).as_str() {
        "read" => Access::Read,
        _ => Access::Write,
    };
    if told(AROUND) == "nothing" {
        let program = seccomp::filter(OuterIsolation::None, None).unwrap();
        seccompiler::apply_filter(&program).unwrap();
        println!("\n{}", calls());
        return;
    }
    let support = Support::detect();
    let confinement = Confinement::prepare(&policy, &support, &["/dev/shm".into()]).unwrap();
    let mut limits = Limits::default();
    limits.open_files = Some(64);
    limits.file_size = Some(1 << 20);
    // Two descriptors that the program must not see.
    let leaked = rustix::io::fcntl_dupfd_cloexec(std::io::stdin(), 40).unwrap();
    rustix::io::fcntl_setfd(&leaked, rustix::io::FdFlags::empty()).unwrap();
    confinement.begin().unwrap();
    confinement
        .finish(access, NetworkAccess::Policy, &limits)
        .unwrap();
    match told(PROGRAM).as_str() {
        "" => println!("\n{}", calls()),
        program => {
            let error = Command::new("/bin/sh")
                .args(["-c", program])
                .current_dir(&policy.workspace)
                .exec();
            panic!("{error}");
        }
    }
}

/// Makes a system call and returns the name of the error, or the result.
#[expect(unsafe_code, reason = "system calls that no library makes")]
fn call(number: c_long, arguments: [c_ulong; 5]) -> String {
    let [a, b, c, d, e] = arguments;
    // SAFETY: the tables below pass numbers, null and strings that live for ever; no call that is allowed here writes.
    let result = unsafe { libc::syscall(number, a, b, c, d, e, 0 as c_ulong) };
    let error = std::io::Error::last_os_error().raw_os_error();
    match (result, error) {
        (-1, Some(libc::EPERM)) => "denied".to_owned(),
        (-1, Some(libc::ENOSYS)) => "not there".to_owned(),
        (-1, Some(libc::EACCES)) => "no access".to_owned(),
        (-1, error) => format!("error {}", error.unwrap_or_default()),
        _ => "works".to_owned(),
    }
}

fn text(text: &'static std::ffi::CStr) -> c_ulong {
    text.as_ptr() as c_ulong
}

fn here() -> c_ulong {
    libc::AT_FDCWD as c_ulong
}

/// One line for each call.
fn calls() -> String {
    let line = |(_, name, number, arguments)| format!("[{}] {name}", call(number, arguments));
    table().into_iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The expected result in namespaces, and a call with its name, number and arguments.
type Row = (&'static str, &'static str, c_long, [c_ulong; 5]);

#[rustfmt::skip]
fn table() -> Vec<Row> {
    let families = [
        ("denied", "unix stream", 1, 1, 0), ("denied", "unix datagram", 1, 2, 0), ("works", "inet stream", 2, 1, 0),
        ("works", "inet6 datagram", 10, 2, 0), ("works", "inet stream, flags", 2, 1 | 0o2_000_000 | 0o4000, 6),
        ("denied", "inet raw", 2, 3, 1), ("denied", "inet packet", 2, 10, 0),
        ("denied", "inet seqpacket (sctp)", 2, 5, 132), ("denied", "inet mptcp", 2, 1, 262),
        ("denied", "netlink", 16, 3, 0), ("denied", "packet", 17, 3, 0), ("denied", "vsock", 40, 1, 0),
        ("denied", "alg", 38, 5, 0), ("denied", "bluetooth", 31, 3, 0),
        ("works", "family hidden in the upper half", 2 | (1 << 40), 1, 0),
    ];
    let mut rows: Vec<Row> = families
        .iter()
        .map(|&(answer, name, family, kind, protocol)| (answer, name, libc::SYS_socket, [family, kind, protocol, 0, 0]))
        .collect();
    let mut pair =
        |answer, name, family, kind| rows.push((answer, name, libc::SYS_socketpair, [family, kind, 0, 0, 0]));
    // A null result pointer: an allowed call fails with EFAULT (14).
    pair("error 14", "stream pair", 1, 1);
    pair("error 14", "stream pair, flags", 1, 1 | 0o2_000_000);
    pair("error 14", "seqpacket pair", 1, 5);
    pair("denied", "datagram pair", 1, 2);
    pair("denied", "raw pair", 1, 3);
    pair("denied", "tipc pair", 30, 1);
    rows.extend([
        ("denied", "io_uring_setup", libc::SYS_io_uring_setup, [1, 0, 0, 0, 0]),
        ("denied", "ptrace", libc::SYS_ptrace, [0, 0, 0, 0, 0]),
        ("denied", "process_vm_readv", libc::SYS_process_vm_readv, [1, 0, 0, 0, 0]),
        ("denied", "process_vm_writev", libc::SYS_process_vm_writev, [1, 0, 0, 0, 0]),
        ("denied", "bpf", libc::SYS_bpf, [0; 5]),
        ("denied", "keyctl", libc::SYS_keyctl, [0; 5]),
        ("denied", "add_key", libc::SYS_add_key, [0; 5]),
        ("denied", "request_key", libc::SYS_request_key, [0; 5]),
        ("denied", "perf_event_open", libc::SYS_perf_event_open, [0; 5]),
        ("denied", "userfaultfd", libc::SYS_userfaultfd, [1, 0, 0, 0, 0]),
        ("denied", "mount", libc::SYS_mount, [0; 5]),
        ("denied", "umount2", libc::SYS_umount2, [0; 5]),
        ("denied", "fsopen", libc::SYS_fsopen, [text(c"tmpfs"), 0, 0, 0, 0]),
        ("denied", "open_tree", libc::SYS_open_tree, [here(), text(c"/"), 0, 0, 0]),
        ("denied", "open_tree_attr", 467, [here(), text(c"/"), 0, 0, 0]),
        ("denied", "move_mount", libc::SYS_move_mount, [0; 5]),
        ("denied", "mount_setattr", libc::SYS_mount_setattr, [0; 5]),
        ("denied", "pivot_root", libc::SYS_pivot_root, [0; 5]),
        ("denied", "chroot", libc::SYS_chroot, [text(c"/"), 0, 0, 0, 0]),
        ("denied", "setns", libc::SYS_setns, [0; 5]),
        ("denied", "unshare user", libc::SYS_unshare, [libc::CLONE_NEWUSER as c_ulong, 0, 0, 0, 0]),
        ("denied", "clone user", libc::SYS_clone, [libc::CLONE_NEWUSER as c_ulong | 17, 0, 0, 0, 0]),
        ("denied", "clone net", libc::SYS_clone, [libc::CLONE_NEWNET as c_ulong | 17, 0, 0, 0, 0]),
        ("not there", "clone3", libc::SYS_clone3, [0; 5]),
        ("not there", "openat2", libc::SYS_openat2, [here(), text(c"/"), 0, 0, 0]),
        ("not there", "newer than the list", 480, [0; 5]),
        ("denied", "x32", 0x4000_0000 | 39, [0; 5]),
        ("denied", "open_by_handle_at", libc::SYS_open_by_handle_at, [0; 5]),
        ("denied", "kexec_load", libc::SYS_kexec_load, [0; 5]),
        ("denied", "clock_settime", libc::SYS_clock_settime, [0; 5]),
        ("denied", "sethostname", libc::SYS_sethostname, [text(c"x"), 1, 0, 0, 0]),
        ("denied", "swapon", libc::SYS_swapon, [text(c"x"), 0, 0, 0, 0]),
        ("denied", "quotactl", libc::SYS_quotactl, [0; 5]),
        ("denied", "syslog", libc::SYS_syslog, [10, 0, 0, 0, 0]),
        ("denied", "acct", libc::SYS_acct, [0; 5]),
        ("works", "shmget", libc::SYS_shmget, [0, 4096, 0o1600, 0, 0]),
        ("works", "personality, asked", libc::SYS_personality, [0xffff_ffff, 0, 0, 0, 0]),
        ("denied", "personality, read implies execute", libc::SYS_personality, [0x40_0000, 0, 0, 0, 0]),
        ("denied", "TIOCSTI", libc::SYS_ioctl, [0, 0x5412, 0, 0, 0]),
        ("denied", "TIOCSTI, upper half", libc::SYS_ioctl, [0, 0x5412 | (1 << 40), 0, 0, 0]),
        ("denied", "TIOCLINUX", libc::SYS_ioctl, [0, 0x541c, 0, 0, 0]),
        ("denied", "TIOCSETD", libc::SYS_ioctl, [0, 0x5423, 0, 0, 0]),
        ("error 9", "TCGETS on no descriptor", libc::SYS_ioctl, [999, 0x5401, 0, 0, 0]),
        ("denied", "fchmod 4755", libc::SYS_fchmod, [999, 0o4755, 0, 0, 0]),
        ("denied", "fchmod 2755", libc::SYS_fchmod, [999, 0o2755, 0, 0, 0]),
        ("error 9", "fchmod 755", libc::SYS_fchmod, [999, 0o755, 0, 0, 0]),
        ("denied", "fchmodat 6755", libc::SYS_fchmodat, [here(), text(c"/x"), 0o6755, 0, 0]),
        ("error 2", "fchmodat 1777", libc::SYS_fchmodat, [here(), text(c"/x"), 0o1777, 0, 0]),
        ("denied", "fchmodat2 4755", 452, [here(), text(c"/x"), 0o4755, 0, 0]),
        ("denied", "mknodat character", libc::SYS_mknodat, [here(), text(c"/x/y"), 0o020_666, 259, 0]),
        ("denied", "mknodat block", libc::SYS_mknodat, [here(), text(c"/x/y"), 0o060_666, 259, 0]),
        ("error 2", "mknodat pipe", libc::SYS_mknodat, [here(), text(c"/x/y"), 0o010_666, 0, 0]),
        ("denied", "openat made 4755", libc::SYS_openat, [here(), text(c"/x/y"), 0o101, 0o4755, 0]),
        ("denied", "openat temporary 4755", libc::SYS_openat, [here(), text(c"/x/y"), 0o20_200_001, 0o4755, 0]),
        ("error 2", "openat made 755", libc::SYS_openat, [here(), text(c"/x/y"), 0o101, 0o755, 0]),
        ("error 2", "openat read, mode unset", libc::SYS_openat, [here(), text(c"/x/y"), 0, 0o7777, 0]),
        ("denied", "3 GiB of shared memory", libc::SYS_mmap, [0, 3 << 30, 3, 0x21, c_ulong::MAX]),
        ("works", "1 MiB of shared memory", libc::SYS_mmap, [0, 1 << 20, 3, 0x21, c_ulong::MAX]),
        ("works", "getpid", libc::SYS_getpid, [0; 5]),
    ]);
    rows
}

fn answers(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with('[')).collect();
    assert!(!lines.is_empty(), "{output:?}");
    lines.join("\n")
}

/// Only on the architecture that has all calls of the table.
#[cfg(target_arch = "x86_64")]
#[test]
fn the_filter_denies_its_list_and_nothing_else() {
    if isolation::skip("the_filter_denies_its_list_and_nothing_else") {
        return;
    }
    let workspace = TempDir::new().unwrap();
    let output = confined(workspace.path(), "write", "");
    let expected = table().into_iter();
    let expected: Vec<_> = expected
        .map(|(answer, name, ..)| format!("[{answer}] {name}"))
        .collect();
    assert_eq!(answers(&output).lines().collect::<Vec<_>>(), expected);
}

#[cfg(target_arch = "x86_64")]
#[test]
fn without_namespaces_sockets_and_shared_objects_are_denied_too() {
    let workspace = TempDir::new().unwrap();
    let output = confined_with(workspace.path(), &[(AROUND, "nothing")]);
    let answers = answers(&output);
    for name in ["inet stream", "inet6 datagram", "shmget"] {
        let denied = format!("[denied] {name}");
        assert!(answers.lines().any(|line| line == denied), "{answers}");
    }
}

#[test]
fn a_program_has_no_capability_no_foreign_file_and_its_limits() {
    if isolation::skip("a_program_has_no_capability_no_foreign_file_and_its_limits") {
        return;
    }
    let workspace = TempDir::new().unwrap();
    let script = "echo; grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status | tr '\\t' ' '; \
                  echo $(ls /proc/self/fd); ulimit -n; ulimit -c; \
                  dd if=/dev/zero of=large bs=1M count=2 2>/dev/null; echo $?; ls -s large";
    let output = confined(workspace.path(), "write", script);
    let text = String::from_utf8_lossy(&output.stdout);
    let text = text.split_once("...").map_or("", |(_, text)| text.trim());
    // Outside of a user namespace only root may drop the bounding set; without capabilities a process cannot gain one
    // of it.
    let before = fs::read_to_string("/proc/self/status").unwrap();
    let bounding = before.lines().find(|line| line.starts_with("CapBnd:"));
    let text = if rustix::process::geteuid().is_root() {
        text.to_owned()
    } else {
        let kept = bounding.unwrap().replace('\t', " ");
        text.replace(&kept, "CapBnd: 0000000000000000")
    };
    insta::assert_snapshot!(text, @r"
    CapInh: 0000000000000000
    CapPrm: 0000000000000000
    CapEff: 0000000000000000
    CapBnd: 0000000000000000
    CapAmb: 0000000000000000
    NoNewPrivs: 1
    Seccomp: 2
    0 1 2 3
    64
    0
    153
    1024 large
    ");
}

#[test]
fn landlock_keeps_writes_in_the_workspace_and_none_with_read_access() {
    if isolation::skip("landlock_keeps_writes_in_the_workspace_and_none_with_read_access") {
        return;
    }
    let workspace = TempDir::new().unwrap();
    let elsewhere = TempDir::new().unwrap();
    fs::write(workspace.path().join("there"), "text\n").unwrap();
    let other = elsewhere.path().join("file");
    fs::write(&other, "text\n").unwrap();
    let script = format!(
        "echo; try() {{ \"$@\" 2>/dev/null && echo \"yes: $1 $2\" || echo \"no: $1 $2\"; }}; \
         try mkdir a; try mkdir b; try touch a/f; try mv a/f b/; try rm b/f; try ln -s x link; try mkfifo pipe; \
         try cat there; try truncate -s0 there; \
         cd {0}; try cat file; try touch new; try truncate -s0 file; try rm file; try ln file hard",
        elsewhere.path().display()
    );
    let told = |access: &str| {
        let output = confined(workspace.path(), access, &script);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let is_told = |line: &&str| line.starts_with("yes") || line.starts_with("no");
        let lines = text.lines().filter(is_told).map(str::to_owned);
        lines.collect::<Vec<_>>()
    };
    let (read, write) = (told("read"), told("write"));
    assert_eq!(read.len(), write.len());
    let both = read.iter().zip(&write);
    let both: Vec<_> = both
        .map(|(read, write)| format!("{read} | {write}"))
        .collect();
    insta::assert_snapshot!(both.join("\n"), @r"
    no: mkdir a | yes: mkdir a
    no: mkdir b | yes: mkdir b
    no: touch a/f | yes: touch a/f
    no: mv a/f | yes: mv a/f
    no: rm b/f | yes: rm b/f
    no: ln -s | yes: ln -s
    no: mkfifo pipe | yes: mkfifo pipe
    yes: cat there | yes: cat there
    no: truncate -s0 | yes: truncate -s0
    yes: cat file | yes: cat file
    no: touch new | no: touch new
    no: truncate -s0 | no: truncate -s0
    no: rm file | no: rm file
    no: ln file | no: ln file
    ");
    assert_eq!(fs::read_to_string(other).unwrap(), "text\n");
}

/// Programs that must work, as the escape suite runs them in the whole sandbox.
#[test]
fn ordinary_programs_work() {
    if isolation::skip("ordinary_programs_work") {
        return;
    }
    let workspace = TempDir::new().unwrap();
    let programs = [
        (
            "git",
            "git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x",
        ),
        (
            "gcc",
            "printf 'int main(){return 0;}' > a.c && gcc a.c -o a.out && ./a.out",
        ),
        (
            "python3",
            "python3 -c 'import asyncio; asyncio.run(asyncio.sleep(0))'",
        ),
        (
            "python3",
            "python3 -c 'import multiprocessing as m; p=m.Pool(2); print(p.map(abs,[-1])); p.close()'",
        ),
        (
            "python3",
            "python3 -c 'import threading; t=threading.Thread(target=print); t.start(); t.join()'",
        ),
        (
            "node",
            "node -e 'require(\"child_process\").execSync(\"true\")'",
        ),
        ("sh", "mkfifo p && chmod 755 p && (echo x > p & cat p)"),
    ];
    let mut ran = Vec::new();
    for (name, script) in programs {
        let found = Command::new("sh")
            .args(["-c", &format!("command -v {name}")])
            .output();
        if !found.unwrap().status.success() {
            println!("{name} is not installed: it was not run");
            continue;
        }
        let folder = workspace.path().join(format!("{}", ran.len()));
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
        let output = confined(
            &folder,
            "write",
            &format!("export HOME=$PWD TMPDIR=$PWD; {script} && echo worked"),
        );
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains("worked"), "{script}: {output:?}");
        ran.push(name);
    }
}
