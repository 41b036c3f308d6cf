//! The binary as a person meets it: what it prints, and the code that it exits with.

use std::path::Path;
use std::process::Command;

/// A folder with something to read and to search.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::create_dir(folder.path().join("src")).expect("a folder");
    std::fs::write(folder.path().join("README.md"), "# Notes\n\nAll of them.\n").expect("a file");
    std::fs::write(
        folder.path().join("src/main.rs"),
        "fn main() {\n    run();\n}\n",
    )
    .expect("a file");
    folder
}

/// Runs the binary in a folder and writes down all that a person would see.
fn assistant(folder: &Path, arguments: &[&str]) -> String {
    // Beside the files: a home, and what leads to it, is no workspace.
    let home = tempfile::tempdir().expect("a home");
    let output = Command::new(env!("CARGO_BIN_EXE_assistant"))
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home.path())
        .args(arguments)
        .output()
        .expect("the binary starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut seen = format!("exit {}\n", output.status.code().expect("an exit code"));
    for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
        if !bytes.is_empty() {
            seen.push_str(&format!("--- {name}\n{}", text(bytes)));
        }
    }
    let real = std::fs::canonicalize(folder).expect("the folder is there");
    seen.replace(&real.display().to_string(), "FOLDER")
}

/// Runs the binary in a fresh folder.
fn run(arguments: &[&str]) -> String {
    assistant(folder().path(), arguments)
}

#[test]
fn a_person_calls_a_tool_with_flags() {
    insta::assert_snapshot!(run(&["call", "grep", "--pattern", "fn main", "--path", "src"]), @r#"
        exit 0
        --- stdout
        src/main.rs
        1:fn main() {
        --- stderr
        calling `grep` (only reads, low risk) in FOLDER
        "#);
}

#[test]
fn a_person_calls_a_tool_with_json() {
    insta::assert_snapshot!(run(&["call", "read_file", r#"{"path": "README.md", "limit": 1}"#]), @r#"
        exit 0
        --- stdout
             1	# Notes
        --- stderr
        calling `read_file` (only reads, low risk) in FOLDER
        [lines 1 to 1 of 3; continue with offset=2]
        "#);
}

#[test]
fn what_can_be_read_without_inventing_is_read_and_said() {
    insta::assert_snapshot!(run(&["call", "read_file", r#"{"path": "README.md", "limit": "1"}"#]), @r#"
        exit 0
        --- stdout
             1	# Notes
        --- stderr
        calling `read_file` (only reads, low risk) in FOLDER
        [lines 1 to 1 of 3; continue with offset=2]
        [repaired: `/limit`: read the string "1" as the integer 1]
        "#);
}

#[test]
fn an_unknown_tool_is_refused_with_the_nearest() {
    insta::assert_snapshot!(run(&["call", "gerp", "--pattern", "x"]), @"
    exit 2
    --- stderr
    error: unknown tool `gerp`; did you mean `grep`?
    help: run `tools` for a list
    ");
    insta::assert_snapshot!(run(&["call", "make_coffee"]), @"
    exit 2
    --- stderr
    error: unknown tool `make_coffee`
    help: run `tools` for a list
    ");
}

#[test]
fn a_missing_argument_is_named() {
    insta::assert_snapshot!(run(&["call", "grep"]), @r#"
        exit 2
        --- stderr
        error: the following required arguments were not provided:
          --pattern <TEXT>

        Usage: assistant call grep [FLAGS]
               assistant call grep JSON

        For more information, try '--help'.
        "#);
    insta::assert_snapshot!(run(&["call", "grep", "{}"]), @r#"
        exit 2
        --- stderr
        error: `/pattern`: expected a string of 1 to 10000 characters (Regular expression in Rust's syntax, without look-around and…), got nothing; this key is required
        "#);
}

#[test]
fn all_mistakes_are_told_at_once() {
    insta::assert_snapshot!(run(&["call", "grep", r#"{"patern": "x", "limit": 0, "output": "file"}"#]), @r#"
        exit 2
        --- stderr
        error: `/patern`: expected one of the keys `pattern`, `path`, `glob`, `case_insensitive`, `output`, `context`, `limit`, got the unknown key `patern` with the string "x"; did you mean `pattern`?
        `/limit`: expected an integer from 1 to 10000, got the number 0
        `/output`: expected one of "content", "files", "count", got the string "file"; did you mean "files"?
        `/pattern`: expected a string of 1 to 10000 characters (Regular expression in Rust's syntax, without look-around and…), got nothing; this key is required
        "#);
}

#[test]
fn text_that_is_not_json_is_refused() {
    insta::assert_snapshot!(run(&["call", "grep", "{not json"]), @r#"
        exit 2
        --- stderr
        error: the arguments: expected a JSON object, got text that is not JSON: key must be a string at line 1 column 2, near `{not json`
        "#);
}

#[test]
fn a_path_that_is_not_there_is_told_with_the_nearest() {
    insta::assert_snapshot!(run(&["call", "read_file", "--path", "REDME.md"]), @r#"
        exit 1
        --- stderr
        calling `read_file` (only reads, low risk) in FOLDER
        error: `REDME.md` does not exist; did you mean `README.md`?
        "#);
    insta::assert_snapshot!(run(&["call", "grep", "--pattern", "x", "--path", "nowhere"]), @r#"
        exit 1
        --- stderr
        calling `grep` (only reads, low risk) in FOLDER
        error: `nowhere` does not exist; list the folder above it to see what there is
        "#);
}

#[test]
fn a_path_outside_of_the_root_is_refused() {
    insta::assert_snapshot!(run(&["call", "read_file", "--path", "/etc/passwd"]), @r#"
        exit 1
        --- stderr
        calling `read_file` (only reads, low risk) in FOLDER
        error: `/etc/passwd` is outside of the accessible folders; give a path in `FOLDER`
        "#);
    insta::assert_snapshot!(run(&["call", "grep", "--pattern", "root", "--path", "../../etc"]), @r#"
        exit 1
        --- stderr
        calling `grep` (only reads, low risk) in FOLDER
        error: `../../etc` is outside of the accessible folders; give a path in `FOLDER`
        "#);
}

#[test]
fn tools_and_skills_are_listed() {
    insta::assert_snapshot!(run(&["tools"]), @r#"
    exit 0
    --- stdout
    apply_patch       writes     Changes several files with one patch: all of it is done, or nothing.
    ask_user          read-only  Asks the user one to four questions, and waits for the answers.
    bash              writes     Runs a command line in bash and returns what it writes.
    bash_kill         writes     Ends a command of `bash`, with all that it started.
    bash_output       read-only  Returns what a command of `bash` has written since it was last looked at, and how it stands.
    datetime          read-only  Tells the current date and time in a time zone, or what a given moment is there.
    edit_file         writes     Replaces text in a file, exactly as it stands there.
    glob              read-only  Finds files by a pattern of their paths, such as `**/*.rs` or `src/**/*.{js,ts}`; the newest come fi…
    grep              read-only  Searches file contents with a regular expression, like `rg`.
    list_dir          read-only  Lists a folder: names with their kinds and sizes, sorted; folders end with `/`.
    load_skill        read-only  Gives the whole instructions of one of the available skills.
    read_file         read-only  Reads a text file with line numbers, the text of a PDF document, or shows an image (PNG, JPEG, GIF, …
    read_skill_file   read-only  Reads one of the files that a skill lists, such as a reference or a script.
    run_skill_script  writes     Runs a script that belongs to one of the available skills and returns what it writes.
    todo_create       read-only  Adds a task to the list of this session.
    todo_get          read-only  Returns all of a task of this session: what it is, who does it, and what waits for what.
    todo_list         read-only  Lists the tasks of this session, with the open tasks that each waits for.
    todo_update       read-only  Changes a task of this session: how far it is, who does it, and what waits for what.
    write_file        writes     Writes a whole file, and makes the folders on its way.
    "#);
    insta::assert_snapshot!(run(&["skills"]), @r#"
    exit 0
    --- stdout
    `skills` of the package `assistant`
      explore-repository  Finds one's way in an unknown repository. Use it when somebody asks what a project is, how it is lai…
    "#);
}

#[test]
fn a_root_that_is_not_there_is_told() {
    insta::assert_snapshot!(run(&["--root", "nowhere", "tools"]), @r#"
        exit 1
        --- stderr
        error: failed to open the root folder `nowhere`
          Caused by: `nowhere` does not exist; list the folder above it to see what there is
        "#);
}

#[test]
fn run_without_a_model_says_what_to_do() {
    insta::assert_snapshot!(run(&["run", "hello"]), @r#"
        exit 2
        --- stderr
        error: no model is selected
        help: use `--model PROVIDER/MODEL`, set HELVE_MODEL, or set `model = "PROVIDER/MODEL"` in ~/.config/helve/helve.toml
        help: no API key was found: set the key of your provider, for example anthropic (ANTHROPIC_API_KEY), openai (OPENAI_API_KEY); local models need no key (`--model ollama/MODEL`)
        help: use `--replay FILE` to run without a model, or run `assistant doctor` to check the configuration
        "#);
}

#[test]
fn a_recording_that_is_none_is_told_with_its_line() {
    let folder = folder();
    std::fs::write(
        folder.path().join("bad.jsonl"),
        "{\"helve_recording\":1}\n{\"events\":[}\n",
    )
    .expect("a file");
    insta::assert_snapshot!(assistant(folder.path(), &["run", "hello", "--replay", "bad.jsonl"]), @r#"
        exit 1
        --- stderr
        error: bad.jsonl: line 2: expected value (column 12)
        "#);
}

#[test]
fn call_help_is_made_from_the_schema() {
    insta::assert_snapshot!(run(&["call", "datetime", "--help"]), @r#"
        exit 0
        --- stdout
        Tells the current date and time in a time zone, or what a given moment is there.

        Use it whenever an answer depends on today's date, the weekday, the time, or the difference between
        time zones.

        Usage: assistant call datetime [FLAGS]
               assistant call datetime JSON

        Arguments:
          [ARGUMENTS]
                  All arguments as a JSON object instead of flags; `-` reads it from standard input

        Options:
              --timezone <TEXT>
                  IANA name of the time zone of the answer, such as "Europe/Paris". [default: "UTC"]

              --at <TEXT>
                  Moment to convert instead of now: "2026-07-14T09:30Z" or
                  "2026-07-14T09:30[America/New_York]". Without an offset or a zone, as in
                  "2026-07-14T09:30", it is a time in `timezone`.

          -h, --help
                  Print help (see a summary with '-h')
        "#);
}

#[test]
fn doctor_finds_nothing_broken() {
    if crate::isolation::skip("command_line::doctor_finds_nothing_broken") {
        return;
    }
    let report = run(&["doctor"]);
    assert!(report.starts_with("exit 0\n"), "{report}");
    assert!(!report.contains("!!"), "{report}");
}

#[test]
fn schemas_are_printed_in_every_dialect() {
    for dialect in ["mcp", "openai", "openai-strict", "anthropic", "gemini"] {
        let printed = run(&["tools", "schema", "--dialect", dialect]);
        let json = printed
            .strip_prefix("exit 0\n--- stdout\n")
            .expect("a success");
        let tools: Vec<serde_json::Value> = serde_json::from_str(json).expect("JSON");
        let names: Vec<_> = tools
            .iter()
            .map(|tool| tool["name"].as_str().expect("a name"))
            .collect();
        assert_eq!(
            names,
            [
                "apply_patch",
                "ask_user",
                "bash",
                "bash_kill",
                "bash_output",
                "datetime",
                "edit_file",
                "glob",
                "grep",
                "list_dir",
                "load_skill",
                "read_file",
                "read_skill_file",
                "run_skill_script",
                "todo_create",
                "todo_get",
                "todo_list",
                "todo_update",
                "write_file"
            ],
            "{dialect}"
        );
        assert!(
            tools
                .iter()
                .all(|tool| tool["inputSchema"]["type"] == "object"),
            "{dialect}"
        );
    }
}

#[test]
fn demo_drives_the_real_tools_over_the_repository() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let told = assistant(&repository, &["demo"]);
    assert!(told.starts_with("exit 0\n"), "{told}");
    for expected in [
        "✓ load_skill\n    <skill name=\"explore-repository\">",
        "✓ read_file\n         1\t# helve",
        "✓ grep\n",
        "examples/assistant/build.rs",
        "✓ datetime\n    {\"datetime\":\"",
        "[Europe/Berlin]",
        "— finished",
    ] {
        assert!(told.contains(expected), "{expected:?} is not in\n{told}");
    }
}

#[test]
fn a_demo_says_which_files_it_is_about_where_they_are_missing() {
    let folder = folder();
    insta::assert_snapshot!(assistant(folder.path(), &["demo"]), @r"
    exit 1
    --- stderr
    error: the demo is about the repository of `assistant`, and FOLDER does not have `Cargo.toml`, `examples/assistant/src/main.rs`
    help: run `assistant demo` in a clone of that repository, or name it: `assistant --root FOLDER demo`
    ");
}

#[test]
fn what_a_pipe_no_longer_wants_is_no_error() {
    let shell = format!(
        "'{}' tools schema | head -c 1",
        env!("CARGO_BIN_EXE_assistant")
    );
    let output = Command::new("sh")
        .args(["-c", &shell])
        .output()
        .expect("a shell");
    assert_eq!(
        (
            output.stdout.len(),
            String::from_utf8_lossy(&output.stderr).into_owned()
        ),
        (1, String::new())
    );
}
