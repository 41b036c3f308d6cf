//! Who is asked.

use helve::ToolContext;
use helve::permission::{Mode, Policy, Verdict};

/// Looking at a command that somebody let run, and ending it, need no further question.
pub(crate) fn looking_and_ending_ask_nobody() {
    let tools = helve_tools::shell();
    let policy = Policy::new(Mode::Default);
    for name in ["bash_output", "bash_kill"] {
        let tool = tools.get(name).unwrap();
        let judgement = policy.judge(&*tool, &ToolContext::new(), r#"{"id": "bash-1"}"#);
        assert_eq!(judgement.unwrap().verdict, Verdict::Allow, "{name}");
    }
    let bash = tools.get("bash").unwrap();
    let judgement = policy.judge(&*bash, &ToolContext::new(), r#"{"command": "make"}"#);
    assert!(matches!(judgement.unwrap().verdict, Verdict::Ask { .. }));
}
