//! Where a command line looks for programs: what is proven of it holds for that `PATH` alone.

use std::os::unix::fs::symlink;
use std::sync::Arc;

use helve::capability::Grants;
use helve::permission::Verdict;
use helve::sandbox::{LazySandbox, Sandbox, SearchPath};
use serde_json::json;

use crate::shell::session::{Session, call};
use crate::shell::spy::Spy;

/// The verdict on what only reads, where commands look for programs in these folders.
async fn verdict(session: &Session, path: &str, writable: &std::path::Path) -> Verdict {
    let session = session.open_with(|policy| {
        policy
            .environment
            .insert("PATH".to_owned(), path.to_owned());
        policy.writable.push(writable.to_owned());
    });
    session.await.verdict("ls")
}

pub(crate) async fn what_commands_write_proves_nothing(session: Session) {
    // Not below a folder for temporary files, which all commands write.
    let Ok(outside) = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")) else {
        eprintln!("the folder of this package cannot be written, so nothing ran");
        return;
    };
    let [more, link] = ["more", "link"].map(|name| outside.path().join(name));
    std::fs::create_dir(&more).unwrap();
    let work = session.folder.path().canonicalize().unwrap();
    symlink(&work, &link).unwrap();
    let more = more.canonicalize().unwrap();
    for path in ["/usr/bin:/bin", "/usr/bin:/bin:/opt/missing/bin"] {
        assert_eq!(
            verdict(&session, path, &more).await,
            Verdict::Allow,
            "{path}"
        );
    }
    let asks = async |folder: &str| {
        let verdict = verdict(&session, &format!("/usr/bin:{folder}"), &more).await;
        let reason = "commands can write where programs are looked for";
        assert!(
            matches!(&verdict, Verdict::Ask { reason: why, .. } if why.contains(reason)),
            "{folder:?}: {verdict:?}"
        );
    };
    for folder in ["", ".", "bin", "/tmp", "/var/tmp/bin", "/dev/shm"] {
        asks(folder).await;
    }
    // What does not exist can be made.
    for folder in [
        work.join("bin"),
        more.join("missing/bin"),
        more.clone(),
        link,
    ] {
        asks(folder.to_str().unwrap()).await;
    }
}

pub(crate) async fn the_process_gets_the_path_that_was_judged(session: Session) {
    let judged = "/usr/bin:/bin:/nowhere";
    let path = SearchPath::for_local(Some(judged), [session.folder.path()]);
    let spy = Spy::searching(&session.sandbox, path);
    let session = session.with(spy.clone());
    assert_eq!(session.bash("echo $PATH").await.text, format!("{judged}\n"));
    assert_eq!(spy.started()[0].environment["PATH"], judged);
}

pub(crate) async fn a_path_that_is_not_known_is_looked_at_before_the_start(session: Session) {
    let command = json!({ "command": "echo ran" });
    for (path, runs) in [("/usr/bin:/bin", true), (".:/usr/bin:/bin", false)] {
        let path = SearchPath::for_local(Some(path), [session.folder.path()]);
        let sandbox: Arc<dyn Sandbox> = Spy::searching(&session.sandbox, path);
        let opened = Arc::clone(&sandbox);
        let closed = LazySandbox::new(move || {
            let sandbox = Arc::clone(&sandbox);
            async move { Ok(sandbox) }
        });
        let grants = Grants {
            sandbox: Some(Arc::new(closed)),
            ..Grants::default()
        };
        let cx = session.context().grants(grants).build();
        let ran = call("bash", command.clone(), &cx).await;
        assert_eq!(ran.is_ok(), runs, "{ran:?}");
        if let Err(error) = ran {
            assert_eq!(
                error.to_string(),
                "nothing ran: the call was judged before its sandbox was open, and commands there can write a folder of their \
                 `PATH`; make the call again, and it is judged by that"
            );
            // The next call is judged by what is known now: somebody is asked, and it runs where they allow it.
            let session = session.open_with(|_| {}).await.with(opened);
            assert!(matches!(session.verdict("echo ran"), Verdict::Ask { .. }));
            assert_eq!(session.bash("echo ran").await.text, "ran\n");
        }
    }
}
