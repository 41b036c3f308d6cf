//! Which rules are offered with a question.

use helve_runtime::permission::{DangerousPaths, Policy, Rule, Rules};
use serde_json::Value;

use crate::vectors_permission::fixture;
use crate::vectors_permission::vectors::{self, Tally};

const DIFFERENCES: &[(&str, &str)] = &[
    (
        "suggestions:19",
        "a rule about `sudo rm` would let anything be removed by the superuser: none is offered behind `sudo`",
    ),
    (
        "suggestions:21",
        "no rule about the command covers an option that writes",
    ),
    (
        "suggestions:23",
        "no rule about the command covers what a redirection writes",
    ),
];

/// Writes the folder itself one way: a relative path without a folder lies in the working folder.
fn plain(rules: &[Rule]) -> Vec<String> {
    let mut plain: Vec<String> = rules
        .iter()
        .map(|rule| rule.to_string().replace("(./**)", "(**)"))
        .collect();
    plain.sort();
    plain
}

fn expected(value: &Value) -> Vec<Rule> {
    let rules = value.as_array().cloned().unwrap_or_default();
    rules.iter().map(fixture::rule).collect()
}

#[test]
fn suggestions() {
    let Some(cases) = vectors::load_topic("suggestions") else {
        return;
    };
    let mut tally = Tally::new("suggestions");
    for case in &cases {
        let input = &case.input;
        let (name, class) = (&input["tool"]["name"], &input["tool"]["class"]);
        let name = name.as_str().expect("a name");
        // The question is what the tool suggests, whatever is decided of the call: an ask rule makes everything ask.
        let policy = Policy::default()
            .with_dangerous_paths(DangerousPaths::empty())
            .rules(Rules::new().ask(Rule::tool(name)));
        let tool = fixture::tool(&input["tool"]);
        let arguments = input["tool_input"].to_string();
        let judgement = policy
            .judge(&*tool, &fixture::context(input), &arguments)
            .expect("it fits");
        // A question of safety is offered no rule, so that one is looked at before the policy drops its rules.
        let suggested: Vec<Rule> = if class == "Bash" {
            let suggested = judgement.facts.suggested_rules.iter();
            suggested
                .map(|content| Rule::calls(name, content))
                .collect()
        } else {
            judgement.suggestions
        };
        tally.compare(case, &plain(&suggested), &plain(&expected(&case.expected)));
    }
    tally.finish_at(DIFFERENCES, &[], 92);
}
