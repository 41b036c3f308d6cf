//! Between a change and its rewind, something else was put in the place of a file.

use std::os::unix::fs::symlink;

use super::*;

/// A project in which a tool wrote `folder/f`, which was "one" before, and a file outside of the project.
async fn written() -> (Fixture, u64) {
    let world = Fixture::new().await;
    fs::create_dir(world.path("folder")).unwrap();
    fs::write(world.path("folder/f"), "one").unwrap();
    fs::create_dir(world.dir.path().join("outside")).unwrap();
    fs::write(world.dir.path().join("outside/f"), "outside").unwrap();
    let start = world.position().await;
    world.write("folder/f", b"two").await;
    (world, start)
}

fn outside(world: &Fixture) -> String {
    fs::read_to_string(world.dir.path().join("outside/f")).unwrap()
}

#[tokio::test]
async fn a_link_in_the_place_of_a_file_is_replaced_and_not_followed() {
    let (world, start) = written().await;
    fs::remove_file(world.path("folder/f")).unwrap();
    symlink("../../outside/f", world.path("folder/f")).unwrap();
    let plan = world.plan(start).await;
    assert_eq!(
        statuses(&plan),
        [("folder/f", &RowStatus::ChangedElsewhere)]
    );
    let report = world.restore(plan.rows).await;
    assert_eq!(report.failed, []);
    assert_eq!(outside(&world), "outside");
    assert!(
        fs::symlink_metadata(world.path("folder/f"))
            .unwrap()
            .is_file()
    );
    assert_eq!(fs::read_to_string(world.path("folder/f")).unwrap(), "one");
}

#[tokio::test]
async fn a_link_in_the_place_of_a_folder_is_not_followed() {
    for target in ["../outside", "elsewhere"] {
        let (world, start) = written().await;
        fs::create_dir(world.path("elsewhere")).unwrap();
        fs::write(world.path("elsewhere/f"), "elsewhere").unwrap();
        let plan = world.plan(start).await;
        fs::rename(world.path("folder"), world.path("away")).unwrap();
        symlink(target, world.path("folder")).unwrap();
        // With the plan from before, and with a new one.
        let before = world.tree();
        let report = world.restore(plan.rows).await;
        assert_eq!(report.restored, 0, "{report:?}");
        let plan = world.plan(start).await;
        assert_eq!(
            statuses(&plan),
            [("folder/f", &RowStatus::ChangedElsewhere)]
        );
        let report = world.restore(plan.rows).await;
        assert_eq!((report.restored, report.failed.len()), (0, 1), "{report:?}");
        assert_eq!(world.tree(), before);
        assert_eq!(outside(&world), "outside");
    }
}

#[tokio::test]
async fn a_folder_in_the_place_of_a_file_stays_with_what_it_contains() {
    let (world, start) = written().await;
    fs::remove_file(world.path("folder/f")).unwrap();
    fs::create_dir(world.path("folder/f")).unwrap();
    fs::write(world.path("folder/f/mine"), "mine").unwrap();
    let before = world.tree();
    let plan = world.plan(start).await;
    let why = RowStatus::NotKept("it contains `mine`, which stays".to_owned());
    assert_eq!(statuses(&plan), [("folder/f", &why)]);
    world.restore(plan.rows).await;
    assert_eq!(world.tree(), before);
}

#[tokio::test]
async fn a_file_that_changes_after_the_question_is_not_overwritten() {
    let (world, start) = written().await;
    let plan = world.plan(start).await;
    fs::write(world.path("folder/f"), "at the last moment").unwrap();
    let report = world.restore(plan.rows).await;
    let why = "it has changed since the question; run /rewind again".to_owned();
    assert_eq!(report.failed, [("folder/f".to_owned(), why)]);
    assert_eq!(
        fs::read_to_string(world.path("folder/f")).unwrap(),
        "at the last moment"
    );
}

#[tokio::test]
async fn a_file_that_cannot_be_written_is_reported_and_the_others_are_restored() {
    let (world, start) = written().await;
    world.write("other", b"new").await;
    fs::set_permissions(world.path("folder"), fs::Permissions::from_mode(0o555)).unwrap();
    let plan = world.plan(start).await;
    let report = world.restore(plan.rows).await;
    fs::set_permissions(world.path("folder"), fs::Permissions::from_mode(0o755)).unwrap();
    assert!(!world.path("other").exists());
    // Permissions do not bind root.
    if report.failed.is_empty() {
        assert_eq!(fs::read_to_string(world.path("folder/f")).unwrap(), "one");
    } else {
        assert_eq!(report.failed[0].0, "folder/f");
        assert_eq!(fs::read_to_string(world.path("folder/f")).unwrap(), "two");
    }
}

#[tokio::test]
async fn a_read_only_file_is_restored_with_its_permissions() {
    let world = Fixture::new().await;
    fs::write(world.path("f"), "one").unwrap();
    let start = world.position().await;
    world.write("f", b"two").await;
    let mut world = world;
    let lock = |project: &Path| {
        fs::set_permissions(project.join("f"), fs::Permissions::from_mode(0o444)).unwrap();
    };
    world.run("chmod a-w f", lock).await;
    world.rewind(start).await;
    let mode = fs::metadata(world.path("f")).unwrap().permissions().mode();
    assert_eq!(
        (mode & 0o777, fs::read_to_string(world.path("f")).unwrap()),
        (0o644, "one".to_owned())
    );
}

#[tokio::test]
async fn damaged_contents_are_not_written() {
    let (world, start) = written().await;
    let contents = world.dir.path().join("history/contents");
    fs::write(&contents, "xxx").unwrap();
    let plan = world.plan(start).await;
    assert!(
        matches!(plan.rows[0].status, RowStatus::NotKept(_)),
        "{plan:?}"
    );
    world.restore(plan.rows).await;
    assert_eq!(fs::read_to_string(world.path("folder/f")).unwrap(), "two");
}

#[tokio::test]
async fn two_processes_do_not_use_a_history_at_once() {
    let world = Fixture::new().await;
    let project = LocalFs::new(world.project()).unwrap();
    let error = FileHistory::open(&world.dir.path().join("history"), project).unwrap_err();
    assert_eq!(
        error.to_string(),
        "another process uses the history of the files"
    );
}
