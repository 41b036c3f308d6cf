use super::*;

#[test]
fn one_writer_a_journal_and_it_says_who() {
    let folder = tempfile::tempdir().unwrap();
    let mine = WriterLocks::new(folder.path());
    let other = WriterLocks::new(folder.path());
    let claim = mine.lock("a").unwrap();
    let _another = other.lock("b").unwrap();
    for writers in [&mine, &other] {
        let error = writers.lock("a").unwrap_err();
        let JournalError::Locked { path, holder } = error else {
            panic!("{error}");
        };
        assert_eq!(path, folder.path().join("a"));
        assert_eq!(holder.unwrap().process, std::process::id());
    }
    drop(claim);
    drop(other.lock("a").unwrap());
}

#[test]
fn what_a_dead_process_left_behind_counts_for_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let dead = folder.path().join(".writers");
    private_files::create_folder(&dead).unwrap();
    // The process died while it held one journal and was claiming another.
    fs::write(dead.join("99-00.lock"), "{}").unwrap();
    fs::write(dead.join("a.claim"), "99-00").unwrap();
    fs::write(dead.join("b.claim"), "").unwrap();
    fs::write(dead.join("c.claim"), "../../etc/passwd").unwrap();
    let writers = WriterLocks::new(folder.path());
    let claims = ["a", "b", "c"].map(|name| writers.lock(name).unwrap());
    assert!(!dead.join("99-00.lock").exists());
    drop(claims);
    drop(writers);
    let left = fs::read_dir(&dead).unwrap();
    let mut left: Vec<_> = left.map(|file| file.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["a.epoch", "b.epoch", "c.epoch", "claims.lock"]);
}

#[test]
fn each_claim_has_a_higher_epoch_until_the_journal_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let locks = [
        WriterLocks::new(folder.path()),
        WriterLocks::new(folder.path()),
    ];
    for epoch in 1..=4 {
        let lock = locks[epoch % 2].lock("a.b").unwrap();
        assert_eq!(lock.lease().epoch(), epoch as u64);
        lock.check().unwrap();
    }
    locks[0].lock("a.b").unwrap().remove();
    assert_eq!(locks[1].lock("a.b").unwrap().lease().epoch(), 1);
}

#[test]
fn an_expired_lease_is_lost_only_to_another_holder() {
    let folder = tempfile::tempdir().unwrap();
    let stopped = WriterLocks::new(folder.path());
    let other = WriterLocks::new(folder.path());
    let (lost, kept) = (stopped.lock("a").unwrap(), stopped.lock("b").unwrap());
    stopped.expire().unwrap();
    let taken = other.lock("a").unwrap();
    assert!(taken.is_takeover() && taken.lease().epoch() == 2);
    let error = lost.check().unwrap_err();
    assert!(
        matches!(error, JournalError::LeaseLost { epoch: 1, .. }),
        "{error}"
    );
    // The first check renewed the leases that were not taken over.
    kept.check().unwrap();
    assert!(matches!(other.lock("b"), Err(JournalError::Locked { .. })));
    // The old holder does not release the claim of the new one.
    drop(lost);
    assert!(matches!(
        stopped.lock("a"),
        Err(JournalError::Locked { .. })
    ));
    taken.check().unwrap();
}

#[test]
fn leases_are_renewed_while_the_process_runs() {
    let folder = tempfile::tempdir().unwrap();
    let lease_time = Duration::from_millis(40);
    let holder = WriterLocks::with_lease_time(folder.path(), lease_time);
    let lock = holder.lock("a").unwrap();
    holder.expire().unwrap();
    while !holder.inner.is_fresh() {
        std::thread::yield_now();
    }
    lock.check().unwrap();
}

#[test]
fn a_thousand_journals_take_one_open_file() {
    let folder = tempfile::tempdir().unwrap();
    let writers = WriterLocks::new(folder.path());
    let claims: Vec<_> = (0..1_000)
        .map(|name| writers.lock(&name.to_string()).unwrap())
        .collect();
    let open = || fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    let with_claims = open();
    drop(claims);
    // Other tests of this process open files too, but not a thousand.
    assert!(with_claims < open() + 500);
}
