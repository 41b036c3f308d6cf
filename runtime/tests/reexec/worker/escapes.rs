//! Ways out of a worker. Each is first tried in an ordinary process of the same user, where the kernel looks at it (the
//! attempts on files succeed; others end with an error about their arguments), and then in a job that was taken over, where
//! the kernel answers that there is no such call.

mod table;

use std::collections::BTreeMap;
use std::ffi::CString;
use std::fs;
use std::path::Path;
use std::process::Command;

use helve_runtime::worker::{self, JobContext, WorkerError};
use libc::c_long;
use serde_json::{Value, json};

use self::table::{FORKS, table};
use super::{ROLE_VARIABLE, short_limits};

/// The process that tries everything outside.
pub(super) const OUTSIDE: &str = "outside of a worker";
/// Names the folder that it tries it on.
const FOLDER: &str = "HELVE_TEST_FOLDER";
/// A secret of the app.
pub(super) const SECRET: &str = "HELVE_TEST_SECRET";

/// What the kernel answered to each try: an error number, or 0.
type ErrnoByCall = BTreeMap<String, i32>;

/// The folder, the parent process and the user that the tries are about.
type Target = (String, u32, u32);

fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

helve_runtime::worker_job! {
    /// Tries everything on the folder that its argument names.
    static ESCAPE: "test/escape" = escape;
}

fn escape(_: &mut JobContext, told: Value) -> Result<Value, String> {
    let seen: Vec<String> = std::env::vars().map(|(name, _)| name).collect();
    // Before anything is tried that opens some.
    let descriptors = descriptors();
    Ok(json!({
        "answers": try_calls(&serde_json::from_value(told).unwrap()),
        "descriptors": descriptors,
        "environment": seen,
    }))
}

helve_runtime::worker_job! {
    /// Calls the kernel as a program of 32 bits does.
    static FOREIGN: "test/foreign" = foreign;
}

#[expect(unsafe_code, reason = "there is no other way to call so")]
fn foreign(_: &mut JobContext, _: Value) -> Result<Value, String> {
    let pid: i32;
    // SAFETY: `getpid` of the 32-bit table reads and writes no memory.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::asm!("int 0x80", inlateout("eax") 20 => pid);
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        pid = 0;
    }
    Ok(json!(pid))
}

/// Tries everything in this process, and prints the answers.
pub(super) fn print_outside() {
    let folder = std::env::var(FOLDER).unwrap();
    let descriptors = descriptors();
    let parent = std::os::unix::process::parent_id();
    let answers = try_calls(&(folder, parent, user()));
    println!(
        "{}",
        json!({ "answers": answers, "descriptors": descriptors })
    );
}

pub(super) async fn every_way_out_is_closed() {
    let _inherited = inheritable("/etc/passwd");
    let (outside, inside) = (folder(), folder());
    let output = Command::new("/proc/self/exe")
        .env(ROLE_VARIABLE, OUTSIDE)
        .env(FOLDER, outside.path())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let free: Value = serde_json::from_str(&text).expect(&text);
    // A worker cannot even ask who its parent is.
    let told = json!((inside.path(), std::process::id(), user()));
    let job = worker::run(&ESCAPE, told, vec![], short_limits());
    let held = job.await.unwrap().result;

    let names = |tree: &Path| -> Vec<String> {
        let entries = fs::read_dir(tree).unwrap();
        let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
        let mut names: Vec<String> = entries.map(|entry| name(entry.unwrap())).collect();
        names.sort();
        names
    };
    // The attempts have effects outside, and none inside.
    assert_eq!(
        names(outside.path()),
        ["linked", "made", "moved", "new", "node", "pointing"]
    );
    assert_eq!(names(inside.path()), ["moves", "victim"]);
    assert_eq!(
        fs::read_to_string(inside.path().join("moves")).unwrap(),
        "text"
    );

    let answers = |value: &Value| -> ErrnoByCall {
        serde_json::from_value(value["answers"].clone()).unwrap()
    };
    let (free_answers, held_answers) = (answers(&free), answers(&held));
    let escaped: Vec<_> = held_answers
        .iter()
        .filter(|(_, error)| **error != libc::ENOSYS)
        .collect();
    assert!(escaped.is_empty(), "{escaped:?}");
    let refused: Vec<&String> = free_answers
        .iter()
        .filter(|(_, error)| [libc::ENOSYS, libc::EPERM, libc::EACCES].contains(error))
        .map(|(name, _)| name)
        .collect();
    println!(
        "{} ways are closed; outside, {} are looked at, and this machine refuses this user: {refused:?}",
        held_answers.len(),
        free_answers.len() - refused.len()
    );
    assert_eq!(free_answers.len(), held_answers.len());
    assert!(free_answers.len() - refused.len() >= 60, "{refused:?}");

    assert_ne!(
        free["descriptors"],
        json!([]),
        "the process outside inherits one"
    );
    assert_eq!(held["descriptors"], json!([]));
    let environment: Vec<String> = serde_json::from_value(held["environment"].clone()).unwrap();
    assert!(std::env::var_os(SECRET).is_some());
    let known = [
        "HELVE_HELPER",
        "MALLOC_ARENA_MAX",
        "LD_LIBRARY_PATH",
        "LD_PRELOAD",
    ];
    assert!(
        environment.iter().all(|name| known.contains(&&**name)),
        "{environment:?}"
    );
}

pub(super) async fn foreign_system_calls_kill() {
    if !cfg!(target_arch = "x86_64") {
        println!("ran nothing: only x86_64 has the calls of another architecture");
        return;
    }
    let error = worker::run(&FOREIGN, json!(0), vec![], short_limits()).await;
    let error = error.unwrap_err();
    assert!(
        matches!(error, WorkerError::Killed { signal: 31 }),
        "{error:?}"
    );
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("victim"), "text").unwrap();
    fs::write(folder.path().join("moves"), "text").unwrap();
    folder
}

/// Opens a file as C programs do: what is started then inherits it.
#[expect(unsafe_code, reason = "the standard library marks every descriptor")]
fn inheritable(path: &str) -> i32 {
    let path = CString::new(path).unwrap();
    // SAFETY: the path is a C string.
    let descriptor = unsafe { libc::open(path.as_ptr(), libc::O_RDONLY) };
    assert!(descriptor > 2);
    descriptor
}

/// Lists the descriptors above the standard ones that are open, by what every process may call.
#[expect(unsafe_code, reason = "descriptors of nobody are looked at")]
fn descriptors() -> Vec<i32> {
    let is_open = |descriptor: &i32| {
        // SAFETY: nothing is read or written: the length is zero.
        let read = unsafe { libc::read(*descriptor, std::ptr::null_mut(), 0) };
        // SAFETY: as above.
        let written = unsafe { libc::write(*descriptor, std::ptr::null(), 0) };
        read >= 0 || written >= 0
    };
    (3..1024).filter(is_open).collect()
}

fn try_calls((folder, parent, user): &Target) -> ErrnoByCall {
    table(Path::new(folder), *parent, *user)
        .into_iter()
        .map(|(name, number, arguments)| (name.to_owned(), call(number, arguments)))
        .collect()
}

/// Calls the kernel; returns the error number, or 0.
#[expect(unsafe_code, reason = "system calls that no library makes")]
fn call(number: c_long, [a, b, c, d, e]: [u64; 5]) -> i32 {
    // SAFETY: the table passes numbers, null, and C strings that live for ever; what is written to is null as well.
    let result = unsafe { libc::syscall(number, a, b, c, d, e, 0_u64) };
    if result == 0 && FORKS.contains(&number) {
        // SAFETY: the copy of this process ends at once.
        unsafe { libc::_exit(0) };
    }
    let error = std::io::Error::last_os_error();
    if result == -1 {
        error.raw_os_error().unwrap_or_default()
    } else {
        0
    }
}
