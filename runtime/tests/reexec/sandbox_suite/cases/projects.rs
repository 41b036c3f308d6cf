//! Folders of this machine that are shown in a sandbox.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use helve_runtime::sandbox::{Exit, Layer, LayerStatus, SandboxError};

use crate::sandbox_suite::fixture::{Fixture, run, run_script, sh};

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("deep/er")).unwrap();
    fs::write(folder.path().join("deep/er/file"), "contents").unwrap();
    let script = folder.path().join("run");
    fs::write(&script, "#!/bin/sh\necho ran\n").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    symlink("deep/er/file", folder.path().join("inward")).unwrap();
    folder
}

pub(crate) async fn a_folder_is_shown(place: Fixture) {
    let sandbox = place.open().await;
    let folder = folder();
    let shown = sandbox.project(folder.path(), "skill").await.unwrap();
    let script = format!(
        "cd '{}' && cat deep/er/file inward && ./run",
        shown.display()
    );
    assert_eq!(
        run_script(&*sandbox, "look", &script).await,
        "contentscontentsran\n"
    );
    assert!(shown.is_absolute());
    let holds = sandbox.enforcement().layers.get(&Layer::Files);
    if matches!(holds, Some(LayerStatus::Yes { .. })) {
        let write = format!("echo x > '{}/deep/er/file'", shown.display());
        assert_ne!(
            run(&*sandbox, sh("write", &write)).await.exit,
            Exit::Code(0)
        );
        assert_eq!(
            fs::read(folder.path().join("deep/er/file")).unwrap(),
            b"contents"
        );
    }
}

pub(crate) async fn a_link_that_leads_out_leads_nowhere(place: Fixture) {
    let sandbox = place.open().await;
    let (folder, other) = (folder(), tempfile::tempdir().unwrap());
    fs::write(other.path().join("secret"), "secret").unwrap();
    symlink(other.path().join("secret"), folder.path().join("out")).unwrap();
    let name = other.path().file_name().unwrap();
    let beside = std::path::Path::new("..").join(name).join("secret");
    assert!(folder.path().join(&beside).exists());
    symlink(beside, folder.path().join("up")).unwrap();
    symlink("run", folder.path().join("in")).unwrap();
    let shown = sandbox.project(folder.path(), "links").await.unwrap();
    let script = format!(
        "cd '{}' && cat in && ! cat out && ! cat up",
        shown.display()
    );
    let ran = run(&*sandbox, sh("look", &script)).await;
    assert_eq!(
        (ran.exit, &*ran.stdout),
        (Exit::Code(0), "#!/bin/sh\necho ran\n")
    );
}

pub(crate) async fn a_name_is_taken_once(place: Fixture) {
    let sandbox = place.open().await;
    let (one, other) = (folder(), folder());
    let shown = sandbox.project(one.path(), "same").await.unwrap();
    assert_eq!(sandbox.project(one.path(), "same").await.unwrap(), shown);
    let refused = [
        sandbox.project(other.path(), "same").await,
        sandbox.project(other.path(), "../up").await,
        sandbox.project(other.path(), "").await,
        sandbox.project(&other.path().join("missing"), "none").await,
    ];
    for refused in refused {
        let error = refused.unwrap_err();
        assert!(
            matches!(error, SandboxError::Projection { .. }),
            "{error:?}"
        );
    }
}
