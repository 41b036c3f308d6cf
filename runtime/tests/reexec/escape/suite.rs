//! Who runs the suite: a first process lays out the folders, then one process for each user runs all cases.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Failed, Trial};

use crate::escape::attacks;
use crate::escape::case::EscapeCase;
use crate::escape::table::Table;
use crate::escape::user_suite::{
    FOLDER_VARIABLE, TOKEN_VARIABLE, TOOLS_VARIABLE, UserSuite, random_text, write_program,
};
use crate::escape::verdict::judge_case;

/// Nobody's uid: the suite runs as this user when root starts it.
const UNPRIVILEGED: u32 = 64999;
/// The owner of the setuid program, whom nobody else is.
const OWNER: u32 = 64998;

/// Is an app, or runs one half of the suite, where a test started this process to do so.
pub(crate) fn run_as_role() -> Option<ExitCode> {
    if let Some(ended) = crate::escape::app::run_if_app() {
        return Some(ended);
    }
    std::env::var_os(FOLDER_VARIABLE)
        .is_some()
        .then(run_user_suite)
}

/// Runs both halves, in processes of their own that get the arguments of this one; true where all went well. Does nothing
/// where the arguments leave out all cases.
pub(crate) fn run(arguments: &Arguments) -> bool {
    let names = ["root", "user"].map(list_cases);
    if names.iter().flatten().all(|name| {
        let trial = Trial::test(name.as_str(), || Ok(()));
        arguments.is_filtered_out(&trial)
    }) {
        return true;
    }
    // In a process namespace of its own, a run that was interrupted before may have had the same number.
    let folder = PathBuf::from(format!("/var/tmp/helve-escape-{}", &random_text()[..8]));
    let failed = run_users(&folder);
    // What is immutable or busy was reported by a case.
    drop(fs::remove_dir_all(&folder));
    !failed
}

/// Names all that a half runs.
fn list_cases(user: &str) -> Vec<String> {
    let attacks = attacks::all();
    let others = [
        crate::escape::scenarios::all(),
        crate::escape::faults::all(),
    ]
    .concat();
    let names = attacks.iter().map(|case| case.id);
    names
        .chain(others.iter().map(|&(name, _)| name))
        .map(|name| format!("escape::{user}::{name}"))
        .collect()
}

fn run_users(folder: &Path) -> bool {
    let tools = folder.join("tools");
    fs::create_dir_all(&tools).expect("a folder for the suite");
    let owned = compile(&tools);
    let app = std::env::current_exe().expect("this program");
    let root = rustix::process::geteuid().is_root();
    let mut first = user_suite_command(None, &app, folder, owned.as_deref());
    if !root {
        println!("this half ran as an unprivileged user alone: the half of root needs root");
        return !first.status().expect("a half").success();
    }
    // The unprivileged user may not get at where this program lies.
    let copy = folder.join("app");
    fs::copy(&app, &copy).expect("a copy of this program");
    fs::set_permissions(&copy, fs::Permissions::from_mode(0o755)).expect("its mode");
    let mut second = user_suite_command(Some(UNPRIVILEGED), &copy, folder, owned.as_deref());
    // Both wait much, so they run together; what the second says is shown after the first.
    let second = std::thread::spawn(move || second.output().expect("a half"));
    let first = first.status().expect("a half").success();
    let second = second.join().expect("a half");
    print!("{}", String::from_utf8_lossy(&second.stdout));
    eprint!("{}", String::from_utf8_lossy(&second.stderr));
    !(first && second.status.success())
}

/// Describes a half as a user.
fn user_suite_command(
    user: Option<u32>,
    app: &Path,
    folder: &Path,
    owned: Option<&str>,
) -> Command {
    let half = folder.join(user.map_or_else(|| "first".to_owned(), |user| user.to_string()));
    fs::create_dir_all(half.join("home")).expect("a home");
    let mut command = Command::new(app);
    command
        .args(std::env::args_os().skip(1))
        .current_dir(&half)
        .env_clear()
        .env(
            "PATH",
            "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        )
        .env("LANG", "C.UTF-8")
        .env("HOME", half.join("home"))
        .env(FOLDER_VARIABLE, &half)
        .env(TOOLS_VARIABLE, folder.join("tools"))
        .env(TOKEN_VARIABLE, format!("secret-{}", random_text()));
    for name in ["RUST_BACKTRACE", "HELVE_SOAK"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    if let Some(owned) = owned {
        command.env("HELVE_ESCAPE_OWNED", owned);
    }
    if let Some(user) = user {
        chown(&half, Some(user), Some(user)).expect("an owner");
        chown(half.join("home"), Some(user), Some(user)).expect("an owner");
        command.uid(user).gid(user);
    }
    command
}

/// Compiles the attacks' programs, where there is a compiler. As root, one of them is made setuid, with a file that only
/// its owner reads; its contents are returned.
fn compile(tools: &Path) -> Option<String> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reexec/escape/programs");
    let names = [
        "main",
        "files",
        "kernel",
        "processes",
        "namespaces",
        "network",
        "limits",
    ];
    let doors = tools.join("doors");
    let done = Command::new("gcc")
        .args(["-O1", "-o"])
        .arg(&doors)
        .args(names.map(|name| sources.join(name).with_extension("c")))
        .arg("-lpthread")
        .output();
    match done {
        Err(_) => {
            println!("the attacks that are written in C ran nothing: gcc is not installed");
            let instead = "#!/bin/sh\n[ \"$1\" = tried ] && echo tried || echo 'missing: gcc'\n[ \"$1\" != victim ] || cat\n";
            write_program(&doors, instead);
            return None;
        }
        Ok(done) => assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        ),
    }
    if !rustix::process::geteuid().is_root() {
        return None;
    }
    let [program, file] = ["setuid", "owned"].map(|name| tools.join(name));
    let secret = format!("owned-{}", random_text());
    fs::copy(doors, &program).expect("a program");
    fs::write(&file, &secret).expect("a file");
    for (path, mode) in [(&program, 0o4755), (&file, 0o600)] {
        chown(path, Some(OWNER), Some(OWNER)).expect("an owner");
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
    }
    Some(secret)
}

/// Runs all cases as this user, and prints the table.
fn run_user_suite() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // Two at a time keep the machine busy; more only make each of them slow.
    arguments.test_threads = arguments.test_threads.or(Some(2));
    let half: &'static UserSuite = Box::leak(Box::new(UserSuite::from_env()));
    let table: &'static Table = Box::leak(Box::default());
    let prefix = if half.root { "root" } else { "user" };
    let cases = attacks::all().into_iter().map(|case| {
        Trial::test(format!("escape::{prefix}::{}", case.id), move || {
            table.measure(case.id, || record_case(table, case, half))
        })
    });
    let others = [
        crate::escape::scenarios::all(),
        crate::escape::faults::all(),
    ]
    .concat();
    let others = others.into_iter().map(|(name, test)| {
        Trial::test(format!("escape::{prefix}::{name}"), move || {
            table.measure(name, || test(half).map_err(Failed::from))
        })
    });
    let trials = cases.chain(others).collect();
    let conclusion = libtest_mimic::run(&arguments, trials);
    if !arguments.list {
        println!("{}{}", table.render(&half.user()), table.slowest());
    }
    match conclusion.has_failed() {
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    }
}

fn record_case(
    table: &Table,
    case: &'static EscapeCase,
    half: &'static UserSuite,
) -> Result<(), Failed> {
    let verdict = judge_case(case, half);
    table.record(case, verdict.as_ref().map_err(drop));
    verdict.map(drop).map_err(Failed::from)
}
