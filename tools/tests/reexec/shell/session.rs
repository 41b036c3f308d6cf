//! A session over a folder, and calls of its tools.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use helve::capability::Grants;
use helve::permission::{Mode, Policy, Verdict};
use helve::sandbox::{Layer, LazySandbox, Sandbox, SandboxChoice, SandboxPolicy};
use helve::tool::{Progress, ProgressStream, ProgressUpdate, ToolContextBuilder};
use helve::{State, ToolContext, ToolOutput, ToolResult};
use libtest_mimic::{Failed, Trial};
use serde_json::Value;

pub(crate) type Case = fn(Session) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;

/// Lists cases with the names of their functions.
macro_rules! cases {
    ($($module:ident: $($case:ident),+;)+) => {
        vec![$($((
            concat!(stringify!($module), "::", stringify!($case)),
            (|session| Box::pin(crate::shell::$module::$case(session))) as Case,
        )),+),+]
    };
}

pub(crate) fn tests() -> Vec<Trial> {
    let mut trials = vec![Trial::test(
        "shell::permission::looking_and_ending_ask_nobody",
        || {
            crate::shell::permission::looking_and_ending_ask_nobody();
            Ok(())
        },
    )];
    #[cfg(target_os = "linux")]
    if !crate::isolation::skip("labels") {
        trials.extend(labels());
        trials.extend(super::blocked::trials());
    }
    for (name, kind) in [
        ("passthrough", SandboxChoice::Passthrough),
        #[cfg(target_os = "linux")]
        ("isolated", SandboxChoice::Local),
    ] {
        if name == "isolated" && crate::isolation::skip("shell::isolated") {
            continue;
        }
        let cases = cases! {
            output: what_it_writes_comes_back, the_exit_is_told, both_streams_are_shown_as_they_come,
                the_screen_sees_every_byte_once, what_is_no_text_is_replaced, a_long_output_keeps_its_ends,
                each_call_is_fresh, what_does_not_hold_is_said,
                what_the_sandbox_did_is_said;
            background: what_takes_longer_goes_on, a_server_is_started_in_the_background, what_is_new_is_told_once,
                a_wait_ends_with_the_command, what_fails_at_once_says_so, who_is_unknown_is_said,
                a_deadline_leaves_it_in_the_background;
            ends: it_is_asked_first, it_is_killed_then, what_has_ended_is_said, a_cancelled_call_ends_it,
                a_dropped_call_ends_it, a_dry_run_runs_nothing;
            spy: what_only_reads_may_only_read, what_cannot_be_held_to_less_runs_as_the_policy_allows, where_there_is_no_bash_there_is_sh,
                a_call_runs_in_the_shell_that_it_was_judged_for, what_cannot_be_started_says_nothing_of_bash, a_name_that_is_taken_is_left_alone,
                without_a_sandbox_nothing_runs;
            path: what_commands_write_proves_nothing, the_process_gets_the_path_that_was_judged,
                a_path_that_is_not_known_is_looked_at_before_the_start;
        };
        for (case_name, case) in cases {
            let kind = kind.clone();
            trials.push(Trial::test(
                format!("shell::{name}::{case_name}"),
                move || run(kind, case),
            ));
        }
    }
    trials
}

/// What an agent with a shell may do after it read a page.
#[cfg(target_os = "linux")]
fn labels() -> Vec<Trial> {
    use crate::shell::labels;
    type Label = fn() -> std::pin::Pin<Box<dyn Future<Output = ()>>>;
    let cases: [(&str, Label); 3] = [
        ("a_connection_is_held_whatever_the_command_says", || {
            Box::pin(labels::a_connection_is_held_whatever_the_command_says())
        }),
        (
            "an_answer_holds_for_the_turn_and_some_hosts_need_none",
            || Box::pin(labels::an_answer_holds_for_the_turn_and_some_hosts_need_none()),
        ),
        ("a_question_about_a_push_lists_the_commits", || {
            Box::pin(labels::a_question_about_a_push_lists_the_commits())
        }),
    ];
    let trial = |(name, case): (&str, Label)| {
        Trial::test(format!("labels::{name}"), move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build()?;
            runtime.block_on(case());
            Ok(())
        })
    };
    cases.into_iter().map(trial).collect()
}

fn run(kind: SandboxChoice, case: Case) -> Result<(), Failed> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let session = Session::open(kind).await;
        let done = tokio::time::timeout(Duration::from_secs(60), case(session)).await;
        done.map_err(|_| Failed::from("it took longer than a minute"))
    })
}

/// A session whose commands work in one folder.
pub(crate) struct Session {
    pub(crate) folder: Arc<tempfile::TempDir>,
    pub(crate) sandbox: Arc<dyn Sandbox>,
    pub(crate) kind: SandboxChoice,
    state: Arc<State>,
}

impl Session {
    async fn open(kind: SandboxChoice) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let sandbox = open(&kind, policy_of(folder.path())).await;
        Self {
            folder: Arc::new(folder),
            sandbox,
            kind,
            state: Arc::default(),
        }
    }

    /// Opens another sandbox of the same kind over the same folder, with a changed policy, and starts a session with it.
    pub(crate) async fn open_with(&self, change: impl FnOnce(&mut SandboxPolicy)) -> Self {
        let mut policy = policy_of(self.folder.path());
        change(&mut policy);
        Self {
            folder: Arc::clone(&self.folder),
            sandbox: open(&self.kind, policy).await,
            kind: self.kind.clone(),
            state: Arc::default(),
        }
    }

    /// Returns what a policy with no rules says of a command line.
    pub(crate) fn verdict(&self, command: &str) -> Verdict {
        let bash = helve_tools::shell().get("bash").unwrap();
        let arguments = serde_json::json!({ "command": command }).to_string();
        let policy = Policy::new(Mode::Default);
        let judgement = policy.judge(&*bash, &self.context().build(), &arguments);
        judgement.unwrap().verdict
    }

    /// Puts another sandbox in the place of this one's.
    pub(crate) fn with(self, sandbox: Arc<dyn Sandbox>) -> Self {
        Self { sandbox, ..self }
    }

    pub(crate) fn context(&self) -> ToolContextBuilder {
        let sandbox = Arc::new(LazySandbox::from_opened(Arc::clone(&self.sandbox)));
        ToolContext::builder()
            .session_state(Arc::clone(&self.state))
            .grants(Grants {
                sandbox: Some(sandbox),
                ..Grants::default()
            })
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Answer {
        Answer::of(
            call(tool, arguments, &self.context().build())
                .await
                .unwrap(),
        )
    }

    pub(crate) async fn bash(&self, command: &str) -> Answer {
        self.call("bash", serde_json::json!({ "command": command }))
            .await
    }

    /// Starts a command in the background and returns its id.
    pub(crate) async fn background(&self, command: &str) -> String {
        let arguments = serde_json::json!({ "command": command, "background": true });
        let answer = self.call("bash", arguments).await;
        assert_eq!(answer.data["exit"], Value::Null, "{answer:?}");
        answer.data["id"].as_str().unwrap().to_owned()
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        std::fs::write(self.folder.path().join(path), text).unwrap();
    }
}

fn policy_of(folder: &std::path::Path) -> SandboxPolicy {
    let mut policy = SandboxPolicy::new(folder.canonicalize().unwrap());
    policy.accepted = Layer::ALL.into_iter().collect();
    policy
}

async fn open(kind: &SandboxChoice, policy: SandboxPolicy) -> Arc<dyn Sandbox> {
    match kind {
        #[cfg(target_os = "linux")]
        SandboxChoice::Local => {
            Arc::new(helve::sandbox::IsolatedSandbox::open(policy).await.unwrap())
        }
        _ => Arc::new(
            helve::sandbox::PassthroughSandbox::open(policy)
                .await
                .unwrap(),
        ),
    }
}

pub(crate) async fn call(tool: &str, arguments: Value, cx: &ToolContext) -> ToolResult {
    let tools = helve_tools::shell();
    tools.call(tool, &arguments.to_string(), cx).await
}

/// What a call came to.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) notes: Vec<String>,
    pub(crate) data: Value,
}

impl Answer {
    pub(crate) fn of(output: ToolOutput) -> Self {
        let data = output.structured_content().unwrap_or("null");
        Self {
            data: serde_json::from_str(data).unwrap(),
            notes: output.notes().to_vec(),
            text: output.into_text(),
        }
    }

    /// Returns the notes as one text.
    pub(crate) fn said(&self) -> String {
        self.notes.join("\n")
    }
}

/// Collects what a tool reports to the screen.
#[derive(Clone, Default)]
pub(crate) struct Screen(Arc<Mutex<Vec<ProgressUpdate>>>);

impl Screen {
    pub(crate) fn progress(&self) -> Progress {
        let screen = self.clone();
        Progress::new(move |update| screen.0.lock().unwrap().push(update))
    }

    pub(crate) fn of(&self, stream: ProgressStream) -> String {
        let updates = self.0.lock().unwrap();
        let of_stream = updates
            .iter()
            .filter(|update| update.stream == Some(stream));
        of_stream.map(|update| update.text.as_str()).collect()
    }

    pub(crate) fn pieces(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}
