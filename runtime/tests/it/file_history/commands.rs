//! What commands change is found; what was before is known, or said not to be.

use helve_host::file_history::ChangeSource;

use super::*;

#[tokio::test]
async fn what_a_command_changed_creates_and_deletes_is_put_back() {
    let mut world = Fixture::new().await;
    fs::write(world.path("kept.txt"), "kept").unwrap();
    fs::create_dir(world.path("empty")).unwrap();
    let before = world.tree();
    let start = world.position().await;
    world.write("tool.txt", b"by a tool").await;
    world
        .run("sed -i s/a/b/ *", |project| {
            fs::write(project.join("tool.txt"), "by a command").unwrap();
            fs::remove_file(project.join("kept.txt")).unwrap();
            fs::remove_dir(project.join("empty")).unwrap();
            fs::create_dir(project.join("out")).unwrap();
            fs::write(project.join("out/new.txt"), "new").unwrap();
        })
        .await;
    let plan = world.plan(start).await;
    let row = plan
        .rows
        .iter()
        .find(|row| row.display == "kept.txt")
        .unwrap();
    assert_eq!(
        row.by,
        [ChangeSource::Command("sed -i s/a/b/ *".to_owned())]
    );
    world.rewind(start).await;
    assert_eq!(world.tree(), before);
}

#[tokio::test]
async fn two_changes_of_a_command_within_one_tick_of_the_clock_are_found() {
    let mut world = Fixture::new().await;
    fs::write(world.path("f"), "one").unwrap();
    world.run("first", |_| ()).await;
    for text in ["two", "six", "ten"] {
        let position = world.position().await;
        let before = world.tree();
        world
            .run("next", move |project| {
                fs::write(project.join("f"), text).unwrap()
            })
            .await;
        assert_eq!(world.plan(position).await.rows.len(), 1, "{text}");
        world.rewind(position).await;
        assert_eq!(world.tree(), before);
        fs::write(world.path("f"), text).unwrap();
    }
}

#[tokio::test]
async fn what_a_person_changed_between_commands_is_no_change_of_a_command() {
    let mut world = Fixture::new().await;
    fs::write(world.path("mine"), "one").unwrap();
    fs::write(world.path("other"), "one").unwrap();
    let start = world.position().await;
    let change_other = |project: &Path| fs::write(project.join("other"), "two").unwrap();
    world.run("first", change_other).await;
    fs::write(world.path("mine"), "by a person").unwrap();
    world.run("second", |_| ()).await;
    let plan = world.plan(start).await;
    assert_eq!(statuses(&plan), [("other", &RowStatus::Ready)]);
}

#[tokio::test]
async fn a_file_that_a_person_changed_between_two_changes_is_asked_about() {
    let mut world = Fixture::new().await;
    fs::write(world.path("f"), "one").unwrap();
    let start = world.position().await;
    world.write("f", b"two").await;
    fs::write(world.path("f"), "by a person").unwrap();
    let append = |project: &Path| fs::write(project.join("f"), "three").unwrap();
    world.run("append", append).await;
    let plan = world.plan(start).await;
    assert_eq!(statuses(&plan), [("f", &RowStatus::ChangedElsewhere)]);
}

#[tokio::test]
async fn the_contents_of_large_files_and_of_caches_are_not_guessed() {
    let mut world = Fixture::new().await;
    fs::write(world.path("large"), vec![b'x'; 6 << 20]).unwrap();
    let start = world.position().await;
    world
        .run("make", |project| {
            fs::write(project.join("large"), "small now").unwrap();
            fs::create_dir(project.join("target")).unwrap();
            fs::write(project.join("target/CACHEDIR.TAG"), "").unwrap();
            fs::write(project.join("target/out"), "built").unwrap();
        })
        .await;
    let plan = world.plan(start).await;
    let before = world.tree();
    let why = |text: &str| RowStatus::NotKept(text.to_owned());
    assert_eq!(
        statuses(&plan),
        [
            (
                "large",
                &why("its contents before are not known: it is larger than 5 MB")
            ),
            ("target", &why("it contains `CACHEDIR.TAG`, which stays")),
        ]
    );
    assert_eq!(
        plan.notes,
        ["what commands changed here is not known: target"]
    );
    assert_eq!(world.restore(plan.rows).await.restored, 0);
    assert_eq!(world.tree(), before);
}

#[tokio::test]
async fn what_exceeds_the_limit_is_reported_as_not_kept() {
    let world = Fixture::new().await;
    fs::write(world.path("first"), "12345").unwrap();
    fs::write(world.path("second"), "67890").unwrap();
    let project = LocalFs::new(world.project()).unwrap();
    let history = FileHistory::with_limit(&world.dir.path().join("small"), project, 8).unwrap();
    world.tracker.attach(Some(history)).await;
    world.write("first", b"").await;
    world.write("second", b"").await;
    let plan = world.plan(0).await;
    let why = "its contents before are not kept (a session keeps 2,000 files and 50 MB)";
    assert_eq!(
        statuses(&plan),
        [
            ("first", &RowStatus::Ready),
            ("second", &RowStatus::NotKept(why.to_owned())),
        ]
    );
    assert_eq!(world.restore(plan.rows).await.restored, 1);
    assert_eq!(fs::read_to_string(world.path("first")).unwrap(), "12345");
    assert_eq!(fs::read_to_string(world.path("second")).unwrap(), "");
}

#[tokio::test]
async fn of_many_files_those_that_are_not_held_are_named() {
    let mut world = Fixture::new().await;
    for number in 0..2_005 {
        fs::write(world.path(&format!("f{number:04}")), "one").unwrap();
    }
    let start = world.position().await;
    world
        .run("touch up", |project| {
            fs::write(project.join("f0001"), "two").unwrap();
            fs::write(project.join("f2004"), "two").unwrap();
            fs::write(project.join("new"), "two").unwrap();
        })
        .await;
    let plan = world.plan(start).await;
    let why = "its contents before are not known: the contents of 2,000 files and 50 MB are held while a command runs, and \
               it is not among them";
    assert_eq!(
        statuses(&plan),
        [
            ("f0001", &RowStatus::Ready),
            ("f2004", &RowStatus::NotKept(why.to_owned())),
            ("new", &RowStatus::Ready),
        ]
    );
}

#[tokio::test]
async fn what_changes_between_turns_beside_a_command_may_be_a_persons_change() {
    let mut world = Fixture::new().await;
    let start = world.position().await;
    let begin = |project: &Path| fs::write(project.join("served"), "one").unwrap();
    world.run("serve", begin).await;
    let set_idle = |is_idle| {
        world
            .tracker
            .with_history(move |history| history.set_idle(is_idle))
    };
    set_idle(true).await.unwrap();
    fs::write(world.path("mine"), "by a person").unwrap();
    set_idle(false).await.unwrap();
    fs::write(world.path("later"), "by the server").unwrap();
    let plan = world.plan(start).await;
    assert_eq!(
        statuses(&plan),
        [
            ("later", &RowStatus::Ready),
            ("mine", &RowStatus::ChangedElsewhere),
            ("served", &RowStatus::Ready),
        ]
    );
}
