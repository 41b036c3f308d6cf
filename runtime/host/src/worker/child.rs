//! The worker process, which confines itself and then runs one job.

use std::fs;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::exit;
use std::sync::Arc;
use std::thread;

use rustix::process::{
    DumpableBehavior, Resource, Signal, getppid, set_dumpable_behavior,
    set_parent_process_death_signal, setsid,
};
use seccompiler::BpfProgram;
use serde_json::Value;

use super::frames::{self, FrameKind};
use super::job_context::{HostSocket, JobContext};
use super::{FailureMessage, JobLimits, StartMessage, registration};
use crate::support::{capabilities, descriptors, oom_score, resource_limits};

/// Waits for a job of the process `parent`, runs it, and exits.
pub(crate) fn serve(parent: &str) -> ! {
    let filter = match prepare(parent) {
        Ok(filter) => filter,
        Err(why) => fail(&FailureMessage::Confine(why)),
    };
    let start = match frames::read(&mut HostSocket) {
        Ok(Some(frame)) if frame.kind == FrameKind::Start => frame.body,
        // A spare worker that is not needed any more.
        _ => exit(0),
    };
    match serde_json::from_slice(&start) {
        Ok(start) => start_job_thread(start, Arc::new(filter)),
        Err(error) => fail(&FailureMessage::Confine(error.to_string())),
    }
}

/// Drops the privileges that no job needs. The process has one thread, and has read no untrusted bytes.
fn prepare(parent: &str) -> Result<BpfProgram, String> {
    // Ctrl-C at the terminal must only reach the app.
    let _ = setsid();
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(step_error("the death signal"))?;
    // The process that started this one may have ended before the line above.
    if getppid().is_none_or(|pid| pid.as_raw_nonzero().to_string() != parent) {
        exit(0);
    }
    // The score is not needed for confinement; a process that is not dumpable could not set it later.
    let _ = oom_score::raise(oom_score::WORKER);
    descriptors::close_others(&[]).map_err(step_error("descriptors"))?;
    set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(step_error("dumps"))?;
    capabilities::drop_all().map_err(step_error("capabilities"))?;
    super::filter::compile(std::process::id()).map_err(step_error("the system call filter"))
}

/// Sets the limits and starts the job on a thread whose stack is allocated before the filter is applied.
fn start_job_thread(start: StartMessage, filter: Arc<BpfProgram>) -> ! {
    if let Err(why) = limit(&start.limits).map_err(step_error("limits")) {
        fail(&FailureMessage::Confine(why));
    }
    let job = thread::Builder::new()
        .name("job".to_owned())
        .stack_size(start.limits.stack)
        .spawn(move || {
            // The filter applies to all threads of the process.
            match seccompiler::apply_filter_all_threads(&filter) {
                Ok(()) => run(start),
                Err(error) => fail(&FailureMessage::Confine(error.to_string())),
            }
        });
    let why = match job.map(thread::JoinHandle::join) {
        Ok(_) => "its thread ended".to_owned(),
        Err(error) => step_error("the job's thread")(error),
    };
    fail(&FailureMessage::Confine(why))
}

/// Runs the job; all untrusted bytes are read here, after the filter is applied.
fn run(start: StartMessage) -> ! {
    // The message of a panic is part of the reply; the standard error is closed at this point.
    std::panic::set_hook(Box::new(|_| {}));
    let port = JobContext::receive(HostSocket, start.data);
    let (Some(job), Ok(mut port)) = (registration::find(&start.job), port) else {
        fail(&FailureMessage::Job(format!("unknown job `{}`", start.job)));
    };
    let ended = catch_unwind(AssertUnwindSafe(|| (job.run)(&mut port, start.argument)));
    let result = ended.unwrap_or_else(|panic| Err(message(&*panic)));
    match result.and_then(|value| encode(&value)) {
        Ok(body) => {
            let _ = port.finish(FrameKind::Done, &body);
            exit(0)
        }
        Err(why) => fail(&FailureMessage::Job(why)),
    }
}

fn encode(value: &Value) -> Result<Vec<u8>, String> {
    let body = serde_json::to_vec(value).map_err(|error| error.to_string())?;
    if body.len() > frames::MAX_BODY_BYTES {
        return Err("the result of the job is larger than 1 MiB".to_owned());
    }
    Ok(body)
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    format!("the job panicked: {}", text.unwrap_or("no message"))
}

/// Sets the resource limits of one job.
fn limit(limits: &JobLimits) -> io::Result<()> {
    let memory = address_space()?.saturating_add(limits.memory);
    let cpu = limits.cpu.as_secs().max(1);
    resource_limits::lower_both(Resource::As, Some(memory))?;
    // The soft limit sends SIGXCPU; a process that ignores the signal is killed a second later.
    resource_limits::lower(Resource::Cpu, Some(cpu), Some(cpu + 1))?;
    for nothing in [Resource::Core, Resource::Fsize, Resource::Nofile] {
        resource_limits::lower_both(nothing, Some(0))?;
    }
    Ok(())
}

/// Returns the size of the address space of the program itself, in bytes.
fn address_space() -> io::Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let kib = status.lines().find_map(|line| {
        let value = line.strip_prefix("VmSize:")?;
        value.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()
    });
    kib.map(|kib| kib << 10)
        .ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// Reports why there is no result, and exits.
fn fail(failure: &FailureMessage) -> ! {
    let body = serde_json::to_vec(failure).unwrap_or_default();
    let _ = frames::write(&mut HostSocket, FrameKind::Failed, &body);
    exit(1)
}

fn step_error<E: std::fmt::Display>(step: &'static str) -> impl Fn(E) -> String {
    move |error| format!("{step}: {error}")
}
