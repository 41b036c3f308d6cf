//! `check_code`, whole: called as a model calls it, with real checkers in real sandboxes.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests make their own files"
)]

mod after_edit;

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;

use helve::ToolContext;
use helve::capability::Grants;
use helve::sandbox::{Layer, LazySandbox, LocalFs, PassthroughSandbox, Sandbox, SandboxPolicy};
use helve::tool::ToolContextBuilder;
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

const LIBRARY: &str = "//! Demo.
pub fn add(a: i32, b: i32) -> i32 {
    let unused = 1;
    a + b
}

#[test]
fn adds() {
    assert_eq!(add(1, 1), 2);
}

#[test]
fn fails() {
    assert_eq!(add(1, 1), 3, \"sums\");
}
";

pub(crate) fn tests() -> Vec<Trial> {
    let mut trials = vec![
        Trial::test("check_code::what_a_checker_wrote_becomes_rows", || {
            run(what_a_checker_wrote_becomes_rows())
        }),
        Trial::test("check_code::how_a_checker_ended_is_said", || {
            run(how_a_checker_ended_is_said())
        }),
        Trial::test("check_code::files_are_named_from_the_root", || {
            run(files_are_named_from_the_root())
        }),
        Trial::test("check_code::what_is_not_there_is_said", || {
            run(what_is_not_there_is_said())
        }),
        Trial::test(
            "check_code::an_edit_is_checked_where_the_user_wants_it",
            || run(after_edit::an_edit_is_checked_where_the_user_wants_it()),
        ),
        Trial::test(
            "check_code::passthrough::a_check_after_an_edit_is_judged",
            || {
                run(async {
                    after_edit::a_check_after_an_edit_is_judged(&Fixture::new().await, false).await;
                })
            },
        ),
        Trial::test("check_code::passthrough::cargo_is_run", || {
            run(async {
                cargo_is_run(&Fixture::new().await).await;
            })
        }),
    ];
    #[cfg(target_os = "linux")]
    if !crate::isolation::skip("check_code") {
        trials.push(Trial::test(
            "check_code::isolated::a_check_after_an_edit_is_judged",
            || {
                run(async {
                    after_edit::a_check_after_an_edit_is_judged(&Fixture::isolated().await, true)
                        .await;
                })
            },
        ));
        trials.push(Trial::test("check_code::isolated::cargo_is_run", || {
            run(async {
                cargo_is_run(&Fixture::isolated().await).await;
            })
        }));
    }
    trials
}

fn run(test: impl Future<Output = ()>) -> Result<(), Failed> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?
        .block_on(test);
    Ok(())
}

/// A project, and a sandbox in which its checkers run.
struct Fixture {
    folder: tempfile::TempDir,
    sandbox: Arc<dyn Sandbox>,
}

impl Fixture {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let sandbox = PassthroughSandbox::open(policy(folder.path()))
            .await
            .unwrap();
        Self {
            folder,
            sandbox: Arc::new(sandbox),
        }
    }

    #[cfg(target_os = "linux")]
    async fn isolated() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let policy = policy(folder.path());
        let sandbox = helve::sandbox::IsolatedSandbox::open(policy).await.unwrap();
        Self {
            folder,
            sandbox: Arc::new(sandbox),
        }
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Writes a program of the project, as a script of the shell.
    fn write_program(&self, path: &str, script: &str) {
        self.write(path, &format!("#!/bin/sh\n{script}\n"));
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(self.folder.path().join(path), mode).unwrap();
    }

    fn context(&self) -> ToolContextBuilder {
        let sandbox = Arc::new(LazySandbox::from_opened(Arc::clone(&self.sandbox)));
        let files = LocalFs::new(self.folder.path()).unwrap();
        ToolContext::builder().grants(Grants {
            sandbox: Some(sandbox),
            files: Some(Arc::new(files)),
            ..Grants::default()
        })
    }

    /// Calls the tool, and returns its text with its notes, and its data.
    async fn check(&self, arguments: Value) -> (String, Value) {
        self.check_in(&self.context().build(), arguments).await
    }

    async fn check_in(&self, cx: &ToolContext, arguments: Value) -> (String, Value) {
        let tools = helve_tools::check_code();
        let root = self.folder.path().canonicalize().unwrap();
        let show = |text: &str| text.replace(root.to_str().unwrap(), "ROOT");
        match tools.call("check_code", &arguments.to_string(), cx).await {
            Err(error) => (show(&format!("{}: {error}", error.kind())), Value::Null),
            Ok(output) => {
                let data = serde_json::from_str(output.structured_content().unwrap_or("null"));
                let mut text = output.text().into_owned();
                for note in output.notes() {
                    text.push('\n');
                    text.push_str(note);
                }
                (show(&text), data.unwrap())
            }
        }
    }
}

fn policy(folder: &Path) -> SandboxPolicy {
    let mut policy = SandboxPolicy::new(folder.canonicalize().unwrap());
    policy.accepted = Layer::ALL.into_iter().collect();
    policy
}

/// Reports whether a program is installed.
fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

async fn cargo_is_run(project: &Fixture) {
    if !is_installed("cargo") {
        println!("ran nothing: cargo is not installed");
        return;
    }
    project.write(
        "Cargo.toml",
        "[workspace]\nmembers = [\"demo\"]\nresolver = \"3\"\n",
    );
    project.write(
        "demo/Cargo.toml",
        "[package]\nname = \"demo\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
    );
    project.write("demo/src/lib.rs", LIBRARY);
    let (text, data) = project.check(json!({ "kind": "lint" })).await;
    insta::allow_duplicates! {
        insta::assert_snapshot!(text, @"
    lint: cargo passed; 1 row

    $ cargo clippy --all-targets --message-format=json [0 errors, 1 warning]
    demo/src/lib.rs:3:9: warning[unused_variables]: unused variable: `unused`
        help: if this is intentional, prefix it with an underscore
    ");
    }
    assert_eq!(data["passed"], true);
    let (text, data) = project
        .check(json!({ "kind": "tests", "path": "demo" }))
        .await;
    insta::allow_duplicates! {
        insta::assert_snapshot!(text, @"
    tests: cargo failed; all 2 rows

    $ cargo test --no-fail-fast --message-format=json [1 passed, 1 failed]
    demo/src/lib.rs:14:5: error[fails]: assertion `left == right` failed: sums
          left: 2
         right: 3
    demo/src/lib.rs:3:9: warning[unused_variables]: unused variable: `unused`
        help: if this is intentional, prefix it with an underscore
    ");
    }
    assert_eq!(data["passed"], false);
    assert_eq!(data["rows"][0]["file"], "demo/src/lib.rs");
    assert_eq!(data["rows"][0]["line"], 14);
    let (text, data) = project
        .check(json!({ "kind": "tests", "filter": "adds" }))
        .await;
    assert!(text.contains("1 passed, 0 failed"), "{text}");
    assert_eq!(data["passed"], true);
    // The harness says nothing of a test that ends the program.
    project.write(
        "demo/src/lib.rs",
        "#[test]\nfn ends() {\n    let unused = 1;\n    std::process::exit(3);\n}\n",
    );
    let (text, data) = project.check(json!({ "kind": "tests" })).await;
    assert!(
        text.contains("warning[unused_variables]")
            && text.contains("process didn't exit successfully")
            && text.contains("exit status: 3"),
        "{text}"
    );
    assert_eq!(data["passed"], false);
    project.write("demo/src/lib.rs", "pub fn f() -> u8 { \"x\" }\n");
    let (text, _) = project
        .check(json!({ "kind": "types", "path": "demo/src/lib.rs" }))
        .await;
    insta::allow_duplicates! {
        insta::assert_snapshot!(text, @"
    types: cargo failed; 1 row

    $ cargo check --all-targets --message-format=json [1 error, 0 warnings]
    demo/src/lib.rs:1:20: error[E0308]: mismatched types: expected `u8`, found `&str`
    ");
    }
}

async fn what_a_checker_wrote_becomes_rows() {
    let project = Fixture::new().await;
    project.write("web/eslint.config.js", "");
    project.write("web/src/a.js", "");
    let root = project.folder.path().canonicalize().unwrap();
    let file = root.join("web/src/a.js");
    let row = |line: u32, severity: u32| json!({ "ruleId": "no-undef", "severity": severity, "message": format!("bad {line}"), "line": line, "column": 2 });
    let answer = json!([{ "filePath": file, "messages": [row(1, 1), row(2, 2), row(3, 2)] }]);
    project.write("answer.json", &answer.to_string());
    let script = format!(
        "echo \"$@\" > {0}/arguments; cat {0}/answer.json; exit 1",
        root.display()
    );
    project.write_program("web/node_modules/.bin/eslint", &script);
    let (text, data) = project
        .check(json!({ "kind": "lint", "path": "web/src", "max_rows": 2 }))
        .await;
    insta::assert_snapshot!(text, @"
    lint: eslint failed; the first 2 of 3 rows

    $ eslint --format json ./src [2 errors, 1 warning]
    web/src/a.js:2:2: error[no-undef]: bad 2
    web/src/a.js:3:2: error[no-undef]: bad 3
    [1 of 3 rows are not shown: fix what is shown and check again, or pass a narrower `path` or a larger `max_rows`]
    ");
    assert_eq!(data["omitted_rows"], 1);
    let arguments = std::fs::read_to_string(root.join("arguments")).unwrap();
    assert_eq!(arguments, "--format json ./src\n");
    let cx = project.context().dry_run(true).build();
    let (text, _) = project
        .check_in(&cx, json!({ "kind": "lint", "path": "web" }))
        .await;
    assert_eq!(
        text,
        "dry run, nothing runs: would run `eslint --format json .` in ROOT/web"
    );
}

async fn how_a_checker_ended_is_said() {
    let project = Fixture::new().await;
    project.write(
        "tsconfig.json",
        r#"{ "files": [], "references": [{ "path": "a" }] }"#,
    );
    let path = std::env::var_os("PATH").unwrap();
    if !std::env::split_paths(&path).any(|folder| folder.join("tsc").exists()) {
        let (text, data) = project.check(json!({ "kind": "types" })).await;
        assert!(text.starts_with("types: tsc is not installed\n"), "{text}");
        assert!(text.contains("npm install"), "{text}");
        assert_eq!(data["passed"], false);
    }

    project.write_program("node_modules/.bin/tsc", "echo 'it broke' >&2; exit 3");
    let (text, data) = project.check(json!({ "kind": "types" })).await;
    insta::assert_snapshot!(text, @"
    types: tsc ended without saying what it found

    $ tsc --build --noEmit --pretty false
    it broke
    ");
    assert_eq!(data["checks"][0]["state"], "broken");

    project.write_program("node_modules/.bin/tsc", "kill -9 $$");
    let (text, _) = project.check(json!({ "kind": "types" })).await;
    assert!(text.contains("ended by signal 9"), "{text}");

    project.write_program("node_modules/.bin/tsc", "while :; do sleep 1; done");
    let settings = helve_tools::check_code::CheckCodeSettings {
        timeout: Some(1),
        ..helve_tools::check_code::CheckCodeSettings::default()
    };
    let mut state = helve::State::new();
    state.insert(settings);
    let cx = project.context().app(Arc::new(state)).build();
    let (text, data) = project.check_in(&cx, json!({ "kind": "types" })).await;
    assert!(
        text.starts_with("types: tsc did not end within 1 s"),
        "{text}"
    );
    assert_eq!(data["checks"][0]["state"], "timed_out");

    // A linter that says nothing has found nothing out, also where it ends well.
    project.write("web/eslint.config.js", "");
    let lint = json!({ "kind": "lint", "path": "web" });
    for (script, state) in [
        ("echo '[env] 3 variables'", "broken"),
        ("echo '[env] 3 variables'; echo '[]'", "passed"),
    ] {
        project.write_program("web/node_modules/.bin/eslint", script);
        let (text, data) = project.check(lint.clone()).await;
        assert_eq!(data["checks"][0]["state"], state, "{text}");
    }

    // What is found does not say why it failed.
    project.write_program(
        "node_modules/.bin/tsc",
        "echo 'a.ts(1,1): warning TS1: old'; echo '{}'; echo 'out of memory' >&2; exit 134",
    );
    let (text, data) = project.check(json!({ "kind": "types" })).await;
    insta::assert_snapshot!(text, @"
    types: tsc failed; 1 row

    $ tsc --build --noEmit --pretty false [0 errors, 1 warning]
    a.ts:1:1: warning[TS1]: old
    out of memory
    ");
    assert_eq!(data["passed"], false);

    // More than is read.
    project.write_program(
        "node_modules/.bin/tsc",
        "yes 'a.ts(1,1): error TS1: m' | head -c 14000000; exit 2",
    );
    let (text, data) = project.check(json!({ "kind": "types" })).await;
    assert!(text.contains("more than 12 MiB"), "{text}");
    assert_eq!(data["rows"].as_array().unwrap().len(), 1);
}

/// Checkers name files from folders of their own.
async fn files_are_named_from_the_root() {
    let project = Fixture::new().await;
    project.write(
        "Cargo.toml",
        "[workspace]\nexclude = [\"fuzz\"]\n[package]\nname = \"app\"\nedition = \"2024\"\n",
    );
    project.write("src/lib.rs", "");
    project.write(
        "fuzz/Cargo.toml",
        "[package]\nname = \"fuzz\"\nedition = \"2024\"\n",
    );
    project.write("fuzz/src/lib.rs", "pub fn f() -> u8 { \"x\" }\n");
    let (text, data) = project
        .check(json!({ "kind": "types", "path": "fuzz" }))
        .await;
    assert_eq!(data["rows"][0]["file"], "fuzz/src/lib.rs", "{text}");

    let project = Fixture::new().await;
    project.write("pyproject.toml", "[tool.pytest.ini_options]\n");
    project.write("tests/conftest.py", "");
    project.write("tests/test_a.py", "def (\n");
    let script = "echo '==== ERRORS ===='; echo '____ ERROR collecting tests/test_a.py ____'; echo 'E   SyntaxError: invalid \
                  syntax'; echo '==== 1 error in 0.01s ===='; exit 2";
    project.write_program(".venv/bin/pytest", script);
    let (text, data) = project
        .check(json!({ "kind": "tests", "path": "tests" }))
        .await;
    assert_eq!(data["rows"][0]["file"], "tests/test_a.py", "{text}");

    let project = Fixture::new().await;
    project.write("go.mod", "module example.com/m // Deprecated: use v2\n");
    let path = std::env::var("PATH").unwrap();
    if !std::env::split_paths(&path).any(|folder| folder.join("go").exists()) {
        return;
    }
    project.write("sub/a_test.go", "package sub\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {\n\tt.Error(\"wrong\")\n}\n");
    let (text, data) = project.check(json!({ "kind": "tests" })).await;
    assert_eq!(data["rows"][0]["file"], "sub/a_test.go", "{text}");
}

async fn what_is_not_there_is_said() {
    let project = Fixture::new().await;
    project.write("api/go.mod", "module example.com/m\n");
    project.write(
        "web/package.json",
        r#"{ "scripts": { "test": "node --test" } }"#,
    );
    let (text, _) = project.check(json!({ "kind": "lint" })).await;
    insta::assert_snapshot!(text, @"failed: nothing checks `.` for `lint`: no folder from there up to the root uses cargo (Cargo.toml), eslint (eslint.config.*), ruff (ruff.toml), go (go.mod); pass a folder that does as `path`: `api`");
    let (text, _) = project
        .check(json!({ "kind": "tests", "path": "web" }))
        .await;
    insta::assert_snapshot!(text, @"failed: nothing checks `web` for `tests`: no folder from there up to the root uses cargo (Cargo.toml), pytest (pytest.ini or conftest.py), go (go.mod); `package.json` has a script `test`, which the shell runs: `npm test`");
    let (text, _) = project
        .check(json!({ "kind": "tests", "checker": "ruff" }))
        .await;
    insta::assert_snapshot!(text, @"failed: ruff makes no checks of the kind `tests`");
    let (text, _) = project
        .check(json!({ "kind": "tests", "path": "../outside" }))
        .await;
    insta::assert_snapshot!(text, @"failed: `../outside` is outside of the accessible folders; give a path in `ROOT`");
}
