//! Every command of a chat, in narrow and wide windows, without colours and without escapes.

use crate::terminal::pty::{PtyFixture, PtySession, stop_events, text_events};

/// The commands in an order in which each has something to show, with words that it shows.
const COMMANDS: [(&str, &str); 30] = [
    ("/help", "Press Ctrl-C twice to quit."),
    ("/mode", "default (available modes: default, accept_edits,"),
    ("/mode nowhere", "invalid mode `nowhere`;"),
    ("/mode explore", ""),
    ("/mode default", ""),
    ("/model", "the model has no name"),
    ("/permissions", "this session has no rules"),
    ("/permissions add x", "usage: /permissions, or"),
    ("/tools", "write_note"),
    ("/skills", "no skills"),
    ("/agents", "no agents"),
    ("/mcp", "no MCP servers; add one with"),
    ("/context", "results of tools"),
    ("/background", "no commands run in the background"),
    ("/diff", "the working folder is not in a Git repository"),
    ("/sessions", "continue a session with /resume ID"),
    ("/search nothing", "no matches in this folder;"),
    ("/resume nowhere", "error: "),
    ("/copy", "5 characters were sent"),
    ("/export talk.md", "the conversation is in talk.md"),
    ("/cost", "1,234 in (800 cached) · 56 out"),
    ("/thinking", "the reasoning of the model is shown in full"),
    (
        "/compact",
        "the conversation is summarized before the next reply",
    ),
    ("/undo", "undone: Hello."),
    ("/clear", "the next message starts a new session"),
    ("/compact", "there is nothing to summarize"),
    ("/editor", "Written."),
    ("/init", "Initialized."),
    ("/nothing", "unknown command /nothing;"),
    ("/quit", "continue this session with"),
];

fn fixture() -> PtyFixture {
    let replies = ["Fine.", "Written.", "Initialized."];
    let replies: Vec<_> = replies
        .iter()
        .map(|text| [text_events(text), stop_events()].concat())
        .collect();
    let place = PtyFixture::new().with_recording(&replies);
    let path = place.path("edit.sh");
    std::fs::write(&path, "#!/bin/sh\necho Edited. > \"$1\"\n").expect("a file");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&path, executable).expect("a file");
    place
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Types a line, and waits until its words and the next prompt are on the screen below it.
fn say(terminal: &mut PtySession, line: &str, expected: &str) {
    let before = terminal.screen().matches('›').count();
    terminal.type_line(line);
    let typed = format!("› {line}");
    terminal.wait_until(line, |screen| {
        let below = screen.rsplit_once(&typed).map_or("", |(_, below)| below);
        screen.matches('›').count() > before
            && screen.ends_with('›')
            && words(below).contains(expected)
    });
}

/// Runs every command in a window; returns the screen.
fn run(columns: u16, variables: &[(&str, &str)]) -> String {
    let place = fixture();
    let editor = place.path("edit.sh").display().to_string();
    let variables = [variables, &[("EDITOR", &*editor)]].concat();
    let mut terminal = place.start_workshop_in(&["chat"], &variables, (400, columns));
    terminal.wait_for_prompt();
    say(&mut terminal, "Hello.", "Fine.");
    let is_dumb = variables.contains(&("TERM", "dumb"));
    for (line, expected) in COMMANDS {
        match line {
            "/copy" if is_dumb => say(&mut terminal, line, "this terminal has no clipboard"),
            // Without escapes the text is sent at once.
            "/editor" if !is_dumb => {
                terminal.type_line(line);
                terminal.wait_until("the text", |screen| screen.ends_with("› Edited."));
                say(&mut terminal, "", expected);
            }
            "/quit" => terminal.type_line(line),
            _ => say(&mut terminal, line, expected),
        }
    }
    let wrote = |text: &str| terminal.wrote(text);
    if is_dumb {
        assert!(!wrote("\u{1b}"), "a terminal without escapes got some");
    } else if variables.contains(&("NO_COLOR", "1")) {
        // The line editor moves the cursor, and nothing is coloured.
        let colours = (30..=37).chain(90..=97);
        let mut colours = colours.map(|code: u8| format!("\u{1b}[{code}m"));
        assert!(!colours.any(|colour| wrote(&colour)));
    }
    let (screen, code) = terminal.wait_for_exit();
    assert_eq!(code, 0, "{screen}");
    screen
}

#[test]
fn every_command_works_in_every_terminal() {
    run(100, &[("NO_COLOR", "1")]);
    run(100, &[("TERM", "dumb")]);
    run(40, &[("TERM", "dumb")]);
}

#[test]
#[expect(clippy::too_many_lines, reason = "it is one screen")]
fn a_narrow_window_shows_every_command() {
    let screen = run(40, &[("NO_COLOR", "1")]);
    let (_, shown) = screen
        .split_once("default › /mode\n")
        .expect("the second command");
    // How many tokens there are depends on the folder.
    let shown = shown.lines().map(|line| match line.split_once("about ") {
        Some((before, after)) if after.ends_with(" tokens") => format!("{before}about N tokens"),
        _ => line.to_owned(),
    });
    let shown = shown.collect::<Vec<_>>().join("\n");
    insta::assert_snapshot!(shown, @r#"
    default (available modes: default,
    accept_edits, explore, plan, bypass,
    dont_ask)
    default › /mode nowhere
    invalid mode `nowhere`; expected
    default, accept_edits, explore, plan,
    bypass or dont_ask
    default › /mode explore
    explore › /mode default
    default › /model
    the model has no name: it is a
    recording, or a model of the app
    default › /permissions
    this session has no rules
    default › /permissions add x
    usage: /permissions, or /permissions
    remove RULE
    default › /tools
      bash         Runs a command line in
                   bash and returns what it
                   writes.
      bash_kill    Ends a command of `bash`,
                   with all that it started.
      bash_output  Returns what a command of
                   `bash` has written since
                   it was last looked at,
                   and how it stands.
      build        Builds something, until
                   the gate `built` is open.
      sleep        Does not listen to
                   anybody for a minute.
      write_note   Writes a note.
    default › /skills
    no skills: embed a folder with
    `helve::include_skills!("skills")`, or
    add skills to `.agents/skills`
    default › /agents
    no agents
    default › /mcp
    no MCP servers; add one with `workshop
    mcp add NAME -- COMMAND` or `workshop
    mcp add NAME URL`
    default › /context
      system prompt     about N tokens
      6 tools           about N tokens
      0 skills          about N tokens
      2 messages        about N tokens
      results of tools  about N tokens
      total             about N tokens
    the size of the context is unknown; set
    `context_window`
    default › /background
    no commands run in the background
    default › /diff
    the working folder is not in a Git
    repository
    default › /sessions
    Hello.
        SESSION
    continue a session with /resume ID
    default › /search nothing
    no matches in this folder; `workshop
    sessions search` searches all
    default › /resume nowhere
    error: session `nowhere` not found
    default › /copy
    5 characters were sent to the clipboard
    of the terminal
    default › /export talk.md
    the conversation is in talk.md
    default › /cost
    1,234 in (800 cached) · 56 out
    default › /thinking
    the reasoning of the model is shown in
    full
    default › /compact
    the conversation is summarized before
    the next reply
    default › /undo
    there are no files to restore
    undone: Hello.
    default › /clear
    the next message starts a new session
    default › /compact
    there is nothing to summarize
    default › /editor
    default › Edited.

    Written.

    — finished · 1,234 in (800 cached) · 56
    out · TIME

    default › /init

    Initialized.

    — finished · 1,234 in (800 cached) · 56
    out · TIME

    default › /nothing
    unknown command /nothing; run /help for
    a list
    start the line with a space to send it
    to the model
    default › /quit
    continue this session with `workshop
    chat --session
    SESSION`
    "#);
}
