//! Which calls a rule is about.

use helve_runtime::permission::Policy;

use crate::vectors_permission::fixture;
use crate::vectors_permission::vectors::{self, Tally};

const DIFFERENCES: &[(&str, &str)] = &[
    (
        "rule_match:2",
        "a backslash before the end of the text: what bash makes of it is not proven, so no rule allows it",
    ),
    (
        "rule_match:14",
        "a text allows what begins with it; anywhere else it only denies",
    ),
];

#[test]
fn rule_match() {
    let Some(cases) = vectors::load_topic("rule_match") else {
        return;
    };
    let mut tally = Tally::new("rule_match");
    for case in &cases {
        let input = &case.input;
        let tool = fixture::tool(&input["tool"]);
        let rule = helve_runtime::permission::Rule {
            tool: input["tool"]["name"].as_str().expect("a name").to_owned(),
            content: input["rule_content"].as_str().map(str::to_owned),
        };
        let context = fixture::context(input);
        let arguments = input["tool_input"].to_string();
        let covers = Policy::default().covers(&rule, &*tool, &context, &arguments);
        tally.compare(case, &covers, &(case.expected == true));
    }
    tally.finish(DIFFERENCES);
}
