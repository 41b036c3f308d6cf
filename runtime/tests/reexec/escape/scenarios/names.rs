//! Names that mislead: the app's own file door, as a command in the sandbox may have laid it out.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::Duration;

use helve_runtime::sandbox::{ReadRange, Sandbox, WriteCondition};

use super::{EscapeTest, expect, listing};
use crate::escape::fixture::EscapeWorld;
use crate::escape::sandbox_runner::{open, policy, process, run_in, spec};
use crate::escape::user_suite::UserSuite;

pub(super) const TESTS: &[EscapeTest] = &[
    ("trailing_slash_of_a_link", trailing_slash),
    ("links_swapped_under_the_file_door", swapped),
    ("fifo_and_device_at_the_file_door", odd_files),
];

const WHOLE: ReadRange = ReadRange {
    offset: 0,
    max: 4096,
};

fn trailing_slash(half: &'static UserSuite) -> Result<(), String> {
    let world = EscapeWorld::new(half);
    let before = listing(&world.sibling);
    half.runtime.block_on(async {
        let sandbox = open(policy(&world)).await?;
        let script = r#"ln -s "$SIB" out; ln -s "$SECRET_FILE" file-link; ln -s ../sib up; ln -s "$SIB/" slash"#;
        run_in(&sandbox, "links", script, &world.environment("sandbox"), false).await?;
        let files = sandbox.files();
        for path in ["out/secret", "out//secret", "out/./secret", "file-link", "file-link/", "up/secret", "slash/secret", "slash//secret", "sub/../out/secret", "/proc/self/cwd/out/secret"] {
            let read = files.read(Path::new(path), WHOLE).await;
            expect(read.is_err(), || format!("`{path}` was read"))?;
        }
        for path in ["out/", "out", "up/", "slash/"] {
            let listed = files.read_dir(Path::new(path)).await;
            expect(listed.is_err(), || format!("`{path}` was listed"))?;
        }
        for path in ["out/new", "up/new", "slash/new", "out/", "file-link/", "file-link", "out/../new"] {
            // `out/../new` may be taken for a file of the workspace: outside is what counts.
            drop(files.write(Path::new(path), b"changed".to_vec(), WriteCondition::Always).await);
            drop(files.create_dir(Path::new(path)).await);
            drop(files.remove_dir_all(Path::new(path)).await);
        }
        sandbox.close().await.map_err(|error| error.to_string())
    })?;
    let after = listing(&world.sibling);
    expect(before == after, || {
        format!("the folder outside changed: {after:?}")
    })?;
    expect(!world.base.join("new").exists(), || {
        "the folder above was written".to_owned()
    })?;
    let secret = fs::read_to_string(&world.secret_file).unwrap_or_default();
    expect(secret == half.secret, || {
        "the secret was changed".to_owned()
    })
}

/// A command swaps a folder for a link outward, again and again, while the app reads and writes there.
fn swapped(half: &'static UserSuite) -> Result<(), String> {
    let world = EscapeWorld::new(half);
    let before = listing(&world.sibling);
    fs::create_dir(world.workspace.join("inner")).expect("a folder");
    fs::write(world.workspace.join("inner/secret"), "nothing").expect("a file");
    symlink(&world.sibling, world.workspace.join("outer")).expect("a link");
    half.runtime.block_on(async {
        let sandbox = open(policy(&world)).await?;
        let mut swapping = spec(
            "swap",
            r#"while :; do "$DOORS" swap_links inner outer inner/secret; done"#,
            &world.environment("sandbox"),
        );
        swapping.limits.wall_time = Some(Duration::from_secs(60));
        sandbox
            .start(swapping)
            .await
            .map_err(|error| error.to_string())?;
        let files = sandbox.files();
        let (mut seen, mut refused) = (0, 0);
        for round in 0..400 {
            match files.read(Path::new("inner/secret"), WHOLE).await {
                Ok(slice) => {
                    seen += 1;
                    expect(slice.bytes == b"nothing", || {
                        "the secret was read".to_owned()
                    })?;
                }
                Err(_) => refused += 1,
            }
            let path = format!("inner/new{round}");
            drop(
                files
                    .write(Path::new(&path), b"x".to_vec(), WriteCondition::Always)
                    .await,
            );
        }
        println!("links swapped under the file door: {seen} reads inside, {refused} refused");
        let end = sandbox
            .signal(&process("swap"), helve_runtime::sandbox::Signal::Kill)
            .await;
        end.map_err(|error| error.to_string())?;
        sandbox.close().await.map_err(|error| error.to_string())
    })?;
    let after = listing(&world.sibling);
    expect(before == after, || {
        format!("the folder outside changed: {after:?}")
    })
}

/// What is no file answers at once.
fn odd_files(half: &'static UserSuite) -> Result<(), String> {
    let world = EscapeWorld::new(half);
    half.runtime.block_on(async {
        let sandbox = open(policy(&world)).await?;
        let script = "mkfifo fifo; ln -s /dev/zero device; ln -s /proc/self/environ environ; python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"socket\")'; :";
        run_in(&sandbox, "make", script, &world.environment("sandbox"), false).await?;
        expect(world.workspace.join("fifo").exists(), || "no FIFO was made".to_owned())?;
        let files = sandbox.files();
        for path in ["fifo", "device", "environ", "socket", "/dev/zero"] {
            let read = tokio::time::timeout(Duration::from_secs(10), files.read(Path::new(path), WHOLE)).await;
            let read = read.map_err(|_| format!("reading `{path}` hangs"))?;
            expect(read.is_err(), || format!("`{path}` was read"))?;
        }
        sandbox.close().await.map_err(|error| error.to_string())
    })
}
