//! What the tools ask of a sandbox, seen from inside one.

use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use helve::BoxFuture;
use helve::capability::Grants;
use helve::permission::Verdict;
use helve::sandbox::{
    Access, Enforcement, LazySandbox, NetworkAccess, OutputChunk, ProcessId, ProcessSpec,
    ProcessStatus, ReadOutput, Sandbox, SandboxError, SandboxFs, SandboxId, SearchPath, Signal,
    TerminalSize,
};
use helve::{ToolContext, ToolError};
use serde_json::json;

use crate::shell::session::{Session, call};

/// Hands everything on, remembers what was started, may have no bash, and may not hold a process to less.
#[derive(Debug)]
pub(crate) struct Spy {
    inner: Arc<dyn Sandbox>,
    has_bash: bool,
    narrows: bool,
    /// In place of what the inner sandbox says.
    search_path: Option<SearchPath>,
    started: Mutex<Vec<ProcessSpec>>,
}

impl Spy {
    fn on(inner: &Arc<dyn Sandbox>, has_bash: bool) -> Arc<Self> {
        Arc::new(Self {
            inner: Arc::clone(inner),
            has_bash,
            narrows: true,
            search_path: None,
            started: Mutex::default(),
        })
    }

    fn that_narrows_nothing(inner: &Arc<dyn Sandbox>) -> Arc<Self> {
        Arc::new(Self {
            inner: Arc::clone(inner),
            has_bash: true,
            narrows: false,
            search_path: None,
            started: Mutex::default(),
        })
    }

    /// One whose commands are said to look for programs there.
    pub(crate) fn searching(inner: &Arc<dyn Sandbox>, path: SearchPath) -> Arc<Self> {
        Arc::new(Self {
            inner: Arc::clone(inner),
            has_bash: true,
            narrows: true,
            search_path: Some(path),
            started: Mutex::default(),
        })
    }

    pub(crate) fn started(&self) -> Vec<ProcessSpec> {
        self.started.lock().unwrap().clone()
    }

    fn confinements(&self) -> Vec<(Access, NetworkAccess)> {
        let confinement = |spec: ProcessSpec| (spec.access, spec.network);
        self.started().into_iter().map(confinement).collect()
    }
}

type Answer<'a, T> = BoxFuture<'a, Result<T, SandboxError>>;

impl Sandbox for Spy {
    fn id(&self) -> &SandboxId {
        self.inner.id()
    }
    fn enforcement(&self) -> &Enforcement {
        self.inner.enforcement()
    }
    fn narrows_processes(&self) -> bool {
        self.narrows
    }
    fn search_path(&self) -> Option<&SearchPath> {
        self.search_path.as_ref().or(self.inner.search_path())
    }
    fn files(&self) -> Arc<dyn SandboxFs> {
        self.inner.files()
    }
    fn start(&self, spec: ProcessSpec) -> Answer<'_, ProcessStatus> {
        if spec.argv[0] == "bash" && !self.has_bash {
            let error = SandboxError::ProgramNotFound {
                program: "bash".to_owned(),
                why: "program not found".to_owned(),
            };
            return Box::pin(async move { Err(error) });
        }
        self.started.lock().unwrap().push(spec.clone());
        self.inner.start(spec)
    }
    fn read(&self, read: ReadOutput) -> Answer<'_, OutputChunk> {
        self.inner.read(read)
    }
    fn write<'a>(&'a self, process: &'a ProcessId, bytes: Vec<u8>, end: bool) -> Answer<'a, ()> {
        self.inner.write(process, bytes, end)
    }
    fn resize<'a>(&'a self, process: &'a ProcessId, size: TerminalSize) -> Answer<'a, ()> {
        self.inner.resize(process, size)
    }
    fn signal<'a>(&'a self, process: &'a ProcessId, signal: Signal) -> Answer<'a, ()> {
        self.inner.signal(process, signal)
    }
    fn status<'a>(&'a self, process: &'a ProcessId, wait: Duration) -> Answer<'a, ProcessStatus> {
        self.inner.status(process, wait)
    }
    fn list(&self) -> Answer<'_, Vec<ProcessStatus>> {
        self.inner.list()
    }
    fn project<'a>(&'a self, folder: &'a Path, name: &'a str) -> Answer<'a, PathBuf> {
        self.inner.project(folder, name)
    }
    fn close(&self) -> Answer<'_, ()> {
        self.inner.close()
    }
}

pub(crate) async fn what_only_reads_may_only_read(session: Session) {
    let spy = Spy::on(&session.sandbox, true);
    let session = session.with(spy.clone());
    for command in ["ls -la | wc -l", "touch file", "ls && touch file"] {
        session.bash(command).await;
    }
    let writes = (Access::Write, NetworkAccess::Policy);
    assert_eq!(
        spy.confinements(),
        [(Access::Read, NetworkAccess::Closed), writes, writes]
    );
}

pub(crate) async fn what_cannot_be_held_to_less_runs_as_the_policy_allows(session: Session) {
    let spy = Spy::that_narrows_nothing(&session.sandbox);
    let session = session.with(spy.clone());
    assert_eq!(session.bash("echo read").await.text, "read\n");
    assert_eq!(spy.confinements(), [(Access::Write, NetworkAccess::Policy)]);
}

pub(crate) async fn where_there_is_no_bash_there_is_sh(session: Session) {
    let spy = Spy::on(&session.sandbox, false);
    let session = session.with(spy.clone());
    assert_eq!(session.verdict("ls"), Verdict::Allow);
    // The first call was judged for bash; the next one is judged for the shell that there is.
    let arguments = json!({ "command": "echo $0" });
    let first = call("bash", arguments, &session.context().build()).await;
    assert!(first.is_err_and(|error| error.to_string().contains("bash")));
    let asks = session.verdict("ls");
    assert!(
        matches!(&asks, Verdict::Ask { reason, .. } if reason.contains("the shell is not bash")),
        "{asks:?}"
    );
    assert_eq!(session.bash("echo $0").await.text, "sh\n");
    assert_eq!(spy.started()[0].argv[0], "sh");
}

pub(crate) async fn a_call_runs_in_the_shell_that_it_was_judged_for(session: Session) {
    let spy = Spy::on(&session.sandbox, false);
    let session = session.with(spy.clone());
    let (opens, opened) = tokio::sync::oneshot::channel::<()>();
    let opened = Arc::new(Mutex::new(Some(opened)));
    let sandbox: Arc<dyn Sandbox> = spy.clone();
    let waits = LazySandbox::new(move || {
        let (sandbox, opened) = (Arc::clone(&sandbox), opened.lock().unwrap().take());
        async move {
            let _ = opened.expect("it is opened once").await;
            Ok(sandbox)
        }
    });
    let grants = Grants {
        sandbox: Some(Arc::new(waits)),
        ..Grants::default()
    };
    let waiting = session.context().grants(grants).build();
    let mut second = pin!(call("bash", json!({ "command": "echo two" }), &waiting));
    let cx = session.context().build();
    // The second is judged, and waits for its sandbox while the first finds out that there is no bash.
    let first = tokio::select! {
        biased;
        early = &mut second => panic!("{early:?}"),
        first = call("bash", json!({ "command": "echo one" }), &cx) => first,
    };
    assert!(first.is_err(), "{first:?}");
    opens.send(()).unwrap();
    let second = second.await;
    assert!(second.is_err(), "{second:?}");
    assert_eq!(spy.started(), []);
}

/// What cannot be started for another reason than that there is no bash.
pub(crate) async fn what_cannot_be_started_says_nothing_of_bash(session: Session) {
    // One argument of a program has at most 128 KiB.
    let too_long = format!("true {}", "x".repeat(140_000));
    for command in ["echo a\0b", &too_long] {
        let arguments = json!({ "command": command });
        let refused = call("bash", arguments, &session.context().build()).await;
        assert!(refused.is_err(), "{refused:?}");
        assert_eq!(session.bash("echo $0").await.text, "bash\n");
    }
    assert_eq!(session.verdict("ls"), Verdict::Allow);
}

pub(crate) async fn a_name_that_is_taken_is_left_alone(session: Session) {
    let taken = ProcessId::new("bash-1").unwrap();
    let spec = ProcessSpec::new(taken.clone(), ["sleep", "600"]);
    session.sandbox.start(spec).await.unwrap();
    let answer = session.bash("echo mine").await;
    assert_eq!(
        (&*answer.text, &answer.data["id"]),
        ("mine\n", &json!("bash-2"))
    );
    let status = session
        .sandbox
        .status(&taken, Duration::ZERO)
        .await
        .unwrap();
    assert_eq!(status.exit, None);
}

pub(crate) async fn without_a_sandbox_nothing_runs(_: Session) {
    let calls = [
        ("bash", json!({ "command": "true" })),
        ("bash_output", json!({ "id": "bash-1" })),
        ("bash_kill", json!({ "id": "bash-1" })),
    ];
    for (tool, arguments) in calls {
        let error = call(tool, arguments, &ToolContext::new())
            .await
            .unwrap_err();
        assert!(matches!(error, ToolError::Denied(_)), "{error}");
    }
}
