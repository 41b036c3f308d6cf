//! How commands end.

use std::time::Duration;

use helve_runtime::sandbox::{Exit, Limit, ProcessSpec, Sandbox, SandboxError, Signal, Stdin};

use crate::escape::fixture::EscapeWorld;
use crate::escape::listeners::contains;
use crate::escape::sandbox_runner::{finish, open, policy, process, run_in, spec};
use crate::escape::scenarios::{EscapeTest, expect};
use crate::escape::user_suite::UserSuite;

pub(super) const TESTS: &[EscapeTest] = &[
    ("ends_are_told_as_they_are", ends),
    ("time_and_limits_that_are_up", limits),
    ("fork_bomb", fork_bomb),
    ("input_that_stays_open", open_input),
    ("fifo_as_input", fifo_as_input),
    ("starts_that_fail", failed_starts),
    ("signals_reach_the_whole_tree", signals),
];

/// Runs a process that is described, in a sandbox of its own, and returns its exit.
async fn exit(sandbox: &dyn Sandbox, spec: ProcessSpec) -> Result<Exit, String> {
    let id = spec.id.clone();
    sandbox
        .start(spec)
        .await
        .map_err(|error| format!("{id}: {error}"))?;
    let status = sandbox
        .status(&id, Duration::from_secs(30))
        .await
        .map_err(|error| format!("{id}: {error}"))?;
    status.exit.ok_or_else(|| format!("{id} did not end"))
}

fn ends(half: &'static UserSuite) -> Result<(), String> {
    let world = EscapeWorld::new(half);
    half.runtime.block_on(async {
        let sandbox = open(policy(&world)).await?;
        let none = world.environment("sandbox");
        for (name, script, wanted) in [
            ("zero", "true", Exit::Code(0)),
            (
                "three",
                "echo 'exit code 0'; echo sandbox failed >&2; exit 3",
                Exit::Code(3),
            ),
            ("most", "exit 255", Exit::Code(255)),
            ("looks-like-signal", "exit 137", Exit::Code(137)),
            ("killed", "kill -9 $$", Exit::Signal(9)),
            ("terminated", "kill -15 $$", Exit::Signal(15)),
            ("aborted", "kill -6 $$", Exit::Signal(6)),
            ("child-killed", "sh -c 'kill -9 $$'; exit 4", Exit::Code(4)),
            ("leaves-children", "sleep 600 & exit 5", Exit::Code(5)),
        ] {
            let found = exit(&sandbox, spec(name, script, &none)).await?;
            expect(found == wanted, || {
                format!("{name}: {found:?} where {wanted:?} was to come")
            })?;
        }
        let all = sandbox.list().await.map_err(|error| error.to_string())?;
        expect(
            all.len() == 9 && all.iter().all(|status| status.exit.is_some()),
            || format!("{all:?}"),
        )?;
        sandbox.close().await.map_err(|error| error.to_string())
    })
}

fn limits(half: &'static UserSuite) -> Result<(), String> {
    let world = EscapeWorld::new(half);
    half.runtime.block_on(async {
        let sandbox = open(policy(&world)).await?;
        let none = world.environment("sandbox");
        let mut late = spec("late", "trap '' TERM INT HUP; setsid sh -c 'trap \"\" TERM; while :; do sleep 600; done' & while :; do sleep 600; done", &none);
        late.limits.wall_time = Some(Duration::from_millis(300));
        let found = exit(&sandbox, late).await?;
        expect(found == Exit::TimedOut, || format!("late: {found:?}"))?;
        let left = run_in(&sandbox, "left", "cat /proc/[0-9]*/comm | grep -c sleep", &none, false).await?;
        expect(left.stdout == b"0\n", || format!("{} sleepers outlive their command's time", String::from_utf8_lossy(&left.stdout).trim()))?;
        let mut busy = spec("busy", "while :; do :; done", &none);
        busy.limits.cpu_time = Some(Duration::from_secs(1));
        let found = exit(&sandbox, busy).await?;
        expect(found == Exit::Limit(Limit::CpuTime), || format!("busy: {found:?}"))?;
        let mut large = spec("large", "exec head -c 9000000 /dev/zero > large", &none);
        large.limits.file_size = Some(1 << 20);
        let found = exit(&sandbox, large).await?;
        expect(found == Exit::Limit(Limit::FileSize), || format!("large: {found:?}"))?;
        let size = std::fs::metadata(world.workspace.join("large")).map(|found| found.len()).unwrap_or_default();
        expect(size <= 1 << 20, || format!("the file has {size} bytes"))?;
        let mut hungry = spec("hungry", "exec \"$DOORS\" memory private 1024", &none);
        hungry.limits.memory = Some(256 << 20);
        let found = exit(&sandbox, hungry).await?;
        expect(!found.is_success(), || format!("hungry: {found:?}"))?;
        sandbox.close().await.map_err(|error| error.to_string())
    })
}

/// It cannot have more processes than it may; its time ends it, with all of them, and the next command runs at once.
fn fork_bomb(half: &'static UserSuite) -> Result<(), String> {
    let world = EscapeWorld::new(half);
    half.runtime.block_on(async {
        let sandbox = open(policy(&world)).await?;
        let none = world.environment("sandbox");
        let mut bomb = spec("bomb", "exec \"$DOORS\" bomb", &none);
        bomb.limits.wall_time = Some(Duration::from_secs(1));
        let found = exit(&sandbox, bomb).await?;
        expect(found == Exit::TimedOut, || format!("bomb: {found:?}"))?;
        // Its end is told when nothing of it is left: not one that runs, and not one that is dead and counted.
        let script = "cat /proc/[0-9]*/comm | grep -c doors; echo hello";
        let again = run_in(&sandbox, "again", script, &none, false).await?;
        let text = String::from_utf8_lossy(&again.stdout).into_owned();
        expect(text == "0\nhello\n", || format!("after the bomb: {text:?}"))?;
        let layer = helve_runtime::sandbox::Layer::Limits;
        println!(
            "limits are held by {:?}",
            sandbox.enforcement().layers.get(&layer)
        );
        sandbox.close().await.map_err(|error| error.to_string())
    })
}

fn open_input(half: &'static UserSuite) -> Result<(), String> {
    let world = EscapeWorld::new(half);
    half.runtime.block_on(async {
        let sandbox = open(policy(&world)).await?;
        let mut cat = spec("cat", "cat; echo end", &world.environment("sandbox"));
        cat.stdin = Stdin::Open;
        let id = cat.id.clone();
        sandbox
            .start(cat)
            .await
            .map_err(|error| error.to_string())?;
        // More than a pipe holds, so that it has to wait for its reader.
        let much = vec![b'x'; 1 << 20];
        sandbox
            .write(&id, much.clone(), false)
            .await
            .map_err(|error| error.to_string())?;
        sandbox
            .write(&id, b"last".to_vec(), true)
            .await
            .map_err(|error| error.to_string())?;
        let status = sandbox
            .status(&id, Duration::from_secs(20))
            .await
            .map_err(|error| error.to_string())?;
        expect(status.exit == Some(Exit::Code(0)), || format!("{status:?}"))?;
        let back = crate::escape::sandbox_runner::read_all(
            &sandbox,
            &id,
            helve_runtime::sandbox::OutputStream::Stdout,
        )
        .await?;
        expect(
            back.len() == much.len() + 8 && back.ends_with(b"lastend\n"),
            || format!("{} bytes came back", back.len()),
        )?;
        let closed = sandbox.write(&id, b"more".to_vec(), false).await;
        expect(
            matches!(closed, Err(SandboxError::InputClosed { .. })),
            || format!("{closed:?}"),
        )?;
        // Nobody reads: the write must not hang for ever, and the process goes by its time.
        let mut deaf = spec("deaf", "exec sleep 600", &world.environment("sandbox"));
        deaf.stdin = Stdin::Open;
        deaf.limits.wall_time = Some(Duration::from_secs(1));
        sandbox
            .start(deaf)
            .await
            .map_err(|error| error.to_string())?;
        let deaf = process("deaf");
        let write =
            tokio::time::timeout(Duration::from_secs(20), sandbox.write(&deaf, much, false)).await;
        expect(write.is_ok(), || {
            "a write to a process that does not read hangs".to_owned()
        })?;
        let status = sandbox
            .status(&deaf, Duration::from_secs(20))
            .await
            .map_err(|error| error.to_string())?;
        expect(status.exit == Some(Exit::TimedOut), || {
            format!("{status:?}")
        })?;
        sandbox.close().await.map_err(|error| error.to_string())
    })
}

/// A FIFO that nobody writes, as what a command reads.
fn fifo_as_input(half: &'static UserSuite) -> Result<(), String> {
    let world = EscapeWorld::new(half);
    half.runtime.block_on(async {
        let sandbox = open(policy(&world)).await?;
        let mut waiting = spec(
            "waiting",
            "mkfifo f; cat < f",
            &world.environment("sandbox"),
        );
        waiting.limits.wall_time = Some(Duration::from_millis(300));
        let found = exit(&sandbox, waiting).await?;
        expect(found == Exit::TimedOut, || format!("{found:?}"))?;
        sandbox.close().await.map_err(|error| error.to_string())
    })
}

fn failed_starts(half: &'static UserSuite) -> Result<(), String> {
    let world = EscapeWorld::new(half);
    half.runtime.block_on(async {
        let sandbox = open(policy(&world)).await?;
        let none = world.environment("sandbox");
        let absent = sandbox
            .start(ProcessSpec::new(process("absent"), ["no-such-program"]))
            .await;
        expect(
            matches!(absent, Err(SandboxError::ProgramNotFound { .. })),
            || format!("{absent:?}"),
        )?;
        let data = sandbox
            .start(ProcessSpec::new(process("data"), ["./file"]))
            .await;
        expect(
            matches!(data, Err(SandboxError::CannotStart { .. })),
            || format!("{data:?}"),
        )?;
        let empty = sandbox
            .start(ProcessSpec::new(process("empty"), Vec::<String>::new()))
            .await;
        expect(empty.is_err(), || format!("{empty:?}"))?;
        for folder in ["no-such-folder", "../sib", "/root/x", "file"] {
            let mut elsewhere = ProcessSpec::new(process("elsewhere"), ["true"]);
            elsewhere.working_folder = Some(folder.into());
            let started = sandbox.start(elsewhere).await;
            expect(started.is_err(), || format!("in `{folder}`: {started:?}"))?;
        }
        let odd = sandbox
            .start(ProcessSpec::new(process("odd"), ["echo", "a\0b"]))
            .await;
        expect(odd.is_err(), || format!("{odd:?}"))?;
        let ran = finish(&sandbox, spec("once", "echo hello", &none)).await?;
        expect(contains(&ran.stdout, b"hello"), || ran.end.clone())?;
        let twice = sandbox.start(spec("once", "echo hello", &none)).await;
        expect(
            matches!(twice, Err(SandboxError::ProcessExists { .. })),
            || format!("{twice:?}"),
        )?;
        let unknown = sandbox.status(&process("unknown"), Duration::ZERO).await;
        expect(
            matches!(unknown, Err(SandboxError::UnknownProcess { .. })),
            || format!("{unknown:?}"),
        )?;
        sandbox.close().await.map_err(|error| error.to_string())?;
        let closed = sandbox.start(spec("late", "true", &none)).await;
        expect(matches!(closed, Err(SandboxError::Closed { .. })), || {
            format!("{closed:?}")
        })?;
        sandbox.close().await.map_err(|error| error.to_string())
    })
}

fn signals(half: &'static UserSuite) -> Result<(), String> {
    let world = EscapeWorld::new(half);
    half.runtime.block_on(async {
        let sandbox = open(policy(&world)).await?;
        let none = world.environment("sandbox");
        let other = spec("other", "exec sleep 700", &none);
        sandbox.start(other).await.map_err(|error| error.to_string())?;
        let tree = "(setsid sh -c 'trap \"\" TERM; echo a > up; while :; do sleep 600; done' &) ; setsid sleep 600 & while [ ! -e up ]; do :; done; echo up; sleep 600";
        sandbox.start(spec("tree", tree, &none)).await.map_err(|error| error.to_string())?;
        let read = helve_runtime::sandbox::ReadOutput {
            process: process("tree"),
            stream: helve_runtime::sandbox::OutputStream::Stdout,
            offset: 0,
            max: 16,
            wait: Duration::from_secs(20),
        };
        let up = sandbox.read(read).await.map_err(|error| error.to_string())?;
        expect(up.bytes == b"up\n", || format!("{up:?}"))?;
        sandbox.signal(&process("tree"), Signal::Kill).await.map_err(|error| error.to_string())?;
        let status = sandbox.status(&process("tree"), Duration::from_secs(20)).await.map_err(|error| error.to_string())?;
        expect(status.exit == Some(Exit::Signal(9)), || format!("{status:?}"))?;
        let left = run_in(&sandbox, "left", "cat /proc/[0-9]*/comm | grep -c sleep", &none, false).await?;
        expect(left.stdout == b"1\n", || format!("{} sleepers where only the other command's was to be left", String::from_utf8_lossy(&left.stdout).trim()))?;
        sandbox.close().await.map_err(|error| error.to_string())
    })
}
