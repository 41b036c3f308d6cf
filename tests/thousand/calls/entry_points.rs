//! One call on three roads: by an agent's turn, by a client of the MCP server, and by a person with `call`.

use std::process::Command;

use helve::cli::{App, Package};

use super::*;

/// Set in the process that is the app, and not its test: the call that it makes.
const CALL: &str = "HELVE_TEST_CALL";

/// A call.
pub(super) struct Case {
    tool: &'static str,
    arguments: &'static str,
    dry_run: bool,
    times: usize,
}

impl Case {
    pub(super) fn new(tool: &'static str, arguments: &'static str) -> Self {
        Self {
            tool,
            arguments,
            dry_run: false,
            times: 1,
        }
    }

    fn dry_run(tool: &'static str, arguments: &'static str) -> Self {
        Self {
            dry_run: true,
            ..Self::new(tool, arguments)
        }
    }

    /// Makes the same call once more in the same session.
    fn twice(tool: &'static str, arguments: &'static str) -> Self {
        Self {
            times: 2,
            ..Self::new(tool, arguments)
        }
    }
}

/// What a call came to.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CallReport {
    /// The text of each result, with `error: ` before that of an error.
    pub(super) results: Vec<String>,
    /// What somebody was asked about it, if anybody was.
    pub(super) question: Option<Value>,
}

fn result_text(is_error: bool, text: &str) -> String {
    let sign = if is_error { "error: " } else { "" };
    format!("{sign}{}", text.trim_end())
}

pub(super) async fn by_an_agent(case: &Case) -> CallReport {
    let asked = RecordingApprover::default();
    let agent = Agent::new("main", calling_times(case.tool, case.arguments, case.times))
        .toolset(tools())
        .policy(policy())
        .approver(asked.clone())
        .hook(TestHook);
    let context = ToolContext::builder().dry_run(case.dry_run);
    let context = context.session("s".into()).build();
    let report = agent.run(vec![Message::user("go")], &context, |_| {}).await;
    let results = report.messages.iter().filter_map(|message| match message {
        Message::Tool { content } => content.first(),
        _ => None,
    });
    let results = results.map(|result| {
        let texts = result.content.iter().filter_map(ContentBlock::as_text);
        let texts: Vec<&str> = texts.collect();
        result_text(result.is_error, &texts.join("\n"))
    });
    CallReport {
        results: results.collect(),
        question: asked.last(),
    }
}

async fn by_a_client(case: &Case) -> CallReport {
    let asked = RecordingApprover::default();
    let server = Server::builder("calls", "1")
        .tools(tools())
        .policy(policy())
        .approver(asked.clone())
        .context(ToolContext::builder().dry_run(case.dry_run).build())
        .hook(TestHook)
        .build();
    let mut wire = WireClient::connect_legacy(&server, json!({})).await;
    let mut results = Vec::new();
    for _ in 0..case.times {
        let arguments = serde_json::from_str(case.arguments).unwrap();
        let answer = wire.call(case.tool, arguments).await;
        let blocks = answer["content"].as_array().unwrap().iter();
        let texts: Vec<&str> = blocks.filter_map(|block| block["text"].as_str()).collect();
        results.push(result_text(
            answer["isError"] == json!(true),
            &texts.join("\n"),
        ));
    }
    CallReport {
        results,
        question: asked.last(),
    }
}

/// The app that a person calls a tool of: this very program in a process of its own, one a call. The person who calls is who
/// would be asked.
fn by_a_person(case: &Case) -> CallReport {
    let folder = tempfile::tempdir().unwrap();
    let this = module_path!().split_once("::");
    let app = this.map_or_else(String::new, |(_, module)| format!("{module}::")) + "is_the_app";
    let flags = if case.dry_run { "--dry-run " } else { "" };
    let call = || {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", &app, "--quiet", "--nocapture"])
            .current_dir(folder.path())
            .env("HOME", folder.path())
            .env(CALL, format!("{flags}{} {}", case.tool, case.arguments))
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (said, complained) = (text(&output.stdout), text(&output.stderr));
        if output.status.success() {
            let (_, said) = said.split_once("running 1 test\n").unwrap();
            // Notes are for the person, and not part of what the tool printed.
            let notes = complained.lines().filter(|line| line.starts_with('['));
            let lines = std::iter::once(said.trim_end()).chain(notes);
            return result_text(false, &lines.collect::<Vec<_>>().join("\n"));
        }
        let error = complained.split_once("error: ");
        result_text(true, error.map_or(&*complained, |(_, error)| error))
    };
    CallReport {
        results: (0..case.times).map(|_| call()).collect(),
        question: None,
    }
}

#[test]
fn is_the_app() {
    let Ok(call) = std::env::var(CALL) else {
        return;
    };
    // Nothing else that is linked here is granted.
    let app = App::new(Package {
        name: "calls",
        version: "1",
        description: "",
        binary: None,
    });
    let (flags, call) = match call.strip_prefix("--dry-run ") {
        Some(call) => (Some("--dry-run"), call),
        None => (None, &*call),
    };
    let (tool, arguments) = call.split_once(' ').unwrap();
    // A destructive call needs `--yes`, as an agent and a client need an approver.
    let words = ["calls", "call", "--yes"].into_iter().chain(flags);
    let code = app
        .pack(tools())
        .policy(policy())
        .hook(TestHook)
        .main_from(words.chain([tool, arguments]));
    std::process::exit(i32::from(code != std::process::ExitCode::SUCCESS));
}

/// Writes what a call came to: once where all roads agree, else road by road.
async fn table(cases: &[Case]) -> String {
    let mut table = String::new();
    for case in cases {
        RUNS.store(0, Ordering::SeqCst);
        let agent = by_an_agent(case).await;
        RUNS.store(0, Ordering::SeqCst);
        let client = by_a_client(case).await;
        let person = by_a_person(case);
        let dry = if case.dry_run { " (dry run)" } else { "" };
        table += &format!("{} {}{dry}\n", case.tool, case.arguments);
        // Verdict and facts: who is asked is asked the same.
        match (&agent.question, &client.question) {
            (None, None) => {}
            (Some(one), Some(other)) if one == other => {
                let facts = ["reason", "safety", "suggestions", "part", "preview"];
                let facts = facts.map(|fact| format!("{fact} {}", one[fact]));
                table += &format!("  asks: {}\n", facts.join(", "));
            }
            (one, other) => table += &format!("  agent asks {one:?}, server asks {other:?}\n"),
        }
        let shown = |said: &CallReport| said.results.join("\n  then: ").replace('\n', "\n    ");
        if agent.results == client.results && client.results == person.results {
            table += &format!("  {}\n", shown(&agent));
        } else {
            for (road, said) in [("agent", agent), ("server", client), ("person", person)] {
                table += &format!("  {road}: {}\n", shown(&said));
            }
        }
    }
    table
}

#[tokio::test]
async fn a_call_comes_to_the_same_on_every_road() {
    let cases = [
        Case::new("add", r#"{"a":2,"b":3}"#),
        Case::new("delete_station", r#"{"name":"ours"}"#),
        Case::new("write", r#"{"text":"x"}"#),
        // Denied by a check, a rule, a hook.
        Case::new("delete_station", r#"{"name":"theirs"}"#),
        Case::new("forbidden", "{}"),
        Case::new("vetoed", "{}"),
        // Arguments that do not fit, or fit after a repair.
        Case::new("add", r#"{"a":"2","b":3}"#),
        Case::new("add", r#"{"a":2}"#),
        Case::new("add", r#"{"a":"two","b":3,"c":4}"#),
        // Failures of the tool, its check, and a hook.
        Case::new("broken", "{}"),
        Case::new("explode", "{}"),
        Case::new("cracked", "{}"),
        Case::new("haunted", "{}"),
        Case::new("marked", "{}"),
        Case::dry_run("write", r#"{"text":"x"}"#),
        Case::dry_run("add", r#"{"a":1,"b":1}"#),
        Case::dry_run("forbidden", "{}"),
        Case::dry_run("vetoed", "{}"),
        // A person's call is a process of its own, which has no result of an earlier one.
        Case::twice("counted", r#"{"what":"it"}"#),
    ];
    insta::assert_snapshot!(table(&cases).await, @r#"
    add {"a":2,"b":3}
      5
    delete_station {"name":"ours"}
      asks: reason "delete ours?", safety false, suggestions ["delete_station"], part null, preview {"type":"diff","path":"stations","unified":"@@ -1 +0,0 @@\n-ours\n"}
      deleted ours
    write {"text":"x"}
      asks: reason "it may destroy something that cannot be brought back (high risk)", safety false, suggestions ["write"], part null, preview null
      wrote x
    delete_station {"name":"theirs"}
      error: Tool call denied: it is not ours
    forbidden {}
      error: Tool call denied: the rule `forbidden` denies it
    vetoed {}
      error: Tool call denied: the app says no
    add {"a":"2","b":3}
      5
        [repaired: `/a`: read the string "2" as the integer 2]
    add {"a":2}
      error: `/b`: expected an integer (The second), got nothing; this key is required
    add {"a":"two","b":3,"c":4}
      error: `/a`: expected an integer, got the string "two"; write the number without quotes
        `/c`: expected one of the keys `a`, `b`, got the unknown key `c` with the number 4
    broken {}
      error: the station is closed
    explode {}
      error: the tool panicked, which is a defect in it: boom
    cracked {}
      error: the tool panicked, which is a defect in it: no verdict
    haunted {}
      error: a hook panicked: a ghost
    marked {}
      result (marked)
    write {"text":"x"} (dry run)
      Dry run, nothing was done: would call write with {"text":"x"}
    add {"a":1,"b":1} (dry run)
      2
    forbidden {} (dry run)
      error: Tool call denied: the rule `forbidden` denies it
    vetoed {} (dry run)
      error: Tool call denied: the app says no
    counted {"what":"it"}
      it: run 1
          then: it: run 1
    "#);
}
