//! How much of the machine a process may use.

use std::time::Duration;

use helve_runtime::sandbox::{Exit, Limit};

use crate::sandbox_suite::fixture::{Fixture, count_processes_inside, run, sh, unique};

pub(crate) async fn time_is_up_for_the_whole_tree(place: Fixture) {
    let sandbox = place.open().await;
    let unique = unique();
    let mut spec = sh("slow", &format!("echo begun; sleep {unique} & wait"));
    spec.limits.wall_time = Some(Duration::from_millis(300));
    let ran = run(&*sandbox, spec).await;
    assert_eq!((ran.exit, &*ran.stdout), (Exit::TimedOut, "begun\n"));
    assert_eq!(count_processes_inside(&*sandbox, &unique).await, 0);
    let mut quick = sh("quick", "exit 5");
    quick.limits.wall_time = Some(Duration::from_secs(60));
    assert_eq!(run(&*sandbox, quick).await.exit, Exit::Code(5));
}

pub(crate) async fn computing_is_limited(place: Fixture) {
    let sandbox = place.open().await;
    let mut spec = sh("busy", "while :; do :; done");
    spec.limits.cpu_time = Some(Duration::from_secs(1));
    assert_eq!(run(&*sandbox, spec).await.exit, Exit::Limit(Limit::CpuTime));
}

pub(crate) async fn a_file_is_limited(place: Fixture) {
    let sandbox = place.open().await;
    let mut spec = sh("large", "exec head -c 5000000 /dev/zero > large");
    spec.limits.file_size = Some(1_000_000);
    assert_eq!(
        run(&*sandbox, spec).await.exit,
        Exit::Limit(Limit::FileSize)
    );
    let size = crate::sandbox_suite::fixture::run_script(&*sandbox, "size", "wc -c < large").await;
    assert!(size.trim().parse::<u64>().unwrap() <= 1_000_000, "{size}");
}

pub(crate) async fn memory_is_limited(place: Fixture) {
    let sandbox = place.open().await;
    let mut spec = sh(
        "hungry",
        "exec dd if=/dev/zero of=/dev/null bs=512M count=1",
    );
    spec.limits.memory = Some(64 << 20);
    let ran = run(&*sandbox, spec).await;
    assert!(!ran.exit.is_success(), "{ran:?}");
}

pub(crate) async fn open_files_are_limited(place: Fixture) {
    let sandbox = place.open().await;
    let mut spec = sh("opens", "ulimit -n");
    spec.limits.open_files = Some(64);
    assert_eq!(run(&*sandbox, spec).await.stdout, "64\n");
}
