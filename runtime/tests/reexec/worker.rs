//! Workers: what they can do, what they cannot, and what the app makes of one that misbehaves.

mod escapes;
mod limits;
mod ordinary;
mod protocol;
mod start;

use std::future::Future;
use std::process::{Command, Output};

use helve_runtime::worker::JobLimits;
use libtest_mimic::{Failed, Trial};

/// Names the test that a process was started to run in an app of its own.
const ROLE_VARIABLE: &str = "HELVE_TEST_WORKER";

type WorkerTest = (&'static str, fn() -> Result<(), Failed>);

/// Tests that run in this process.
const TESTS: &[WorkerTest] = &[
    ("jobs::values_and_bytes_go_both_ways", || {
        run(ordinary::values_and_bytes_go_both_ways())
    }),
    ("jobs::the_host_answers_calls", || {
        run(ordinary::the_host_answers_calls())
    }),
    ("jobs::failures_and_panics_are_told", || {
        run(ordinary::failures_and_panics_are_told())
    }),
    ("jobs::what_is_too_large_is_refused", || {
        run(ordinary::what_is_too_large_is_refused())
    }),
    ("jobs::a_dropped_job_ends_its_worker", || {
        run(ordinary::a_dropped_job_ends_its_worker())
    }),
    ("protocol::lies_are_errors", || {
        run(protocol::lies_are_errors())
    }),
    ("protocol::each_death_has_its_error", || {
        run(protocol::each_death_has_its_error())
    }),
];

/// Tests that run in an app of their own, which prints nothing where all is well.
const OWN_PROCESS_TESTS: &[WorkerTest] = &[
    ("limits::what_eats_memory_is_bounded", || {
        run(limits::what_eats_memory_is_bounded())
    }),
    ("limits::what_does_not_end_is_ended", || {
        run(limits::what_does_not_end_is_ended())
    }),
    ("limits::jobs_share_their_memory", || {
        run(limits::jobs_share_their_memory())
    }),
    ("start::a_warm_job_starts_fast", || {
        run(start::a_warm_job_starts_fast())
    }),
    ("start::a_worker_dies_with_its_app", || {
        start::a_worker_dies_with_its_app()
    }),
    ("escapes::every_way_out_is_closed", || {
        run(escapes::every_way_out_is_closed())
    }),
    ("escapes::foreign_system_calls_kill", || {
        run(escapes::foreign_system_calls_kill())
    }),
];

pub(crate) fn tests() -> Vec<Trial> {
    let mut trials: Vec<Trial> = TESTS
        .iter()
        .map(|&(name, test)| Trial::test(format!("worker::{name}"), test))
        .collect();
    for &(name, _) in OWN_PROCESS_TESTS {
        let users: &[&str] = if rustix::process::geteuid().is_root() {
            &["root", "nobody"]
        } else {
            &["user"]
        };
        for &user in users {
            trials.push(Trial::test(format!("worker::{user}::{name}"), move || {
                run_in_own_process(name, user)
            }));
        }
    }
    trials.push(Trial::test(
        "worker::start::without_the_hook_nothing_runs",
        || run_in_own_process("unprepared", "root"),
    ));
    trials
}

/// Comes before `become_helper`: a program that never calls it.
pub(crate) fn run_unprepared() {
    if std::env::var_os(ROLE_VARIABLE).is_some_and(|role| role == "unprepared") {
        finish(run(start::without_the_hook_nothing_runs()));
    }
}

/// Runs a test in this app, if a test started it for that.
pub(crate) fn run_as_role() {
    let Some(role) = std::env::var_os(ROLE_VARIABLE) else {
        return;
    };
    if role == escapes::OUTSIDE {
        escapes::print_outside();
        std::process::exit(0);
    }
    if role == start::APP {
        start::app();
    }
    let test = OWN_PROCESS_TESTS.iter().find(|(name, _)| role == *name);
    finish(test.map_or_else(|| Err("no such test".into()), |(_, test)| test()));
}

fn finish(result: Result<(), Failed>) -> ! {
    match result {
        Ok(()) => std::process::exit(0),
        Err(error) => {
            eprintln!("{}", error.message().unwrap_or("failed"));
            std::process::exit(1)
        }
    }
}

fn run_in_own_process(name: &str, user: &str) -> Result<(), Failed> {
    let output = spawn_role(name, user);
    print!("{}", String::from_utf8_lossy(&output.stdout));
    if output.status.success() {
        Ok(())
    } else {
        Err(format!("{user}: {output:?}").into())
    }
}

/// Starts this program in a role, as another user where that is asked for, and waits for it.
fn spawn_role(role: &str, user: &str) -> Output {
    use std::os::unix::process::CommandExt;
    let mut command = Command::new("/proc/self/exe");
    command
        .env(ROLE_VARIABLE, role)
        .env(escapes::SECRET, "x")
        .current_dir("/");
    if user == "nobody" {
        command.uid(65_534).gid(65_534);
    }
    command.output().unwrap()
}

fn run(test: impl Future<Output = ()>) -> Result<(), Failed> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?
        .block_on(test);
    Ok(())
}

/// Limits that a test does not wait long for.
fn short_limits() -> JobLimits {
    JobLimits {
        memory: 48 << 20,
        wall: std::time::Duration::from_secs(20),
        ..JobLimits::default()
    }
}
