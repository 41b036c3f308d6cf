//! How questions read.

use super::*;
use helve_core::transcript::{CallKey, Origin, ToolCall};

fn make_question(tool: &str, arguments: &str) -> Question {
    let call = ToolCall::new("c1", tool, arguments);
    let origin = Origin::new("main", "t1");
    let reason = "it does not say what it changes (medium risk)";
    Question::new(origin, CallKey::new(1, 0), &call, reason)
}

/// A question about a command, with rules to offer.
pub(in crate::questions) fn question_with_rules(suggestions: &[&str]) -> Question {
    let rules = suggestions.iter().map(|rule| rule.parse().unwrap());
    make_question("bash", r#"{"command":"cargo test"}"#).with_suggestions(false, rules.collect())
}

/// A host that no rule allows.
pub(in crate::questions) fn host() -> BlockedAccess {
    let (host, port) = ("example.com".to_owned(), 443);
    BlockedAccess::Host { host, port }
}

fn render_to_string(asked: &Question, length: Detail, width: usize) -> String {
    let mut lines = render_question(asked, length, width);
    lines.extend(render_choices(asked, width));
    let lines: Vec<String> = lines.iter().map(Line::text).collect();
    lines.join("\n")
}

#[test]
fn a_question_says_what_would_run_and_what_can_be_answered() {
    insta::assert_snapshot!(render_to_string(&question_with_rules(&["bash(cargo test:*)"]), Detail::Short, 80), @r#"

        ? Allow bash?
            cargo test
          Reason: it does not say what it changes (medium risk)
          [y] yes, once
          [a] always in this session: bash(cargo test:*)
          [p] always in this project  [u] always in all projects
          [n] no  [never] no, never in this session
          or type what to do instead
        "#);
    insta::assert_snapshot!(render_to_string(&question_with_rules(&[]), Detail::Short, 80), @r#"

        ? Allow bash?
            cargo test
          Reason: it does not say what it changes (medium risk)
          [y] yes, once
          [n] no
          or type what to do instead
        "#);
}

#[test]
fn a_command_is_shown_part_by_part() {
    let asked = make_question(
        "bash",
        r#"{"command":"ls -l && git add . && git commit -m 'more of it' && git push"}"#,
    )
    .with_suggestions(
        false,
        vec![
            "bash(git commit:*)".parse().unwrap(),
            "bash(git push:*)".parse().unwrap(),
        ],
    )
    .with_part(Some("git commit -m 'more of it'".to_owned()))
    .with_parts(vec![
        QuestionPart::new("ls -l", PartStatus::ReadOnly),
        QuestionPart::new("git add .", PartStatus::Allowed),
        QuestionPart::new("git commit -m 'more of it'", PartStatus::Open),
        QuestionPart::new("git push", PartStatus::Open),
    ]);
    insta::assert_snapshot!(render_to_string(&asked, Detail::Short, 80), @r#"

        ? Allow bash?
            ls -l && git add . && git commit -m 'more of it' && git push
          Parts:
            read-only  ls -l
            allowed    git add .
            ask        git commit -m 'more of it'
            ask        git push
          Reason: it does not say what it changes (medium risk)
          [y] yes, once
          [a] always in this session, with all of these rules, or one of them:
          [a1] bash(git commit:*)
          [a2] bash(git push:*)
          [p] always in this project  [u] always in all projects
          [n] no  [never] no, never in this session
          or type what to do instead
        "#);
    insta::assert_snapshot!(render_to_string(&asked, Detail::Short, 40), @r#"

        ? Allow bash?
            ls -l && git add . && git commit -m 
              'more of it' && git push
          Parts:
            read-only  ls -l
            allowed    git add .
            ask        git commit -m 'more of it
                       '
            ask        git push
          Reason: it does not say what it
            changes (medium risk)
          [y] yes, once
          [a] always in this session, with all
              of these rules, or one of them:
          [a1] bash(git commit:*)
          [a2] bash(git push:*)
          [p] always in this project  [u] always
              in all projects
          [n] no  [never] no, never in this
              session
          or type what to do instead
        "#);
}

#[test]
fn a_change_is_shown_as_a_diff() {
    let before: String = (1..=9).map(|n| format!("line {n}\n")).collect();
    let after = before.replace("line 5", "another line");
    let preview = Preview::diff("src/notes.txt", Some(&before), &after);
    let asked = make_question("write_file", r#"{"path":"src/notes.txt","content":"…"}"#)
        .with_preview(Some(preview));
    insta::assert_snapshot!(render_to_string(&asked, Detail::Short, 80), @r#"

        ? Allow write_file?
            src/notes.txt  +1 -1
            @@ -2,7 +2,7 @@
             line 2
             line 3
             line 4
            -line 5
            +another line
             line 6
             line 7
             line 8
          Reason: it does not say what it changes (medium risk)
          [y] yes, once
          [n] no
          or type what to do instead
        "#);
}

#[test]
fn a_long_change_is_shown_when_it_is_asked_for() {
    let after: String = (1..=40).map(|n| format!("line {n}\n")).collect();
    let asked = make_question("write_file", "{}")
        .with_preview(Some(Preview::diff("new.txt", None, &after)));
    let short = render_to_string(&asked, Detail::Short, 80);
    assert!(short.contains("    new.txt  +40 -0  new file\n"), "{short}");
    assert!(
        short.contains("    … 18 more lines, press [d] to show all\n"),
        "{short}"
    );
    let all = render_to_string(&asked, Detail::Full, 80);
    assert!(all.contains("+line 40\n") && !all.contains("[d]"), "{all}");
}

#[test]
fn nothing_of_a_command_is_hidden_or_changed() {
    let command = "echo 'a  b'   ".repeat(20) + "; rm -rf ~";
    let arguments = serde_json::json!({ "command": command }).to_string();
    let shown = render_to_string(&make_question("bash", &arguments), Detail::Short, 40);
    let lines = shown.lines().skip_while(|line| !line.contains("echo"));
    let lines = lines.take_while(|line| !line.contains("Reason: "));
    let joined: String = lines
        .enumerate()
        .map(|(index, line)| &line[if index == 0 { 4 } else { 6 }..])
        .collect();
    assert_eq!(joined, command);
}

#[test]
fn the_rules_of_an_answer_are_shown_with_what_takes_them_back() {
    let shown = |decision: &Decision| {
        let lines: Vec<String> = render_rules(decision, 80).iter().map(Line::text).collect();
        lines.join("\n")
    };
    let rules = || {
        vec![
            "write_file(./**)".parse().unwrap(),
            "write_file(a/**)".parse().unwrap(),
        ]
    };
    let never = Decision::RejectAlways {
        rules: rules(),
        scope: RuleScope::Session,
        message: None,
    };
    insta::assert_snapshot!(shown(&never), @r#"
          Calls that match these rules are denied, in this session:
            write_file(./**)
            write_file(a/**)
          Remove them with /permissions remove RULE in a chat.
        "#);
    let always = Decision::AllowAlways {
        rules: rules(),
        scope: RuleScope::Project,
        message: None,
    };
    insta::assert_snapshot!(shown(&always), @r#"
          Calls that match these rules are allowed, in this project:
            write_file(./**)
            write_file(a/**)
          Remove them with `permissions remove RULE`.
        "#);
}

#[test]
fn an_agent_that_works_for_others_says_so() {
    let mut asked = question_with_rules(&[]).with_delegators(vec!["main".into(), "helper".into()]);
    asked.origin.agent = "worker".into();
    insta::assert_snapshot!(render_to_string(&asked, Detail::Short, 80), @r#"

        ? Allow bash?
            cargo test
          Agent: worker (t1), for helper, for main
          Reason: it does not say what it changes (medium risk)
          [y] yes, once
          [n] no
          or type what to do instead
        "#);
}

#[test]
fn a_blocked_access_is_asked_about_with_how_long_it_may_be_allowed() {
    let mut asked = question_with_rules(&[]).with_blocked(Some(host()));
    asked.reason = BLOCKED.to_owned();
    insta::assert_snapshot!(render_to_string(&asked, Detail::Short, 100), @r#"

        ? Allow bash to connect to example.com:443?
            cargo test
          Reason: a command connects to `example.com:443`, which no rule of the sandbox allows
          [y] yes, for this command
          [a] always in this session
          [u] always, in your settings: `sandbox.hosts`
          [n] no
          or type what to do instead
        "#);
    insta::assert_snapshot!(render_to_string(&asked, Detail::Short, 40), @r#"

        ? Allow bash to connect to
          example.com:443?
            cargo test
          Reason: a command connects to
            `example.com:443`, which no rule of
            the sandbox allows
          [y] yes, for this command
          [a] always in this session
          [u] always, in your settings:
              `sandbox.hosts`
          [n] no
          or type what to do instead
        "#);
    let once = asked.with_suggestions(true, Vec::new());
    let shown = render_to_string(&once, Detail::Short, 100);
    assert!(!shown.contains("always"), "{shown}");
    let folder =
        serde_json::json!({ "type": "folder", "path": "/srv/a\u{1b}[31m b", "access": "write" });
    let folder = once.with_blocked(serde_json::from_value(folder).unwrap());
    let shown = render_to_string(&folder, Detail::Short, 100);
    assert!(
        shown.contains("? Allow bash to write to /srv/a") && !shown.contains('\u{1b}'),
        "{shown}"
    );
}

const BLOCKED: &str =
    "a command connects to `example.com:443`, which no rule of the sandbox allows";
