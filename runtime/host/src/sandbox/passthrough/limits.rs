//! Limits that the kernel enforces for each process.

use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit};

use crate::sandbox::Limits;

/// Returns the limits that a child sets for itself before it runs the command.
pub(super) fn resources(limits: &Limits) -> Vec<(Resource, Rlimit)> {
    let mut set = vec![(Resource::Core, exact_limit(Resource::Core, 0))];
    if let Some(seconds) = limits.cpu_time.map(whole_seconds) {
        // The soft limit sends a signal that is distinguishable from others; the hard limit kills the process.
        let hard = clamped_limit(Resource::Cpu, seconds + 2);
        let limit = Rlimit {
            current: Some(seconds.min(hard)),
            maximum: Some(hard),
        };
        set.push((Resource::Cpu, limit));
    }
    let exact = [
        // The address space is not limited, because interpreters reserve far more of it than they use.
        (Resource::Data, limits.memory),
        (Resource::Fsize, limits.file_size),
        (Resource::Nofile, limits.open_files),
    ];
    let exact = exact.into_iter();
    set.extend(exact.filter_map(|(of, value)| Some((of, exact_limit(of, value?)))));
    set
}

fn exact_limit(resource: Resource, value: u64) -> Rlimit {
    let value = Some(clamped_limit(resource, value));
    Rlimit {
        current: value,
        maximum: value,
    }
}

/// Clamps a limit to the current hard limit, which only root may raise.
fn clamped_limit(resource: Resource, value: u64) -> u64 {
    getrlimit(resource)
        .maximum
        .map_or(value, |most| most.min(value))
}

fn whole_seconds(time: Duration) -> u64 {
    (time.as_secs() + u64::from(time.subsec_nanos() > 0)).max(1)
}
