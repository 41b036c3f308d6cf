//! What a process finds around it.

use helve_runtime::sandbox::{
    Access, Exit, Layer, LayerStatus, NetworkAccess, ProcessSpec, SandboxError,
};

use crate::sandbox_suite::fixture::{Fixture, id, run, run_script, sh, workspace};

pub(crate) async fn variables_are_chosen(place: Fixture) {
    // Cargo tells this test much that no command is to see.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    let mut policy = place.policy();
    policy
        .environment
        .insert("OF_POLICY".into(), "policy".into());
    policy.environment.insert("OF_BOTH".into(), "policy".into());
    let sandbox = place.open_with(policy).await;
    let mut spec = sh(
        "own",
        "echo $OF_POLICY $OF_BOTH $OF_SPEC; test -n \"$PATH\" && test -d \"$HOME\"",
    );
    spec.environment.insert("OF_SPEC".into(), "a b  c".into());
    spec.environment.insert("OF_BOTH".into(), "spec".into());
    let ran = run(&*sandbox, spec).await;
    assert_eq!(
        (ran.exit, &*ran.stdout),
        (Exit::Code(0), "policy spec a b c\n")
    );
    let seen = run_script(&*sandbox, "env", "env").await;
    assert!(!seen.contains("CARGO_"), "{seen}");
}

pub(crate) async fn a_folder_is_chosen(place: Fixture) {
    let sandbox = place.open().await;
    let root = workspace(&*sandbox);
    run_script(&*sandbox, "make", "mkdir -p below/deeper && : > file").await;
    assert_eq!(
        run_script(&*sandbox, "first", "pwd").await.trim(),
        root.to_str().unwrap()
    );
    for (name, folder) in [
        ("relative", "below/deeper".into()),
        ("absolute", root.join("below/deeper")),
    ] {
        let mut spec = sh(name, "pwd");
        spec.working_folder = Some(folder);
        let ran = run(&*sandbox, spec).await;
        assert_eq!(
            ran.stdout.trim(),
            root.join("below/deeper").to_str().unwrap()
        );
    }
    for folder in ["missing", "file"] {
        let mut spec = sh("nowhere", "pwd");
        spec.working_folder = Some(folder.into());
        let error = sandbox.start(spec).await.unwrap_err();
        assert!(
            matches!(error, SandboxError::CannotStart { .. }),
            "{error:?}"
        );
    }
}

pub(crate) async fn a_folder_outside_is_refused(place: Fixture) {
    let sandbox = place.open().await;
    let other = tempfile::tempdir().unwrap();
    run_script(
        &*sandbox,
        "link",
        &format!("ln -s '{}' link", other.path().display()),
    )
    .await;
    for folder in [other.path().to_owned(), "link".into()] {
        let mut spec = sh("outside", "pwd");
        spec.working_folder = Some(folder);
        let error = sandbox.start(spec).await.unwrap_err();
        assert!(
            matches!(error, SandboxError::CannotStart { .. }),
            "{error:?}"
        );
    }
}

pub(crate) async fn a_program_is_found(place: Fixture) {
    let sandbox = place.open().await;
    let script = "mkdir bin && printf '#!/bin/sh\\necho own \"$1\"\\n' > bin/tool && chmod 755 bin/tool && : > bin/plain";
    run_script(&*sandbox, "make", script).await;
    let path = workspace(&*sandbox).join("bin/tool");
    for (name, program) in [
        ("relative", "./bin/tool"),
        ("absolute", path.to_str().unwrap()),
    ] {
        let ran = run(&*sandbox, ProcessSpec::new(id(name), [program, "x"])).await;
        assert_eq!((ran.exit, &*ran.stdout), (Exit::Code(0), "own x\n"));
    }
    let plain = ProcessSpec::new(id("plain"), ["./bin/plain"]);
    let error = sandbox.start(plain).await.unwrap_err();
    assert!(
        matches!(error, SandboxError::CannotStart { .. }),
        "{error:?}"
    );
}

pub(crate) async fn reading_only_does_not_write(place: Fixture) {
    // Not below a folder that commands may write whatever their access, such as `/tmp`.
    let Ok(folder) = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")) else {
        eprintln!("the folder of this package cannot be written, so nothing ran");
        return;
    };
    let place = place.with_folder(folder);
    let sandbox = place.open().await;
    let files = sandbox.enforcement().layers.get(&Layer::Files);
    if !matches!(files, Some(LayerStatus::Yes { .. })) {
        // It says itself that nothing keeps commands from files.
        return;
    }
    let mut probe = sh("probe", "true");
    probe.access = Access::Read;
    if let Err(SandboxError::CannotStart { .. }) = sandbox.start(probe).await {
        // It cannot hold, so nothing runs.
        return;
    }
    run_script(&*sandbox, "make", "echo old > file").await;
    let mut spec = sh(
        "reads",
        "cat file; echo new > file; echo x > other; echo y > /tmp/own && cat /tmp/own",
    );
    spec.access = Access::Read;
    let ran = run(&*sandbox, spec).await;
    assert_eq!(ran.stdout, "old\ny\n");
    assert_eq!(
        run_script(&*sandbox, "look", "cat file; ls").await,
        "old\nfile\n"
    );
}

pub(crate) async fn what_is_claimed_of_single_processes_holds(place: Fixture) {
    // Not below a folder that commands may write whatever their access, such as `/tmp`.
    let Ok(folder) = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")) else {
        eprintln!("the folder of this package cannot be written, so nothing ran");
        return;
    };
    let place = place.with_folder(folder);
    let sandbox = place.open().await;
    let claims = sandbox.narrows_processes();
    assert_eq!(claims, place.kind.name == "isolated", "{}", place.kind.name);
    if claims {
        let mut spec = sh("reads", "echo new > file");
        (spec.access, spec.network) = (Access::Read, NetworkAccess::Closed);
        let ran = run(&*sandbox, spec).await;
        assert_ne!(ran.exit, Exit::Code(0), "{ran:?}");
        assert_eq!(run_script(&*sandbox, "look", "ls").await, "");
    }
}

pub(crate) async fn the_search_path_is_that_of_processes(place: Fixture) {
    let sandbox = place.open().await;
    let known = sandbox.search_path().expect("every kind knows it").clone();
    let seen = run_script(&*sandbox, "path", "printf %s \"$PATH\"").await;
    assert_eq!(known.as_str(), Some(&*seen));
    let mut policy = place.policy();
    let own = format!("/usr/bin:/bin:{}", policy.workspace.join("bin").display());
    policy.environment.insert("PATH".into(), own.clone());
    let sandbox = place.open_with(policy).await;
    let known = sandbox.search_path().expect("every kind knows it");
    assert_eq!(
        run_script(&*sandbox, "path", "printf %s \"$PATH\"").await,
        own
    );
    assert_eq!((known.as_str(), known.is_writable()), (Some(&*own), true));
}
