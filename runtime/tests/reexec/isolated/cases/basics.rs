//! Starting, output, and what a command sees.

use helve_runtime::sandbox::{Exit, OutputStream, Sandbox, SandboxError};

use crate::isolated::fixture::{IsolatedWorld, read};

pub(super) async fn a_command_runs_and_tells_how_it_ended() {
    let world = IsolatedWorld::new().await;
    let done = world.run(world.spec(["/bin/true"])).await.unwrap();
    assert_eq!(done.exit, Some(Exit::Code(0)));
    let done = world.sh("echo out; echo err >&2; exit 7").await;
    assert_eq!(done.exit, Some(Exit::Code(7)));
    assert_eq!((&*done.stdout, &*done.stderr), ("out\n", "err\n"));
    let done = world.sh("kill -KILL $$").await;
    assert_eq!(done.exit, Some(Exit::Signal(9)));
    let error = world
        .run(world.spec(["no-such-program"]))
        .await
        .unwrap_err();
    assert!(
        matches!(error, SandboxError::ProgramNotFound { .. }),
        "{error:?}"
    );
    world.close().await;
}

pub(super) async fn output_comes_by_offset() {
    let world = IsolatedWorld::new().await;
    let spec = world.spec(["/bin/sh", "-c", "printf 0123456789"]);
    let id = spec.id.clone();
    world.run(spec).await.unwrap();
    let chunk = world
        .sandbox
        .read(read(&id, OutputStream::Stdout, 4))
        .await
        .unwrap();
    let shown = (&chunk.bytes[..], chunk.offset, chunk.total, chunk.end);
    assert_eq!(shown, (&b"456789"[..], 4, 10, true));
    world.close().await;
}

pub(super) async fn the_outside_is_not_there() {
    let world = IsolatedWorld::new().await;
    std::fs::write(world.path().join("file"), "inside").unwrap();
    let done = world
        .sh("cat file; echo new > made; mkdir folder; ls /; id -un")
        .await;
    assert_eq!(
        done.stdout
            .split_whitespace()
            .filter(|name| !name.starts_with("lib"))
            .collect::<Vec<_>>()
            .join(" "),
        format!("inside{} user", root_of(&home()).join(" "))
    );
    let own = home();
    let beside = own.parent().unwrap();
    if beside.parent().is_some() {
        // Nothing of the folder that the home lies in is shown but the home itself.
        let done = world.sh(&format!("ls -A '{}'", beside.display())).await;
        let name = own.file_name().unwrap().to_string_lossy();
        let is_private = ["tmp", "run", "shm"]
            .iter()
            .any(|name| beside.ends_with(name));
        assert!(is_private || done.stdout.trim() == name, "{done:?}");
    }
    let made = std::fs::metadata(world.path().join("made")).unwrap();
    let owner = std::os::unix::fs::MetadataExt::uid(&made);
    assert_eq!(
        owner,
        rustix::process::geteuid().as_raw(),
        "owner of a new file"
    );
    // Where memory runs out, the kernel ends what runs here first.
    let own = std::fs::read_to_string("/proc/self/oom_score_adj").unwrap();
    let own: i32 = own.trim().parse().unwrap();
    let done = world.sh("cat /proc/self/oom_score_adj").await;
    assert_eq!(done.stdout.trim(), own.max(500).to_string(), "{done:?}");
    let denied = [
        "cat /etc/shadow",
        "touch /usr/x",
        "touch /x",
        "touch /etc/x",
        "echo 1 > /proc/sys/kernel/core_pattern",
        "echo 1 > /proc/self/oom_score_adj",
        "ls /sys/kernel",
        "ls /proc/1/root/",
        "cat /proc/1/environ",
        "mount -t tmpfs none /tmp",
        "umount /usr",
        "unshare -U true",
        "chroot / true",
        "kill -9 1",
    ];
    for attack in denied {
        let done = world.sh(attack).await;
        let refused = !matches!(done.exit, Some(Exit::Code(0)));
        assert!(refused || attack.starts_with("kill"), "{attack}: {done:?}");
    }
    let done = world
        .sh("echo still here > /dev/stdout; cat ~/.ssh/id_rsa; ls -A ~ | head")
        .await;
    assert!(done.stdout.starts_with("still here\n"), "{done:?}");
    world.close().await;
}

/// What the root of a sandbox holds: the system, and the folder that the home lies in.
fn root_of(home: &std::path::Path) -> Vec<String> {
    let system = "bin dev etc opt proc run sbin tmp usr var";
    let mut names: Vec<String> = system.split(' ').map(str::to_owned).collect();
    let top = home.components().nth(1);
    names.extend(top.map(|top| top.as_os_str().to_string_lossy().into_owned()));
    names.sort();
    names.dedup();
    names
}

fn home() -> std::path::PathBuf {
    std::env::var_os("HOME").unwrap_or_default().into()
}

pub(super) async fn who_it_is_and_what_it_may() {
    let world = IsolatedWorld::new().await;
    let done = world
        .sh("grep -E 'Cap(Prm|Eff|Bnd)|NoNewPrivs|Seccomp:' /proc/self/status")
        .await;
    assert_eq!(
        done.stdout,
        "CapPrm:\t0000000000000000\nCapEff:\t0000000000000000\nCapBnd:\t0000000000000000\nNoNewPrivs:\t1\nSeccomp:\t2\n"
    );
    let done = world
        .sh("test $(id -u) != 0 && test $(id -g) != 0 && ls /proc/self/fd | wc -l")
        .await;
    // Input, both outputs, and the folder that `ls` has open.
    assert_eq!(done.stdout.trim(), "4", "{done:?}");
    let text = format!("{:?}", world.sandbox.enforcement());
    assert_eq!(world.sandbox.enforcement().missing(), [], "{text}");
    world.close().await;
}

pub(super) async fn a_name_is_taken_once() {
    let world = IsolatedWorld::new().await;
    let spec = world.spec(["/bin/true"]);
    world.run(spec.clone()).await.unwrap();
    let error = world.sandbox.start(spec.clone()).await.unwrap_err();
    assert!(
        matches!(error, SandboxError::ProcessExists { .. }),
        "{error:?}"
    );
    let listed = world.sandbox.list().await.unwrap();
    assert_eq!(
        listed.iter().map(|one| one.id.clone()).collect::<Vec<_>>(),
        [spec.id]
    );
    world.close().await;
}

pub(super) async fn bad_words_are_refused() {
    let world = IsolatedWorld::new().await;
    let mut empty = world.spec(["x"]);
    empty.argv.clear();
    let mut zero = world.spec(["/bin/echo", "a\0b"]);
    zero.environment.clear();
    let mut nameless = world.spec(["/bin/true"]);
    nameless.environment.insert("A=B".into(), String::new());
    let mut nowhere = world.spec(["/bin/true"]);
    nowhere.working_folder = Some("no/such/folder".into());
    let mut long = world.spec(["/bin/true"]);
    long.argv.push("x".repeat(9 << 20));
    for spec in [empty, zero, nameless, nowhere, long] {
        let id = spec.id.clone();
        assert!(world.sandbox.start(spec).await.is_err(), "{id}");
        let error = world
            .sandbox
            .status(&id, std::time::Duration::ZERO)
            .await
            .unwrap_err();
        assert!(
            matches!(error, SandboxError::UnknownProcess { .. }),
            "{error:?}"
        );
    }
    assert_eq!(world.sh("echo fine").await.stdout, "fine\n");
    world.close().await;
}
