//! Tests of reading agent files, in the shapes that authors write.
#![allow(clippy::unwrap_used, reason = "tests panic")]

use helve_skill_format::{AgentFile, AgentValue, Severity, parse_agent};
use proptest::prelude::*;

/// Renders what is read of a file, and its problems.
fn read(text: &str) -> String {
    let file = parse_agent(text);
    let mut lines = vec![format!(
        "{} {:?} {:?}",
        if file.is_agent() { "agent" } else { "no agent" },
        file.name.as_deref().unwrap_or_default(),
        file.description.as_deref().unwrap_or_default(),
    )];
    for field in &file.fields {
        let value = match &field.value {
            AgentValue::Text(text) => format!("{text:?}"),
            AgentValue::Number(number) => number.to_string(),
            AgentValue::Names(names) => names.join(" | "),
            AgentValue::All => "*".to_owned(),
            other => format!("{other:?}"),
        };
        lines.push(format!("  {} = {value}", field.key));
    }
    let problems = file.problems.iter();
    lines.extend(problems.map(|problem| format!("  {} {problem}", problem.severity)));
    lines.join("\n")
}

/// Reads front matter with a name and a description.
fn fields(more: &str) -> String {
    let read = read(&format!(
        "---\nname: a\ndescription: d\n{more}\n---\nDo it.\n"
    ));
    read.lines().skip(1).collect::<Vec<_>>().join("\n")
}

#[test]
fn claude_keys_and_own_keys_are_read() {
    let more = "tools: Read, Bash(git diff:*, -x), mcp__github__*\ndisallowedTools: [Write]\nmodel: opus\n\
                permissionMode: plan\nmaxTurns: 12\nskills: pdf, csv\nmcpServers:\n  - github\n  - playwright: {command: npx}\n\
                effort: high\ninitialPrompt: Begin.\ncolor: red\nfiles:\n  read: [src/**, docs/**]\n  write: []\n\
                hosts: {allow: docs.rs, deny: [evil.example]}\ntools.groups: stock\nbudget: {turns: 5, cost_usd: 0.5}\n\
                rules:\n  deny: [Bash(rm:*)]\ndelegates: tester";
    insta::assert_snapshot!(fields(more), @"
      tools = Read | Bash(git diff:*, -x) | mcp__github__*
      disallowedTools = Write
      model = \"opus\"
      permissionMode = \"plan\"
      maxTurns = 12
      skills = pdf | csv
      mcpServers = github
      effort = \"high\"
      initialPrompt = \"Begin.\"
      files.read = src/** | docs/**
      files.write = 
      hosts.allow = docs.rs
      hosts.deny = evil.example
      tools.groups = stock
      budget.turns = 5
      budget.cost_usd = 0.5
      rules.deny = Bash(rm:*)
      delegates = tester
      warning line 10: MCP servers that the file defines itself are not used: playwright (define them in `.mcp.json` or with `mcp add`, and list their names)
    ");
}

#[test]
fn front_matter_that_is_not_yaml_is_read() {
    let colon = "---\nname: a\ndescription: Use it when: asked, e.g.: now\ncategory: x\ntools: Read\n---\nDo it.\n";
    let lines = "---\nname: b\ndescription: Use it for tests. Examples:\n\n<example>\nContext: A failure.\nuser: \"Fix: it\"\n\
                 assistant: \"I do: so\"\n</example>\ntools: Read\nmodel: haiku\n---\nDo it.\n";
    let literal = "---\nname: c\ndescription: One.\\n\\nuser: \"two: three\"\n---\nDo it.\n";
    let star = "---\nname: d\ndescription: **Bold** words\ntools: *\n---\nDo it.\n";
    let plain = "\u{feff}---\r\nname: e\r\ndescription: One: two\r\n---\r\nDo it.\r\n";
    let all = [colon, lines, literal, star, plain].map(read).join("\n");
    insta::assert_snapshot!(all, @r#"
    agent "a" "Use it when: asked, e.g.: now"
      tools = Read
      warning line 3: the value of `description` is not YAML, and is read as text (put it in quotes)
      warning line 4: unknown key `category`, which is ignored
    agent "b" "Use it for tests. Examples:\n\n<example>\nContext: A failure.\nuser: \"Fix: it\"\nassistant: \"I do: so\"\n</example>"
      tools = Read
      model = "haiku"
      warning line 3: the value of `description` up to line 9 is not YAML, and is read as text (write the key with `|-` behind it, and indent the lines below)
    agent "c" "One.\n\nuser: \"two: three\""
      warning line 3: the value of `description` is not YAML, and is read as text (put it in quotes)
    agent "d" "**Bold** words"
      tools = *
      warning line 3: the value of `description` is not YAML, and is read as text (put it in quotes)
      warning line 4: `tools: *` means all tools (leave the key out, which means the same)
    agent "e" "One: two"
      warning line 1: the file begins with a byte order mark, with which other programs skip it (save it as UTF-8 without the mark)
      warning line 1: lines end with CR and LF, with which other programs may skip the file (save it with LF at the end of lines)
      warning line 3: the value of `description` is not YAML, and is read as text (put it in quotes)
    "#);
}

#[test]
fn lists_of_tools_have_many_forms() {
    for (written, expected) in [
        ("tools: Read,Write , Edit", "tools = Read | Write | Edit"),
        ("tools: [Read, \"Write\"]", "tools = Read | Write"),
        (
            "tools:\n  - Read\n  - Bash(npm run test:*)",
            "tools = Read | Bash(npm run test:*)",
        ),
        ("tools: \"Read, Write\"", "tools = Read | Write"),
        ("tools: \"*\"", "tools = *"),
        (
            "tools: search/codebase, edit/editFiles",
            "tools = search/codebase | edit/editFiles",
        ),
        ("allowedTools: Read", "tools = Read"),
        (
            "tools: {write: false, bash: false, read: true}",
            "disallowedTools = write | bash",
        ),
    ] {
        let read = fields(written);
        assert_eq!(read.lines().next().unwrap().trim(), expected, "{read}");
    }
    for nothing in ["tools:", "tools: []", "tools: \"\""] {
        let read = fields(nothing);
        assert!(
            read.contains("warning line 4: `tools` names no tool, so the agent has none"),
            "{read}"
        );
    }
}

#[test]
fn what_would_narrow_and_cannot_be_read_is_an_error() {
    for wrong in [
        "permissionMode: sandboxed",
        "mode: careful",
        "maxTurns: many",
        "maxTurns: 0",
        "budget: {turns: -1}",
        "budget: {trns: 1}",
        "budget: 5",
        "files: src/**",
        "files: {read: {a: b}}",
        "hosts: {alow: [a]}",
        "tools: Read\ntools: Write",
        "tools: Read\nallowedTools: Write",
        "tools: {write: maybe}",
        "disallowedTools: {a: b}",
    ] {
        let text = format!("---\nname: a\ndescription: d\n{wrong}\n---\nDo it.\n");
        let file = parse_agent(&text);
        assert!(!file.is_agent(), "{wrong}: {:?}", file.problems);
        assert!(
            file.errors().all(|error| error.line >= 4),
            "{wrong}: {:?}",
            file.problems
        );
    }
    for harmless in [
        "model: 5.5",
        "effort: extreme",
        "mode: subagent",
        "version: 2",
        "hooks: {a: b}",
    ] {
        let text = format!("---\nname: a\ndescription: d\n{harmless}\n---\nDo it.\n");
        let file = parse_agent(&text);
        assert!(file.is_agent(), "{harmless}: {:?}", file.problems);
    }
}

#[test]
fn what_is_no_agent_says_why() {
    let error = |text: &str| {
        let file: AgentFile = parse_agent(text);
        assert!(!file.is_agent());
        file.errors().next().unwrap().to_string()
    };
    let all = [
        "# A README\n",
        "---\ntitle: A README\n---\n",
        "---\nname: a\n---\nDo it.\n",
        "---\nname: a:b\ndescription: d\n---\n",
        "---\nname: -a\ndescription: d\n---\n",
        "---\nname: my agent\ndescription: d\n---\n",
        "---\nname: a\ndescription: d\n",
        "---\nname: a\0\ndescription: d\n---\n",
    ]
    .map(error)
    .join("\n");
    insta::assert_snapshot!(all, @r#"
    line 1: the file does not begin with front matter (make `---` its first line, then `name: …` and `description: …`, then `---` again)
    line 1: the front matter has no `name`, so the file is no agent (add `name: …` and `description: …` if it is meant as one)
    line 2: the `description` is missing (say in one or two sentences when to use the agent)
    line 2: the `name` contains ":", which no name may contain (write letters, digits, `-`, `_` and `.`)
    line 2: the `name` begins with a hyphen (write letters, digits, `-`, `_` and `.`)
    line 2: the `name` contains " ", which no name may contain (write letters, digits, `-`, `_` and `.`)
    line 1: the front matter is not closed (end it with a line that is only `---`)
    line 2: the file holds a NUL character (delete it)
    "#);
    for name in [
        "dotnet-framework-4.8-expert",
        "Code_Reviewer",
        "c++",
        "büro",
    ] {
        let file = parse_agent(&format!("---\nname: {name}\ndescription: d\n---\nDo it.\n"));
        assert!(file.is_agent(), "{:?}", file.problems);
    }
}

proptest! {
    /// No text makes the reader panic, and every problem names a line of the text.
    #[test]
    fn any_text_is_read(text in "(---\n)?([a-zA-Z]{0,8}: ?[ -~\u{e9}]{0,20}\r?\n|[ -~]{0,12}\n){0,8}(---\n)?.{0,10}") {
        let lines = text.lines().count().max(1);
        for problem in parse_agent(&text).problems {
            prop_assert!(problem.line >= 1 && problem.line <= lines + 1, "{problem} of {lines} lines");
        }
    }

    /// A list of disallowed tools is never lost: it is read, or the file is no agent.
    #[test]
    fn a_limit_is_never_lost(before in "([a-zA-Z]{1,8}: ?[ -~]{0,20}\n|[ -~]{0,12}\n){0,5}") {
        let text = format!("---\nname: a\ndescription: d\n{before}disallowedTools: Write\n---\nDo it.\n");
        let file = parse_agent(&text);
        let names = file.names("disallowedTools").unwrap_or_default();
        let is_read = names.iter().any(|name| name == "Write");
        let is_error = file.problems.iter().any(|problem| problem.severity == Severity::Error);
        prop_assert!(is_read || is_error, "{:?}", file);
    }
}
