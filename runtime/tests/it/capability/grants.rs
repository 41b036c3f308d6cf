//! The capabilities as tools see them: secrets, attachments, and what is declared by name.

use std::sync::Arc;

use helve_runtime::capability::{
    Attachment, Attachments, Command, GrantedSecrets, MemoryAttachments, Process, RefusalCode,
    Requires, Secrets,
};
use helve_runtime::sandbox::FsError;
use insta::assert_snapshot;

use crate::capability::http::told;

#[tokio::test]
async fn secrets_are_those_that_are_declared_and_granted() {
    const REQUIRES: Requires = Requires {
        secrets: &["PATH", "HOME", "GIVEN", "vault/team/*"],
        ..Requires::NONE
    };
    let granted = GrantedSecrets::new()
        .with_variables(["PATH"])
        .with_value("GIVEN", "given-value")
        .with_value("vault/team/key", "v")
        .with_value("vault/other", "x");
    assert!(!format!("{granted:?}").contains("given-value"));
    let secrets = Secrets::new(&REQUIRES, Some(Arc::new(granted)));
    assert_eq!(
        secrets.get("PATH").await.unwrap().expose(),
        std::env::var("PATH").unwrap()
    );
    assert_eq!(secrets.get("GIVEN").await.unwrap().expose(), "given-value");
    assert_eq!(secrets.get("vault/team/key").await.unwrap().expose(), "v");
    // Declared and in the environment, and not granted.
    let error = secrets.get("HOME").await.unwrap_err();
    assert_eq!(error.code(), Some(RefusalCode::NotGranted));
    for name in [
        "USER",
        "vault/other",
        "vault/team/../other",
        "vault/team/",
        "vault/team",
        "vault/teamX/key",
        "vault/team//key",
    ] {
        let error = secrets.get(name).await.unwrap_err();
        assert_eq!(error.code(), Some(RefusalCode::SecretNotDeclared), "{name}");
    }
}

#[tokio::test]
async fn attachments_go_by_id_and_have_an_end() {
    let kept = Arc::new(MemoryAttachments::with_limit(10));
    let door = Attachments::new(Some(kept.clone()));
    let mut all = vec![told(&door.get("attachment-1").await.unwrap_err())];
    let id = kept
        .add(Attachment::new("a.txt", "text/plain", *b"12345678"))
        .unwrap();
    assert_eq!(door.get(&id).await.unwrap().bytes, b"12345678");
    all.push(
        kept.add(Attachment::new("b.txt", "text/plain", *b"123"))
            .unwrap_err()
            .to_string(),
    );
    all.push(told(&door.get("../a").await.unwrap_err()));
    assert!(kept.remove(&id) && !kept.remove(&id));
    assert_eq!(
        kept.add(Attachment::new("b.txt", "text/plain", *b"123"))
            .unwrap(),
        "attachment-2"
    );
    assert_snapshot!(all.join("\n"), @"
    using attachments failed: unknown attachment `attachment-1`; the user attached nothing
    `b.txt` has 3 bytes, but only 2 bytes are left; attach a smaller file
    using attachments failed: unknown attachment `../a`; there are `attachment-1`
    ");
}

#[tokio::test]
async fn programs_are_those_that_are_declared() {
    const GIT: Requires = Requires {
        process: true,
        programs: &["git", "cargo"],
        ..Requires::NONE
    };
    let sandbox = helve_runtime::sandbox::LazySandbox::new(|| async {
        Err(helve_runtime::sandbox::SandboxError::Closed {
            why: "a test".into(),
        })
    });
    let sandbox = Arc::new(sandbox);
    let door = Process::new(&GIT, Some(Arc::clone(&sandbox)));
    let mut all = Vec::new();
    for program in ["rm", "/tmp/git", "./git", "git ", "GIT", "git"] {
        let error = door.run(Command::new(program, ["x"])).await.unwrap_err();
        all.push(told(&error));
    }
    all.push(told(&door.sandbox().await.unwrap_err()));
    let undeclared = Process::new(&Requires::NONE, Some(sandbox));
    all.push(told(
        &undeclared
            .run(Command::new("git", ["x"]))
            .await
            .unwrap_err(),
    ));
    all.push(told(
        &Process::new(&GIT, None)
            .run(Command::new("git", ["x"]))
            .await
            .unwrap_err(),
    ));
    assert_snapshot!(all.join("\n"), @r#"
    BINARY_NOT_ALLOWED refused: `rm` may not be started: this tool declared that it starts `git` and `cargo`, by name; declare `requires(process("rm"))` on the tool
    BINARY_NOT_ALLOWED refused: `/tmp/git` may not be started: this tool declared that it starts `git` and `cargo`, by name; declare `requires(process("/tmp/git"))` on the tool
    BINARY_NOT_ALLOWED refused: `./git` may not be started: this tool declared that it starts `git` and `cargo`, by name; declare `requires(process("./git"))` on the tool
    BINARY_NOT_ALLOWED refused: `git ` may not be started: this tool declared that it starts `git` and `cargo`, by name; declare `requires(process("git "))` on the tool
    BINARY_NOT_ALLOWED refused: `GIT` may not be started: this tool declared that it starts `git` and `cargo`, by name; declare `requires(process("GIT"))` on the tool
    using processes failed: the sandbox has ended: a test
    BINARY_NOT_ALLOWED refused: this tool declared that it starts `git` and `cargo` and nothing else, so it does not get the whole sandbox; run the program, or declare `requires(process)`
    NOT_DECLARED refused: this tool did not declare that it uses processes; declare `requires(process)` on the tool
    NOT_GRANTED refused: this app does not grant access to processes; grant it where the app is built
    "#);
}

#[test]
fn a_path_outside_has_its_code() {
    let outside = FsError::Outside {
        path: "/etc/shadow".into(),
        roots: vec![],
    };
    assert_eq!(outside.code().unwrap().as_str(), "PATH_NOT_REACHABLE");
    let missing = FsError::IsADirectory { path: "a".into() };
    assert_eq!(missing.code(), None);
}
