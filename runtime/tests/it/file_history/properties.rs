//! Any sequence of changes, with any number of rewinds.

use std::os::unix::fs::symlink;

use proptest::prelude::*;

use super::*;

/// What a tool or a command does.
#[derive(Debug, Clone)]
enum Step {
    Write(PathBuf, Vec<u8>),
    Remove(PathBuf),
    Rename(PathBuf, PathBuf),
    CreateFolder(PathBuf),
    RemoveFolder(PathBuf),
    Command(Vec<RawStep>),
    /// Another process continues.
    Reopen,
}

/// What a command does, without asking.
#[derive(Debug, Clone)]
enum RawStep {
    Write(PathBuf, Vec<u8>),
    Remove(PathBuf),
    Rename(PathBuf, PathBuf),
    SetMode(PathBuf, u32),
    Link(PathBuf, PathBuf),
    CreateFolder(PathBuf),
}

fn path() -> impl Strategy<Value = PathBuf> {
    let name = prop::sample::select(vec!["a", "b", "c"]);
    prop::collection::vec(name, 1..=3).prop_map(|names| names.iter().collect())
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..3)
}

fn raw_step() -> impl Strategy<Value = RawStep> {
    let mode = prop::sample::select(vec![0o600, 0o644, 0o755, 0o444]);
    prop_oneof![
        4 => (path(), bytes()).prop_map(|(path, bytes)| RawStep::Write(path, bytes)),
        2 => path().prop_map(RawStep::Remove),
        1 => (path(), path()).prop_map(|(from, to)| RawStep::Rename(from, to)),
        2 => (path(), mode).prop_map(|(path, mode)| RawStep::SetMode(path, mode)),
        1 => (path(), path()).prop_map(|(path, target)| RawStep::Link(path, target)),
        2 => path().prop_map(RawStep::CreateFolder),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        5 => (path(), bytes()).prop_map(|(path, bytes)| Step::Write(path, bytes)),
        2 => path().prop_map(Step::Remove),
        2 => (path(), path()).prop_map(|(from, to)| Step::Rename(from, to)),
        1 => path().prop_map(Step::CreateFolder),
        1 => path().prop_map(Step::RemoveFolder),
        4 => prop::collection::vec(raw_step(), 1..4).prop_map(Step::Command),
        1 => Just(Step::Reopen),
    ]
}

impl RawStep {
    /// Does the step; one that is impossible changes nothing.
    fn perform(&self, project: &Path) {
        let at = |path: &PathBuf| project.join(path);
        let _ = match self {
            Self::Write(path, bytes) => fs::write(at(path), bytes),
            Self::Remove(path) => {
                fs::remove_file(at(path)).or_else(|_| fs::remove_dir_all(at(path)))
            }
            Self::Rename(from, to) => fs::rename(at(from), at(to)),
            Self::SetMode(path, mode) => match fs::symlink_metadata(at(path)) {
                // Whoever runs the tests can go on to list folders.
                Ok(stat) if stat.is_dir() => {
                    fs::set_permissions(at(path), fs::Permissions::from_mode(mode | 0o700))
                }
                Ok(stat) if stat.is_file() => {
                    fs::set_permissions(at(path), fs::Permissions::from_mode(*mode))
                }
                _ => Ok(()),
            },
            Self::Link(path, target) => symlink(target, at(path)),
            Self::CreateFolder(path) => fs::create_dir_all(at(path)),
        };
    }
}

async fn perform(mut world: Fixture, step: Step) -> Fixture {
    // A change that is impossible is refused, and changes nothing.
    match step {
        Step::Write(path, bytes) => {
            let condition = WriteCondition::Always;
            let write = Change::Write {
                path,
                bytes,
                condition,
            };
            let _ = world.apply(vec![write]).await;
        }
        Step::Remove(path) => {
            let condition = WriteCondition::Always;
            let _ = world.apply(vec![Change::Remove { path, condition }]).await;
        }
        Step::Rename(from, to) => {
            let condition = WriteCondition::Always;
            let rename = Change::Rename {
                from,
                to,
                condition,
            };
            let _ = world.apply(vec![rename]).await;
        }
        Step::CreateFolder(path) => drop(world.files.create_dir(&path).await),
        Step::RemoveFolder(path) => drop(world.files.remove_dir_all(&path).await),
        Step::Command(steps) => {
            let body = move |project: &Path| steps.iter().for_each(|step| step.perform(project));
            world.run("a command", body).await;
        }
        Step::Reopen => world = world.reopen().await,
    }
    world
}

async fn check(steps: Vec<Step>, rewinds: Vec<prop::sample::Index>) {
    let mut world = Fixture::new().await;
    fs::write(world.path("a"), "from the beginning").unwrap();
    fs::create_dir_all(world.path("b/c")).unwrap();
    let mut times = Vec::new();
    for step in steps {
        times.push((world.position().await, world.tree()));
        world = perform(world, step).await;
    }
    times.push((world.position().await, world.tree()));
    for index in rewinds {
        let (position, tree) = index.get(&times);
        // A path below a folder that a link has replaced leads elsewhere: it is never restored unasked.
        let plan = world.plan(*position).await;
        if plan
            .rows
            .iter()
            .any(|row| row.status == RowStatus::ChangedElsewhere)
        {
            return;
        }
        world.rewind(*position).await;
        assert_eq!(world.tree(), *tree);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_rewind_restores_every_byte(
        steps in prop::collection::vec(step(), 1..14),
        rewinds in prop::collection::vec(any::<prop::sample::Index>(), 1..5),
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        runtime.block_on(check(steps, rewinds));
    }
}
