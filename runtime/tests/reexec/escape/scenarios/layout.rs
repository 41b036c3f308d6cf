//! Workspaces that were laid out to trick a program that opens a sandbox on them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use helve_runtime::sandbox::{Sandbox, SandboxPolicy};

use super::{EscapeTest, expect, listing};
use crate::escape::fixture::EscapeWorld;
use crate::escape::listeners::contains;
use crate::escape::plain_runner::EscapeRun;
use crate::escape::sandbox_runner::{open, policy, run_in};
use crate::escape::user_suite::{UserSuite, git};

pub(super) const TESTS: &[EscapeTest] = &[
    ("git_file_that_points_to_secrets", git_file_to_secrets),
    ("git_file_of_a_worktree", git_file_of_worktree),
    ("links_at_mount_points", links_at_mount_points),
    ("links_swapped_at_mount_points", links_swapped),
    ("no_stub_is_left", no_stub),
    ("projected_folder_with_outward_links", projection),
    ("workspace_in_tmp", workspace_in_tmp),
    ("workspace_given_through_a_link", workspace_through_link),
    ("workspace_that_holds_the_home", workspace_with_home),
    ("folder_above_the_workspace_moved", moved_above),
    ("read_access_writes_nothing", read_access),
    ("processes_of_one_sandbox_do_not_see_another", two_sandboxes),
];

/// Runs one script in a sandbox of its own.
pub(super) fn run(
    world: &EscapeWorld,
    policy: SandboxPolicy,
    script: &str,
) -> Result<EscapeRun, String> {
    world.suite.runtime.block_on(async {
        let sandbox = open(policy).await?;
        let ran = run_in(
            &sandbox,
            "script",
            script,
            &world.environment("sandbox"),
            false,
        )
        .await;
        sandbox.close().await.map_err(|error| error.to_string())?;
        ran
    })
}

fn check_secret_unread(world: &EscapeWorld, ran: &EscapeRun) -> Result<(), String> {
    expect(
        !contains(&ran.stdout, world.suite.secret.as_bytes()),
        || "the secret was read".to_owned(),
    )
}

/// A `.git` file that was made beforehand must not bring what it points to into the sandbox.
fn git_file_to_secrets(half: &'static UserSuite) -> Result<(), String> {
    let world = EscapeWorld::new(half);
    fs::remove_dir_all(world.workspace.join(".git")).expect("a repository");
    let fake = &world.sibling;
    for name in ["HEAD", "commondir", "gitdir"] {
        fs::write(fake.join(name), "ref: refs/heads/main\n").expect("a file");
    }
    for target in [
        "../sib".to_owned(),
        fake.display().to_string(),
        half.home.join(".ssh").display().to_string(),
    ] {
        fs::write(world.workspace.join(".git"), format!("gitdir: {target}\n")).expect("a link");
        let ran = run(
            &world,
            policy(&world),
            r#"cat "$SECRET_FILE" "$REAL_HOME/.ssh/key"; echo changed > "$SIB/new"; echo tried"#,
        )?;
        check_secret_unread(&world, &ran)?;
        expect(!world.sibling.join("new").exists(), || {
            "the folder it points to was written".to_owned()
        })?;
        expect(contains(&ran.stdout, b"tried"), || "nothing ran".to_owned())?;
    }
    Ok(())
}

/// A worktree whose repository lies elsewhere: its hooks must not be written, nor its `.git` file turned to other hooks.
fn git_file_of_worktree(half: &'static UserSuite) -> Result<(), String> {
    let mut world = EscapeWorld::new(half);
    let main = world.base.join("main");
    fs::rename(&world.workspace, &main).expect("a repository");
    let target = world.workspace.display().to_string();
    git(&main, &["worktree", "add", "-q", &target, "-b", "side"]);
    expect(world.workspace.join(".git").is_file(), || {
        "git made no worktree".to_owned()
    })?;
    let script = r#"echo tried
main=$(dirname "$WS")/main; own=$main/.git/worktrees/ws
cp "$EVIL" "$main/.git/hooks/pre-commit"
for f in "$main/.git/config" "$main/.git/config.worktree" "$own/config.worktree"; do printf '[core]\nfsmonitor = touch "%s"\n' "$SIB/ran-$NONCE" >> "$f"; done
mkdir -p evil/hooks; cp "$EVIL" evil/hooks/pre-commit; printf '[core]\nrepositoryformatversion = 0\n' > evil/config
cp -r "$own/." evil/; mkdir -p evil/objects evil/refs; echo ref: refs/heads/side > evil/HEAD
echo ../../../../ws/evil > "$own/commondir"
mv .git other; rm -f .git; echo 'gitdir: evil' > .git"#;
    let ran = run(&world, policy(&world), script)?;
    expect(contains(&ran.stdout, b"tried"), || "nothing ran".to_owned())?;
    let mine = world.use_git(&[], &["status"])
        | world.use_git(&[], &["commit", "--allow-empty", "-m", "mine"]);
    expect(!mine, || {
        "what the command left was run by git outside, in the worktree".to_owned()
    })?;
    git(&main, &["commit", "--allow-empty", "-m", "mine"]);
    let ran_there = world.sibling.join(format!("ran-{}", world.nonce)).exists();
    expect(!ran_there, || {
        "what the command left was run by git outside, in the repository".to_owned()
    })
}

/// Protected and masked names that are links outward, or to where the old root was once: nothing is mounted or made there.
fn links_at_mount_points(half: &'static UserSuite) -> Result<(), String> {
    let world = EscapeWorld::new(half);
    let outside = format!("/oldroot{}", world.sibling.display());
    let sibling = world.sibling.display().to_string();
    for (name, target) in [
        (".vscode", &outside),
        (".idea", &sibling),
        (
            ".claude",
            &format!("../../../../../../../../../..{sibling}"),
        ),
        (".cursor", &"/proc/self/root/etc".to_owned()),
        (".envrc", &format!("{sibling}/secret")),
        (".bashrc", &format!("{sibling}/absent")),
        ("sub/.env", &format!("{sibling}/secret")),
        ("link.key", &format!("{outside}/secret")),
        ("circle.pem", &"circle.pem".to_owned()),
    ] {
        symlink(target, world.workspace.join(name)).expect("a link");
    }
    fs::remove_dir_all(world.workspace.join(".git/hooks")).expect("hooks");
    symlink(&sibling, world.workspace.join(".git/hooks")).expect("a link");
    let before = listing(&world.sibling);
    let ran = run(
        &world,
        policy(&world),
        r#"echo tried; for n in .vscode .idea .claude .git/hooks; do echo changed > "$n/new"; cat "$n/secret"; done
cat .envrc sub/.env link.key; echo changed > .bashrc; echo changed > .envrc; ls /oldroot"#,
    )?;
    check_secret_unread(&world, &ran)?;
    expect(contains(&ran.stdout, b"tried"), || "nothing ran".to_owned())?;
    let after = listing(&world.sibling);
    expect(before == after, || {
        format!("the folder outside changed: {after:?}")
    })
}

/// A folder on the way to a mount point becomes a link while sandboxes are opened.
fn links_swapped(half: &'static UserSuite) -> Result<(), String> {
    let world = EscapeWorld::new(half);
    let [nested, aside, link] = ["nested", "aside", "link"].map(|name| world.workspace.join(name));
    symlink(&world.sibling, &link).expect("a link");
    let before = listing(&world.sibling);
    let stop = std::sync::atomic::AtomicBool::new(false);
    let swapped = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                drop(fs::rename(&nested, &aside));
                drop(fs::rename(&link, &nested));
                drop(fs::rename(&nested, &link));
                drop(fs::rename(&aside, &nested));
            }
        });
        let rounds = (0..3).try_for_each(|_| {
            // It may fail to open while its folders change; it must not lead outside.
            match run(&world, policy(&world), r#"echo changed > nested/.git/hooks/new; cat nested/secret; echo changed > nested/new; echo tried"#) {
                Ok(ran) => check_secret_unread(&world, &ran),
                Err(_) => Ok(()),
            }
        });
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        rounds
    });
    swapped?;
    let after = listing(&world.sibling);
    expect(before == after, || {
        format!("the folder outside changed: {after:?}")
    })
}

/// Names that are protected and absent leave nothing behind.
fn no_stub(half: &'static UserSuite) -> Result<(), String> {
    let world = EscapeWorld::new(half);
    let before = listing(&world.workspace);
    let inside = run(&world, policy(&world), "find . | sort")?;
    let after = listing(&world.workspace);
    expect(before == after, || {
        format!("before {before:?}\nafter {after:?}")
    })?;
    let shown = String::from_utf8_lossy(&inside.stdout).lines().count();
    expect(shown == before.len() + 1, || {
        format!("{shown} names inside, {} outside", before.len())
    })?;
    expect(!mounted(&world.base), || "a mount is left".to_owned())
}

/// Reports whether something is mounted below a folder.
pub(super) fn mounted(folder: &Path) -> bool {
    let mounts = fs::read("/proc/self/mountinfo").expect("the mounts");
    contains(&mounts, folder.as_os_str().as_encoded_bytes())
}

/// A skill's folder with links outward.
fn projection(half: &'static UserSuite) -> Result<(), String> {
    let world = EscapeWorld::new(half);
    let skill = world.base.join("skill");
    fs::create_dir(&skill).expect("a folder");
    fs::write(skill.join("text"), &world.nonce).expect("a file");
    symlink(&world.secret_file, skill.join("absolute")).expect("a link");
    symlink("../sib/secret", skill.join("relative")).expect("a link");
    symlink(&world.sibling, skill.join("folder")).expect("a link");
    symlink("text", skill.join("inward")).expect("a link");
    half.runtime.block_on(async {
        let sandbox = open(policy(&world)).await?;
        let shown = sandbox.project(&skill, "skill").await.map_err(|error| error.to_string())?;
        let mut environment = world.environment("sandbox");
        environment.insert("SKILL".to_owned(), shown.display().to_string());
        let script = r#"cat "$SKILL/inward"; cat "$SKILL/absolute" "$SKILL/relative" "$SKILL/folder/secret"
echo changed > "$SKILL/new"; echo changed >> "$SKILL/text"; rm -f "$SKILL/text"; chmod 777 "$SKILL/text"; echo tried"#;
        let ran = run_in(&sandbox, "read", script, &environment, false).await?;
        let twice = sandbox.project(&world.sibling, "skill").await;
        let odd = sandbox.project(&skill, "../odd").await;
        sandbox.close().await.map_err(|error| error.to_string())?;
        check_secret_unread(&world, &ran)?;
        expect(contains(&ran.stdout, world.nonce.as_bytes()), || {
            format!("the folder cannot be read at {}: {}", shown.display(), String::from_utf8_lossy(&ran.stderr))
        })?;
        expect(!skill.join("new").exists(), || "the folder was written".to_owned())?;
        let text = fs::read_to_string(skill.join("text")).unwrap_or_default();
        expect(text == world.nonce, || "a file of it was changed".to_owned())?;
        expect(twice.is_err(), || "a name was given twice".to_owned())?;
        expect(odd.is_err(), || "a path was taken as a name".to_owned())
    })
}

/// The machine's `/tmp` is not shown, but a workspace in it is.
fn workspace_in_tmp(half: &'static UserSuite) -> Result<(), String> {
    let world = EscapeWorld::new(half);
    let folder = std::path::PathBuf::from(format!("/tmp/helve-ws-{}", world.nonce));
    fs::create_dir_all(folder.join("ws")).expect("a folder");
    fs::write(folder.join("secret"), &half.secret).expect("a secret");
    let mut policy = policy(&world);
    policy.workspace = folder.join("ws");
    let ran = run(
        &world,
        policy,
        r#"pwd; cat ../secret; ls ..; echo x > ../new; echo x > /tmp/new; echo "$NONCE" > made"#,
    );
    let made = fs::read_to_string(folder.join("ws/made")).unwrap_or_default();
    let new = folder.join("new").exists();
    fs::remove_dir_all(&folder).expect("a folder to remove");
    check_secret_unread(&world, &ran?)?;
    expect(!new, || "the folder above was written".to_owned())?;
    expect(made.trim() == world.nonce, || {
        "the workspace was not written".to_owned()
    })
}

/// A workspace behind a link, and with a slash at its end, is the same workspace, and protected the same.
fn workspace_through_link(half: &'static UserSuite) -> Result<(), String> {
    let mut world = EscapeWorld::new(half);
    let link = world.base.join("link");
    symlink(&world.workspace, &link).expect("a link");
    for spelled in [
        format!("{}/", link.display()),
        format!("{}/./sub/..", world.workspace.display()),
    ] {
        let mut policy = policy(&world);
        policy.workspace = spelled.clone().into();
        let script = r#"cp "$EVIL" .git/hooks/pre-commit; mv .git .git2; mkdir -p .git/hooks; cp "$EVIL" .git/hooks/pre-commit; cat .env; echo tried"#;
        match run(&world, policy, script) {
            // To refuse it is fine, too.
            Err(_) => {}
            Ok(ran) => {
                check_secret_unread(&world, &ran)?;
                let bad = world.use_git(&[], &["commit", "--allow-empty", "-m", "mine"]);
                expect(!bad, || format!("a hook got through with `{spelled}`"))?;
            }
        }
    }
    Ok(())
}

/// The folders above a workspace are the sandbox's own; a command that moves one of them must not take the workspace
/// away from where its repositories are protected.
fn moved_above(half: &'static UserSuite) -> Result<(), String> {
    let mut world = EscapeWorld::new(half);
    let scripts = [
        r#"up=$(dirname "$WS"); mv "$up" "$up-2" && mkdir -p "$WS"; echo tried"#,
        r#"cd "$(dirname "$WS")-2/ws" || cd "$WS"; git init -q made; echo tried"#,
        r#"cd "$(dirname "$WS")-2/ws" || cd "$WS"; printf '[core]\nfsmonitor = touch "%s"\n' "$SIB/ran-$NONCE" >> made/.git/config; echo tried"#,
    ];
    half.runtime.block_on(async {
        let sandbox = open(policy(&world)).await?;
        for (number, script) in scripts.into_iter().enumerate() {
            let name = format!("step{number}");
            let environment = world.environment("sandbox");
            let ran = run_in(&sandbox, &name, script, &environment, false).await?;
            expect(contains(&ran.stdout, b"tried"), || "nothing ran".to_owned())?;
        }
        sandbox.close().await.map_err(|error| error.to_string())
    })?;
    expect(world.workspace.join("made/.git").is_dir(), || {
        "no repository was made".to_owned()
    })?;
    expect(!world.use_git(&["made"], &["status"]), || {
        "what the command left was run by git outside".to_owned()
    })
}

/// The home, what holds it, and the root are no workspaces, also as a second folder or behind a link.
fn workspace_with_home(half: &'static UserSuite) -> Result<(), String> {
    let world = EscapeWorld::new(half);
    let link = world.base.join("link-home");
    symlink(&half.home, &link).expect("a link");
    let above = half.home.parent().expect("a folder above");
    for folder in [half.home.as_path(), above, Path::new("/"), &link] {
        let mut as_workspace = policy(&world);
        as_workspace.workspace = folder.to_owned();
        let mut as_second = policy(&world);
        as_second.writable.push(folder.to_owned());
        for policy in [as_workspace, as_second] {
            let Err(told) = run(&world, policy, "echo ran") else {
                return Err(format!("`{}` was accepted", folder.display()));
            };
            let is_clear = told.contains("choose a folder inside")
                || (folder == Path::new("/") && told.contains("choose a folder below it"));
            expect(is_clear, || told.clone())?;
        }
    }
    Ok(())
}

/// A process that may only read writes nothing that lasts.
fn read_access(half: &'static UserSuite) -> Result<(), String> {
    let world = EscapeWorld::new(half);
    let before = listing(&world.workspace);
    let ran = half.runtime.block_on(async {
        let sandbox = open(policy(&world)).await?;
        let script = r#"cat file; echo x > new; echo x >> file; rm file; mkdir d; chmod 777 sub; touch -d @86400 file; ln -s a b; mv sub other
cd /tmp && echo x > y && cat y && echo tried"#;
        let mut spec = crate::escape::sandbox_runner::spec("reader", script, &world.environment("sandbox"));
        spec.access = helve_runtime::sandbox::Access::Read;
        let ran = crate::escape::sandbox_runner::finish(&sandbox, spec).await;
        sandbox.close().await.map_err(|error| error.to_string())?;
        ran
    })?;
    expect(contains(&ran.stdout, b"one"), || {
        "it cannot even read".to_owned()
    })?;
    expect(contains(&ran.stdout, b"tried"), || {
        format!(
            "it has no private folder: {}",
            String::from_utf8_lossy(&ran.stderr)
        )
    })?;
    let after = listing(&world.workspace);
    expect(before == after, || {
        let new: Vec<_> = after.iter().filter(|line| !before.contains(line)).collect();
        let gone: Vec<_> = before.iter().filter(|line| !after.contains(line)).collect();
        format!("it changed the workspace: now {new:?}, no more {gone:?}")
    })?;
    let mode = fs::metadata(world.workspace.join("sub"))
        .map(|found| std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o777);
    expect(mode.is_ok_and(|mode| mode != 0o777), || {
        "it changed a mode".to_owned()
    })
}

/// Two sandboxes of one app share nothing but the workspace.
fn two_sandboxes(half: &'static UserSuite) -> Result<(), String> {
    let world = EscapeWorld::new(half);
    half.runtime.block_on(async {
        let [first, second] = [open(policy(&world)).await?, open(policy(&world)).await?];
        let environment = world.environment("sandbox");
        let keep = format!(
            "echo {0} > /tmp/x; echo {0} > /dev/shm/x; echo {0} > \"$HOME/x\"; exec sleep 60.{0}",
            half.secret.len()
        );
        let mut standing = crate::escape::sandbox_runner::spec("standing", &keep, &environment);
        standing
            .environment
            .insert("HELD".to_owned(), half.secret.clone());
        first
            .start(standing)
            .await
            .map_err(|error| error.to_string())?;
        let script = r#"cat /proc/[0-9]*/environ /tmp/x /dev/shm/x "$HOME/x"; kill -9 -1"#;
        let ran = run_in(&second, "look", script, &environment, false).await?;
        check_secret_unread(&world, &ran)?;
        let status = first
            .status(
                &crate::escape::sandbox_runner::process("standing"),
                std::time::Duration::ZERO,
            )
            .await;
        let status = status.map_err(|error| error.to_string())?;
        expect(status.exit.is_none(), || {
            format!("the other sandbox's process ended: {:?}", status.exit)
        })?;
        first.close().await.map_err(|error| error.to_string())?;
        second.close().await.map_err(|error| error.to_string())
    })
}
