//! Agents by name, as a person meets them: their files, their list, and what they may do.

use serde_json::{Value, json};

use crate::skills::fixture::SkillsFixture;

const REVIEWER: &str = "---\nname: reviewer\ndescription: Reviews code: all of it\ntools: Read, Grep, WebSearch\n\
                        model: haiku\n---\nYou review.\n";

fn place() -> SkillsFixture {
    SkillsFixture::new()
        .with_file("home/.claude/agents/reviewer.md", REVIEWER)
        .with_file("home/.claude/agents/README.md", "# My agents\n")
        .with_file(
            "home/.agents/agents/team/tester.md",
            "---\nname: tester\ndescription: Tests.\ndisallowedTools: Bash\n---\nYou test.\n",
        )
        .with_file("project/.git/HEAD", "ref: refs/heads/main\n")
        .with_file(
            "project/.claude/agents/reviewer.md",
            "---\nname: reviewer\ndescription: Reviews this project.\n---\nYou review this project.\n",
        )
        .with_file(
            "project/.agents/agents/coder.md",
            "---\nname: coder\ndescription: Codes.\nfiles: {write: [src/**]}\n---\nYou code.\n",
        )
}

#[test]
fn agents_are_listed_and_none_vanishes_without_a_word() {
    let place = place();
    insta::assert_snapshot!(place.run(&["agents"]), @"
    exit 0
    --- stdout
    reviewer  Reviews code: all of it (user)
    tester    Tests. (user)
    2 agents of the project held: run `assistant permissions trust` to review and accept the files
    3 files not used: run `assistant agents list --all` for the reasons
    ");
    insta::assert_snapshot!(place.run(&["agents", "list", "--all"]), @"
    exit 0
    --- stdout
    reviewer  Reviews code: all of it (user)
    tester    Tests. (user)
    not used: coder of `PLACE/project/.agents/agents/coder.md`: held: you have not accepted it
    not used: reviewer of `PLACE/project/.claude/agents/reviewer.md`: held: you have not accepted it
    no agent: `PLACE/home/.claude/agents/README.md`: line 1: the file does not begin with front matter (make `---` its first line, then `name: …` and `description: …`, then `---` again)
    2 agents of the project held: run `assistant permissions trust` to review and accept the files
    ");
    let accepted = place.run(&["permissions", "trust", "--yes"]);
    assert!(accepted.contains("+ agent `coder` (new)"), "{accepted}");
    insta::assert_snapshot!(place.run(&["agents", "list", "--all"]), @"
    exit 0
    --- stdout
    coder     Codes. (project)
    reviewer  Reviews this project. (project)
    tester    Tests. (user)
    not used: reviewer of `PLACE/home/.claude/agents/reviewer.md`: shadowed by `PLACE/project/.claude/agents/reviewer.md`
    no agent: `PLACE/home/.claude/agents/README.md`: line 1: the file does not begin with front matter (make `---` its first line, then `name: …` and `description: …`, then `---` again)
    ");
    // A change of an accepted file holds it again.
    let place = place.with_file(
        "project/.agents/agents/coder.md",
        "---\nname: coder\ndescription: Codes.\n---\nYou code everything.\n",
    );
    let listed = place.run(&["agents", "list", "--all", "--json"]);
    let (_, listed) = listed.split_once("--- stdout\n").expect("an output");
    let listed: Value = serde_json::from_str(listed).expect("JSON");
    assert_eq!(listed["unused"][0]["name"], "coder");
    let reason = "held: it has changed since you accepted it";
    assert_eq!(listed["unused"][0]["reason"], reason);
    let revoked = place.run(&["permissions", "untrust"]);
    assert!(
        revoked.contains("revoked PLACE/project/.agents/agents/coder.md"),
        "{revoked}"
    );
}

#[test]
fn an_agent_is_shown_with_what_it_may_do() {
    let place = place();
    insta::assert_snapshot!(place.run(&["agents", "show", "reviewer"]), @r#"
    exit 0
    --- stdout
    reviewer
    from `PLACE/home/.claude/agents/reviewer.md`
    tools: grep, read_file
    model: "haiku"
    warning: line 3: the value of `description` is not YAML, and is read as text (put it in quotes)
    warning: line 4: this program has no tool for `WebSearch`: it would be `web_search`

    Reviews code: all of it

    You review.
    "#);
    let shown = place.run(&["agents", "show", "revewer"]);
    assert!(
        shown.contains("no agent is called `revewer`; did you mean `reviewer`?"),
        "{shown}"
    );
    // Another one is suggested, too, although it waits to be accepted.
    let shown = place.run(&["agents", "show", "codr"]);
    assert!(shown.contains("did you mean `coder`?"), "{shown}");
    let shown = place.run(&["agents", "show", "tester", "--json"]);
    let (_, shown) = shown.split_once("--- stdout\n").expect("an output");
    let shown: Value = serde_json::from_str(shown).expect("JSON");
    let tools = shown["tools"].as_array().expect("tools");
    assert!(
        tools.contains(&json!("write_file")) && !tools.contains(&json!("bash")),
        "{tools:?}"
    );
}

#[test]
fn files_are_made_and_validated() {
    let place = place().with_file(
        "project/bad/one.md",
        "---\nname: one\ndescription: d\ntools: Frobnicate\nmaxTurns: many\nmodell: x\n---\nDo.\n",
    );
    insta::assert_snapshot!(place.run(&["agents", "validate", "bad", "../home/.claude/agents/reviewer.md"]), @"
    exit 1
    --- stdout
    error: `maxTurns` is not a whole number greater than 0
      --> bad/one.md:5

    warning: unknown key `modell`, which is ignored
      --> bad/one.md:6
       = help: did you mean `model`?

    warning: the value of `description` is not YAML, and is read as text
      --> ../home/.claude/agents/reviewer.md:3
       = help: put it in quotes

    warning: this program has no tool for `WebSearch`: it would be `web_search`
      --> ../home/.claude/agents/reviewer.md:4

    1 valid agent in 2 files; 1 error, 3 warnings
    ");
    let made = place.run(&["agents", "new", "planner"]);
    assert!(
        made.contains("PLACE/project/.agents/agents/planner.md"),
        "{made}"
    );
    let again = place.run(&["agents", "new", "planner"]);
    assert!(again.starts_with("exit 2"), "{again}");
    let named = place.run(&["agents", "new", "my planner"]);
    assert!(named.contains("invalid agent name `my planner`"), "{named}");
    let all = place.run(&["agents", "validate", "../home/.claude/agents"]);
    assert!(all.starts_with("exit 0"), "{all}");
    assert!(
        all.contains("warning: the file does not begin with front matter"),
        "{all}"
    );
    assert!(all.contains("1 valid agent in 2 files; 0 errors"), "{all}");
    insta::assert_snapshot!(place.run(&["agents", "validate"]), @"
    exit 0
    --- stdout
    3 valid agents in 3 files; 0 errors, 0 warnings
    ");
}

#[test]
fn run_works_as_an_agent_with_its_tools_alone() {
    let place = place().with_file("project/a.txt", "hello\n");
    let held = place.run(&["run", "--agent", "coder", "go", "--replay", "x"]);
    assert!(
        held.contains("the agent `coder` is not used: held: you have not accepted it"),
        "{held}"
    );
    let write = json!({ "path": "b.txt", "content": "x" });
    let read = json!({ "path": "a.txt" });
    let calls = [("write_file", write.clone()), ("read_file", read)];
    let results = place.run_calls(&["--agent", "reviewer", "--mode", "bypass"], &calls);
    assert!(results[0].contains("write_file"), "{}", results[0]);
    assert!(!place.path("project/b.txt").exists());
    assert!(results[1].contains("hello"), "{}", results[1]);
    place.run(&["permissions", "trust", "--yes"]);
    let inside = json!({ "path": "src/b.txt", "content": "x" });
    let command = json!({ "command": "echo x > c.txt" });
    let calls = [
        ("write_file", write),
        ("bash", command),
        ("write_file", inside),
    ];
    let results = place.run_calls(&["--agent", "coder", "--mode", "bypass"], &calls);
    assert!(
        results[0].contains("is outside of the files of the agent"),
        "{}",
        results[0]
    );
    assert!(results[1].contains("runs no commands"), "{}", results[1]);
    assert!(place.path("project/src/b.txt").exists(), "{}", results[2]);
    assert!(!place.path("project/b.txt").exists() && !place.path("project/c.txt").exists());
}

#[test]
fn names_of_agents_are_completed() {
    let place = place();
    let shown = place.run(&["complete", "--", "agents", "show", "te"]);
    assert!(shown.contains("tester\tTests."), "{shown}");
    let shown = place.run(&["complete", "--", "run", "--agent", ""]);
    assert!(shown.contains("reviewer\t"), "{shown}");
}
