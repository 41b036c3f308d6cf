//! Runners: what they run, renew, lose and stop. Time is paused; it advances when nothing else can happen.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use helve::state::{ClaimedWork, Runner, WorkOutcome, WorkQueue};
use tokio_util::sync::CancellationToken;

use super::{claim_of, new_work};

fn queue_with(count: usize) -> (tempfile::TempDir, WorkQueue) {
    let folder = tempfile::tempdir().unwrap();
    let queue = WorkQueue::open(&folder.path().join("state.db")).unwrap();
    for number in 0..count {
        let work = new_work("job", &number.to_string(), SystemTime::now());
        queue.put(&work).unwrap();
    }
    (folder, queue)
}

fn in_an_hour() -> SystemTime {
    SystemTime::now() + Duration::from_secs(3600)
}

#[tokio::test(start_paused = true)]
async fn work_runs_once_and_no_more_of_it_at_a_time_than_is_allowed() {
    let (_folder, queue) = queue_with(20);
    let (running, most, runs) = <(Arc<AtomicUsize>, Arc<AtomicUsize>, Arc<AtomicUsize>)>::default();
    let handler = |_: ClaimedWork, _: CancellationToken| {
        let (running, most, runs) = (running.clone(), most.clone(), runs.clone());
        async move {
            let now = running.fetch_add(1, Ordering::SeqCst) + 1;
            most.fetch_max(now, Ordering::SeqCst);
            runs.fetch_add(1, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_secs(5)).await;
            running.fetch_sub(1, Ordering::SeqCst);
            WorkOutcome::Done
        }
    };
    let stop = CancellationToken::new();
    let runner = |owner: &str| Runner::new(queue.clone(), ["job"]).owner(owner).parallel(3);
    let (first, second) = (runner("first"), runner("second"));
    let (first, second) = tokio::join!(first.once(&stop, handler), second.once(&stop, handler));
    assert_eq!(first.unwrap() + second.unwrap(), 20);
    assert_eq!(runs.load(Ordering::SeqCst), 20);
    assert!(most.load(Ordering::SeqCst) <= 6);
    assert_eq!(queue.list(None).unwrap(), []);
}

#[tokio::test(start_paused = true)]
async fn a_handler_learns_that_its_claim_is_lost_and_its_end_changes_nothing() {
    let (_folder, queue) = queue_with(1);
    let runner = Runner::new(queue.clone(), ["job"]).owner("first");
    let taker = queue.clone();
    let handler = move |_: ClaimedWork, lost: CancellationToken| {
        let taker = taker.clone();
        async move {
            let taken = taker
                .claim(&claim_of("job", "second", in_an_hour(), 1))
                .unwrap();
            assert_eq!(taken[0].epoch, 2);
            lost.cancelled().await;
            WorkOutcome::Done
        }
    };
    assert_eq!(
        runner
            .once(&CancellationToken::new(), handler)
            .await
            .unwrap(),
        1
    );
    let entry = queue.list(None).unwrap().remove(0);
    assert_eq!((entry.holder.as_deref(), entry.epoch), (Some("second"), 2));
}

#[tokio::test(start_paused = true)]
async fn a_long_handler_keeps_its_claim() {
    let (_folder, queue) = queue_with(1);
    let runner = Runner::new(queue.clone(), ["job"]);
    let watching = queue.clone();
    let handler = move |_: ClaimedWork, lost: CancellationToken| {
        let queue = watching.clone();
        async move {
            let lease_end = || queue.list(None).unwrap()[0].lease_end;
            let before = lease_end();
            // The clock of leases is not paused, so that a renewal is a later end.
            while lease_end() == before {
                tokio::time::sleep(Duration::from_secs(20)).await;
            }
            assert!(!lost.is_cancelled());
            WorkOutcome::Done
        }
    };
    assert_eq!(
        runner
            .once(&CancellationToken::new(), handler)
            .await
            .unwrap(),
        1
    );
    assert_eq!(queue.list(None).unwrap(), []);
}

#[tokio::test(start_paused = true)]
async fn work_that_panics_or_is_put_off_is_claimed_later() {
    let (_folder, queue) = queue_with(2);
    let later = in_an_hour();
    let handler = move |work: ClaimedWork, _: CancellationToken| async move {
        assert_ne!(work.key, "0", "the handler panics");
        WorkOutcome::Later(later)
    };
    let runner = Runner::new(queue.clone(), ["job"]);
    assert_eq!(
        runner
            .once(&CancellationToken::new(), handler)
            .await
            .unwrap(),
        2
    );
    let entries = queue.list(None).unwrap();
    for entry in &entries {
        assert_eq!((entry.holder.as_deref(), entry.epoch), (None, 1));
        assert!(entry.due > SystemTime::now());
    }
    let difference = later.duration_since(entries[1].due).unwrap();
    assert!(difference < Duration::from_millis(1));
}

#[tokio::test(start_paused = true)]
async fn a_stopped_runner_gives_back_what_does_not_end() {
    let (_folder, queue) = queue_with(3);
    let stop = CancellationToken::new();
    let stopping = stop.clone();
    let handler = move |work: ClaimedWork, lost: CancellationToken| {
        let stop = stopping.clone();
        async move {
            match work.key.as_str() {
                "0" => {
                    stop.cancel();
                    WorkOutcome::Done
                }
                "1" => {
                    lost.cancelled().await;
                    WorkOutcome::Done
                }
                _ => std::future::pending().await,
            }
        }
    };
    let runner = Runner::new(queue.clone(), ["job"]);
    runner.run(&stop, handler).await.unwrap();
    let entries = queue.list(None).unwrap();
    assert_eq!(entries.len(), 1);
    assert_eq!(
        (entries[0].key.as_str(), entries[0].holder.as_deref()),
        ("2", None)
    );
    assert!(entries[0].due <= SystemTime::now());
}

#[tokio::test(start_paused = true)]
async fn a_runner_finds_work_that_is_put_later() {
    let (_folder, queue) = queue_with(0);
    let stop = CancellationToken::new();
    let runner = Runner::new(queue.clone(), ["job"]);
    let stopping = stop.clone();
    let handler = move |_: ClaimedWork, _: CancellationToken| {
        stopping.cancel();
        std::future::ready(WorkOutcome::Done)
    };
    let put = async {
        tokio::time::sleep(Duration::from_secs(90)).await;
        queue.put(&new_work("job", "1", SystemTime::now())).unwrap();
    };
    let (ended, ()) = tokio::join!(runner.run(&stop, handler), put);
    ended.unwrap();
    assert_eq!(queue.list(None).unwrap(), []);
}
